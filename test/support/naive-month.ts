// The figures of a month computed a second time, naively: by filters over whole arrays and the
// words of the documents. For sound books only; shares no code with the statements.

import type { DecodedBooks } from './sandbox-books.ts';

export interface NaiveMonth {
  readonly opening: number;
  readonly closing: number;
  readonly openingReserved: number;
  readonly closingReserved: number;
  readonly entryCount: number;
  /** Sums of all lines up to the month's end, as the statement has them. */
  readonly perpetual: Readonly<Record<'creditCount' | 'credits' | 'debitCount' | 'debits', number>>;
  readonly byKind: Readonly<Record<string, { readonly count: number; readonly amount: number }>>;
  readonly paymentCount: number;
  readonly totalAmount: number;
  readonly totalFees: number;
  readonly byOperator: Readonly<Record<string, number>>;
  readonly byDay: Readonly<Record<string, number>>;
  readonly createdCount: number;
  readonly openCount: number;
  readonly openHolds: Readonly<Record<string, number>>;
}

export function naiveMonth(
  books: DecodedBooks,
  bounds: { readonly start: number; readonly end: number; readonly shift: number },
): NaiveMonth {
  const { start, end, shift } = bounds;
  const inside = (at: number): boolean => at >= start && at < end;
  const moves = books.entries.map((entry, i) => ({
    entry,
    effect: entry.balanceAfter - (books.entries[i - 1]?.balanceAfter ?? 0),
    move: entry.reservedAfter - (books.entries[i - 1]?.reservedAfter ?? 0),
  }));
  const total = (some: typeof moves, key: 'effect' | 'move'): number =>
    some.reduce((sum, one) => sum + one[key], 0);
  const before = moves.filter(({ entry }) => entry.createdAt < start);
  const until = moves.filter(({ entry }) => entry.createdAt < end);
  const raised = until.filter(({ entry }) => entry.direction === 'CREDIT');
  const lowered = until.filter(({ entry }) => entry.direction === 'DEBIT');
  const month = moves.filter(({ entry }) => inside(entry.createdAt)).map(({ entry }) => entry);
  const byKind: Record<string, { count: number; amount: number }> = {};
  for (const { kind, amount } of month) {
    byKind[kind] ??= { count: 0, amount: 0 };
    byKind[kind].count += 1;
    byKind[kind].amount += amount;
  }
  const collections = books.operations.filter(
    ({ type, status, completedAt }) =>
      type === 'CASHIN' &&
      (status === 'SUCCEEDED' || status === 'REVERSED') &&
      inside(completedAt!),
  );
  const sumBy = (key: (one: (typeof collections)[number]) => string): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const one of collections) sums[key(one)] = (sums[key(one)] ?? 0) + one.amount;
    return sums;
  };
  const openHolds: Record<string, number> = {};
  for (const { entry, move } of until) {
    const reference = entry.operationReference ?? '';
    openHolds[reference] = (openHolds[reference] ?? 0) + move;
    if (openHolds[reference] === 0) delete openHolds[reference];
  }
  return {
    opening: total(before, 'effect'),
    closing: total(until, 'effect'),
    openingReserved: total(before, 'move'),
    closingReserved: total(until, 'move'),
    entryCount: month.length,
    perpetual: {
      creditCount: raised.length,
      credits: total(raised, 'effect'),
      debitCount: lowered.length,
      debits: 0 - total(lowered, 'effect'),
    },
    byKind,
    paymentCount: collections.length,
    totalAmount: collections.reduce((sum, { amount }) => sum + amount, 0),
    totalFees: collections.reduce((sum, { fees }) => sum + fees, 0),
    byOperator: sumBy(({ operator }) => operator),
    byDay: sumBy(({ completedAt }) => new Date(completedAt! + shift).toISOString().slice(0, 10)),
    createdCount: books.operations.filter(({ createdAt }) => inside(createdAt)).length,
    openCount: books.operations.filter(
      ({ createdAt, completedAt }) =>
        createdAt < end && (completedAt === null || completedAt >= end),
    ).length,
    openHolds,
  };
}
