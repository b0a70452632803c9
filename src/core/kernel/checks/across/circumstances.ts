// Checks on what surrounds lines and operations: adjustments that nothing explains, operations of a
// blocked account, the clock of the reading, and rows that could not be read.

import type { FindingDraft } from '../../../domain/finding.ts';
import { DAY, formatInstant, HOUR, type Instant } from '../../../domain/instant.ts';
import type { LedgerEntry } from '../../../domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../../domain/merchant.ts';
import { DELIVERY_WINDOW } from '../../../domain/notification.ts';
import type { Operation } from '../../../domain/operation.ts';
import { quoted } from '../../../domain/printable.ts';
import type { Closing, CodedNote, Note, RejectedRow } from '../../../domain/snapshot.ts';
import { countFirst } from '../../../domain/value-in.ts';
import { type CheckContext, draftOf, lineEvidence, operationDraft } from '../port/check.ts';

/**
 * When `wallet.adjusted` was notified, ascending; `null` where no notifications were read at all.
 */
export type AdjustedAt = readonly Instant[] | null;

/**
 * Returns those of the findings from lines alone that hold at `watermark`. A notification may have
 * come since the line was judged, and one that is missing may still be on its way.
 */
export function stillStanding(
  drafts: readonly FindingDraft[],
  { adjustedAt, watermark, grace }: Pick<CheckContext, 'adjustedAt' | 'watermark' | 'grace'>,
): readonly FindingDraft[] {
  const latest = watermark - DELIVERY_WINDOW - grace;
  return drafts.filter(({ kind, newestEvidence: at }) => {
    if (kind === 'ADJUSTMENT_UNEXPLAINED') return !isNear(at!, adjustedAt);
    return kind !== 'EVENT_MISSING' || (at! < latest && isAwaited(at!, adjustedAt));
  });
}

/**
 * A notification within an hour of an adjustment counts as its own: the document does not show its
 * body.
 */
function isNear(createdAt: Instant, adjustedAt: AdjustedAt): boolean {
  if (adjustedAt === null) return false;
  const next = adjustedAt[countFirst(adjustedAt, (at) => at < createdAt - HOUR)];
  return next !== undefined && next <= createdAt + HOUR;
}

/**
 * Whether a notification of the adjustment should have come. Such notifications are expected only
 * after a first one has arrived, because the account sets where they go, and may set nothing.
 */
function isAwaited(createdAt: Instant, adjustedAt: AdjustedAt): boolean {
  const first = adjustedAt?.[0];
  return first !== undefined && first < createdAt - HOUR && !isNear(createdAt, adjustedAt);
}

/**
 * Judges an ADJUSTMENT_* line. The findings must later pass `stillStanding`, because a notification
 * may still come.
 */
export function judgeAdjustment(
  entry: LedgerEntry,
  adjustedAt: AdjustedAt,
): readonly FindingDraft[] {
  const isDescribed = entry.description !== null && entry.description.trim() !== '';
  const { sequence, amount, direction, operationReference, createdAt } = entry;
  const figures = { sequence, amount, direction };
  const evidence = [lineEvidence(sequence)];
  const parts = { sequence, operationReference, evidence, newestEvidence: createdAt, about: entry };
  return [
    ...(isDescribed || isNear(createdAt, adjustedAt)
      ? []
      : [draftOf('ADJUSTMENT_UNEXPLAINED', figures, parts)]),
    ...(isAwaited(createdAt, adjustedAt)
      ? [draftOf('EVENT_MISSING', { of: 'adjustment', ...figures }, parts)]
      : []),
  ];
}

/**
 * Whether the operation was certainly made while the account was blocked: it was created after the
 * last change of a wallet that is not ACTIVE now, or all known profiles of the account are PENDING.
 */
export function isBlocked(
  operation: Operation,
  parties: { readonly wallet: Wallet | null; readonly profiles: readonly Merchant[] },
  context: CheckContext,
): boolean {
  const { wallet, profiles } = parties;
  if (profiles.length > 0 && profiles.every((profile) => profile.status === 'PENDING')) return true;
  return (
    wallet !== null &&
    wallet.status !== 'ACTIVE' &&
    operation.createdAt > wallet.updatedAt + context.clockTolerance
  );
}

/** Drafts one finding for all blocked operations, at the first by creation. */
export function describeBlocked(blocked: readonly Operation[]): readonly FindingDraft[] {
  const [first] = blocked.toSorted((a, b) => a.createdAt - b.createdAt);
  if (first === undefined) return [];
  const { reference, createdAt: newestEvidence } = first;
  return [
    operationDraft('OPERATED_WHILE_BLOCKED', { reference }, { newestEvidence, about: first }),
  ];
}

export function describeRejected(row: RejectedRow): FindingDraft {
  const placed = row.sequence !== null || row.reference !== null;
  const figures = { part: row.part, place: row.place, reason: row.reason, refusal: row.refusal };
  return draftOf('INPUT_REJECTED', figures, {
    sequence: row.sequence,
    operationReference: row.reference,
    inputPlace: placed ? null : row.place,
    evidence: [
      { what: 'input', sequence: null, reference: row.place, note: row.raw.slice(0, 200) },
    ],
  });
}

