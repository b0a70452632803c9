// A year is its months. Stated as one period, it has their figures, their lines and their entries
// under the same numbers, for sound books and for books with faults in every quarter, with taxes
// rounded by month and a month that was closed.

import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { ClosedMonth } from '../../src/core/domain/period.ts';
import {
  DEFAULT_JOURNAL,
  type JournalEntry,
  type JournalSettings,
} from '../../src/core/statements/journal.ts';
import type { MoneyColumns } from '../../src/core/statements/section-movements.ts';
import type { StatementLine } from '../../src/core/statements/statement-line.ts';
import type { StatementSummary } from '../../src/core/statements/summary.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { handBooks } from '../support/hand-books.ts';
import {
  auditBooks,
  type MonthWish,
  type StatedMonth,
  stateBooks,
} from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const MONTHS = Array.from({ length: 12 }, (_, i) => `2026-${String(i + 1).padStart(2, '0')}`);
const TAXED: JournalSettings = {
  ...DEFAULT_JOURNAL,
  taxes: [
    { name: 'TVA', bps: 1_800, from: null, countries: null, account: null, isRecoverable: true },
  ],
};

function booksOf(seed: string, faults: number): DecodedBooks {
  const random = seedRandom(`${TEST_SEED}/${seed}`);
  const plan = planMerchant({
    reference: 'ANNEE',
    policy: drawFrom(random, LAWFUL_POLICIES),
    opensAt: Date.UTC(2025, 10, 20),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 1, reversalRate: 0.06 },
  });
  let books: Books = simulateBooks(plan, { seed, until: plan.opensAt + 420 * DAY });
  for (let i = 0; i < faults; i++) {
    books = drawFrom(random, FAULTS).plant(books, random)?.books ?? books;
  }
  return decodeBooks(books);
}

async function stateYear(books: DecodedBooks, wish: Omit<MonthWish, 'period'>) {
  const report = auditBooks(books);
  const months: StatedMonth[] = [];
  for (const period of MONTHS) months.push(await stateBooks(books, { ...wish, report, period }));
  return { months, year: await stateBooks(books, { ...wish, report, period: '2026' }) };
}

const entriesOf = ({ statement, lines }: StatedMonth): readonly JournalEntry[] => [
  ...lines.flatMap(({ entry }) => (entry?.source === 'line' ? [entry] : [])),
  // Entries for what a month owes the next at their bound are left out, because a year does not see
  // them.
  ...statement.journal.others.filter(({ source }) => source !== 'ahead'),
];
/** Returns an entry without letters, because the year may clear rows that a month does not. */
const unlettered = (entry: JournalEntry): JournalEntry => ({
  ...entry,
  rows: entry.rows.map(({ letter: _, ...row }) => row),
});

/**
 * Checks that each letter's rows come to 0. The year has the letters of its months, and those of
 * rows that its months clear together.
 */
function expectLetters(year: StatedMonth, months: readonly StatedMonth[]): number {
  const lettersOf = (stated: StatedMonth) => {
    const sums = new Map<string, number>();
    for (const { account, auxiliary, letter, debit, credit } of entriesOf(stated).flatMap(
      ({ rows }) => rows,
    )) {
      if (letter === undefined) continue;
      const key = `${account} ${auxiliary?.number} ${letter.code}`;
      sums.set(key, (sums.get(key) ?? 0) + debit - credit);
    }
    return sums;
  };
  const all = lettersOf(year);
  for (const sums of [all, ...months.map(lettersOf)])
    expect([...sums.values()].filter((sum) => sum !== 0)).toEqual([]);
  for (const key of months.flatMap((month) => [...lettersOf(month).keys()]))
    expect(all.has(key), key).toBe(true);
  return all.size;
}
const byNumber = (entries: readonly JournalEntry[]) =>
  entries.toSorted((a, b) => (a.number === b.number ? 0 : a.number < b.number ? -1 : 1));

const SUMMED: readonly (keyof StatementSummary)[] = [
  'totalAmount',
  'paymentCount',
  'totalFees',
  'collected',
  'disbursed',
  'fees',
  'reversals',
  'adjustments',
  'otherMovements',
  'entryCount',
];

/**
 * Checks that the year has the lines of the months, in the order of the ledger. A line dated months
 * away from its number stands in the year by its number, and the running figures follow that.
 */
function expectLines({ statement, lines }: StatedMonth, months: readonly StatedMonth[]): void {
  const plain = ({
    flags: _,
    balance: _balance,
    reserved: _reserved,
    entry,
    ...line
  }: StatementLine) => {
    return { ...line, entry: entry === null ? null : unlettered(entry) };
  };
  const joined = months.flatMap((month) => month.lines).toSorted((a, b) => a.sequence - b.sequence);
  expect(lines.map(plain)).toEqual(joined.map(plain));
  let { openingBalance: balance, openingReserved: reserved } = statement.summary;
  for (const line of lines) {
    balance += (line.credit ?? 0) - (line.debit ?? 0);
    reserved += line.reservedMove;
    expect([line.sequence, line.balance, line.reserved]).toEqual([
      line.sequence,
      balance,
      reserved,
    ]);
  }
}

