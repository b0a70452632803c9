// The monthly payout limits and the counters of payout requests: each by itself, and compared with
// the list of payouts. Lists that may be truncated, or that changed during the read, are skipped.

import type { Instant } from '../../../domain/instant.ts';
import {
  CEILING_BY_DEFAULT,
  CEILING_ONCE_APPROVED,
  type DisbursementCounters,
  type Payout,
  type PayoutLimits,
} from '../../../domain/published/payout.ts';
import type { Kept } from '../../../domain/published/payout-place.ts';
import type { Zone } from '../../../domain/zone.ts';
import {
  isSame,
  type Judgement,
  joined,
  judgeFigure,
  NOT_JUDGED,
  noted,
} from '../port/judgement.ts';
import {
  allKnown,
  COUNTERS,
  isStill,
  LIMITS,
  mayBeCut,
  momentsOf,
  monthIn,
  type PayoutCase,
  payoutEvidence,
  sayCounters,
  seenAt,
  totalOf,
  wholeList,
} from './payout-case.ts';

const MOST_SHOWN = 20;

export function judgeLimits(subject: PayoutCase): Judgement {
  const { read } = subject;
  const now = read.after.limits ?? read.before.limits;
  return joined([now === null ? NOT_JUDGED : judgeStated(subject, now), judgeListed(subject)]);
}

/**
 * Judges three figures: what remains of the ceiling, use beyond the ceiling, and the ceiling that
 * the state of the compliance file allows.
 */
function judgeStated({ kept, read }: PayoutCase, limits: PayoutLimits): Judgement {
  const { ceiling, used, remaining, compliance } = limits;
  const left = ceiling - used;
  // A service may also state that nothing remains when more is used than the ceiling.
  const remains = left < 0 && remaining === 0 ? 0 : left;
  // The ceiling may have been higher when it was used.
  const mayExceed = remaining !== remains || kept.limits.some(({ value }) => value.ceiling >= used);
  const wasApproved = kept.limits.some(({ value }) => value.compliance === 'APPROVED');
  const due = compliance === 'APPROVED' ? CEILING_ONCE_APPROVED : CEILING_BY_DEFAULT;
  const evidence = [
    seenAt(LIMITS, read.until, `plafond ${ceiling}, consomme ${used}, restant ${remaining}`),
  ];
  return joined([
    judgeFigure('PAYOUT_LIMITS_INCONSISTENT', LIMITS, {
      stated: remaining,
      lawful: [remains],
      figures: () => ({ of: 'sum', ceiling, used, remaining }),
      evidence,
    }),
    judgeFigure('PAYOUT_LIMITS_INCONSISTENT', LIMITS, {
      stated: used,
      lawful: [mayExceed ? used : Math.min(used, ceiling)],
      figures: () => ({ of: 'over', ceiling, used }),
      evidence,
    }),
    judgeFigure('PAYOUT_CEILING_UNEXPECTED', LIMITS, {
      stated: ceiling,
      lawful: [wasApproved && ceiling === CEILING_ONCE_APPROVED ? ceiling : due],
      figures: () => ({ ceiling, compliance, due }),
      evidence: [
        seenAt(
          LIMITS,
          read.until,
          `plafond ${ceiling}, compliance ${compliance ?? 'not deposited'}`,
        ),
      ],
    }),
  ]);
}

function judgeListed(subject: PayoutCase): Judgement {
  const { read } = subject;
  if (read.payouts === null) return NOT_JUDGED;
  if (!isStill(read)) return noted({ what: 'payouts', code: 'PAYOUTS_MOVED' });
  const missing = judgeMissing(subject, read.payouts);
  const whole = wholeList(subject);
  if (whole !== null)
    return joined([missing, judgeCounters(subject, whole), judgeUsed(subject, whole)]);
  return missing.drafts.length > 0
    ? missing
    : joined([
        missing,
        noted({ what: 'payouts', code: 'PAYOUTS_CUT', figures: { count: read.payouts.length } }),
      ]);
}

/** Finds payouts that are counted and not listed: the counters have more than a whole list. */
function judgeMissing({ read, kept }: PayoutCase, listed: readonly Payout[]): Judgement {
  const counters = read.after.counters ?? read.before.counters;
  if (counters === null || mayBeCut(listed)) return NOT_JUDGED;
  const [counted, known] = [totalOf(counters), allKnown(listed, kept.payouts).length];
  return judgeFigure('PAYOUT_UNRECORDED', 'payouts', {
    stated: known,
    // A list may lawfully have more than the counters, because counters may be of the month alone.
    lawful: [Math.max(counted, known)],
    figures: () => ({ counted, listed: known }),
    evidence: countersEvidence(read, counters, listed),
  });
}

function countersEvidence(
  { until }: PayoutCase['read'],
  counters: DisbursementCounters,
  payouts: readonly Payout[],
) {
  return [
    seenAt(COUNTERS, until, sayCounters(counters)),
    ...payouts.slice(0, MOST_SHOWN).map(payoutEvidence),
  ];
}

/**
 * Compares the counters with a whole list. The document leaves open whether they count all time or
 * the month, so either is lawful.
 */
