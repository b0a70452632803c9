// Settles operations: what a finished operation adds to votes and sums is kept, and its lines are
// let go of, so that memory does not grow with the history. An operation that is open, unknown or
// wrong is not settled. A recall brings back what was settled.

import { isFinal, type Operation, unlessBlank } from '../../domain/operation.ts';
import { sameEntry } from '../../domain/rows/entry-fields.ts';
import { repeatedHashes } from '../../domain/rows/hash-table.ts';
import { keptOf, type Recalled, type RecalledEntry } from '../../domain/snapshot.ts';
import { caseOf, isSound, isTooNew } from '../checks/judge-operation.ts';
import type { CheckContext, OperationCase } from '../checks/port/check.ts';
import { moveOf } from '../replay/move-of.ts';
import { sweepTallies } from '../replay/replay-state.ts';
import { operationIn, putTally, referenceAt, rowNamed, tallyAt } from '../replay/tallies-seen.ts';
import { beginTally, heldSoFar, postedLine, type Tally } from '../replay/tally.ts';
import { TALLY, type TallyTable } from '../replay/tally-table.ts';
import { noteLate } from './corrections/correction-lines.ts';
import { ask, type Session } from './drive.ts';
import { hashAt, type Memory, SWEEP_FLOOR } from './memory.ts';
import { addLike, likenessOf, PLACE, signatureAt, statedAt } from './signature.ts';

/**
 * Settles once enough operations are at hand, because each search costs as much as the operations
 * that it looks through.
 */
export function settleWhenFull(memory: Memory): void {
  if (!memory.settings.keepsAll && memory.books.replay.tallies.count >= memory.sweepAt)
    settle(memory);
}

/**
 * Settles every operation whose lines agree with its final state: its figures are added up, and its
 * tally is dropped.
 */
export function settle(memory: Memory): void {
  const { books, context, signatures, identities } = memory;
  const { tallies: table, waiting } = books.replay;
  const waits = waiting.map((line) =>
    rowNamed(table, line.operationReference ?? '', identities.hashOf),
  );
  sweepTallies(books.replay, (row) => {
    if (isBeyondJudging(memory, row)) return false;
    if (staysAtHand(memory, row, waits) || !mayBeOver(table, row, context)) return true;
    const signature = signatureAt(signatures, table, row);
    let alike = signatures.known[signature];
    if (alike === undefined) {
      const tally = tallyAt(table, row);
      const settled = settledCase(tally, context);
      if (settled !== null) noteLate(books, settled, () => tally);
      alike = settled && likenessOf(books, settled, signature < 0);
      if (signature >= 0) signatures.known[signature] = alike;
    }
    if (alike === null)
      table.figures[row * TALLY.width + TALLY.judgedAt] =
        table.figures[row * TALLY.width + TALLY.lines]!;
    else
      addLike(
        books,
        alike,
        statedAt(table, row, PLACE.amount),
        statedAt(table, row, PLACE.fees),
        1,
      );
    return alike === null;
  });
  memory.sweepAt = SWEEP_FLOOR + 2 * books.replay.tallies.count;
}

/**
 * Whether the operation can have no finding, because lines or operations are missing as a whole,
 * which is one note. As long as it holds money it stays, because that matters to the lines that
 * follow.
 */
function isBeyondJudging({ books, settings: { present } }: Memory, row: number): boolean {
  return (
    !present.ledger ||
    (!present.operations && books.replay.tallies.figures[row * TALLY.width + TALLY.held] === 0)
  );
}

/**
 * Whether the operation must not be settled: an earlier pass had settled it too early, or its lines
 * may still come. They may, where lines were not read up to its last change, or wait to be applied.
 * `waits` has the rows whose lines wait.
 */