// The clock of a reading, compared with the books that were read. Where the books are dated later
// than the reading itself, its clock is the suspect: that is one note, and not a finding for each
// line. These functions judge no line and no operation.

export interface SeenClock {
  /**
   * No row is rightly dated later than this; infinity where the clock is behind, or is not known.
   */
  readonly latest: Instant;
  /**
   * Set where the books are dated up to `newest`, later than the `clock` that they were read by;
   * else `null`.
   */
  readonly behind: { readonly clock: Instant; readonly newest: Instant } | null;
}

/**
 * If up to this many lines are dated later than the reading, these lines are wrong. If more are,
 * the clock is.
 */
const MOST_ACCUSED = 20;

/**
 * What is compared with the clock: the drafts and the number of all lines so far, and what the
 * source does not have (`absent`).
 */
export interface Dated {
  readonly lineDrafts: readonly FindingDraft[];
  readonly entries: number;
  readonly absent: readonly Note[];
}

/**
 * Compares the clock of the reading with the dates of lines and of the wallet. The wallet is read
 * last, and is dated by the line that moved it last.
 */
export function judgeClock(
  { lineDrafts, entries, absent }: Dated,
  { watermark, clockTolerance }: Pick<CheckContext, 'watermark' | 'clockTolerance'>,
  { wallet, readAt }: Closing,
): SeenClock {
  if (absent.some(({ code }) => code === 'CLOCK_UNKNOWN'))
    return { latest: Number.POSITIVE_INFINITY, behind: null };
  const clock = Math.max(watermark, readAt ?? watermark);
  const latest = clock + clockTolerance;
  const ahead = lineDrafts.flatMap((draft) =>
    isDated(draft) && draft.newestEvidence! > latest ? [draft.newestEvidence!] : [],
  );
  const areMany = ahead.length > MOST_ACCUSED || (ahead.length > 1 && ahead.length * 2 > entries);
  const newest = [wallet?.updatedAt ?? clock, ...(areMany ? ahead : [])].reduce((a, b) =>
    Math.max(a, b),
  );
  if (newest <= latest) return { latest, behind: null };
  return { latest: Number.POSITIVE_INFINITY, behind: { clock, newest } };
}

/**
 * Whether the draft still holds. A line dated later than the reading is a finding only as long as
 * its date lies ahead, and only where the clock is not the suspect. All other drafts hold.
 */
export function isStillAhead(draft: FindingDraft, { latest }: CheckContext): boolean {
  if (!isDated(draft) || draft.newestEvidence! > latest) return true;
  return draft.figures.why === 'ahead' && latest !== Number.POSITIVE_INFINITY;
}

function isDated({ kind, figures }: FindingDraft): boolean {
  return kind === 'ENTRY_TIME_IMPOSSIBLE' && (figures.why === 'later' || figures.why === 'ahead');
}

/**
 * Whether the operation is dated so far after the last instant at which it may have been asked for
 * (`until`) that its date must be wrong. Otherwise it would be too new to be judged every night.
 */
export function isFarAhead(
  { updatedAt, createdAt, completedAt }: Operation,
  until: Instant,
): boolean {
  return Math.max(updatedAt, createdAt, completedAt ?? updatedAt) > until + DAY;
}

/**
 * Returns the note that a clock is behind. `clock` is what it said, `newest` the newest instant
 * known then, both as texts.
 */
export function behindNote(figures: {
  readonly clock: string;
  readonly newest: string;
}): CodedNote {
  return { what: 'clock of the source', incomplete: true, code: 'CLOCK_BEHIND', figures };
}

/**
 * Returns the notes about a clock that is behind, about `young` of all `operations` that are too
 * new to be judged, and about those whose date lies far `ahead`. A few young ones are usual.
 */
export function notesOnClock(
  behind: SeenClock['behind'],
  { young, operations, ahead }: Readonly<Record<'young' | 'operations' | 'ahead', number>>,
): CodedNote[] {
  const notes: CodedNote[] = [];
  if (behind !== null) {
    notes.push(
      behindNote({ clock: formatInstant(behind.clock), newest: formatInstant(behind.newest) }),
    );
  }
  // Where more than half of all operations are too new, hardly anything was judged.
  const isMost = young * 2 > operations;
  const figures = { count: young };
  if (young > 0)
    notes.push({
      what: 'recent operations',
      incomplete: isMost,
      code: 'OPERATIONS_TOO_NEW',
      figures,
    });
  if (ahead > 0) {
    notes.push({
      what: 'operations of the future',
      incomplete: true,
      code: 'OPERATIONS_AHEAD',
      figures: { count: ahead },
    });
  }
  return notes;
}

// Names that the document does not know, listed beside the verdict. The first few in alphabetical
// order are kept, whatever the order in which they came.

const MOST_NAMES = 8;
const LONGEST = 40;

export function noteStrange(names: Set<string>, name: string): void {
  names.add(name.slice(0, LONGEST));
  if (names.size > MOST_NAMES) names.delete([...names].sort().at(-1)!);
}

export function strangeNote(what: string, names: ReadonlySet<string>): CodedNote {
  return {
    what,
    code: 'NAMES_UNKNOWN',
    figures: { names: [...names].sort().map(quoted).join(', ') },
  };
}
