// The statistics of payments by link against the payments that were read, in all, by month and by day. What may have moved between
// the two makes a range.

import type { FindingDraft } from '../../domain/finding.ts';
import type { PaymentCounts } from '../../domain/published/statistics.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import { compared, draftOf } from '../check.ts';
import { type Judgement, joined, judgedAt, NOT_JUDGED, noted } from '../looks.ts';
import { type Cell, emptyCell, type PaymentTotals } from './payment-totals.ts';
import { type PayoutCase, seenAt } from './payout-case.ts';
import { paymentCountMismatch } from './payout-pages.ts';

interface Stated {
  readonly name: 'total' | 'success' | 'pending' | 'failed' | 'amount';
  readonly value: bigint;
  /** Its least and greatest lawful value by the payments of a cell. */
  readonly lawful: (cell: Cell) => readonly [bigint, bigint];
}

export function judgeCounts({ read, payments }: PayoutCase): Judgement {
  const { statistics } = read;
  if (statistics === null || payments === null) return NOT_JUDGED;
  const { counts, months, days } = statistics;
  const at = (period: string, stated: readonly Stated[], cells: readonly Cell[]): Judgement => {
    const inputPlace = `statistics of ${period}`;
    const wrong = firstWrong(stated, cells);
    const draft = wrong === null ? [] : [describe(period, wrong, read.from)];
    return judgedAt('PAYMENT_COUNT_MISMATCH', inputPlace, draft);
  };
  const { daysFrom } = payments;
  const known = (days ?? []).filter(({ date }) => daysFrom === null || date >= daysFrom);
  return joined([
    known.length === (days ?? []).length ? NOT_JUDGED : noted(sinceNote(daysFrom!)),
    ...(counts === null ? [] : [at('all', countsIn(counts), [payments.all])]),
    ...(months ?? []).map(({ month, amount, ...rest }) => {
      const sums =
        amount === null ? [] : [amountOf(amount, ['SUCCESS']), amountOf(amount, ['SUCCESS', 'FAILED', 'PENDING'])];
      return atAny(
        month,
        sums.length === 0 ? [countsIn(rest)] : sums.map((sum) => [...countsIn(rest), sum]),
        payments,
        at,
      );
    }),
    ...known.map(({ date, count, amount }) =>
      atAny(date, [[countOf('success', count, ['SUCCESS']), amountOf(amount, ['SUCCESS'])]], payments, at),
    ),
  ]);
}

function sinceNote(since: string): NotChecked {
  const why = `the counts of days before ${since} are not compared with payments; those of their months are`;
  return { what: 'payments', why, incomplete: false, code: 'DAYS_SINCE', figures: { since } };
}

/** Lawful in one zone by one reading is lawful; else what the first of them says. */
function atAny(
  period: string,
  readings: readonly (readonly Stated[])[],
  { periods }: PaymentTotals,
  at: (period: string, stated: readonly Stated[], cells: readonly Cell[]) => Judgement,
): Judgement {
  const cells = periods.map((some) => some.get(period) ?? emptyCell());
  const all = readings.map((stated) => at(period, stated, cells));
  return all.find(({ drafts }) => drafts.length === 0) ?? all[0]!;
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

interface Wrong extends Stated {
  readonly due: bigint;
}

/** Null where one of the cells gives room to all of it. */
function firstWrong(stated: readonly Stated[], cells: readonly Cell[]): Wrong | null {
  const wrong = cells.map((cell) => {
    const found = stated.find(({ value, lawful }) => value < lawful(cell)[0] || value > lawful(cell)[1]);
    if (found === undefined) return null;
    const [least, most] = found.lawful(cell);
    return { ...found, due: found.value < least ? least : most };
  });
  return wrong.includes(null) ? null : wrong[0]!;
}

function describe(period: string, { name, value, due }: Wrong, at: number): FindingDraft {
  const figures = { period, name, stated: value, due };
  const inputPlace = `statistics of ${period}`;
  return draftOf(paymentCountMismatch, figures, {
    ...compared({ expected: due, actual: value }),
    inputPlace,
    evidence: [seenAt(inputPlace, at, `${name} ${value}`)],
  });
}
