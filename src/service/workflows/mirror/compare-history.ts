// Compares the lines that a reading served with those that earlier readings had served: "a posted
// line is never modified; a correction is a new inverse entry" (direct API, LedgerEntry). If the
// newest known line is at its old position, nothing has changed. Otherwise the first altered line
// is found by halving, and the lines from there on are read into the mirror again.

import type { Instant } from '../../../core/domain/instant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import {
  LINE_BLOCK,
  type Note,
  type ServedBlocks,
  type ServedLines,
  type Snapshot,
} from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import {
  type LineWatch,
  type OperationRound,
  saveLineWatch,
} from '../../../io/storage/mirror/line-watch.ts';
import { type StoredLines, storedLinesOf } from '../../../io/storage/mirror/read/stored-lines.ts';
import type { Page } from '../../../io/storage/mirror/save/find-new.ts';
import { saveAlteration } from '../../../io/storage/mirror/save/save-alterations.ts';
import {
  NOTHING_SAVED,
  type SavedPage,
  savePage,
  sumOfSaved,
} from '../../../io/storage/mirror/save/save-page.ts';
import { loadStoredExtent, type StoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { alterationOfGone, type GoneLines, type Merge, openMerge } from './merge-served.ts';

/** The operations that a round read again in one night. */
export interface ReadAgain {
  /** Known operations that the source should have served. */
  readonly references: readonly string[];
  /** How far the round has come; `null` when none has begun. */
  readonly round: OperationRound | null;
}

export interface HistoryTask {
  readonly store: Store;
  readonly lease: Lease;
  readonly snapshot: Snapshot;
  /** The mirror before the reading; `null` when nothing was stored. */
  readonly extent: StoredExtent | null;
  readonly servedAgain: ServedAgain;
  /** True when the reading served the ledger from its first line on. */
  readonly isWhole: boolean;
  /** Lines that the reading added at or below the head stored before it. */
  readonly lateEntries: number;
  readonly now: Instant;
}

export interface ComparedHistory {
  /** What was read and saved in addition to the reading itself. */
  readonly saved: SavedPage;
  readonly notes: readonly Note[];
}

/** Most known lines that are kept in memory. A whole reading may serve many more. */
const MOST_KEPT = 5_000;

/** The lines that a stream served: those known before it, and the number of new ones. */
export interface ServedAgain {
  /** Notes the lines and returns `part` unchanged. */
  note(part: Page): Page;
  /** The known lines, ascending in sequence, each sequence once; only the first `MOST_KEPT`. */
  readonly known: () => readonly LedgerEntry[];
  /** The number of all known lines, including those beyond `MOST_KEPT`. */
  readonly knownCount: () => number;
  readonly newest: () => LedgerEntry | null;
  readonly addedCount: () => number;
  /**
   * Sequences of lines that could not be read. It contains `null` when the sequence of one could
   * not be read either.
   */
  readonly refused: () => ReadonlySet<number | null>;
}

/** `head` is the highest sequence known before the reading; `null` when there was none. */
export function noteServedAgain(head: number | null): ServedAgain {
  let [known, refused]: [LedgerEntry[], Set<number | null>] = [[], new Set()];
  let [knownCount, addedCount, newest]: [number, number, LedgerEntry | null] = [0, 0, null];
  const noteLine = (line: LedgerEntry): void => {
    // The stream has begun again from its first line.
    if (newest !== null && line.sequence < newest.sequence)
      [known, refused, knownCount, addedCount] = [[], new Set(), 0, 0];
    else if (line.sequence === newest?.sequence) return;
    newest = line;
    if (head === null || line.sequence > head) addedCount += 1;
    else if (++knownCount <= MOST_KEPT) known.push(line);
  };
  return {
    note(part) {
      for (const row of part.rejected ?? []) if (row.part === 'ledger') refused.add(row.sequence);
      part.entries?.forEach(noteLine);
      return part;
    },
    known: () => known,
    knownCount: () => knownCount,
    newest: () => newest,
    addedCount: () => addedCount,
    refused: () => refused,
  };
}

const UNMOVED = { positionShift: 0, headSequence: null };

/**
 * Compares history. Must be called after the reading was saved and while its snapshot is open. A
 * failing source becomes a note. Throws `LeaseLost`.
 */
export async function compareHistory(task: HistoryTask): Promise<ComparedHistory> {
  const { extent, store, lease } = task;
  if (extent === null || extent.watch === null) {
    const now = await loadStoredExtent(store, lease.merchant);
    if (now !== null)
      await saveLineWatch(store, lease, {
        ...UNMOVED,
        comparedIntake: now.lastIntake,
        readAt: task.now,
      });
    return { saved: NOTHING_SAVED, notes: [] };
  }
  try {
    if (await isQuiet(task, extent)) return { saved: NOTHING_SAVED, notes: [] };
    return await compareServed(task, extent);
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    return { saved: NOTHING_SAVED, notes: [unread(failure)] };
  }
}

export function unread(
  { code, message }: SourceFailed,
  of: 'LINES' | 'OPERATIONS' = 'LINES',
): Note {
  return {
    what: 'history',
    incomplete: true,
    code: `${of}_NOT_READ_AGAIN`,
    figures: { message, code },
  };
}

/**
 * Tells whether the newest known line is where it was and every known line was served unchanged.
 */
async function isQuiet(task: HistoryTask, extent: StoredExtent): Promise<boolean> {
  const { servedAgain, lateEntries, snapshot, isWhole } = task;
  if (lateEntries > 0 || extent.lateIntake > extent.watch!.comparedIntake) return false;
  const { lastSequence, entryCount } = extent;
  if (entryCount === 0) return true;
  const isAllServed = servedAgain.knownCount() === entryCount;
  if (isWhole || isAllServed) return isAllServed;
  if (snapshot.servedLines === undefined) return true;
  const position = await snapshot.servedLines.positionOf(lastSequence, entryCount - 1);
  if (position === entryCount - 1 || position === null) return position !== null;
  // In a list served newest first, lines that came meanwhile have moved all others.
  const [there] = await snapshot.servedLines.linesAt(entryCount - 1, 1);
  return there?.sequence === lastSequence;
}

/**
 * The two sides to compare: the lines as they were stored up to some page, and the lines as served
 * now.
 */
export interface History {
  readonly task: HistoryTask;
  readonly stored: StoredLines;
  /** The highest sequence that was known then. */
  readonly head: number;
  /**
   * By how many positions a line is lower in the service's list than in `stored`: lines that the
   * service no longer serves make it positive.
   */
  readonly shift: number;
}

async function compareServed(task: HistoryTask, extent: StoredExtent): Promise<ComparedHistory> {
  const { store, lease } = task;
  const history = await historyOf(task, extent);
  const compared =
    history === null ? { saved: NOTHING_SAVED, notes: [] } : await compareLines(history);
  const now = await loadStoredExtent(store, lease.merchant);
  await saveLineWatch(store, lease, await watchAfter(task, extent, now!));
  return compared;
}

async function compareLines(history: History): Promise<ComparedHistory> {
  const { task, stored, head } = history;
  const upper = await upperAltered(history);
  if (upper === null) {
    const merge = openMerge(stored, { head, after: task.isWhole ? -1 : null });
    await mergeServedAgain(history, merge);
    return { saved: NOTHING_SAVED, notes: (await saveGone(history, merge)).notes };
  }
  const lines = task.snapshot.servedLines!;
  if (lines.blocks !== undefined) return readWhole(history);
  const from = await halve(history, { lines, upper });
  const merge = openMerge(stored, { head, after: from === 0 ? -1 : null });
  const saved = await readAgain(history, { merge, from });
  return { saved, notes: (await saveGone(history, merge)).notes };
}

async function historyOf(task: HistoryTask, extent: StoredExtent): Promise<History | null> {
  const { lateIntake, lastIntake, lineCount } = extent;
  const { comparedIntake, positionShift } = extent.watch!;
  // An earlier reading stopped after it had brought lines below the head, and they were never
  // compared.
  const isLeft = lateIntake > comparedIntake;
  const intake = isLeft ? Math.max(comparedIntake, lateIntake - 1) : lastIntake;
  const stored = storedLinesOf(task.store, { merchantId: task.lease.merchantId, intake });
  const head = await stored.head();
  if (head === null) return null;
  const gone = lineCount - (await stored.countBelow(head + 1));
  return { task, stored, head, shift: isLeft ? 0 : positionShift - gone };
}

/**
 * Returns a position with the first altered line below it; `null` when the reading itself served
 * every altered line.
 */
async function upperAltered({ stored, head, shift, task }: History): Promise<number | null> {
  const { servedAgain, isWhole, snapshot } = task;
  const lines = snapshot.servedLines;
  if (isWhole || lines === undefined) return null;
  const first = servedAgain.known()[0];
  const count = await stored.countBelow(head + 1);
  if (first === undefined || first.sequence > head) return count;
  const expected = (await stored.countBelow(first.sequence)) - shift;
  const position = await lines.positionOf(first.sequence, expected);
  const isThere = position === expected && (await stored.knows(first));
  return isThere ? null : Math.min(count, position ?? count);
}

/** How many times the first altered line is looked for when the list moves meanwhile. */
const MOST_ATTEMPTS = 3;

/**
 * Returns the position of the last unchanged line before the first altered one, or 0. All positions
 * from `upper` on must be altered; without an altered line below `upper` the result is `upper` − 1.
 * Halving is possible because one altered line changes every line after it: their figures build on
 * it, or their positions move.
 */
async function halve(
  history: History,
  { lines, upper }: { readonly lines: ServedLines; readonly upper: number },
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    let [low, high] = [0, upper];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (await isAsStored(history, lines, middle)) low = middle + 1;
      else high = middle;
    }
    lines.recount();
    if (low === 0 || attempt === MOST_ATTEMPTS || (await isAsStored(history, lines, low - 1)))
      return Math.max(0, low - 1);
  }
}

