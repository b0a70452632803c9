// What a year's journal has beside those of its months: the balances of all accounts that it begins
// with, and operations in transit at its end, which are taken back on the first day of the next
// year.

import { describe, expect, test } from 'vitest';
import {
  DEFAULT_JOURNAL,
  type JournalEntry,
  type JournalSettings,
} from '../../../src/core/statements/journal.ts';
import { handBooks } from '../../support/hand-books.ts';
import { auditBooks, stateBooks } from '../../support/month-of-books.ts';

const BOOKS = handBooks(
  `
  11-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  11-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=11-02T07:59 completed=11-02T08:00
  11-20T09:00 ADJUSTMENT_CREDIT 300 -
  12-31T22:00 CASHOUT_HOLD 1010 GUI-CO-1
  op GUI-CI-2 SUCCEEDED 7000 fees=140 created=12-31T23:50 completed=12-31T23:59
  op GUI-CO-1 SUCCEEDED 1000 fees=10 created=12-31T22:00 completed=12-31T23:58
  2027-01-01T00:01 CASHIN_CREDIT 7000 GUI-CI-2
  2027-01-01T00:01 CASHIN_FEE 140 GUI-CI-2
  2027-01-01T00:02 CASHOUT_DEBIT 1000 GUI-CO-1
  2027-01-01T00:02 CASHOUT_FEE 10 GUI-CO-1
  2027-02-03T08:00 CASHIN_CREDIT 2000 GUI-CI-3
  2027-02-03T08:00 CASHIN_FEE 40 GUI-CI-3
  op GUI-CI-3 SUCCEEDED 2000 fees=40 created=2027-02-03T07:59 completed=2027-02-03T08:00`,
  '2029-01-02T00:00',
  900,
);
const REPORT = auditBooks(BOOKS, { balance: 900, reserved: 0 });

async function journalOf(period: string, journal: JournalSettings = DEFAULT_JOURNAL) {
  const month = { opening: { balance: 900, reserved: 0 }, journal };
  return (await stateBooks(BOOKS, { period, report: REPORT, month })).statement.journal;
}

type Journal = Awaited<ReturnType<typeof journalOf>>;

const balancesOf = ({ accounts }: Journal) =>
  Object.fromEntries(
    accounts
      .filter(({ balance }) => balance !== 0)
      .map(({ account, balance }) => [account, balance]),
  );
const rowsOf = ({ number, date, rows }: JournalEntry) =>
  [number, date, ...rows.map(({ account, debit, credit }) => `${account} ${debit - credit}`)].join(
    ' | ',
  );
const transitsOf = ({ others }: Journal) =>
  others.filter(({ source }) => source === 'transit').map(rowsOf);

