// What must hold for the months of any sound books, kept in any lawful way, in any of the zones:
// each begins where the month before ended, they add up, and a second, naive computation gives the
// same figures.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Country } from '../../src/core/domain/amount.ts';
import { HOUR } from '../../src/core/domain/instant.ts';
import type { MoneyColumns } from '../../src/core/statements/section-movements.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { assertProperty } from '../support/assert-property.ts';
import { auditBooks, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { naiveMonth } from '../support/naive-month.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const ZONES = [
  ['CI', 'Africa/Abidjan', 0],
  ['CM', 'Africa/Douala', HOUR],
  ['GN', 'UTC', 0],
] as const satisfies readonly (readonly [Country, string, number])[];

// Business begins on 20 October 2026 and the books end on 12 January. So there are whole months,
// one before the beginning, and a new year.
const MONTHS = ['2026-09', '2026-10', '2026-11', '2026-12'] as const;

const worlds = fc.record({
  seed: fc.string({ maxLength: 8 }),
  policy: fc.constantFrom(...LAWFUL_POLICIES),
  place: fc.constantFrom(...ZONES),
  operationsPerDay: fc.integer({ min: 0, max: 14 }),
  reversalRate: fc.constantFrom(0, 0.05, 0.3),
  batchRows: fc.integer({ min: 1, max: 900 }),
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

async function monthsOf(world: World) {
  const [country, zone, shift] = world.place;
  const plan = planMerchant({
    reference: 'MOIS_FICTIFS',
    country,
    policy: world.policy,
    opensAt: Date.UTC(2026, 9, 20),
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: world.operationsPerDay,
      reversalRate: world.reversalRate,
      cashoutShare: 0.4,
      sequenceGapRate: 0.01,
    },
  });
  const books = decodeBooks(
    simulateBooks(plan, { seed: world.seed, until: Date.UTC(2027, 0, 12, 7) }),
  );
  const report = auditBooks(books);
  if (report.entries + report.operations === 0) return null;
  const months: StatedMonth[] = [];
  for (const period of MONTHS) {
    months.push(await stateBooks(books, { period, zone, report, batchRows: world.batchRows }));
  }
  return { books, months, shift };
}

const sum = <Row>(rows: readonly Row[], pick: (row: Row) => number): number =>
  rows.reduce((total, row) => total + pick(row), 0);

function expectAgreement({ statement, lines }: StatedMonth): void {
  const {
    summary,
    days,
    operators,
    movements,
    journal,
    reconciliation,
    openHolds,
    openOperations,
  } = statement;
  const net = summary.closingBalance - summary.openingBalance;
  const { collected, disbursed, fees, reversals, adjustments, otherMovements } = summary;
  expect(collected - disbursed - fees + reversals + adjustments).toBe(net);
  expect(otherMovements).toBe(0);
  const tables: readonly (readonly MoneyColumns[])[] = [
    days,
    operators.rows,
    operators.byOperator,
    operators.byCountry,
  ];
  for (const rows of tables) {
    const known = rows === days || rows === operators.rows;
    expect(sum(rows, (row) => row.net)).toBe(known ? net : net - adjustments);
    expect(sum(rows, (row) => row.grossIn)).toBe(collected);
    expect(sum(rows, (row) => row.feesIn + row.feesOut)).toBe(fees);
  }
  expect(operators.total.net).toBe(net);
  expect(sum(movements, (row) => row.count)).toBe(summary.entryCount);
  expect(sum(movements, (row) => row.balanceEffect)).toBe(net);
  for (const rows of [summary.byOperator, summary.byCountry, summary.byDay]) {
    expect(sum<{ amount: number }>(rows, (row) => row.amount)).toBe(summary.totalAmount);
    expect(sum<{ fees: number }>(rows, (row) => row.fees)).toBe(summary.totalFees);
    expect(sum<{ count: number }>(rows, (row) => row.count)).toBe(summary.paymentCount);
  }
  expect(
    days.every((day, i) => day.opening === (days[i - 1]?.closing ?? summary.openingBalance)),
  ).toBe(true);
  for (const side of ['balance', 'reserved'] as const) {
    const { recorded, recomputed, items, remainder, carriedForward } = reconciliation[side];
    expect([recorded - recomputed, items.length, remainder, carriedForward.count]).toEqual([
      0, 0, 0, 0,
    ]);
  }
  expect(reconciliation.collections.operations).toBe(statement.summary.totalAmount);
  expect(openHolds.total).toBe(summary.closingReserved);
  expect(openOperations.count).toBe(openOperations.rows.length);
  expectLines(statement, lines);
  expect(journal.debit).toBe(journal.credit);
  expect(journal.wallet.closing).toBe(summary.closingBalance);
}

function expectLines({ summary, journal, days }: Statement, lines: StatedMonth['lines']): void {
  expect(lines.length).toBe(summary.entryCount);
  expect(lines.at(-1)?.balance ?? summary.openingBalance).toBe(summary.closingBalance);
  expect(lines.at(-1)?.reserved ?? summary.openingReserved).toBe(summary.closingReserved);
  expect(
    lines.every(
      (line) => line.balance === line.recordedBalance && line.reserved === line.recordedReserved,
    ),
  ).toBe(true);
  expect(lines.flatMap((line) => line.flags).filter((flag) => flag !== 'AFTER_JUMP')).toEqual([]);
  const entries = lines.flatMap((line) => line.entry ?? []);
  const moving = lines.filter(({ isMemo }) => !isMemo);
  expect(entries.map((entry) => Number(entry.number.slice(-6)))).toEqual(
    moving.map(({ sequence }) => sequence),
  );
  expect(journal.others).toEqual([]);
  for (const entry of entries) expect(sum(entry.rows, (row) => row.debit - row.credit)).toBe(0);
  const wallet = entries.flatMap((entry) => entry.rows).filter((row) => row.role === 'wallet');
  expect(sum(wallet, (row) => row.debit - row.credit)).toBe(
    summary.closingBalance - summary.openingBalance,
  );
  expect(journal.entryCount).toBe(entries.length);
  const counted = new Map(days.map((day) => [day.day, day.entryCount]));
  for (const [day, some] of Map.groupBy(lines, (line) => line.localTime.slice(0, 10)))
    expect(counted.get(day)).toBe(some.length);
}

test('months chain, their tables agree, and a naive computation gives the same figures', {
  timeout: 120_000,
}, async () => {
  await assertProperty(
    fc.asyncProperty(worlds, async (world) => {
      const stated = await monthsOf(world);
      if (stated === null) return;
      const { books, months, shift } = stated;
      months.forEach(({ statement }, i) => {
        const { summary, movements, openHolds, openOperations, period } = statement;
        const next = months[i + 1]?.statement.summary;
        if (next !== undefined) {
          expect([next.openingBalance, next.openingReserved]).toEqual([
            summary.closingBalance,
            summary.closingReserved,
          ]);
          const [before, after] = [summary.perpetual!, next.perpetual!];
          expect(
            next.openingBalance + after.credits - before.credits - (after.debits - before.debits),
          ).toBe(next.closingBalance);
        }
        expect(summary.perpetual!.credits - summary.perpetual!.debits).toBe(summary.closingBalance);
        const naive = naiveMonth(books, { start: period.start, end: period.end, shift });
        expect(summary).toMatchObject({
          openingBalance: naive.opening,
          closingBalance: naive.closing,
          openingReserved: naive.openingReserved,
          closingReserved: naive.closingReserved,
          entryCount: naive.entryCount,
          perpetual: naive.perpetual,
          paymentCount: naive.paymentCount,
          totalAmount: naive.totalAmount,
          totalFees: naive.totalFees,
        });
        const kinds = movements
          .filter((row) => row.count > 0)
          .map(({ kind, count, amount }) => [kind, { count, amount }]);
        expect(Object.fromEntries(kinds)).toEqual(naive.byKind);
        expect(
          Object.fromEntries(summary.byOperator.map((row) => [row.operator, row.amount])),
        ).toEqual(naive.byOperator);
        expect(Object.fromEntries(summary.byDay.map((row) => [row.day, row.amount]))).toEqual(
          naive.byDay,
        );
        expect(sum(Object.values(summary.byStatus), (count) => count)).toBe(naive.createdCount);
        expect(openOperations.count).toBe(naive.openCount);
        expect(
          Object.fromEntries(openHolds.rows.map((row) => [row.operationReference, row.held])),
        ).toEqual(naive.openHolds);
      });
      for (const month of months) expectAgreement(month);
    }),
    {
      runs: 3,
      examples: [
        [
          {
            seed: '',
            policy: LAWFUL_POLICIES[0]!,
            place: ZONES[1],
            operationsPerDay: 0,
            reversalRate: 0,
            batchRows: 1,
          },
        ],
      ],
    },
  );
});

test('months add up to all lines of the books that they cover', { timeout: 60_000 }, async () => {
  await assertProperty(
    fc.asyncProperty(worlds, async (world) => {
      const stated = await monthsOf(world);
      if (stated === null) return;
      const { books, months } = stated;
      const last = months.at(-1)!.statement;
      const covered = books.entries.filter((entry) => entry.createdAt < last.period.end);
      expect(
        sum(months, ({ statement }) => statement.summary.entryCount),
        namePolicy(world.policy),
      ).toBe(covered.length);
      expect(months[0]!.statement.summary.openingBalance).toBe(0);
      const net = sum(
        months,
        ({ statement }) => statement.summary.closingBalance - statement.summary.openingBalance,
      );
      expect(net).toBe(covered.at(-1)?.balanceAfter ?? 0);
      const { walletAsRead } = last.circumstances;
      expect(walletAsRead!.balance).toMatchObject({
        difference: 0,
        wallet: books.wallet.balance,
        unexplained: '0',
      });
      expect(walletAsRead!.reserved).toMatchObject({
        difference: 0,
        wallet: books.wallet.reserved,
      });
    }),
    { runs: 2 },
  );
});