async function isAsStored(
  { stored, shift }: History,
  lines: ServedLines,
  position: number,
): Promise<boolean> {
  const [line] = await lines.linesAt(position, 1);
  if (line === undefined) return false;
  // A row that cannot be read proves nothing.
  if (line === null) return true;
  if (await stored.isAt(position, line)) return true;
  return shift !== 0 && position + shift >= 0 && (await stored.isAt(position + shift, line));
}

/**
 * Merges the lines that the reading served. They are read again only when not all of them were
 * kept.
 */
async function mergeServedAgain({ task }: History, merge: Merge): Promise<void> {
  const { servedAgain, snapshot } = task;
  const known = servedAgain.known();
  if (servedAgain.knownCount() === known.length) {
    const newest = servedAgain.newest();
    return merge.add(newest === null ? known : [...known, newest]);
  }
  for await (const { rows } of snapshot.entries()) await merge.add(rows);
}

/**
 * Reads every known line again. Where the source digests blocks of lines, only blocks that differ
 * are read.
 */
export async function readWhole(history: History): Promise<ComparedHistory> {
  const blocks = history.task.snapshot.servedLines!.blocks;
  if (blocks !== undefined) {
    return readBlocks(history, { blocks, first: Number.MIN_SAFE_INTEGER, last: history.head });
  }
  const merge = openMerge(history.stored, { head: history.head, after: -1 });
  const saved = await readAgain(history, { merge, from: 0 });
  return { saved, notes: (await saveGone(history, merge)).notes };
}

