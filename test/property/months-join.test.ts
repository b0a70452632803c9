// The law of joining, for accounts. Whatever becomes of a fault from one month to the next, what
// the months as they were issued have put into suspense is what the items of each statement say is
// off; and their accounts are those of the year, which is stated at once.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import { assertProperty, runsOf } from '../support/assert-property.ts';
import { createShelf, rowsWithOpenings } from '../support/kept-openings.ts';
import {
  entriesOf,
  judgeAtCut,
  type StatedMonth,
  stateBooks,
  stateMonths,
} from '../support/month-of-books.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';
import { straddlingBooks, straddlingWorlds } from '../support/straddling-books.ts';

const PERIODS = ['2026-10', '2026-11', '2026-12'];
const READ_AT = Date.UTC(2027, 0, 10);
const TVA = {
  name: 'TVA',
  bps: 1_800,
  from: null,
  countries: null,
  account: null,
  isRecoverable: true,
} as const;

/**
 * Settings of journals. The first has no tax, because a year rounds tax month by month, with the
 * faults as they are known at its end.
 */
const SETTINGS: readonly Partial<JournalSettings>[] = [
  {},
  { entries: 'day' },
  { auxiliaries: 'none' },
];

function sumOf<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

/** Returns credit − debit of the suspense accounts. */
function suspenseIn(months: readonly StatedMonth[]): number {
  const rows = months.flatMap(entriesOf).flatMap((entry) => entry.rows);
  return sumOf(rows, ({ role, debit, credit }) =>
    role.startsWith('suspense') ? credit - debit : 0,
  );
}

/**
 * Returns what the items that stand, and adjustments that put nothing right, say is off. A line
 * that is on its way counts in the next month.
 */
function offAt(books: DecodedBooks, months: readonly StatedMonth[]): number {
  const { due, period } = months.at(-1)!.statement;
  const cut = { end: period.end, closed: [], withWallet: false, opening: null };
  const { findings } = judgeAtCut(books, cut).report;
  const correcting = new Set(
    findings.flatMap(({ settledBy, itemParts }) => [
      ...(settledBy?.lines ?? []),
      ...itemParts.flatMap((part) => (part.of === 'corrected' ? (part.sequence ?? []) : [])),
    ]),
  );
  const lines = months.flatMap((month) => month.lines);
  const stated = new Set(lines.map(({ sequence }) => sequence));
  const parts = due.items
    .filter(({ state }) => state !== 'settled')
    .flatMap((item) => item.parts)
    .filter(({ sequence }) => sequence === null || stated.has(sequence));
  const others = lines.filter(
    ({ kind, sequence }) => kind.startsWith('ADJUSTMENT_') && !correcting.has(String(sequence)),
  );
  return (
    sumOf(parts, ({ balance }) => balance) +
    sumOf(others, (one) => (one.credit ?? 0) - (one.debit ?? 0))
  );
}

/** Checks the suspense accounts at the end of each month. */
function expectSuspense(books: DecodedBooks, months: readonly StatedMonth[]): void {
  for (const [i, { statement }] of months.entries()) {
    const issued = months.slice(0, i + 1);
    expect(suspenseIn(issued), statement.period.period).toBe(offAt(books, issued));
  }
}

function balancesOf(months: readonly StatedMonth[]): Readonly<Record<string, number>> {
  const balances: Record<string, number> = {};
  for (const { account, debit, credit } of months.flatMap(
    ({ statement }) => statement.journal.accounts,
  ))
    balances[account] = (balances[account] ?? 0) + debit - credit;
  return withoutNothing(balances);
}

function withoutNothing(
  balances: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(balances).filter(([, balance]) => balance !== 0));
}

