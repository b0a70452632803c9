// The list of payouts against the counters of requests and against what is used of the ceiling. A list that may be cut short, or
// that moved while it was read, is held against nothing.

import type { FindingDraft } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { DisbursementCounters, Payout, PayoutLimits } from '../../domain/published/payout.ts';
import type { Kept } from '../../domain/published/payout-place.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import type { Zone } from '../../domain/zone.ts';
import { compared, draftOf } from '../port/check.ts';
import { type Judgement, joined, judgedAt, NOT_JUDGED, noted, pairsOf, seriesOf } from '../port/judgement.ts';
import { isStill, momentsOf, monthIn, type PayoutCase, payoutEvidence, seenAt, surelyIn } from './payout-case.ts';
import { payoutCountersMismatch, payoutLimitsInconsistent, payoutUnrecorded } from './payout-pages.ts';

const COUNTERS = 'payout counters';
const MOST_SHOWN = 20;

/** Every payout known, newest versions first known by this look; null where the list does not show them all. */
export function wholeList({ read, kept }: PayoutCase): readonly Payout[] | null {
  const { payouts, after, before } = read;
  if (payouts === null) return null;
  const all = allKnown(payouts, kept.payouts);
  const counters = after.counters ?? before.counters;
  const isWhole = counters === null ? !mayBeCut(payouts) : all.length >= totalOf(counters);
  return isWhole ? all : null;
}

function allKnown(listed: readonly Payout[], kept: ReadonlyMap<string, readonly Kept<Payout>[]>): readonly Payout[] {
  const byId = new Map([...kept].flatMap(([id, rows]) => (rows.length === 0 ? [] : [[id, rows.at(-1)!.value]])));
  for (const payout of listed) byId.set(payout.id, payout);
  return [...byId.values()];
}

/** The document shows no page size: a list of a round number of rows may be the first page of more. */
function mayBeCut({ length }: readonly Payout[]): boolean {
  return length >= 10 && length % 5 === 0;
}

function totalOf({ succeeded, pending, failed }: DisbursementCounters): number {
  return succeeded + pending + failed;
}

export function judgeListed(subject: PayoutCase): Judgement {
  const { read } = subject;
  const fallen = judgeFallen(subject);
  if (read.payouts === null) return fallen;
  if (!isStill(read)) return joined([fallen, noted(MOVED)]);
  const missing = judgeMissing(subject);
  const whole = wholeList(subject);
  if (whole === null)
    return joined([fallen, missing, ...(missing.drafts.length > 0 ? [] : [noted(cutNote(read.payouts))])]);
  return joined([fallen, missing, judgeCounters(subject, whole), judgeUsed(subject, whole)]);
}

const MOVED: NotChecked = {
  what: 'payouts',
  why: 'payouts moved while they were read; they are judged next time',
  incomplete: false,
  code: 'PAYOUTS_MOVED',
};

function cutNote({ length }: readonly Payout[]): NotChecked {
  const why = `the list of ${length} payouts may be cut short`;
  return { what: 'payouts', why, incomplete: false, code: 'PAYOUTS_CUT', figures: { count: length } };
}

/** More are counted than listed, where that is all there is to list. */
function judgeMissing({ read, kept }: PayoutCase): Judgement {
  const counters = read.after.counters ?? read.before.counters;
  const listed = read.payouts!;
  if (counters === null || mayBeCut(listed)) return NOT_JUDGED;
  const [counted, known] = [totalOf(counters), allKnown(listed, kept.payouts).length];
  const figures = { counted, listed: known };
  const draft = draftOf(payoutUnrecorded, figures, {
    ...compared({ expected: counted, actual: known }),
    inputPlace: 'payouts',
    evidence: [seenAt(COUNTERS, read.until, sayCounters(counters)), ...listed.slice(0, MOST_SHOWN).map(payoutEvidence)],
  });
  return judgedAt('PAYOUT_UNRECORDED', 'payouts', counted > known ? [draft] : []);
}

function sayCounters({ succeeded, pending, failed }: DisbursementCounters): string {
  return `requestSuccess ${succeeded}, requestPending ${pending}, requestFailed ${failed}`;
}

/** Of all time, or of the month: the document does not say. */
function judgeCounters({ read, zones }: PayoutCase, all: readonly Payout[]): Judgement {
  const counters = read.after.counters ?? read.before.counters;
  if (counters === null) return NOT_JUDGED;
  const ofMonth = zones.flatMap((zone) =>
    momentsOf(read).map((at) => all.filter(({ createdAt }) => monthIn(zone, createdAt) === monthIn(zone, at))),
  );
  const fits = [all, ...ofMonth].some((some) => JSON.stringify(countsOf(some)) === JSON.stringify(counters));
  const due = countsOf(all);
  const [name, stated, wanted] = (
    [
      ['requestSuccess', counters.succeeded, due.succeeded],
      ['requestFailed', counters.failed, due.failed],
      ['requestPending', counters.pending, due.pending],
    ] as const
  ).find(([, one, other]) => one !== other) ?? ['requestSuccess', counters.succeeded, due.succeeded];
  const draft = draftOf(
    payoutCountersMismatch,
    { of: 'list', name, counted: stated, listed: wanted },
    {
      ...compared({ expected: wanted, actual: stated }),
      inputPlace: COUNTERS,
      evidence: [seenAt(COUNTERS, read.until, sayCounters(counters)), ...all.slice(0, MOST_SHOWN).map(payoutEvidence)],
    },
  );
  return judgedAt('PAYOUT_COUNTERS_MISMATCH', COUNTERS, fits ? [] : [draft]);
}