function expectYear({ months, year }: Awaited<ReturnType<typeof stateYear>>): void {
  const [first, last] = [months[0]!.statement, months.at(-1)!.statement];
  const { statement } = year;
  for (const key of SUMMED)
    expect(statement.summary[key], key).toBe(
      months.reduce((sum, month) => sum + (month.statement.summary[key] as number), 0),
    );
  for (const key of ['openingBalance', 'openingReserved'] as const)
    expect(statement.summary[key]).toBe(first.summary[key]);
  for (const key of ['closingBalance', 'closingReserved', 'perpetual', 'recorded', 'due'] as const)
    expect(statement.summary[key]).toEqual(last.summary[key]);
  const dayless = months.map(({ statement: of }) => {
    const {
      countIn,
      grossIn,
      feesIn,
      countOut,
      grossOut,
      feesOut,
      reversals,
      adjustments,
      other,
      net,
    } = of.operators.total;
    const columns: MoneyColumns = {
      countIn,
      grossIn,
      feesIn,
      countOut,
      grossOut,
      feesOut,
      reversals,
      adjustments,
      other,
      net,
    };
    const {
      paymentCount: count,
      totalAmount: amount,
      totalFees: fees,
      closingReserved,
      entryCount,
    } = of.summary;
    const { openingBalance: opening, closingBalance: closing } = of.summary;
    const collections = { count, amount, fees };
    return {
      month: of.period.period,
      entryCount,
      opening,
      closing,
      closingReserved,
      ...columns,
      collections,
    };
  });
  expect(statement.months).toEqual(dayless);
  expect(statement.days).toEqual(months.flatMap((month) => month.statement.days));
  expectLines(year, months);
  const plain = (some: readonly JournalEntry[]) => byNumber(some.map(unlettered));
  expect(plain(entriesOf(year))).toEqual(plain(months.flatMap(entriesOf)));
  expectLetters(year, months);
  const { wallet, taxes } = statement.journal;
  expect(wallet.opening).toBe(first.journal.wallet.opening);
  expect(wallet.closing).toBe(last.journal.wallet.closing);
  const taxed = months.reduce(
    (sum, month) => sum + month.statement.journal.taxes.reduce((all, one) => all + one.tax, 0),
    0,
  );
  expect(taxes.reduce((sum, { tax }) => sum + tax, 0)).toBe(taxed);
}

describe('a year', () => {
  test('of sound books adds up from its months, with taxes and entries by line or by day', {
    timeout: 120_000,
  }, async () => {
    const books = booksOf('sound', 0);
    for (const entries of ['line', 'day'] as const) {
      const stated = await stateYear(books, {
        zone: 'Africa/Douala',
        month: { journal: { ...TAXED, entries } },
      });
      expect(stated.year.statement.journal.taxes.length).toBeGreaterThan(0);
      expect(stated.year.lines.length).toBeGreaterThan(500);
      expectYear(stated);
    }
  });

  test('of broken books adds up from its months', { timeout: 120_000 }, async () => {
    for (const seed of ['one', 'two', 'three']) {
      const stated = await stateYear(booksOf(seed, 6), {});
      expectYear(stated);
      expect(expectLetters(stated.year, stated.months)).toBeGreaterThan(10);
    }
  });

  test('lists a line that is dated in the next month under its number, as its months count it', async () => {
    const books = handBooks(
      `03-05T08:00 CASHIN_CREDIT 1000 GUI-CI-1
       03-05T08:00 CASHIN_FEE 20 GUI-CI-1
       op GUI-CI-1 SUCCEEDED 1000 fees=20 created=03-05T07:59 completed=03-05T08:00
       05-01T06:00 ADJUSTMENT_CREDIT 500 - drift=47
       04-30T08:00 CASHIN_CREDIT 2000 GUI-CI-2
       04-30T08:00 CASHIN_FEE 40 GUI-CI-2
       op GUI-CI-2 SUCCEEDED 2000 fees=40 created=04-30T07:59 completed=04-30T08:00`,
      '12-31T24:00',
    );
    const stated = await stateYear(books, {});
    expectYear(stated);
    const placesOf = ({ lines }: StatedMonth) =>
      lines.map(({ sequence, balance }) => [sequence, balance]);
    expect(placesOf(stated.months[3]!)).toEqual([
      [4, 2_980],
      [5, 2_940],
    ]);
    const driftsOf = ({ statement }: StatedMonth) =>
      statement.journal.others.flatMap(({ source, number, date }) =>
        source === 'drift' ? [[number, date]] : [],
      );
    expect(driftsOf(stated.months[3]!)).toEqual([['MM-2026-04-000003-E', '2026-04-30']]);
    expect(driftsOf(stated.year)).toEqual(driftsOf(stated.months[3]!));
    expect(placesOf(stated.months[4]!)).toEqual([[3, 3_440]]);
    expect(placesOf(stated.year)).toEqual([
      [1, 1_000],
      [2, 980],
      [3, 1_480],
      [4, 3_480],
      [5, 3_440],
    ]);
  });

  test('has a late line of a closed month where the months have it', async () => {
    const books = booksOf('closed', 0);
    const march = books.entries.filter(({ createdAt }) => createdAt < Date.UTC(2026, 3, 1)).length;
    const closed: ClosedMonth[] = [
      { period: '2026-03', end: Date.UTC(2026, 3, 1), lastSequence: march - 20 },
    ];
    const stated = await stateYear(books, { month: { closed } });
    expect(
      stated.months[3]!.lines.filter(({ flags }) => flags.includes('LATE')).length,
    ).toBeGreaterThan(0);
    expectYear(stated);
  });

  test('is of days that the months have, and is not stated before it is over', async () => {
    const books = booksOf('running', 0);
    await expect(stateBooks(books, { period: '2027' })).rejects.toThrow(
      'The year 2027 has not ended',
    );
  });
});
