// A year's documents, read by programs that are not ours: the ledger and the FEC of the whole year,
// and the printed months. Where a program is not installed, its tests are skipped.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { StatementFormatName } from '../../src/core/statements/statement.ts';
import { FORMATS, formatNamed, readerOf } from '../../src/io/formats/register.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { readFecRows, sumsByAccount } from '../support/bookkeeping-readers.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { pagesOf, squeezed } from '../support/pdf-tools.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { bytesOf } from '../support/written-document.ts';

const run = promisify(execFile);
const OF_MONTHS = ['camt', 'mt940', 'ofx'];

let year: StatedMonth;
let folder: string;
const fileOf = (name: StatementFormatName): string =>
  join(folder, `year.${formatNamed(name)!.extension}`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-year-'));
  const plan = planMerchant({
    reference: 'ANNEE',
    opensAt: Date.UTC(2025, 11, 1),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 1, reversalRate: 0.06 },
  });
  const sound = simulateBooks(plan, { seed: 'year', until: plan.opensAt + 400 * DAY });
  const fault = FAULTS.find(({ name }) => name === 'CREDIT_MISSING')!;
  const books = decodeBooks(fault.plant(sound, seedRandom('year'))!.books);
  year = await stateBooks(books, { period: '2026', zone: 'Africa/Douala' });
  for (const format of FORMATS.filter(({ name }) => !OF_MONTHS.includes(name)))
    await writeFile(fileOf(format.name), await bytesOf(format, documentOf(year)));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('every document of it says, read back, what the statement says', async () => {
  const formats = FORMATS.filter(({ name }) => !OF_MONTHS.includes(name));
  expect(formats.length).toBeGreaterThan(8);
  for (const format of formats) {
    const bytes = await bytesOf(format, documentOf(year));
    const file = async function* () {
      yield bytes;
    };
    expect(
      await readerOf(format)(file(), { statement: year.statement, language: 'fr' }),
      format.name,
    ).toEqual([]);
  }
});

test('its FEC is one file that comes to every account, and its entries have the numbers of their months', async () => {
  const bytes = await bytesOf(formatNamed('fec')!, documentOf(year));
  const rows = readFecRows(bytes).filter(({ journal }) => journal !== 'AN');
  const { accounts } = year.statement.journal;
  const moved = accounts.filter(({ debit, credit }) => debit + credit > 0);
  expect(Object.fromEntries(sumsByAccount(rows))).toEqual(
    Object.fromEntries(moved.map(({ account, debit, credit }) => [account, [debit, credit]])),
  );
  expect(new Set(rows.map(({ date }) => date.slice(0, 7))).size).toBe(12);
  expect(rows.filter(({ entry, date }) => !entry.startsWith(`MM-${date.slice(0, 7)}-`))).toEqual(
    [],
  );
});

describe.skipIf(!areInstalled('hledger', 'ledger'))('hledger and ledger', () => {
  test('prove the year by itself, from its opening to the balance that the service confirms', async () => {
    const { wallet } = year.statement.journal;
    await run('hledger', ['-f', fileOf('journal'), 'check'], IN_UTF8);
    const balance = ['-f', fileOf('journal'), 'bal', wallet.account];
    const closings = [
      await run('hledger', [...balance, '-N', '--layout=bare'], IN_UTF8),
      await run('ledger', balance, IN_UTF8),
    ];
    expect(wallet.opening).toBeGreaterThan(0);
    for (const { stdout } of closings)
      expect(stdout.replace(/[, ]/g, '')).toContain(String(wallet.closing));
  });
});

describe.skipIf(!areInstalled('pdftotext'))('pdftotext', () => {
  test('finds every month by its name with its figures, and no word of months where the year is meant', () => {
    const text = pagesOf(fileOf('pdf')).join('\n');
    expect(pagesOf(fileOf('pdf')).length).toBeLessThanOrEqual(4);
    expect(squeezed(text)).toContain(squeezed('une par ligne, dans le classeur (XLSX)'));
    expect(text).toContain('Relevé annuel — 2026');
    expect(text).toContain('du 01/01/2026 au 31/12/2026, heure de Douala');
    for (const { net, closing, month } of year.statement.months!) {
      const label = new Intl.DateTimeFormat('fr', { month: 'long', timeZone: 'UTC' }).format(
        new Date(`${month}-01`),
      );
      const row = text.split('\n').find((line) => new RegExp(`^ *${label} 2026 .* `).test(line))!;
      for (const figure of [closing, Math.abs(net)])
        expect(squeezed(row), label).toContain(String(figure));
    }
    expect(text).not.toMatch(/du mois|dans le mois|Le mois compte|mois antérieur/);
  });
});
