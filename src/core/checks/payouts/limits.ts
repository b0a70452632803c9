// The monthly payout limits by themselves: the ceiling, what is used of it and what remains, now and from look to look.

import type { FindingDraft } from '../../domain/finding.ts';
import {
  CEILING_BY_DEFAULT,
  CEILING_ONCE_APPROVED,
  type DisbursementCounters,
  type Payout,
  type PayoutLimits,
} from '../../domain/published/payout.ts';
import type { Kept } from '../../domain/published/payout-place.ts';
import { compared, draftOf } from '../port/check.ts';
import { type Judgement, joined, judgedAt, NOT_JUDGED, pairsOf, seriesOf } from '../port/judgement.ts';
import { type PayoutCase, seenAt, surelyIn } from './payout-case.ts';
import { payoutCeilingUnexpected, payoutLimitsInconsistent } from './payout-pages.ts';

const PLACE = 'payout limits';

export function judgeLimits(subject: PayoutCase): Judgement {
  const { read, kept } = subject;
  const now = read.after.limits ?? read.before.limits;
  if (now === null) return NOT_JUDGED;
  const series = seriesOf(kept.limits, now, read.until);
  const stated = statedWrong(subject, now);
  return joined([
    judgedAt('PAYOUT_LIMITS_INCONSISTENT', PLACE, stated === null ? [] : [stated]),
    judgedAt('PAYOUT_CEILING_UNEXPECTED', PLACE, unexpectedCeiling(subject, now)),
    judgeFalls(subject, series),
    judgeNewMonth(subject, now),
  ]);
}

/** The sum first; else more than the ceiling, unless that was higher before. */
function statedWrong({ kept, read }: PayoutCase, limits: PayoutLimits): FindingDraft | null {
  const { ceiling, used, remaining } = limits;
  // Nothing less than nothing may be said to remain.
  const isCapped = used > ceiling && remaining === 0;
  const evidence = [seenAt(PLACE, read.until, `plafond ${ceiling}, consomme ${used}, restant ${remaining}`)];
  if (used + remaining !== ceiling && !isCapped) {
    const parts = compared({ expected: ceiling - used, actual: remaining });
    const figures = { of: 'sum', ceiling, used, remaining } as const;
    return draftOf(payoutLimitsInconsistent, figures, { ...parts, inputPlace: PLACE, evidence });
  }
  const wasHigher = kept.limits.some(({ value }) => value.ceiling >= used);
  if (used <= ceiling || wasHigher) return null;
  const parts = compared({ expected: ceiling, actual: used });
  const figures = { of: 'over', ceiling, used } as const;
  return draftOf(payoutLimitsInconsistent, figures, { ...parts, inputPlace: PLACE, evidence });
}

function unexpectedCeiling({ kept, read }: PayoutCase, { ceiling, compliance }: PayoutLimits): readonly FindingDraft[] {
  const wasApproved = kept.limits.some(({ value }) => value.compliance === 'APPROVED');
  const isHigh = ceiling === CEILING_ONCE_APPROVED && (compliance === 'APPROVED' || wasApproved);
  const isLow = ceiling === CEILING_BY_DEFAULT && compliance !== 'APPROVED';
  if (isHigh || isLow) return [];
  const due = compliance === 'APPROVED' ? CEILING_ONCE_APPROVED : CEILING_BY_DEFAULT;
  const figures = { ceiling, compliance, due };
  const evidence = [seenAt(PLACE, read.until, `plafond ${ceiling}, compliance ${compliance ?? 'not deposited'}`)];
  const parts = compared({ expected: due, actual: ceiling });
  return [draftOf(payoutCeilingUnexpected, figures, { ...parts, inputPlace: PLACE, evidence })];
}