function judgeCounters({ read, zones }: PayoutCase, all: readonly Payout[]): Judgement {
  const counters = read.after.counters ?? read.before.counters;
  if (counters === null) return NOT_JUDGED;
  const ofMonth = zones.flatMap((zone) =>
    momentsOf(read).map((at) =>
      all.filter(({ createdAt }) => monthIn(zone, createdAt) === monthIn(zone, at)),
    ),
  );
  const fits = [all, ...ofMonth].some((some) => isSame(countsOf(some), counters));
  const due = countsOf(all);
  const names = [
    ['requestSuccess', 'succeeded'],
    ['requestFailed', 'failed'],
    ['requestPending', 'pending'],
  ] as const;
  const [name, of] = names.find(([, one]) => counters[one] !== due[one]) ?? names[0];
  return judgeFigure('PAYOUT_COUNTERS_MISMATCH', COUNTERS, {
    stated: counters[of],
    lawful: [fits ? counters[of] : due[of]],
    figures: () => ({ of: 'list', name, counted: counters[of], listed: due[of] }),
    evidence: countersEvidence(read, counters, all),
  });
}

function countsOf(payouts: readonly Payout[]): DisbursementCounters {
  const of = (wanted: Payout['status']): number =>
    payouts.filter(({ status }) => status === wanted).length;
  return { succeeded: of('SUCCESS'), pending: of('PENDING'), failed: of('FAILED') };
}

/**
 * One lawful way to count what is used of the month's ceiling. The document leaves these points
 * open.
 */
interface UsedReading {
  readonly countsPending: boolean;
  readonly countsFees: boolean;
  readonly by: 'createdAt' | 'completedAt';
}

const USED_READINGS: readonly UsedReading[] = [true, false].flatMap((countsPending) =>
  [false, true].flatMap((countsFees) =>
    (['createdAt', 'completedAt'] as const).map((by) => ({ countsPending, countsFees, by })),
  ),
);

/** A payout with the months, in one zone, of its two dates. */
interface DatedPayout {
  readonly payout: Payout;
  readonly months: Readonly<Record<UsedReading['by'], string>>;
}

function datedIn(zone: Zone, payouts: readonly Payout[]): readonly DatedPayout[] {
  return payouts.map((payout) => {
    const { createdAt, completedAt } = payout;
    const months = {
      createdAt: monthIn(zone, createdAt),
      completedAt: monthIn(zone, completedAt ?? createdAt),
    };
    return { payout, months };
  });
}

/**
 * Returns what is used of the ceiling at `at` by one reading, from the payouts as they stood then:
 * the sum rounded down and rounded up to whole units.
 */
function usedAt(
  payouts: readonly DatedPayout[],
  { countsPending, countsFees, by }: UsedReading,
  { at, month }: { readonly at: Instant; readonly month: string },
): readonly [number, number] {
  let sum = 0;
  for (const { payout, months } of payouts) {
    const { status, amount, fees, createdAt, completedAt } = payout;
    if (createdAt > at) continue;
    const isPending = status === 'PENDING' || (completedAt !== null && completedAt > at);
    const counts = isPending ? countsPending : status === 'SUCCESS';
    // A payout that has not ended yet counts in the present month.
    const isOfMonth = by === 'completedAt' && isPending ? true : months[by] === month;
    if (counts && isOfMonth) sum += amount + (countsFees ? Number(fees ?? 0) : 0);
  }
  return [Math.floor(sum), Math.ceil(sum)];
}

/** How many of the newest looks vote on the way to count. */
const MOST_VOTES = 100;

/**
 * Compares what is stated as used with the list. The ways to count that fit most looks apply, and
 * the present figure must fit one of them.
 */
function judgeUsed({ read, kept, zones }: PayoutCase, all: readonly Payout[]): Judgement {
  const limits = read.after.limits;
  if (limits === null) return NOT_JUDGED;
  const moments = momentsOf(read);
  const seen: readonly Kept<PayoutLimits>[] = [
    ...moments.map((at) => ({ at, value: limits })),
    ...kept.limits.slice(-MOST_VOTES),
  ];
  const votes = zones.flatMap((zone) => {
    const dated = datedIn(zone, all);
    const looks = seen.map(({ at, value }) => ({ at, month: monthIn(zone, at), used: value.used }));
    return USED_READINGS.map((reading) => {
      const sums = looks.map((look) => usedAt(dated, reading, look));
      const fits = looks.map(({ used }, i) => used >= sums[i]![0] && used <= sums[i]![1]);
      const isNow = fits.slice(0, moments.length).includes(true);
      return { votes: fits.filter((one) => one).length, due: isNow ? limits.used : sums[0]![0] };
    });
  });
  const most = Math.max(...votes.map((one) => one.votes));
  const month = monthIn(zones[0]!, moments[0]);
  return judgeFigure('PAYOUT_LIMITS_INCONSISTENT', `payouts of ${month}`, {
    stated: limits.used,
    lawful: votes.filter((one) => one.votes === most).map(({ due }) => due),
    figures: (due) => ({ of: 'list', month, used: limits.used, listed: due }),
    evidence: [
      seenAt(LIMITS, read.until, `consomme ${limits.used}`),
      ...all.slice(0, MOST_SHOWN).map(payoutEvidence),
    ],
  });
}