test('the months that are issued join, and are the year', { timeout: 300_000 }, async () => {
  let joining = 0;
  await assertProperty(
    fc.asyncProperty(straddlingWorlds, fc.constantFrom(...SETTINGS), async (world, settings) => {
      const books = { ...straddlingBooks(world).books, asOf: READ_AT };
      const month = { journal: { ...DEFAULT_JOURNAL, ...settings } };
      const months = await stateMonths(books, PERIODS, () => ({ month }));
      const shelf = createShelf();
      const kept = await stateMonths(books, PERIODS, () => ({
        month,
        rows: rowsWithOpenings(books, shelf),
      }));
      months.forEach(({ statement }, i) => {
        const { journal } = statement;
        const where = statement.period.period;
        const rests = Object.entries(journal.controls!).filter(([, { rest }]) => rest !== 0);
        expect(rests, where).toEqual([]);
        expect(kept[i]!.statement.journal, `${where}, from an opening`).toEqual(journal);
      });
      expectSuspense(books, months);
      const entries = months.flatMap(entriesOf);
      expect(new Set(entries.map(({ number }) => number)).size).toBe(entries.length);
      for (const { number, rows } of entries)
        expect([number, sumOf(rows, (row) => row.debit - row.credit)]).toEqual([number, 0]);
      joining += entries.filter(({ source }) => source === 'joining').length;
      const year = await stateBooks(books, { period: '2026', month });
      expect(balancesOf(months)).toEqual(balancesOf([year]));
    }),
    { runs: 120 },
  );
  expect(joining).toBeGreaterThan(5);
});

test('with taxes in the commissions the accounts of suspense join as well', {
  timeout: 120_000,
}, async () => {
  await assertProperty(
    fc.asyncProperty(straddlingWorlds, async (world) => {
      const books = { ...straddlingBooks(world).books, asOf: READ_AT };
      const month = { journal: { ...DEFAULT_JOURNAL, taxes: [TVA] } };
      const months = await stateMonths(books, PERIODS, () => ({ month }));
      expectSuspense(books, months);
    }),
    { runs: 40 },
  );
});

const OTHERS: readonly Partial<JournalSettings>[] = [
  ...SETTINGS,
  { code: 'ME' },
  { taxes: [TVA] },
  {
    rules: [
      {
        role: 'wallet',
        when: { operator: ['ORANGE'] },
        account: { number: '5521', label: 'Orange' },
        auxiliary: null,
      },
    ],
  },
  {
    rules: [
      {
        role: 'wallet',
        when: { kind: ['CASHOUT_*'] },
        account: { number: '5529', label: 'Sorties' },
        auxiliary: null,
      },
    ],
  },
  { accounts: { ...DEFAULT_JOURNAL.accounts, wallet: { number: '5520', label: 'Porte-monnaie' } } },
  {
    accounts: {
      ...DEFAULT_JOURNAL.accounts,
      suspenseDebit: { number: '47111', label: 'Débiteurs en attente' },
      suspenseCredit: { number: '47121', label: 'Créditeurs en attente' },
      customers: { number: '4111', label: 'Clients mobiles' },
    },
  },
];

test('whatever settings change between two months, the wallet and what is in suspense go on', {
  timeout: 300_000,
}, async () => {
  let moved = 0;
  const settings = fc.array(fc.constantFrom(...OTHERS), { minLength: 3, maxLength: 3 });
  await assertProperty(
    fc.asyncProperty(straddlingWorlds, settings, async (world, changing) => {
      const books = { ...straddlingBooks(world).books, asOf: READ_AT };
      const months = await stateMonths(books, PERIODS, (period) => ({
        month: { journal: { ...DEFAULT_JOURNAL, ...changing[PERIODS.indexOf(period)] } },
      }));
      const held = new Map<string, number>();
      for (const { statement } of months) {
        for (const { role, account, opening, balance } of statement.journal.accounts) {
          if (role !== 'wallet') continue;
          expect([account, opening]).toEqual([account, held.get(account) ?? 0]);
          held.set(account, balance);
        }
        expect(sumOf([...held.values()], (one) => one)).toBe(statement.journal.wallet.closing);
      }
      moved += months.flatMap(entriesOf).filter(({ source }) => source === 'joining').length;
      expectSuspense(books, months);
    }),
    { runs: 80 },
  );
  expect(moved).toBeGreaterThan(runsOf(40));
});
