// Commissions against the invoice of the payment service: equal, lower, higher and absent. What is
// withheld clears the invoice on the account of the service as a supplier, a difference is open
// there, and the expense is the invoice's. hledger reads the journal.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatNamed, readerOf } from '../../src/io/formats/register.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { journalFor } from '../../src/service/config/for-merchant.ts';
import { type BookedRow, readFecRows } from '../support/bookkeeping-readers.ts';
import { handBooks } from '../support/hand-books.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { bytesOf } from '../support/written-document.ts';

const run = promisify(execFile);

/**
 * Commissions of November: 1,000 + 300. Commissions of December: 200, and 140 of an operation whose
 * line is of January.
 */
const BOOKS = handBooks(
  `
  11-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  11-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=11-02T07:59 completed=11-02T08:00
  11-20T08:00 CASHIN_CREDIT 15000 GUI-CI-2
  11-20T08:00 CASHIN_FEE 300 GUI-CI-2
  op GUI-CI-2 SUCCEEDED 15000 fees=300 created=11-20T07:59 completed=11-20T08:00
  12-05T08:00 CASHIN_CREDIT 10000 GUI-CI-3
  12-05T08:00 CASHIN_FEE 200 GUI-CI-3
  op GUI-CI-3 SUCCEEDED 10000 fees=200 created=12-05T07:59 completed=12-05T08:00
  op GUI-CI-4 SUCCEEDED 7000 fees=140 created=12-31T23:50 completed=12-31T23:59
  2027-01-01T00:01 CASHIN_CREDIT 7000 GUI-CI-4
  2027-01-01T00:01 CASHIN_FEE 140 GUI-CI-4`,
  '2028-01-02T00:00',
);

interface Wish {
  readonly period?: string;
  readonly journal?: object;
}

/** States a month with invoices, each of a month, a number, net and tax. */
function state(
  invoices: readonly (readonly [string, string, number, number])[],
  { period = '2026-11', journal = {} }: Wish = {},
): Promise<StatedMonth> {
  const commissionInvoices = Object.fromEntries(
    invoices.map(([month, number, net, tax]) => [month, { number, date: '2026-12-03', net, tax }]),
  );
  const own = { journal: { ...journal, commissionInvoices } };
  const given = { journal: { feeTaxBps: 1800 }, merchants: { A_LA_MAIN: own } };
  return stateBooks(BOOKS, {
    period,
    month: { journal: journalFor(checkConfiguration(given, 'test'), 'A_LA_MAIN') },
  });
}

const fecOf = async (stated: StatedMonth): Promise<readonly BookedRow[]> =>
  readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated)));

/**
 * Returns the rows of the service's account as a supplier, and those of them that have no letter.
 */
function supplier(rows: readonly BookedRow[]) {
  const own = rows.filter(({ auxiliary }) => auxiliary === '401SERVICE');
  const left = own.filter(({ letter }) => letter === '');
  return { own, left: left.map(({ piece, debit, credit }) => [piece, debit - credit]) };
}

function balances(rows: readonly BookedRow[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { account, debit, credit } of rows)
    sums[account] = (sums[account] ?? 0) + debit - credit;
  return sums;
}

const EQUAL = ['2026-11', 'F-2026-11', 1_102, 198] as const;

