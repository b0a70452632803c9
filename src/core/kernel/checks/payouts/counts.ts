// Compares the statistics of payments by link with the payments that were read, by day, by month
// and in all. Payments that may have moved between the two readings make a range. A payment that is
// missing from all three statistics is one finding, of the narrowest period.

import type { PaymentCounts } from '../../../domain/published/payout.ts';
import { type Judgement, joined, judged, NOT_JUDGED, noted } from '../port/judgement.ts';
import { type Cell, emptyCell } from './payment-totals.ts';
import { type PayoutCase, seenAt } from './payout-case.ts';

type Name = 'total' | 'success' | 'pending' | 'failed' | 'amount';

interface Stated {
  readonly name: Name;
  readonly value: bigint;
  /** Returns the least and the greatest lawful value, by the payments of a cell. */
  readonly lawful: (cell: Cell) => readonly [bigint, bigint];
}

interface Period {
  readonly name: string;
  /**
   * The stated figures, once for each way to understand the document. One of these ways must fit.
   */
  readonly readings: readonly (readonly Stated[])[];
  /** The payments of the period, by zone. */
  readonly cells: readonly Cell[];
}

/** How far each figure is above (+) or below (−) its lawful range; 0 within it. */
type Excess = Readonly<Partial<Record<Name, bigint>>>;

interface Judged {
  readonly period: Period;
  /**
   * The excess of the period by zone, under the first of `readings`; `null` where the period is
   * lawful.
   */
  readonly excess: readonly Excess[] | null;
  /**
   * The figure to report. `null` where the period is lawful, and where findings of periods within
   * it explain all of the excess.
   */
  readonly wrong: Stated | null;
}

export function judgeCounts({ read, payments }: PayoutCase): Judgement {
  const { statistics } = read;
  if (statistics === null || payments === null) return NOT_JUDGED;
  const { counts, months, days } = statistics;
  const { periods, daysFrom } = payments;
  const cellsOf = (name: string) => periods.map((some) => some.get(name) ?? emptyCell());

  const known = (days ?? []).filter(({ date }) => daysFrom === null || date >= daysFrom);
  const byDay = known.map(({ date, count, amount }) => {
    const stated = [countOf('success', count, ['SUCCESS']), amountOf(amount, ['SUCCESS'])];
    return judgePeriod({ name: date, readings: [stated], cells: cellsOf(date) }, []);
  });
  const byMonth = (months ?? []).map(({ month, amount, ...rest }) => {
    const sums =
      amount === null
        ? [[]]
        : [[amountOf(amount, ['SUCCESS'])], [amountOf(amount, ['SUCCESS', 'FAILED', 'PENDING'])]];
    const readings = sums.map((sum) => [...countsIn(rest), ...sum]);
    const own = byDay.filter(({ period }) => period.name.startsWith(month));
    return judgePeriod({ name: month, readings, cells: cellsOf(month) }, own);
  });
  const inAll = (some: PaymentCounts) =>
    judgePeriod(
      { name: 'all', readings: [countsIn(some)], cells: periods.map(() => payments.all) },
      months === null ? byDay : byMonth,
    );
  const all = [...(counts === null ? [] : [inAll(counts)]), ...byMonth, ...byDay];
  return joined([
    known.length === (days ?? []).length
      ? NOT_JUDGED
      : noted({ what: 'payments', code: 'DAYS_SINCE', figures: { since: daysFrom } }),
    ...all.map(({ period, wrong }) =>
      judged(
        'PAYMENT_COUNT_MISMATCH',
        placeOf(period),
        wrong && describe(period, wrong, read.from),
      ),
    ),
  ]);
}

function placeOf({ name }: Period): string {
  return `statistics of ${name}`;
}

/**
 * Judges one period. It is lawful where one of `readings` fits in one zone; else the finding is of
 * the first of them. `within` are the periods inside it, already judged.
 */
