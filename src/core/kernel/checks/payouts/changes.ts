// Compares payout limits and counters from look to look. Within a month, what is used of the
// ceiling falls only where a payout failed; with a new month it starts from 0. The count of
// requests that have ended never falls.

import type {
  DisbursementCounters,
  Payout,
  PayoutLimits,
} from '../../../domain/published/payout.ts';
import type { Kept } from '../../../domain/published/payout-place.ts';
import {
  isSame,
  type Judgement,
  joined,
  judged,
  NOT_JUDGED,
  pairsOf,
  seriesOf,
} from '../port/judgement.ts';
import { COUNTERS, LIMITS, type PayoutCase, sayCounters, seenAt, surelyIn } from './payout-case.ts';

export function judgeChanges(subject: PayoutCase): Judgement {
  const { read, kept } = subject;
  const limits = read.after.limits ?? read.before.limits;
  const series = seriesOf(kept.limits, limits, read.until);
  const ofLimits =
    limits === null ? [] : [judgeFalls(subject, series), judgeNewMonth(subject, limits)];
  return joined([...ofLimits, judgeFallen(subject)]);
}

/**
 * Judges each month: the first fall of what is used that no failed payout explains is a finding.
 */
function judgeFalls(subject: PayoutCase, series: readonly Kept<PayoutLimits>[]): Judgement {
  return eachMonth(subject, series, (month, pairs) => {
    const fallen = pairs.find(([one, next]) => isUnexplained(subject, one, next));
    const found = fallen === undefined ? null : describeFall(fallen, month);
    return judged('PAYOUT_LIMITS_INCONSISTENT', `payouts used in ${month}`, found);
  });
}

type Pair<Value> = readonly [Kept<Value>, Kept<Value>];

/**
 * Calls `judge` for every month in which a look surely was, with the pairs of looks that followed
 * each other in it.
 */
function eachMonth<Value>(
  { zones }: PayoutCase,
  series: readonly Kept<Value>[],
  judge: (month: string, pairs: readonly Pair<Value>[]) => Judgement,
): Judgement {
  const months = new Set(series.flatMap(({ at }) => surelyIn(zones, at) ?? []));
  const pairsIn = (month: string) =>
    pairsOf(series).filter((pair) => pair.every(({ at }) => surelyIn(zones, at) === month));
  return joined([...months].map((month) => judge(month, pairsIn(month))));
}

/**
 * Whether what is used has fallen by more than payouts gave back. A payout that fails gives back
 * what it had used. One whose amount shrinks gives back too, and is a finding of its own.
 */
function isUnexplained(
  subject: PayoutCase,
  one: Kept<PayoutLimits>,
  next: Kept<PayoutLimits>,
): boolean {
  const fallen = one.value.used - next.value.used;
  if (fallen <= 0) return false;
  const { payouts } = subject.read;
  if (payouts !== null) {
    const back = payouts
      .filter((payout) => payout.status === 'FAILED' && mayHaveFailed(subject, payout, [one, next]))
      .reduce((sum, { amount, fees }) => sum + amount + Math.ceil(Number(fees ?? 0)), 0);
    return fallen > back + shrunkSince(subject, one.at);
  }
  const [before, after] = [countersAt(subject, one.at), countersAt(subject, next.at)];
  return before !== null && after !== null && before.failed >= after.failed;
}

/** Returns by how much the amounts of payouts have shrunk since the look at `at`. */
function shrunkSince({ read, kept }: PayoutCase, at: number): number {
  return (read.payouts ?? []).reduce((sum, { id, amount }) => {
    const before = kept.payouts.get(id)?.findLast((row) => row.at <= at)?.value.amount ?? amount;
    return sum + Math.max(0, before - amount);
  }, 0);
}

/**
 * Whether the payout may have failed between the two looks: its own time says so, or the first look
 * saw it in another state.
 */
