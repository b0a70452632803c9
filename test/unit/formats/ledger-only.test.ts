// Books of the ledger alone. What they show is stated, in every format. Of operations, which nobody
// read, a document says just that. Nothing is compared with them, and no line is said to name an
// unknown one.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reconcileInMemory } from '../../../src/core/kernel/reconcile-in-memory.ts';
import { LANGUAGES } from '../../../src/core/statements/statement.ts';
import { FORMATS, formatNamed, readerOf } from '../../../src/io/formats/register.ts';
import { handBooks } from '../../support/hand-books.ts';
import { areInstalled } from '../../support/installed.ts';
import { documentOf, stateBooks } from '../../support/month-of-books.ts';
import { pagesOf } from '../../support/pdf-tools.ts';
import { settingsOf } from '../../support/sandbox-books.ts';
import { readCells } from '../../support/sheet-cells.ts';
import { bytesOf } from '../../support/written-document.ts';

const BOOKS = handBooks(`
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  10-31T23:00 CASHOUT_HOLD 505 GUI-CO-2`);

const stated = (async () => {
  const report = reconcileInMemory(
    {
      entries: BOOKS.entries,
      operations: [],
      wallet: null,
      rejected: [],
      absent: [{ what: 'operations', why: 'operations.jsonl is not there', incomplete: true }],
    },
    { ...settingsOf(BOOKS), present: { ledger: true, operations: false } },
  );
  return stateBooks(BOOKS, { period: '2026-10', report, atCut: report });
})();

const UNREAD = 'Les opérations n’ont pas été lues : il n’en est rien dit.';
const UNSAID =
  /opération inconnue|Aucune opération|d’après leur état|selon les opérations|Opérations non définitives/;

test('the month is stated in part, and has no amount due', async () => {
  const { statement, lines } = await stated;
  expect(statement.summary.verdict.state).toBe('incomplete');
  expect(statement.summary.verdict.missing).toContain('operations');
  expect([statement.summary.due, statement.due.items]).toEqual([null, []]);
  expect(statement.summary.recorded).toEqual({ balance: 49_000, reserved: 505, available: 48_495 });
  expect(lines.flatMap(({ flags }) => flags)).toEqual([]);
});

test('nothing is compared with operations, and none of the figures is a 0 that says nothing', async () => {
  const { statement } = await stated;
  const { collections, disbursements } = statement.reconciliation;
  expect(collections).toEqual({ operations: null, lines: 50_000, difference: null });
  expect(disbursements).toEqual({ operations: null, lines: 0, difference: null });
  expect(statement.journal.controls).toBeNull();
  expect(statement.circumstances.notChecked).toContainEqual(
    expect.objectContaining({ what: 'operations' }),
  );
});

test('every format is found to say what the statement says', { timeout: 60_000 }, async () => {
  const month = await stated;
  for (const format of FORMATS) {
    for (const language of LANGUAGES) {
      const bytes = await bytesOf(format, documentOf(month), { language });
      async function* whole() {
        yield bytes;
      }
      expect(
        await readerOf(format)(whole(), { statement: month.statement, language }),
        format.name,
      ).toEqual([]);
    }
  }
});

test('the workbook says of operations that they were not read, and has no control of them', async () => {
  const { cells } = await readCells(await bytesOf(formatNamed('xlsx')!, documentOf(await stated)));
  const textsOf = (sheet: string) => [...cells.get(sheet)!.values()].map(String);
  for (const sheet of ['Synthèse', 'Commissions', 'Opérations'])
    expect(textsOf(sheet), sheet).toContain(UNREAD);
  expect(textsOf('Contrôles').filter((one) => /clients|fournisseurs/i.test(one))).toEqual([]);
});

test.skipIf(!areInstalled('pdftotext'))('the PDF says so, and claims nothing of them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-ledger-only-'));
  try {
    const file = join(folder, 'month.pdf');
    writeFileSync(file, await bytesOf(formatNamed('pdf')!, documentOf(await stated)));
    const text = pagesOf(file).join('\n').replaceAll(/\s+/g, ' ');
    expect(text.split(UNREAD).length - 1).toBeGreaterThanOrEqual(4);
    expect(text).not.toMatch(UNSAID);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