interface Stretch {
  readonly blocks: ServedBlocks;
  /** The sequence of the first line, included. */
  readonly first: number;
  /** The sequence of the last line, included. */
  readonly last: number;
}

/**
 * Reads into the mirror the lines of each block whose digests differ between service and mirror.
 */
export async function readBlocks(
  history: History,
  { blocks, first, last }: Stretch,
): Promise<ComparedHistory & { readonly isAltered: boolean }> {
  const { task, stored, head } = history;
  const served = await blocks.digests(first, last);
  const known = await stored.digests(first, last);
  let saved = NOTHING_SAVED;
  let notes: readonly Note[] = [];
  let isAltered = false;
  /** Open while differing blocks follow one another; `null` otherwise. */
  let merge: Merge | null = null;
  let isAtEnd = false;
  const endRun = async (): Promise<void> => {
    if (merge === null) return;
    const gone = await saveGone(history, merge, isAtEnd);
    notes = [...notes, ...gone.notes];
    isAltered ||= gone.isAny;
    merge = null;
  };
  for (const number of [...new Set([...served.keys(), ...known.keys()])].sort((a, b) => a - b)) {
    if (served.get(number) === known.get(number)) {
      await endRun();
      continue;
    }
    const from = Math.max(first, number * 2 ** LINE_BLOCK);
    const to = Math.min(last, (number + 1) * 2 ** LINE_BLOCK - 1);
    const { rows, rejected } = await blocks.between(from, to);
    const entries = rows.filter(({ sequence }) => sequence <= head);
    if (entries.length > 0)
      saved = sumOfSaved(saved, await savePage(task.store, task.lease, { entries }));
    merge ??= openMerge(stored, { head, after: Math.min(from, rows[0]?.sequence ?? from) - 1 });
    for (const { sequence } of rejected) merge.noteRefused(sequence);
    await merge.add(rows);
    isAtEnd = (rows.at(-1)?.sequence ?? from) <= to;
  }
  await endRun();
  return { saved, notes, isAltered: isAltered || saved.lateEntries > 0 };
}

/** Lines of one request: the largest page of the direct API. */
export const LINES_A_PAGE = 200;

/**
 * Reads the lines from position `from` to the newest known line into the mirror. Each page must
 * begin with the line that ended the page before, otherwise the list has moved: throws
 * `SourceFailed`.
 */