describe('an invoice for a month’s commissions', () => {
  test('that is equal clears them under its number, and posts its own net and tax', async () => {
    const stated = await state([EQUAL]);
    const rows = await fecOf(stated);
    const { own, left } = supplier(rows);
    expect(own.map(({ debit, credit, letter }) => [debit - credit, letter])).toEqual([
      [1_000, 'F-2026-11'],
      [300, 'F-2026-11'],
      [-1_300, 'F-2026-11'],
    ]);
    expect(left).toEqual([]);
    expect(balances(rows)).toEqual({
      '552': 63_700,
      '411': -65_000,
      '401': 0,
      '6317': 1_102,
      '4454': 198,
    });
    expect(
      rows
        .filter(({ entry }) => entry === 'MM-2026-11-F')
        .map(({ date, piece }) => `${date} ${piece}`),
    ).toEqual(Array.from({ length: 3 }, () => '2026-11-30 F-2026-11'));
    const text = (await bytesOf(formatNamed('fec')!, documentOf(stated))).toString('latin1');
    // The day of the piece is that of the invoice.
    expect(
      text
        .split('\r\n')
        .filter((line) => /\tMM-2026-11-F\t.*\tF-2026-11\t20261203\tFacture/.test(line)).length,
    ).toBe(3);
  });

  test.each([
    ['higher', 1_200, 216, -116],
    ['lower', 1_000, 180, 120],
  ])(
    'that is %s leaves the difference open on the account, and says it',
    async (_, net, tax, open) => {
      const stated = await state([['2026-11', 'F-7', net, tax]]);
      const rows = await fecOf(stated);
      expect(supplier(rows).left).toEqual([['F-7', open]]);
      expect(balances(rows)).toEqual({
        '552': 63_700,
        '411': -65_000,
        '401': open,
        '6317': net,
        '4454': tax,
      });
      const { controls, taxes } = stated.statement.journal;
      expect(controls!.fees).toMatchObject({ posted: 1_300, stated: 1_300, rest: 0 });
      expect(taxes).toEqual([]);
    },
  );

  test('that is absent changes nothing: commissions are posted with the tax they contain', async () => {
    const rows = await fecOf(await state([['2026-12', 'F-8', 200, 0]]));
    expect(supplier(rows).own).toEqual([]);
    expect(balances(rows)).toEqual({ '552': 63_700, '411': -65_000, '6317': 1_102, '4454': 198 });
    expect(balances(await fecOf(await state([])))).toEqual(balances(rows));
  });

  test('whose tax cannot be recovered is all expense', async () => {
    const taxes = [{ name: 'TAF', bps: 1800, recoverable: false }];
    const rows = await fecOf(await state([EQUAL], { journal: { taxes } }));
    expect(balances(rows)).toEqual({ '552': 63_700, '411': -65_000, '401': 0, '6317': 1_300 });
  });

  test('clears the entries of days as well', async () => {
    const rows = await fecOf(await state([EQUAL], { journal: { entries: 'day' } }));
    expect(supplier(rows).left).toEqual([]);
    expect(balances(rows)['401']).toBe(0);
  });

  test('has its own place in a year; what ended in it and has its line in the next is an expense without it', async () => {
    const december = ['2026-12', 'F-2026-12', 170, 30] as const;
    const january = ['2027-01', 'F-2027-01', 119, 21] as const;
    const [first, next] = [
      await fecOf(await state([EQUAL, december, january], { period: '2026' })),
      await fecOf(await state([EQUAL, december, january], { period: '2027' })),
    ];
    expect(balances(first)).toMatchObject({
      '401': 0,
      '6317': 1_102 + 170 + 119,
      '4454': 198 + 30 + 21,
    });
    expect(supplier(first).left).toEqual([]);
    expect(new Set(supplier(first).own.map(({ letter }) => letter))).toEqual(
      new Set(['F-2026-11', 'F-2026-12']),
    );
    // The commissions were taken back from the expense on the first day, and are invoiced in their
    // month.
    expect(balances(next)).toMatchObject({ '401': 0, '6317': 0 });
    expect(new Set(supplier(next).own.map(({ letter }) => letter))).toEqual(new Set(['F-2027-01']));
  });

  test('is said in the documents, in both languages, with its amounts', async () => {
    const stated = await state([['2026-11', 'F-7', 1_000, 180]]);
    for (const [language, open] of [
      ['en', 'withheld from the wallet 1,300. Open on the supplier’s account: −120.'],
      ['fr', 'prélevé sur le portefeuille 1 300. Reste ouvert au compte fournisseur : −120.'],
    ] as const) {
      const pdf = await bytesOf(formatNamed('pdf')!, documentOf(stated), { language });
      const file = join(folder, `${language}.pdf`);
      await writeFile(file, pdf);
      const { stdout } = await run('pdftotext', ['-layout', file, '-'], IN_UTF8);
      expect(stdout.replace(/\s+/g, ' ')).toContain(open);
    }
  });

  test.each(['fec', 'sage', 'odoo', 'journal', 'xlsx'] as const)(
    'is read back: %s',
    async (name) => {
      const stated = await state([['2026-11', 'F-7', 1_000, 180]]);
      const bytes = await bytesOf(formatNamed(name)!, documentOf(stated));
      async function* file() {
        yield bytes;
      }
      expect(
        await readerOf({ name })(file(), { statement: stated.statement, language: 'fr' }),
      ).toEqual([]);
    },
  );
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-invoice-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.skipIf(!areInstalled('hledger'))(
  'hledger has the same on each account, in euros too',
  async () => {
    for (const books of [undefined, { currency: 'EUR' }]) {
      const stated = await state([['2026-11', 'F-7', 1_200, 216]], { journal: { books } });
      const file = join(folder, 'invoice.journal');
      await writeFile(file, await bytesOf(formatNamed('journal')!, documentOf(stated)));
      await run('hledger', ['-f', file, 'check', '--strict', 'ordereddates'], IN_UTF8);
      for (const [account, balance] of Object.entries({
        '401': -116,
        '6317': 1_200,
        '4454': 216,
        '552': 63_700,
      })) {
        const { stdout } = await run(
          'hledger',
          ['-f', file, 'bal', '--flat', '-N', `^${account} `],
          IN_UTF8,
        );
        expect(stdout.trim(), account).toMatch(new RegExp(`^${balance} XOF `));
      }
    }
  },
);