describe('the balances that a year begins with', () => {
  test('are those of all accounts at the end of the one before, its charges against the result', async () => {
    const [first, second] = [await journalOf('2026'), await journalOf('2027')];
    expect(rowsOf(first.carried!.entry)).toBe('AN-2026 | 2026-01-01 | 552 900 | 130 -900');
    expect(balancesOf(first)).toEqual({
      130: -900,
      401: 1_000,
      411: -57_000,
      4712: -300,
      518: 5_850,
      552: 50_200,
      6317: 1_150,
    });
    expect(rowsOf(second.carried!.entry)).toBe(
      'AN-2027 | 2027-01-01 | 130 250 | 401 1000 | 518 5850 | 552 50200 | 411 -57000 | 4712 -300',
    );
    expect(balancesOf(second)).toEqual({
      130: 250,
      401: 1_000,
      411: -59_000,
      4712: -300,
      552: 58_010,
      6317: 40,
    });
    for (const { accounts, debit, credit } of [first, second]) {
      expect(accounts.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
      expect(
        accounts.every(({ opening, debit: d, credit: c, balance }) => opening! + d - c === balance),
      ).toBe(true);
      expect(debit).toBe(credit);
    }
  });

  test('are carried over a year without a line, and each year adds its own result', async () => {
    const third = await journalOf('2028');
    expect(rowsOf(third.carried!.entry)).toBe(
      'AN-2028 | 2028-01-01 | 130 290 | 401 1000 | 552 58010 | 411 -59000 | 4712 -300',
    );
    expect(third.entryCount).toBe(0);
    expect(third.accounts.map(({ account }) => account)).toEqual([
      '130',
      '401',
      '411',
      '4712',
      '552',
    ]);
  });

  test('have the account of the configuration, and no month has them', async () => {
    const openingResult = { number: '1301', label: 'Résultat en instance d’affectation' };
    const accounts = { ...DEFAULT_JOURNAL.accounts, openingResult };
    const { carried } = await journalOf('2027', { ...DEFAULT_JOURNAL, accounts });
    expect(carried!.entry.rows.find(({ role }) => role === 'openingResult')).toMatchObject({
      account: '1301',
      debit: 250,
    });
    for (const period of ['2026-11', '2027-01'])
      expect('carried' in (await journalOf(period))).toBe(false);
  });
});

test('each auxiliary account has its own row of the opening', async () => {
  const { carried } = await journalOf('2027');
  const rows = carried!.entry.rows.map(({ account, auxiliary, debit, credit }) => {
    return [account, auxiliary?.number ?? '-', debit - credit].join(' ');
  });
  expect(rows.filter((row) => row.startsWith('4'))).toEqual([
    '401 401WAVE 1000',
    '411 411WAVE -57000',
    '4712 - -300',
  ]);
});

describe('operations in transit at the end of a year', () => {
  test('are entries of both years that leave nothing, and of no month', async () => {
    const [first, second] = [await journalOf('2026'), await journalOf('2027')];
    expect(transitsOf(first)).toEqual([
      'MM-2026-12-000005-X | 2026-12-31 | 518 7000 | 411 -7000',
      'MM-2026-12-000006-X | 2026-12-31 | 6317 140 | 518 -140',
      'MM-2026-12-000007-X | 2026-12-31 | 401 1000 | 518 -1000',
      'MM-2026-12-000008-X | 2026-12-31 | 6317 10 | 518 -10',
    ]);
    expect(transitsOf(second)).toEqual([
      'MM-2027-01-000005-X | 2027-01-01 | 411 7000 | 518 -7000',
      'MM-2027-01-000006-X | 2027-01-01 | 518 140 | 6317 -140',
      'MM-2027-01-000007-X | 2027-01-01 | 518 1000 | 401 -1000',
      'MM-2027-01-000008-X | 2027-01-01 | 518 10 | 6317 -10',
    ]);
    for (const { controls } of [first, second])
      for (const { rest, otherMonth } of Object.values(controls!))
        expect([rest, otherMonth]).toEqual([0, 0]);
    for (const period of ['2026-12', '2027-01'])
      expect(transitsOf(await journalOf(period))).toEqual([]);
  });

  test('have the tax that was valid in the year that they are of', async () => {
    const tax = { name: 'TVA', countries: null, account: null, isRecoverable: true };
    const taxes = [
      { ...tax, bps: 4_000, from: null },
      { ...tax, bps: 1_000, from: '2027-01-01' },
    ];
    const settings = { ...DEFAULT_JOURNAL, taxes };
    const [first, second] = [await journalOf('2026', settings), await journalOf('2027', settings)];
    expect(transitsOf(first)[1]).toBe(
      'MM-2026-12-000006-X | 2026-12-31 | 6317 100 | 4454 40 | 518 -140',
    );
    expect(transitsOf(second)[1]).toBe(
      'MM-2027-01-000006-X | 2027-01-01 | 518 140 | 6317 -100 | 4454 -40',
    );
  });
});

describe('the accounts of suspense at the end of a year', () => {
  test('have their open pieces with dates and ages, also from the years before, and sum to them', async () => {
    const aged = async (period: string) => {
      const { suspense, accounts } = await journalOf(period);
      const { rows, count, total } = suspense!;
      expect(count).toBe(rows.length);
      const held = accounts.filter(({ account }) => suspense!.accounts.includes(account));
      expect(held.reduce((sum, { balance }) => sum + balance, 0)).toBe(total.balance);
      return [
        ...rows.map(({ account, piece, date, age }) => [account, piece, date, age].join(' ')),
        total,
      ];
    };
    expect(await aged('2026')).toEqual([
      '4712 LINE-3 2026-11-20 41',
      { ages: [0, -300, 0, 0], balance: -300 },
    ]);
    expect(await aged('2027')).toEqual([
      '4712 LINE-3 2026-11-20 406',
      { ages: [0, 0, 0, -300], balance: -300 },
    ]);
    expect('suspense' in (await journalOf('2026-12'))).toBe(false);
  });
});