/** One finding a month, for the first fall that no failed payout explains. */
function judgeFalls(subject: PayoutCase, series: readonly Kept<PayoutLimits>[]): Judgement {
  const { zones } = subject;
  const months = new Set(series.flatMap(({ at }) => surelyIn(zones, at) ?? []));
  return joined(
    [...months].map((month) => {
      const fallen = pairsOf(series).find(
        ([one, next]) =>
          surelyIn(zones, one.at) === month && surelyIn(zones, next.at) === month && isUnexplained(subject, one, next),
      );
      const inputPlace = `payouts used in ${month}`;
      return judgedAt(
        'PAYOUT_LIMITS_INCONSISTENT',
        inputPlace,
        fallen === undefined ? [] : [describeFall(fallen, month)],
      );
    }),
  );
}

/** A payout that fails gives back what it had used; one that shrinks is told as such. */
function isUnexplained(subject: PayoutCase, one: Kept<PayoutLimits>, next: Kept<PayoutLimits>): boolean {
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

/** What payouts are less now than they were at a look. */
function shrunkSince({ read, kept }: PayoutCase, at: number): number {
  return (read.payouts ?? []).reduce((sum, { id, amount }) => {
    const before = kept.payouts.get(id)?.findLast((row) => row.at <= at)?.value.amount ?? amount;
    return sum + Math.max(0, before - amount);
  }, 0);
}

/** Between the two looks: by its own time, or because the first saw it otherwise. */
function mayHaveFailed(
  { kept, clockTolerance }: PayoutCase,
  { id, createdAt, completedAt }: Payout,
  [one, next]: readonly [Kept<PayoutLimits>, Kept<PayoutLimits>],
): boolean {
  if (createdAt > next.at + clockTolerance) return false;
  if (completedAt === null || completedAt >= one.at - clockTolerance) return true;
  const before = kept.payouts.get(id)?.findLast(({ at }) => at <= one.at);
  return before !== undefined && before.value.status !== 'FAILED';
}

/** As they were when they were last looked at by then. */
function countersAt({ kept, read }: PayoutCase, at: number): DisbursementCounters | null {
  const series = seriesOf(kept.counters, read.after.counters ?? read.before.counters, read.until);
  return series.findLast((row) => row.at <= at)?.value ?? null;
}

function describeFall([one, next]: readonly [Kept<PayoutLimits>, Kept<PayoutLimits>], month: string): FindingDraft {
  const figures = { of: 'fell', month, before: one.value.used, used: next.value.used } as const;
  return draftOf(payoutLimitsInconsistent, figures, {
    ...compared({ expected: one.value.used, actual: next.value.used }),
    inputPlace: `payouts used in ${month}`,
    evidence: [one, next].map(({ at, value }) => seenAt(PLACE, at, `consomme ${value.used}`)),
  });
}

/** Nothing was requested since the month began, and yet something of it is used. With a list this is held against that. */
function judgeNewMonth(subject: PayoutCase, now: PayoutLimits): Judgement {
  const { read, kept, zones } = subject;
  const [counters, counted] = [kept.counters.at(-1), read.after.counters ?? read.before.counters];
  const month = surelyIn(zones, read.until);
  if (read.payouts !== null || counters === undefined || counted === null || month === null) return NOT_JUDGED;
  const earlier = kept.limits.findLast(({ at }) => (surelyIn(zones, at) ?? month) < month);
  const isIdle =
    JSON.stringify(counters.value) === JSON.stringify(counted) &&
    counted.pending === 0 &&
    (surelyIn(zones, counters.at) ?? month) < month;
  if (earlier === undefined || !isIdle) return NOT_JUDGED;
  const inputPlace = `payouts of ${month}`;
  const figures = { of: 'carried', month, before: earlier.value.used, used: now.used } as const;
  const evidence = [
    seenAt(PLACE, earlier.at, `consomme ${earlier.value.used}`),
    seenAt(PLACE, read.until, `consomme ${now.used}`),
  ];
  const draft = draftOf(payoutLimitsInconsistent, figures, {
    ...compared({ expected: 0, actual: now.used }),
    inputPlace,
    evidence,
  });
  return judgedAt('PAYOUT_LIMITS_INCONSISTENT', inputPlace, now.used === 0 ? [] : [draft]);
}
