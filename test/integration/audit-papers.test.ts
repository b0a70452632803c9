// Working papers in a kit of the store: they are made from the months as issued, with the
// notifications of drawn operations and lines beyond the bounds.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReportFile } from '../../src/io/storage/issued/report-files.ts';
import { loadIssuedReport } from '../../src/io/storage/issued/reports.ts';
import { pointageAs } from '../support/operator-token.ts';
import { openReportBooks, READ_AT, type ReportBooks } from '../support/report-books.ts';
import { cellBeside, readCells, type Sheets } from '../support/sheet-cells.ts';
import { readZip } from '../support/zip-reader.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-papers-'));
let books: ReportBooks;
let first: Sheets;

async function command(...words: readonly string[]) {
  const clock = () => READ_AT + 60_000;
  return pointageAs('awa', [...words, '--database-url', books.databaseUrl], { clock });
}

async function papersOf(...words: readonly string[]) {
  const { status, err } = await command('audit-kit', 'M001', '2026-10', '--out', scratch, ...words);
  expect([status, err]).toEqual([0, '']);
  const files = readZip(readFileSync(join(scratch, 'KIT_M001_2026-10.zip')));
  const papers = files.filter(({ path }) => path.startsWith('papers/'));
  expect(papers.map(({ path }) => path)).toEqual([
    'papers/CONFIRMATION_M001_2026-10.pdf',
    'papers/DOSSIER_M001_2026-10.xlsx',
  ]);
  return papers[1]!.content;
}

beforeAll(async () => {
  books = await openReportBooks(['M001']);
  expect((await command('statement', 'issue', 'M001', '2026-10')).status).toBe(0);
  first = (await readCells(Buffer.from(await papersOf()))).cells;
}, 60_000);
afterAll(async () => {
  await books.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe('the papers of a month', () => {
  test('have the figures of its issued statement', async () => {
    const report = (await loadIssuedReport(books.store, { merchant: 'M001', period: '2026-10' }))!;
    const parts: Uint8Array[] = [];
    for await (const part of readReportFile(books.store, report, 'json')) parts.push(part);
    const { statement } = JSON.parse(Buffer.concat(parts).toString());
    const { total } = statement.commissions;
    const figure = (sheet: string, label: string, column: string) =>
      cellBeside(first, { sheet, label, column });
    expect(figure('Sommaire', 'Opérations de la population', 'B')).toBe(total.count);
    expect(figure('Sommaire', 'Montant de la population', 'B')).toBe(total.base);
    expect(figure('Numérotation', 'Lignes de la période', 'B')).toBe(statement.summary.entryCount);
    expect(figure('Revue analytique', 'octobre 2026', 'B')).toBe(statement.summary.totalAmount);
    expect(figure('Feuille maîtresse', statement.journal.wallet.account, 'F')).toBe(
      statement.journal.wallet.closing,
    );
  });

  test('have the lines of twenty operations on each side of the end, also those of the month after', () => {
    const sheet = first.get('Césure')!;
    const at = (bound: string, side: string) => {
      const rows = [...sheet].filter(
        ([address, value]) => address.startsWith('B') && value === side,
      );
      const numbers = rows
        .map(([address]) => address.slice(1))
        .filter((row) => sheet.get(`A${row}`) === bound);
      return new Set(numbers.map((row) => sheet.get(`E${row}`))).size;
    };
    // The books begin with the month, and have five operations after it.
    const sides = [
      at('début', 'avant'),
      at('début', 'après'),
      at('fin', 'avant'),
      at('fin', 'après'),
    ];
    expect(sides).toEqual([0, 20, 20, 5]);
  });

  test('have the nights that checked the merchant, what came after the month, and who did what', async () => {
    const column = (sheet: string, letter: string) =>
      [...first.get(sheet)!]
        .filter(([address]) => address.replace(/\d+/, '') === letter)
        .map(([, value]) => value);
    const { rows } = await books.store.pool.query('select run_id from run_members order by run_id');
    expect(column('Contrôles de nuit', 'A')).toEqual(
      expect.arrayContaining(rows.map(({ run_id }) => Number(run_id))),
    );
    expect(column('Contrôles de nuit', 'E')).toContain('jugé');
    expect(column('Contrôles de nuit', 'M').join()).toMatch(/historique|rapports/);
    expect(column('Piste d’audit', 'D')).toContain('2026-10 r1');
  });

  test('are the same for the same store, and another sample for another seed', async () => {
    const sample = (sheets: Sheets) => [...sheets.get('Sondage')!.values()];
    expect(sample((await readCells(Buffer.from(await papersOf()))).cells)).toEqual(sample(first));
    const other = (await readCells(Buffer.from(await papersOf('--seed', 'x', '--sample', '10,5'))))
      .cells;
    expect(sample(other)).not.toEqual(sample(first));
    expect(cellBeside(other, { sheet: 'Sommaire', label: 'Graine', column: 'B' })).toBe('x');
  });

  test.each([
    ['--sample', 'many', "--sample must be like 25,25, not 'many'."],
    ['--sample', '0,0', '--sample must ask for one item at least.'],
    ['--seed', '', '--seed must not be empty; leave it out instead.'],
    ['--auditor', ' ', '--auditor must not be empty; leave it out instead.'],
  ])('are refused for %s %j', async (option, text, said) => {
    const { status, err } = await command('audit-kit', 'M001', '2026-10', option, text);
    expect([status, err]).toEqual([3, expect.stringContaining(said)]);
  });

  test('are made for one kind of sample alone', async () => {
    const { cells } = await readCells(Buffer.from(await papersOf('--sample', '0,3')));
    expect(
      [...cells.get('Résultat du sondage')!.values()].filter((value) =>
        /^Testés sur/.test(String(value)),
      ),
    ).toEqual(['Testés sur 0', 'Testés sur 3']);
  });
});