async function readAgain(
  { task, head }: History,
  { merge, from }: { readonly merge: Merge; readonly from: number },
): Promise<SavedPage> {
  const { store, lease } = task;
  const lines = task.snapshot.servedLines!;
  let saved = NOTHING_SAVED;
  let last: LedgerEntry | null = null;
  for (let position = from; ; ) {
    let page = await lines.linesAt(position, LINES_A_PAGE);
    if (!beginsWith(page, last)) {
      lines.recount();
      page = await lines.linesAt(position, LINES_A_PAGE);
      if (!beginsWith(page, last)) throw moved(lease.merchant);
    }
    const rows = page.filter((row) => row !== null);
    if (rows.length < page.length) merge.noteRefused(null);
    const entries = rows.filter(({ sequence }) => sequence <= head);
    if (entries.length > 0) saved = sumOfSaved(saved, await savePage(store, lease, { entries }));
    await merge.add(rows);
    if (page.length < LINES_A_PAGE || rows.some(({ sequence }) => sequence >= head)) return saved;
    last = page.at(-1) ?? null;
    position += page.length - 1;
  }
}

function beginsWith(page: readonly (LedgerEntry | null)[], last: LedgerEntry | null): boolean {
  const first = page[0];
  return (
    last === null || first === null || (first?.sequence === last.sequence && first.id === last.id)
  );
}

function moved(merchant: string): SourceFailed {
  return new SourceFailed(
    'MOVED_WHILE_READING',
    `The ledger of ${merchant} moved while it was read again.`,
  );
}

/**
 * Saves the lines that are gone as alterations, after the first of them was looked for once more.
 * `isReset` says that nothing is served after the merged lines. Throws `SourceFailed`
 * (MOVED_WHILE_READING) when the first one is served after all.
 */
async function saveGone(
  { task, head }: History,
  merge: Merge,
  isReset = (task.servedAgain.newest()?.sequence ?? -1) < head,
): Promise<{ readonly notes: readonly Note[]; readonly isAny: boolean }> {
  const { store, lease, servedAgain } = task;
  for (const sequence of servedAgain.refused()) merge.noteRefused(sequence);
  const gone = await merge.end(isReset);
  if (gone === null) {
    const why = `The ledger of ${lease.merchant} has rows that cannot be read.`;
    return { notes: [unread(new SourceFailed('UNREADABLE_ROWS', why))], isAny: true };
  }
  if (gone.length > 0 && !(await isStillGone(task, gone[0]!))) {
    throw new SourceFailed(
      'MOVED_WHILE_READING',
      `The ledger of ${lease.merchant} serves lines one moment that it lacks the next.`,
    );
  }
  for (const one of gone) await saveAlteration(store, lease, alterationOfGone(one, isReset));
  return { notes: [], isAny: gone.length > 0 };
}

/**
 * Reads the lines on both sides of the gap once more. A source that does not move would answer the
 * same, so it is not asked.
 */
async function isStillGone(
  task: HistoryTask,
  { before, after, first, last }: GoneLines,
): Promise<boolean> {
  const lines = task.snapshot.servedLines;
  if (lines === undefined) return true;
  lines.recount();
  const position = before === null ? -1 : await lines.positionOf(before.sequence, 0);
  if (position === null) return false;
  const around = await lines.linesAt(Math.max(0, position), 2);
  // The line before the gap is no longer there, so lines have moved meanwhile.
  if (before !== null && around[0]?.sequence !== before.sequence) return false;
  const next = around[position < 0 ? 0 : 1] ?? null;
  if (next === null) return after === null;
  return next.sequence < first.sequence || next.sequence > last.sequence;
}

/**
 * Returns what the next comparison begins with: the last page that was compared, and where the
 * newest line is now.
 */
async function watchAfter(
  task: HistoryTask,
  extent: StoredExtent,
  now: StoredExtent,
): Promise<LineWatch> {
  const { servedAgain, snapshot, isWhole } = task;
  const newest = servedAgain.newest();
  const headSequence =
    newest === null || newest.sequence < now.newestSequence ? (newest?.sequence ?? -1) : null;
  const watch = { comparedIntake: now.lastIntake, headSequence };
  const lines = snapshot.servedLines;
  if (!isWhole && lines === undefined)
    return { ...watch, positionShift: extent.watch!.positionShift };
  const last = servedAgain.known().at(-1);
  const position =
    isWhole || last === undefined
      ? servedAgain.knownCount() - 1
      : await lines!.positionOf(last.sequence, extent.entryCount - 1);
  const positionShift =
    position === null
      ? extent.watch!.positionShift
      : now.lineCount - 1 - (position + servedAgain.addedCount());
  return { ...watch, positionShift };
}