function staysAtHand(
  { books: { atHand, replay }, cutBooks, readUntil }: Memory,
  row: number,
  waits: readonly number[],
): boolean {
  const { tallies } = replay;
  const withLater = cutBooks?.withLater ?? NONE;
  if (atHand.size + withLater.size > 0) {
    const reference = referenceAt(tallies, row);
    if (atHand.has(reference) || withLater.has(reference)) return true;
  }
  const at = row * TALLY.width;
  if (tallies.figures[at + TALLY.lines] !== 0 || tallies.figures[at + TALLY.operation]! < 0)
    return false;
  return statedAt(tallies, row, PLACE.updatedAt) >= readUntil || waits.includes(row);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Whether the operation may be settled: it holds nothing, is old enough, and has changed since it
 * was last judged. A version that replaces one already settled is judged with all its lines, which
 * only a recall brings back.
 */
function mayBeOver(table: TallyTable, row: number, { watermark }: CheckContext): boolean {
  const { figures, previous } = table;
  const at = row * TALLY.width;
  if (figures[at + TALLY.operation]! < 0 || figures[at + TALLY.held] !== 0 || previous.has(row))
    return false;
  if (figures[at + TALLY.judgedAt] === figures[at + TALLY.lines]) return false;
  const isCompleted = statedAt(table, row, PLACE.completedAt) >= watermark;
  return (
    !isCompleted &&
    Math.max(statedAt(table, row, PLACE.createdAt), statedAt(table, row, PLACE.updatedAt)) <
      watermark
  );
}

/**
 * Returns the case of an operation that may be settled; `null` while something about it is open,
 * unknown or wrong.
 */
function settledCase(tally: Tally, context: CheckContext): OperationCase | null {
  const operation = tally.operation!;
  const subject = caseOf({ ...tally, operation });
  const isKnown = isFinal(operation.status) && subject.facts.unknown.lines.length === 0;
  return isKnown && isSound(subject, context) ? subject : null;
}

// Recalls settled operations. An operation that a later line names, or that changed, is judged
// again with all its lines. Nothing is reported of it before that.

/**
 * Asks for settled operations that were named or changed since, and for identities that were seen
 * twice.
 */
export function* askBack(memory: Memory): Session<Recalled> {
  yield* lookUpRepeated(memory);
  const {
    replay,
    suspectIds: entryIds,
    suspectExternalReferences: externalReferences,
  } = memory.books;
  const references = new Set<string>();
  const { tallies } = replay;
  for (let row = 0; row < tallies.count; row += 1)
    if (isPartial(tallies, row)) references.add(referenceAt(tallies, row));
  const request = { references, entryIds, externalReferences };
  const isNone = references.size + entryIds.size + externalReferences.size === 0;
  return isNone
    ? { entries: [], operations: [] }
    : yield* ask<'recall'>({ what: 'recall', request });
}

/**
 * Finds the rows whose identities may have been seen twice. If there may be such rows, all rows are
 * read once more.
 */
function* lookUpRepeated({ books, identities }: Memory): Session<void> {
  const { hashOf } = identities;
  const ids = repeatedHashes(identities.ids);
  const references = repeatedHashes(identities.externalReferences);
  if (ids.size + references.size === 0) return;
  yield* ask<'rows'>({ what: 'rows' });
  while (ids.size > 0) {
    const batch = yield* ask<'entries'>({ what: 'entries', taken: 0 });
    if (batch === null) break;
    const { rows, hashes } = keptOf(batch);
    rows.forEach(({ id }, i) => {
      if (ids.has(hashAt(hashes, i, { text: id, hashOf }))) books.suspectIds.add(id);
    });
  }
  while (references.size > 0) {
    const batch = yield* ask<'operations'>({ what: 'operations' });
    if (batch === null) break;
    const { rows, hashes } = keptOf(batch);
    rows.forEach(({ operation: { externalReference: shared } }, i) => {
      if (
        unlessBlank(shared) === null ||
        !references.has(hashAt(hashes, i, { text: shared!, hashOf }))
      )
        return;
      books.suspectExternalReferences.add(shared!);
    });
  }
}

/**
 * Merges the recalled rows into the tallies that asked for them. Lines after the last replayed one
 * are ignored. The caller must settle again, because it must not matter whether a sound operation
 * had been at hand all the time.
 */
export function recall(memory: Memory, recalled: Recalled): void {
  const { books } = memory;
  const last = books.replay.last?.sequence ?? 0;
  const leftOut = Map.groupBy(books.leftOut, ({ sequence }) => sequence);
  const isApplied = ({ entry }: RecalledEntry): boolean =>
    entry.sequence <= last &&
    leftOut.get(entry.sequence)?.some((left) => sameEntry(left, entry)) !== true;
  const entries = Map.groupBy(
    recalled.entries.filter(isApplied),
    ({ entry }) => entry.operationReference,
  );
  const versions = new Map(
    recalled.operations.map((version) => [version.operation.reference, version.operation]),
  );
  const { tallies } = books.replay;
  const { count } = tallies;
  for (let row = 0; row < count; row += 1) {
    const reference = referenceAt(tallies, row);
    const lines = entries.get(reference);
    if (lines === undefined && !isPartial(tallies, row)) continue;
    const tally = tallyAt(tallies, row);
    completeTally(memory, tally, {
      lines: lines ?? [],
      operation: versions.get(reference) ?? null,
    });
    putTally(tallies, row, tally);
  }
}

/**
 * Whether the tally may lack lines: its operation came in a second version, or only its lines have
 * come. An operation that came once and is still at hand was never settled, and has all of its
 * lines.
 */
function isPartial({ figures, previous }: TallyTable, row: number): boolean {
  return figures[row * TALLY.width + TALLY.operation]! < 0 || previous.has(row);
}

function completeTally(
  memory: Memory,
  tally: Tally,
  found: { readonly lines: readonly RecalledEntry[]; readonly operation: Operation | null },
): void {
  memory.books.late.delete(tally.reference);
  tally.operation ??= found.operation;
  const operation = tally.previous ?? tally.operation;
  const newer = new Set(tally.lines.map((line) => line.entry.sequence));
  const older = found.lines.filter((one) => !newer.has(one.entry.sequence));
  if (older.length > 0) {
    const rebuilt = beginTally(tally.reference);
    rebuilt.operation = tally.operation;
    for (const one of older) addRecalled(memory, rebuilt, one);
    if (operation !== null) {
      const added = likenessOf(memory.books, caseOf({ ...rebuilt, operation }), true);
      addLike(memory.books, added, operation.amount, operation.fees, -1);
    }
    tally.lacksEarlierLines ||= tally.lines.length > 0;
    tally.lines = [...rebuilt.lines, ...tally.lines].sort(
      (a, b) => a.entry.sequence - b.entry.sequence,
    );
    tally.held = tally.lines.reduce((held, line) => held + line.heldMove, 0);
  }
  tally.previous = null;
  tally.judgedAt = -1;
}

/**
 * Returns the references of wrong operations of which a line was replayed after they had been
 * settled: what that line moved was judged without the lines before it. An operation that is too
 * new is left out, because it is not known to be wrong yet.
 */
export function apartReferences({ books, context }: Memory): readonly string[] {
  const { tallies } = books.replay;
  const apart: string[] = [];
  for (let row = 0; row < tallies.count; row += 1) {
    if (tallies.figures[row * TALLY.width + TALLY.lacksEarlierLines] !== 1) continue;
    if (!isTooNew(operationIn(tallies, row), context)) apart.push(referenceAt(tallies, row));
  }
  return apart;
}

function addRecalled(
  { settings, context }: Memory,
  tally: Tally,
  { entry, before }: RecalledEntry,
): void {
  const posted = postedLine(entry);
  const around = {
    before,
    opening: settings.opening,
    tally: heldSoFar(tally),
    standing: context.standing,
  };
  const { reservedMove, heldMove } = moveOf(posted, around);
  tally.held += heldMove;
  tally.lines.push({ entry: posted, reservedMove, heldMove });
}
