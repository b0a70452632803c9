// Reads known lines again night after night, so that a line that was edited in place without moving
// a figure is found too. Two rounds pass through the ledger within the configured number of nights.
// Some further pages are chosen at random, so that the choice cannot be foreseen.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type { Batch, Note, OperationVersion } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import {
  type LineRound,
  type OperationRound,
  saveLineRound,
} from '../../../io/storage/mirror/line-watch.ts';
import { storedLinesOf } from '../../../io/storage/mirror/read/stored-lines.ts';
import { NOTHING_SAVED, savePage, sumOfSaved } from '../../../io/storage/mirror/save/save-page.ts';
import { loadKnownFrom } from '../../../io/storage/mirror/stored-extent.ts';
import {
  type ComparedHistory,
  type History,
  type HistoryTask,
  LINES_A_PAGE,
  type ReadAgain,
  readBlocks,
  readWhole,
  unread,
} from './compare-history.ts';
import { openMerge } from './merge-served.ts';
import {
  dueOf,
  mostPages,
  notesOfRound,
  type Rotation,
  type RoundRead,
  type RoundTask,
  roundAt,
  roundRead,
} from './rounds.ts';

/** The chance that a page of the round brings one more page, chosen at random. */
const AT_RANDOM = 0.1;
/** Fewest lines that one request digests, because a request costs more than their digest. */
const LEAST_DIGESTED = 10_000;
/**
 * Books of one page are read in one step. In larger books each night reads its share of the lines.
 */
const unitOfLines = (known: number) =>
  ({ of: 'LINES', page: LINES_A_PAGE, step: known > LINES_A_PAGE ? 1 : LINES_A_PAGE }) as const;

const NOT_ROTATED = { saved: NOTHING_SAVED, notes: [], read: null };

export interface RotatedHistory extends ComparedHistory {
  /** The state of the round; `null` when none is under way. */
  readonly read: RoundRead | null;
}

/**
 * Reads the lines that are due, and reads none when the reading itself served every line. Throws
 * `LeaseLost`.
 */
export async function rotateHistory(
  task: HistoryTask,
  rotation: Rotation,
): Promise<RotatedHistory> {
  const { extent, snapshot, isWhole, store, lease, now } = task;
  const lines = snapshot.servedLines;
  if (extent === null || extent.watch === null || isWhole || lines === undefined)
    return NOT_ROTATED;
  const before = extent.watch.round;
  const known = extent.entryCount;
  const of = { unit: unitOfLines(known), known, now, rotation, lease };
  // The reading itself serves all lines of a merchant with few lines.
  const isServed = task.servedAgain.knownCount() >= known;
  const begun = roundAt(before, isServed ? { ...of, known: 0 } : of);
  const stored = storedLinesOf(store, { merchantId: lease.merchantId, intake: extent.lastIntake });
  const history = { task, stored, head: extent.lastSequence, shift: extent.watch.positionShift };
  try {
    if (rotation.within !== undefined) {
      return isServed
        ? NOT_ROTATED
        : { ...(await readWithin(history, rotation.within)), read: null };
    }
    const served = {
      saved: NOTHING_SAVED,
      notes: [],
      round: { ...begun, nextPosition: known },
    };
    const { round, ...compared } = isServed ? served : await readDue(history, begun, of);
    // Write nothing in a night without news.
    const isWritten = !isServed || begun !== before;
    if (isWritten && JSON.stringify(round) !== JSON.stringify(before))
      await saveLineRound(store, lease, round);
    const read = roundRead(round, of);
    return { saved: compared.saved, notes: [...compared.notes, ...notesOfRound(read, now)], read };
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const read = roundRead(begun, of);
    return { saved: NOTHING_SAVED, notes: [unread(failure), ...notesOfRound(read, now)], read };
  }
}

/**
 * Reads as far as the round should have come by now. If a page differs from the mirror, the whole
 * ledger is read again.
 */
async function readDue(
  history: History,
  begun: LineRound,
  task: RoundTask,
): Promise<ComparedHistory & { readonly round: LineRound }> {
  const { known, rotation } = task;
  const [due, most] = [dueOf(begun, task), mostPages(task)];
  let { nextPosition } = begun;
  const farthest = Math.min(due - nextPosition, most * LINES_A_PAGE);
  const step = stepOf(history, farthest);
  const positions: number[] = [];
  for (let pages = 0; nextPosition < due && pages < most; pages += 1) {
    positions.push(nextPosition);
    if (rotation.random() < AT_RANDOM) positions.push(Math.floor(rotation.random() * known));
    nextPosition = Math.min(known, nextPosition + step - 1);
    if (nextPosition === known - 1) nextPosition = known;
  }
  const { isWhole, ...compared } = await readPages(history, positions, step);
  return { ...compared, round: { ...begun, nextPosition: isWhole ? known : nextPosition } };
}

/** Returns the number of lines that one request covers. */
function stepOf({ task }: History, lines: number): number {
  return task.snapshot.servedLines!.blocks === undefined
    ? LINES_A_PAGE
    : Math.max(LEAST_DIGESTED, lines);
}

async function readWithin(history: History, bounds: Bounds): Promise<ComparedHistory> {
  const found = await history.stored.positionsIn(bounds);
  if (found === null) return { saved: NOTHING_SAVED, notes: [] };
  const shift = Math.abs(history.shift);
  const [from, until] = [Math.max(0, found.from - shift), found.until + shift];
  const step = stepOf(history, until - from);
  const pages = Math.max(1, Math.ceil((until - from - 1) / (step - 1)));
  const positions = Array.from({ length: pages }, (_, page) => from + page * (step - 1));
  return readPages(history, positions, step);
}