function countsOf(payouts: readonly Payout[]): DisbursementCounters {
  const of = (wanted: Payout['status']): number => payouts.filter(({ status }) => status === wanted).length;
  return { succeeded: of('SUCCESS'), pending: of('PENDING'), failed: of('FAILED') };
}

/** Requests that have ended stay ended, unless they are counted by the month, or one of them has another outcome now. */
function judgeFallen(subject: PayoutCase): Judgement {
  const { read, kept, zones } = subject;
  const series = seriesOf(kept.counters, read.after.counters ?? read.before.counters, read.until);
  const months = new Set(series.flatMap(({ at }) => surelyIn(zones, at) ?? []));
  return joined(
    [...months].map((month) => {
      const inMonth = pairsOf(series).filter(([one, next]) =>
        [one, next].every(({ at }) => surelyIn(zones, at) === month),
      );
      const drafts = inMonth.flatMap((pair) => describeFallen(subject, pair, month) ?? []).slice(0, 1);
      return judgedAt('PAYOUT_COUNTERS_MISMATCH', `${COUNTERS} of ${month}`, drafts);
    }),
  );
}

function describeFallen(
  { read, kept }: PayoutCase,
  [one, next]: readonly [Kept<DisbursementCounters>, Kept<DisbursementCounters>],
  month: string,
): FindingDraft | null {
  const names = [
    ['requestSuccess', one.value.succeeded, next.value.succeeded],
    ['requestFailed', one.value.failed, next.value.failed],
  ] as const;
  const fallen = names.find(([, before, after]) => after < before);
  const hasOtherOutcome = (read.payouts ?? []).some(({ id, status }) =>
    (kept.payouts.get(id) ?? []).some(({ value }) => value.status !== 'PENDING' && value.status !== status),
  );
  if (fallen === undefined || hasOtherOutcome) return null;
  const [name, before, counted] = fallen;
  return draftOf(
    payoutCountersMismatch,
    { of: 'fell', name, month, before, counted },
    {
      ...compared({ expected: before, actual: counted }),
      inputPlace: `${COUNTERS} of ${month}`,
      evidence: [one, next].map(({ at, value }) => seenAt(COUNTERS, at, sayCounters(value))),
    },
  );
}

/** What may lawfully count as used of the month's ceiling. */
interface UsedReading {
  readonly zone: Zone;
  readonly countsPending: boolean;
  readonly countsFees: boolean;
  readonly by: 'createdAt' | 'completedAt';
}

function usedReadings(zone: Zone): readonly UsedReading[] {
  return [true, false].flatMap((countsPending) =>
    [false, true].flatMap((countsFees) =>
      (['createdAt', 'completedAt'] as const).map((by) => ({ zone, countsPending, countsFees, by })),
    ),
  );
}

/** A payout with the months of its two dates in one zone. */
interface DatedPayout {
  readonly payout: Payout;
  readonly months: Readonly<Record<UsedReading['by'], string>>;
}

function datedIn(zone: Zone, payouts: readonly Payout[]): readonly DatedPayout[] {
  return payouts.map((payout) => {
    const { createdAt, completedAt } = payout;
    const months = { createdAt: monthIn(zone, createdAt), completedAt: monthIn(zone, completedAt ?? createdAt) };
    return { payout, months };
  });
}

/** The sum of the payouts that count at `at`, as they stood then: its least and its greatest whole value. */
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
    // What has not ended yet is used now.
    const isOfMonth = by === 'completedAt' && isPending ? true : months[by] === month;
    if (counts && isOfMonth) sum += amount + (countsFees ? Number(fees ?? 0) : 0);
  }
  return [Math.floor(sum), Math.ceil(sum)];
}

/** So many of the newest looks vote on what counts as used. */
const MOST_VOTES = 100;

/** The readings that fit most of what was seen stand; the present figure must fit one of them. */
function judgeUsed(subject: PayoutCase, all: readonly Payout[]): Judgement {
  const { read, kept, zones } = subject;
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
    return usedReadings(zone).map((reading) => {
      const sums = looks.map((look) => usedAt(dated, reading, look));
      const fits = looks.map(({ used }, i) => used >= sums[i]![0] && used <= sums[i]![1]);
      const isNow = fits.slice(0, moments.length).includes(true);
      return { votes: fits.filter((one) => one).length, isNow, sum: sums[0]![0] };
    });
  });
  const most = Math.max(...votes.map((one) => one.votes));
  const standing = votes.filter((one) => one.votes === most);
  const month = monthIn(zones[0]!, moments[0]);
  const inputPlace = `payouts of ${month}`;
  if (standing.some(({ isNow }) => isNow)) return judgedAt('PAYOUT_LIMITS_INCONSISTENT', inputPlace, []);
  const sums = standing.map(({ sum }) => sum);
  const nearest = sums.reduce((best, sum) => (Math.abs(sum - limits.used) < Math.abs(best - limits.used) ? sum : best));
  return judgedAt('PAYOUT_LIMITS_INCONSISTENT', inputPlace, [
    draftOf(
      payoutLimitsInconsistent,
      { of: 'list', month, used: limits.used, listed: nearest },
      {
        ...compared({ expected: nearest, actual: limits.used }),
        inputPlace,
        differences: [...new Set(sums)].map((sum) => BigInt(limits.used - sum)),
        evidence: [
          seenAt('payout limits', read.until, `consomme ${limits.used}`),
          ...all.slice(0, MOST_SHOWN).map(payoutEvidence),
        ],
      },
    ),
  ]);
}
