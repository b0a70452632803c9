// Sections D and E of the catalogue, of what shows only when all operations are looked at together:
// totals, prices, the daily ceiling, unexplained adjustments, and operations of an account or a
// wallet that is shut.

import type { Operation } from '../../src/core/domain/operation.ts';
import {
  CLOCKS_DIFFER,
  hasSucceeded,
  MINUTE,
  type NaiveBooks,
  type NaiveFinding,
  sumOf,
} from './naive-books.ts';

export const ACCOUNT_KINDS = [
  'TOTAL_COLLECTED_MISMATCH',
  'TOTAL_DISBURSED_MISMATCH',
  'TOTAL_FEES_MISMATCH',
  'FEE_NOT_AS_PRICED',
  'PRICING_CHANGED',
  'DAILY_CASHOUT_LIMIT_EXCEEDED',
  'ADJUSTMENT_UNEXPLAINED',
  'OPERATED_WHILE_BLOCKED',
] as const;

const DAY = 24 * 60 * MINUTE;

export function accountFindings(books: NaiveBooks): readonly NaiveFinding[] {
  return [
    ...totals(books),
    ...prices(books),
    ...days(books),
    ...adjustments(books),
    ...blocked(books),
  ];
}

function at(kind: (typeof ACCOUNT_KINDS)[number], operation: Operation | null): NaiveFinding {
  return { kind, sequence: null, operationReference: operation?.reference ?? null };
}

/** One money operation as its own record or its lines state it. */
interface Stated {
  readonly isCashin: boolean;
  readonly isReversed: boolean;
  readonly amount: number;
  readonly fees: number;
}

/**
 * Each total may be gross or net, less reversals or not, and of operations as they state themselves
 * or as they were posted.
 */
function totals({ operations, lines, wallet }: NaiveBooks): readonly NaiveFinding[] {
  const byRecord = operations.filter(hasSucceeded).map(({ type, status, amount, fees }) => ({
    isCashin: type === 'CASHIN',
    isReversed: status === 'REVERSED',
    amount,
    fees,
  }));
  const byLines = operations.flatMap((operation) => asPosted(operation, lines));
  const fits = (total: number, sumsOf: (stated: readonly Stated[]) => readonly number[]): boolean =>
    [byRecord, byLines].some((stated) =>
      [stated, stated.filter(({ isReversed }) => !isReversed)].some((some) =>
        sumsOf(some).includes(total),
      ),
    );
  const sum = (stated: readonly Stated[], of: (one: Stated) => number) =>
    stated.reduce((all, one) => all + of(one), 0);
  const cashins = (stated: readonly Stated[]) => stated.filter(({ isCashin }) => isCashin);
  const cashouts = (stated: readonly Stated[]) => stated.filter(({ isCashin }) => !isCashin);
  const found: NaiveFinding[] = [];
  const amountOf = ({ amount }: Stated) => amount;
  const collected = (stated: readonly Stated[]) => [
    sum(cashins(stated), amountOf),
    sum(cashins(stated), ({ amount, fees }) => amount - fees),
  ];
  const disbursed = (stated: readonly Stated[]) => [
    sum(cashouts(stated), amountOf),
    sum(cashouts(stated), ({ amount, fees }) => amount + fees),
  ];
  if (!fits(wallet.totalCollected, collected)) found.push(at('TOTAL_COLLECTED_MISMATCH', null));
  if (!fits(wallet.totalDisbursed, disbursed)) found.push(at('TOTAL_DISBURSED_MISMATCH', null));
  if (!fits(wallet.totalFees, (stated) => [sum(stated, ({ fees }) => fees)]))
    found.push(at('TOTAL_FEES_MISMATCH', null));
  return found;
}

/** A cash-in that was credited net has no line for its fee, which was taken all the same. */
function asPosted(operation: Operation, lines: NaiveBooks['lines']): readonly Stated[] {
  const own = lines.filter(({ operationReference }) => operationReference === operation.reference);
  const of = (kind: string) => sumOf(own.filter((line) => line.kind === kind));
  const isReversed = own.some(({ kind }) => kind.startsWith('REVERSAL_'));
  const [credit, cashinFee] = [of('CASHIN_CREDIT'), of('CASHIN_FEE')];
  const isNet = credit > 0 && cashinFee === 0 && credit === operation.amount - operation.fees;
  const hidden = isNet ? operation.fees : 0;
  return [
    { isCashin: true, isReversed, amount: credit + hidden, fees: cashinFee + hidden },
    { isCashin: false, isReversed, amount: of('CASHOUT_DEBIT'), fees: of('CASHOUT_FEE') },
  ];
}

interface Price {
  readonly bps: number;
  readonly flat: number;
}

/** The share of an amount, in any rounding to whole units. */
function sharesOf(amount: number, bps: number): readonly number[] {
  const exact = (amount * bps) / 10_000;
  return [Math.floor(exact), Math.ceil(exact)];
}

function isPriced({ amount, fees }: Operation, { bps, flat }: Price): boolean {
  const [low, high] = sharesOf(amount, bps) as [number, number];
  const exact = (amount * bps) / 10_000;
  // Of a half, either neighbour may be meant; else the nearest, the lower or the upper one.
  return fees === low + flat || fees === high + flat || fees === Math.round(exact) + flat;
}