function mayHaveFailed(
  { kept, clockTolerance }: PayoutCase,
  { id, createdAt, completedAt }: Payout,
  [one, next]: Pair<PayoutLimits>,
): boolean {
  if (createdAt > next.at + clockTolerance) return false;
  if (completedAt === null || completedAt >= one.at - clockTolerance) return true;
  const before = kept.payouts.get(id)?.findLast(({ at }) => at <= one.at);
  return before !== undefined && before.value.status !== 'FAILED';
}

/** Returns the counters that the last look up to `at` saw; `null` where there was none. */
function countersAt({ kept, read }: PayoutCase, at: number): DisbursementCounters | null {
  const series = seriesOf(kept.counters, read.after.counters ?? read.before.counters, read.until);
  return series.findLast((row) => row.at <= at)?.value ?? null;
}

function describeFall([one, next]: Pair<PayoutLimits>, month: string) {
  const [before, used] = [one.value.used, next.value.used];
  const evidence = [one, next].map(({ at, value }) => seenAt(LIMITS, at, `consomme ${value.used}`));
  return {
    figures: { of: 'fell', month, before, used } as const,
    expected: before,
    actual: used,
    evidence,
  };
}

/**
 * Finds a ceiling that is used though no request was made since the month began. Only where payouts
 * are not listed: with a list, `limits.ts` compares the two.
 */
function judgeNewMonth(subject: PayoutCase, now: PayoutLimits): Judgement {
  const { read, kept, zones } = subject;
  const [counters, counted] = [kept.counters.at(-1), read.after.counters ?? read.before.counters];
  const month = surelyIn(zones, read.until);
  if (read.payouts !== null || counters === undefined || counted === null || month === null)
    return NOT_JUDGED;
  const earlier = kept.limits.findLast(({ at }) => (surelyIn(zones, at) ?? month) < month);
  const isIdle =
    isSame(counters.value, counted) &&
    counted.pending === 0 &&
    (surelyIn(zones, counters.at) ?? month) < month;
  if (earlier === undefined || !isIdle) return NOT_JUDGED;
  const { used } = now;
  const before = earlier.value.used;
  const evidence = [
    seenAt(LIMITS, earlier.at, `consomme ${before}`),
    seenAt(LIMITS, read.until, `consomme ${used}`),
  ];
  const found = {
    figures: { of: 'carried', month, before, used } as const,
    expected: 0,
    actual: used,
    evidence,
  };
  return judged('PAYOUT_LIMITS_INCONSISTENT', `payouts of ${month}`, used === 0 ? null : found);
}

/**
 * Judges each month: a count of ended requests must not fall. If a request has another outcome now,
 * that explains the fall and is a finding of its own.
 */
function judgeFallen(subject: PayoutCase): Judgement {
  const { read, kept } = subject;
  const series = seriesOf(kept.counters, read.after.counters ?? read.before.counters, read.until);
  return eachMonth(subject, series, (month, pairs) => {
    const [fallen = null] = pairs.flatMap((pair) => describeFallen(subject, pair, month) ?? []);
    return judged('PAYOUT_COUNTERS_MISMATCH', `${COUNTERS} of ${month}`, fallen);
  });
}

function describeFallen(
  { read, kept }: PayoutCase,
  [one, next]: Pair<DisbursementCounters>,
  month: string,
) {
  const names = [
    ['requestSuccess', one.value.succeeded, next.value.succeeded],
    ['requestFailed', one.value.failed, next.value.failed],
  ] as const;
  const fallen = names.find(([, before, after]) => after < before);
  const hasOtherOutcome = (read.payouts ?? []).some(({ id, status }) =>
    (kept.payouts.get(id) ?? []).some(
      ({ value }) => value.status !== 'PENDING' && value.status !== status,
    ),
  );
  if (fallen === undefined || hasOtherOutcome) return null;
  const [name, before, counted] = fallen;
  const evidence = [one, next].map(({ at, value }) => seenAt(COUNTERS, at, sayCounters(value)));
  return {
    figures: { of: 'fell', name, month, before, counted } as const,
    expected: before,
    actual: counted,
    evidence,
  };
}
