// The clock of a reading, held against the books that were read. Where these are dated later than the reading itself, its
// clock is the suspect: one note says so, and no line is accused. It judges no line and no operation.

import type { FindingDraft } from '../../domain/finding.ts';
import { DAY, formatInstant, type Instant } from '../../domain/instant.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Closing, NotChecked } from '../../domain/snapshot.ts';
import type { CheckContext } from '../check.ts';

export interface SeenClock {
  /** No row is rightly dated later than this; infinity where the clock is behind, or is not known. */
  readonly latest: Instant;
  /** The books are dated up to `newest`, later than the clock that they were read by; null: they are not. */
  readonly behind: { readonly clock: Instant; readonly newest: Instant } | null;
}

/** So many lines may be dated later than the reading, each of them wrongly. */
const MOST_ACCUSED = 20;

/** What was seen by a clock: `lineDrafts`, `entries` are of all lines so far, `absent` what the source does not have. */
export interface Dated {
  readonly lineDrafts: readonly FindingDraft[];
  readonly entries: number;
  readonly absent: readonly NotChecked[];
}

/** The wallet is read last, and is dated by the line that moved it. */
export function judgeClock(
  { lineDrafts, entries, absent }: Dated,
  { watermark, clockTolerance }: Pick<CheckContext, 'watermark' | 'clockTolerance'>,
  { wallet, readAt }: Closing,
): SeenClock {
  if (absent.some(({ code }) => code === 'CLOCK_UNKNOWN')) return { latest: Number.POSITIVE_INFINITY, behind: null };
  const clock = Math.max(watermark, readAt ?? watermark);
  const latest = clock + clockTolerance;
  const ahead = lineDrafts.flatMap((draft) =>
    isDated(draft) && draft.newestEvidence! > latest ? [draft.newestEvidence!] : [],
  );
  const areMany = ahead.length > MOST_ACCUSED || (ahead.length > 1 && ahead.length * 2 > entries);
  const newest = [wallet?.updatedAt ?? clock, ...(areMany ? ahead : [])].reduce((a, b) => Math.max(a, b));
  if (newest <= latest) return { latest, behind: null };
  return { latest: Number.POSITIVE_INFINITY, behind: { clock, newest } };
}

/** A line is accused of a date later than the reading only while it is, and where the clock is not the suspect. */
export function isStillAhead(draft: FindingDraft, { latest }: CheckContext): boolean {
  if (!isDated(draft) || draft.newestEvidence! > latest) return true;
  return draft.figures.why === 'ahead' && latest !== Number.POSITIVE_INFINITY;
}

function isDated({ kind, figures }: FindingDraft): boolean {
  return kind === 'ENTRY_TIME_IMPOSSIBLE' && (figures.why === 'later' || figures.why === 'ahead');
}

/** So far ahead of when it may last have been asked for (`until`) that its date is wrong: it would be too new every night. */
export function isFarAhead({ updatedAt, createdAt, completedAt }: Operation, until: Instant): boolean {
  return Math.max(updatedAt, createdAt, completedAt ?? updatedAt) > until + DAY;
}

/** `young` of all `operations` are too new to be judged, and apart from these so many far `ahead`. Most nights leave a few young. */
export function notesOnClock(
  behind: SeenClock['behind'],
  { young, operations, ahead }: Readonly<Record<'young' | 'operations' | 'ahead', number>>,
): NotChecked[] {
  const notes: NotChecked[] = [];
  if (behind !== null) {
    const [clock, newest] = [formatInstant(behind.clock), formatInstant(behind.newest)];
    notes.push({
      what: 'clock of the source',
      why: `it said ${clock} when the books were read, and they are dated up to ${newest}: what is newer than the clock is not judged`,
      incomplete: true,
      code: 'CLOCK_BEHIND',
      figures: { clock, newest },
    });
  }
  if (young > 0)
    notes.push({
      what: 'recent operations',
      why: `${young} moved after the watermark and are judged next time`,
      // Where that is most of all there are, hardly anything was judged.
      incomplete: young * 2 > operations,
      code: 'OPERATIONS_TOO_NEW',
      figures: { count: young },
    });
  if (ahead > 0)
    notes.push({
      what: 'operations of the future',
      why: `${ahead} are dated more than a day after they were read and cannot be judged`,
      incomplete: true,
      code: 'OPERATIONS_AHEAD',
      figures: { count: ahead },
    });
  return notes;
}