/** Every price that all of these fit. */
function pricesOf(operations: readonly Operation[]): readonly Price[] {
  const found: Price[] = [];
  const one = operations[0]!;
  for (let bps = 0; bps <= 10_000; bps += 1) {
    for (const flat of new Set(sharesOf(one.amount, bps).map((share) => one.fees - share))) {
      if (flat >= 0 && operations.every((operation) => isPriced(operation, { bps, flat })))
        found.push({ bps, flat });
    }
  }
  return found;
}

/**
 * Four operations in a row that share one other price are one change of price, until four that do
 * not fit it follow each other; one that fits none is wrong by itself. What is fewer than four, and
 * not alone, may be the beginning of the books: of that this model says nothing.
 */
function prices({ operations, profile }: NaiveBooks): readonly NaiveFinding[] {
  const found: NaiveFinding[] = [];
  for (const type of ['CASHIN', 'CASHOUT'] as const) {
    const stated = type === 'CASHIN' ? profile.pricing.cashin : profile.pricing.cashout;
    const all = operations
      .filter((operation) => operation.type === type)
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : 1));
    let left = all.filter((operation) => !isPriced(operation, stated));
    for (let i = 0; i + 4 <= left.length; ) {
      const stretch = stretchFrom(all, left, i);
      if (stretch.length === 0) i += 1;
      else {
        found.push(at('PRICING_CHANGED', stretch[0]!));
        left = left.filter((operation) => !stretch.includes(operation));
        i = 0;
      }
    }
    for (const operation of left) found.push(at('FEE_NOT_AS_PRICED', operation));
  }
  return found;
}

/**
 * The four at `i`, and what follows and comes before them at their price, in order; none where they
 * are no stretch.
 */
function stretchFrom(
  all: readonly Operation[],
  left: readonly Operation[],
  i: number,
): readonly Operation[] {
  const stretch = left.slice(i, i + 4);
  let known = pricesOf(stretch);
  const othersBetween = (a: Operation, b: Operation): number =>
    all
      .slice(all.indexOf(a) + 1, all.indexOf(b))
      .filter(({ amount, fees }) => fees >= 10 || amount >= 1_000)
      .filter((operation) => !known.some((price) => isPriced(operation, price))).length;
  if (known.length === 0 || stretch.slice(1).some((one, n) => othersBetween(stretch[n]!, one) > 0))
    return [];
  const joins = (operation: Operation): boolean => {
    const still = known.filter((price) => isPriced(operation, price));
    if (still.length > 0) known = still;
    return still.length > 0;
  };
  for (const next of left.slice(i + 4)) {
    if (othersBetween(stretch.at(-1)!, next) >= 4) break;
    if (joins(next)) stretch.push(next);
  }
  for (const before of left.slice(0, i).reverse()) {
    if (othersBetween(before, stretch[0]!) >= 4) break;
    if (joins(before)) stretch.unshift(before);
  }
  return stretch;
}

/**
 * Only what succeeded counts, by its amount; the ceiling must be crossed by creation and, near it,
 * by completion.
 */
function days({ operations, profile }: NaiveBooks): readonly NaiveFinding[] {
  const ceiling = profile.limits.dailyCashoutLimit;
  if (ceiling === 0) return [];
  const paid = operations.filter(
    ({ type, status, completedAt }) =>
      type === 'CASHOUT' && status === 'SUCCEEDED' && completedAt !== null,
  );
  const crossed = (instantOf: (operation: Operation) => number): readonly Operation[] => {
    const inTime = paid.toSorted(
      (a, b) => instantOf(a) - instantOf(b) || (a.reference < b.reference ? -1 : 1),
    );
    const within = inTime.map((last, i) =>
      inTime.slice(0, i + 1).filter((one) => instantOf(one) > instantOf(last) - DAY),
    );
    const isOver = within.map(
      (some) => some.reduce((sum, { amount }) => sum + amount, 0) > ceiling,
    );
    return inTime.filter((_, i) => isOver[i] && !(isOver[i - 1] && within[i]!.length > 1));
  };
  const completed = crossed(({ completedAt }) => completedAt!).map(
    ({ completedAt }) => completedAt!,
  );
  return crossed(({ createdAt }) => createdAt)
    .filter(({ createdAt }) =>
      completed.some((instant) => Math.abs(instant - createdAt) <= 2 * DAY),
    )
    .map((operation) => at('DAILY_CASHOUT_LIMIT_EXCEEDED', operation));
}

/** Neither described nor notified within an hour. */
function adjustments({ lines, adjustedAt }: NaiveBooks): readonly NaiveFinding[] {
  return lines
    .filter(
      ({ kind, description }) =>
        kind.startsWith('ADJUSTMENT_') && (description ?? '').trim() === '',
    )
    .filter(
      ({ createdAt }) =>
        !adjustedAt.some((instant) => Math.abs(instant - createdAt) <= 60 * MINUTE),
    )
    .map(({ sequence, operationReference }) => ({
      kind: 'ADJUSTMENT_UNEXPLAINED',
      sequence,
      operationReference,
    }));
}

/**
 * Found at the first of them; the documents keep no history of states, so only what is certain
 * counts.
 */
function blocked({ operations, profile, wallet }: NaiveBooks): readonly NaiveFinding[] {
  const isShut = profile.status === 'PENDING';
  const after =
    wallet.status === 'ACTIVE' ? Number.POSITIVE_INFINITY : wallet.updatedAt + CLOCKS_DIFFER;
  const first = operations
    .filter(({ createdAt }) => isShut || createdAt > after)
    .toSorted((a, b) => a.createdAt - b.createdAt)[0];
  return first === undefined ? [] : [at('OPERATED_WHILE_BLOCKED', first)];
}