function judgePeriod(period: Period, within: readonly Judged[]): Judged {
  const { readings, cells } = period;
  const isSome = (isFine: (one: Stated, cell: Cell, zone: number) => boolean): boolean =>
    readings.some((stated) =>
      cells.some((cell, zone) => stated.every((one) => isFine(one, cell, zone))),
    );
  const isLawful = (one: Stated, cell: Cell): boolean => excessOf(one, cell) === 0n;
  if (isSome(isLawful)) return { period, excess: null, wrong: null };
  const [stated] = readings;
  const excess = cells.map((cell) =>
    Object.fromEntries(stated!.map((one) => [one.name, excessOf(one, cell)])),
  );
  const explained = cells.map((_, zone) =>
    sumOf(within.flatMap((one) => one.excess?.[zone] ?? [])),
  );
  const isExplained = (one: Stated, cell: Cell, zone: number) =>
    excessOf(one, cell, explained[zone]!) === 0n;
  if (isSome((one, cell, zone) => isLawful(one, cell) || isExplained(one, cell, zone)))
    return { period, excess, wrong: null };
  return { period, excess, wrong: stated!.find((one) => excessOf(one, cells[0]!) !== 0n)! };
}

/**
 * Returns how far the figure lies outside its lawful range. `explained` is the excess that the
 * periods within account for.
 */
function excessOf({ name, value, lawful }: Stated, cell: Cell, explained: Excess = {}): bigint {
  const [least, most] = lawful(cell);
  const own = value - (explained[name] ?? 0n);
  if (own < least) return own - least;
  return own > most ? own - most : 0n;
}

const NAMES: readonly Name[] = ['success', 'failed', 'pending', 'amount'];

/**
 * Adds up excesses, figure by figure. A day states successes only, so its excess of successes
 * counts as its excess of the total.
 */
function sumOf(some: readonly Excess[]): Excess {
  const sum = (take: (one: Excess) => bigint | undefined) =>
    some.reduce((total, one) => total + (take(one) ?? 0n), 0n);
  const total = sum((one) => one.total ?? one.success);
  return { total, ...Object.fromEntries(NAMES.map((name) => [name, sum((one) => one[name])])) };
}

function countsIn({ total, succeeded, pending, failed }: PaymentCounts): readonly Stated[] {
  return [
    countOf('success', succeeded, ['SUCCESS']),
    countOf('failed', failed, ['FAILED']),
    countOf('pending', pending, ['PENDING']),
    countOf('total', total, ['SUCCESS', 'FAILED', 'PENDING']),
  ];
}

type Status = keyof Cell['certain'];

function countOf(name: Name, value: number, of: readonly Status[]): Stated {
  return {
    name,
    value: BigInt(value),
    lawful: (cell) => rangeOf(cell, of, ({ count }) => BigInt(count)),
  };
}

function amountOf(value: number, of: readonly Status[]): Stated {
  return {
    name: 'amount',
    value: BigInt(value),
    lawful: (cell) => rangeOf(cell, of, ({ amount }) => amount),
  };
}

const STATUSES: readonly Status[] = ['SUCCESS', 'FAILED', 'PENDING'];

/**
 * Returns the lawful range of a sum over the states `of`: from the certain payments in these
 * states, to the same with all young payments, which may have had any state or not been there yet.
 */
function rangeOf(
  { certain, young }: Cell,
  of: readonly Status[],
  take: (sum: Cell['certain']['SUCCESS']) => bigint,
): readonly [bigint, bigint] {
  const sum = (cells: Cell['certain'], some: readonly Status[]): bigint =>
    some.reduce((total, status) => total + take(cells[status]), 0n);
  const least = sum(certain, of);
  return [least, least + sum(young, STATUSES)];
}

function describe(period: Period, { name, value, lawful }: Stated, at: number) {
  const [least, most] = lawful(period.cells[0]!);
  const due = value < least ? least : most;
  const figures = { period: period.name, name, stated: value, due };
  return {
    figures,
    expected: due,
    actual: value,
    evidence: [seenAt(placeOf(period), at, `${name} ${value}`)],
  };
}
