// The statistics of payments by link against the payments that were read, by day, by month and in all. What may have moved between
// the two makes a range. A payment that is missing from all three is one finding, of the narrowest period.

import type { FindingDraft } from '../../domain/finding.ts';
import type { PaymentCounts } from '../../domain/published/payout.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import { compared, draftOf } from '../port/check.ts';
import { type Judgement, joined, judgedAt, NOT_JUDGED, noted } from '../port/judgement.ts';
import { type Cell, emptyCell } from './payment-totals.ts';
import { type PayoutCase, paymentCountMismatch, seenAt } from './payout-case.ts';

interface Stated {
  readonly name: 'total' | 'success' | 'pending' | 'failed' | 'amount';
  readonly value: bigint;
  /** Its least and greatest lawful value by the payments of a cell. */
  readonly lawful: (cell: Cell) => readonly [bigint, bigint];
}

/** The figures of one period. */
interface Period {
  readonly name: string;
  /** What its figures may mean: one of these is lawful. */
  readonly readings: readonly (readonly Stated[])[];
  /** The payments that may be meant, by zone. */
  readonly cells: readonly Cell[];
}

export function judgeCounts({ read, payments }: PayoutCase): Judgement {
  const { statistics } = read;
  if (statistics === null || payments === null) return NOT_JUDGED;
  const { counts, months, days } = statistics;
  const { all, periods, daysFrom } = payments;
  const cellsOf = (name: string) => periods.map((some) => some.get(name) ?? emptyCell());
  const known = (days ?? []).filter(({ date }) => daysFrom === null || date >= daysFrom);
  const byDay = known.map(({ date, count, amount }): Period => {
    const stated = [countOf('success', count, ['SUCCESS']), amountOf(amount, ['SUCCESS'])];
    return { name: date, readings: [stated], cells: cellsOf(date) };
  });
  const byMonth = (months ?? []).map(({ month, amount, ...rest }): Period => {
    const sums =
      amount === null ? [[]] : [[amountOf(amount, ['SUCCESS'])], [amountOf(amount, ['SUCCESS', 'FAILED', 'PENDING'])]];
    return { name: month, readings: sums.map((sum) => [...countsIn(rest), ...sum]), cells: cellsOf(month) };
  });
  const whole = counts === null ? [] : [{ name: 'all', readings: [countsIn(counts)], cells: periods.map(() => all) }];
  const wrong = new Set([...whole, ...byMonth, ...byDay].filter((period) => !isLawful(period)));
  const isWithin = ({ name: inner }: Period, { name }: Period): boolean =>
    inner !== name && (name === 'all' || inner.startsWith(name));
  // What a narrower period says is not said again of the wider one.
  const narrowest = [...wrong].filter((period) => ![...wrong].some((inner) => isWithin(inner, period)));
  return joined([
    known.length === (days ?? []).length ? NOT_JUDGED : noted(sinceNote(daysFrom!)),
    ...[...whole, ...byMonth, ...byDay].map((period) => {
      const drafts = narrowest.includes(period) ? [describe(period, read.from)] : [];
      return judgedAt('PAYMENT_COUNT_MISMATCH', placeOf(period), drafts);
    }),
  ]);
}

function placeOf({ name }: Period): string {
  return `statistics of ${name}`;
}

function sinceNote(since: string): NotChecked {
  const why = `the counts of days before ${since} are not compared with payments; those of their months are`;
  return { what: 'payments', why, incomplete: false, code: 'DAYS_SINCE', figures: { since } };
}

/** Lawful in one zone by one reading is lawful. */
function isLawful({ readings, cells }: Period): boolean {
  return readings.some((stated) => cells.some((cell) => stated.every((one) => isFit(one, cell))));
}

function isFit({ value, lawful }: Stated, cell: Cell): boolean {
  const [least, most] = lawful(cell);
  return value >= least && value <= most;
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

function countOf(name: Stated['name'], value: number, of: readonly Status[]): Stated {
  return { name, value: BigInt(value), lawful: (cell) => rangeOf(cell, of, ({ count }) => BigInt(count)) };
}

function amountOf(value: number, of: readonly Status[]): Stated {
  return { name: 'amount', value: BigInt(value), lawful: (cell) => rangeOf(cell, of, ({ amount }) => amount) };
}

const STATUSES: readonly Status[] = ['SUCCESS', 'FAILED', 'PENDING'];

/** A young payment may have been in any state, or not have been there. */
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

/** By the first reading and zone. */
function describe(period: Period, at: number): FindingDraft {
  const cell = period.cells[0]!;
  const { name, value, lawful } = period.readings[0]!.find((one) => !isFit(one, cell))!;
  const [least, most] = lawful(cell);
  const due = value < least ? least : most;
  const inputPlace = placeOf(period);
  const figures = { period: period.name, name, stated: value, due };
  const evidence = [seenAt(inputPlace, at, `${name} ${value}`)];
  return draftOf(paymentCountMismatch, figures, {
    ...compared({ expected: due, actual: value }),
    inputPlace,
    evidence,
  });
}