/** Reads a page of `step` lines at each position. */
async function readPages(
  history: History,
  positions: readonly number[],
  step: number,
): Promise<ComparedHistory & { readonly isWhole: boolean }> {
  let saved = NOTHING_SAVED;
  for (const position of positions) {
    const page = await readPage(history, position, step);
    saved = sumOfSaved(saved, page.saved);
    if (!page.isAltered) continue;
    const whole = await readWhole(history);
    return { saved: sumOfSaved(saved, whole.saved), notes: whole.notes, isWhole: true };
  }
  return { saved, notes: [], isWhole: false };
}

async function readPage({ task, stored, head }: History, position: number, step: number) {
  const lines = task.snapshot.servedLines!;
  if (lines.blocks !== undefined) {
    const [[from], [to]] = [await stored.at(position), await stored.at(position + step - 1)];
    const first = position === 0 ? Number.MIN_SAFE_INTEGER : (from?.sequence ?? head);
    return readBlocks(
      { task, stored, head, shift: 0 },
      { blocks: lines.blocks, first, last: to?.sequence ?? head },
    );
  }
  // A larger count would need one more request.
  const left = task.extent!.entryCount - position;
  const rows = (await lines.linesAt(position, left > 0 ? Math.min(step, left) : step)).filter(
    (row) => row !== null,
  );
  const entries = rows.filter(({ sequence }) => sequence <= head);
  const saved =
    entries.length === 0 ? NOTHING_SAVED : await savePage(task.store, task.lease, { entries });
  const merge = openMerge(stored, { head, after: null });
  await merge.add(rows);
  const gone = await merge.end(false);
  return { saved, isAltered: saved.lateEntries > 0 || gone === null || gone.length > 0 };
}

// Reads known operations again, however old and final they are, so that a change or a loss that
// moves no figure is found too. Operations that the night serves anyway need no request.

/** Operations of one request: with those created beside them they fill about a page. */
const A_WINDOW = 150;
const OPERATIONS = { of: 'OPERATIONS', page: A_WINDOW, step: A_WINDOW } as const;

interface RotationTask
  extends Pick<HistoryTask, 'store' | 'lease' | 'snapshot' | 'now' | 'extent'> {
  readonly rotation?: Rotation | undefined;
  /** Tells whether an operation was served neither by the reading nor since. */
  readonly lacks: (reference: string) => boolean;
  readonly addAll: (batches: AsyncIterable<Batch<OperationVersion>>) => Promise<void>;
}

interface RotatedOperations extends ReadAgain {
  readonly notes: readonly Note[];
  /** Returns the state of the round that was saved; `null` when no round is under way. */
  readonly readOf: (round: OperationRound | null) => RoundRead | null;
}

/**
 * Reads as far as the round should have come by now. Must be called once the reading has served its
 * operations.
 */
export async function rotateOperations(task: RotationTask): Promise<RotatedOperations> {
  const { extent, rotation, now, lease, store, snapshot, lacks } = task;
  const before = extent?.operationRound ?? null;
  const isRotated =
    rotation !== undefined && rotation.within === undefined && snapshot.operationsOf !== undefined;
  if (!isRotated || extent?.watch == null)
    return { references: [], round: before, notes: [], readOf: () => null };
  const known = extent.operationCount;
  const of = { unit: OPERATIONS, known, now, rotation, lease };
  const begun = before === null ? firstRound(extent.watch.round, now) : roundAt(before, of);
  const readOf = (kept: OperationRound | null) => roundRead(kept ?? begun, of);
  const round = { ...begun, readUntil: begun === before ? before.readUntil : 0 };
  const due = dueOf(round, of);
  const references: string[] = [];
  let { nextPosition, readUntil } = round;
  try {
    for (let left = mostPages(of); nextPosition < due && left > 0; left -= 1) {
      const found = await loadKnownFrom(store, {
        merchantId: lease.merchantId,
        from: readUntil,
        least: A_WINDOW,
      });
      const [start, end] = [
        found[0]?.created_at ?? readUntil,
        (found.at(-1)?.created_at ?? readUntil) + 1,
      ];
      if (found.some(({ reference }) => lacks(reference))) {
        const times = { start, end, before: nextPosition, count: found.length, known };
        await task.addAll(snapshot.operationsOf(times));
      }
      references.push(...found.map(({ reference }) => reference));
      nextPosition = found.length < A_WINDOW ? known : Math.min(known, nextPosition + found.length);
      readUntil = end;
    }
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    return { references: [], round: before, notes: [unread(failure, 'OPERATIONS')], readOf };
  }
  const read = { ...round, nextPosition, readUntil };
  // A first round that has read nothing yet can be derived from that of the lines, so a quiet night
  // need not write it.
  const isKnown = before === null && nextPosition === 0 && round.earlierBeganAt !== null;
  return { references, round: isKnown ? null : read, notes: [], readOf };
}

/**
 * Begins the first round. If the books were read whole when the first round of their lines began,
 * every operation was read then.
 */
function firstRound(lines: LineRound | null, now: Instant): LineRound {
  const wholeAt = lines !== null && lines.beganAt === lines.earlierBeganAt ? lines.beganAt : null;
  return { nextPosition: 0, beganAt: wholeAt ?? now, earlierBeganAt: wholeAt };
}
