// Settles operations: what a finished operation adds to votes and sums is kept, and its lines are let go, so that memory does
// not grow with the history. Refuses to settle anything that is open, unknown or wrong; a recall brings back what was settled.

import { caseOf, isSound, isTooNew } from '../checks/judge-operation.ts';
import type { CheckContext, OperationCase } from '../checks/port/check.ts';
import { addTo } from '../domain/amount.ts';
import { vote } from '../domain/assumptions.ts';
import { isFinal, type Operation } from '../domain/operation.ts';
import { keptOf, type Recalled, type RecalledEntry } from '../domain/snapshot.ts';
import { fitInterpretations } from '../replay/fit-interpretations.ts';
import { moveOf } from '../replay/move-of.ts';
import { factsOf, requiredBalance } from '../replay/operation-facts.ts';
import { sweepTallies } from '../replay/replay-state.ts';
import {
  announcedAt,
  linesAt,
  operationAt,
  putTally,
  referenceAt,
  seeTallies,
  type TalliesSeen,
  tallyAt,
} from '../replay/tallies-seen.ts';
import { beginTally, heldSoFar, postedLine, type TalliedLine, type Tally } from '../replay/tally.ts';
import { TALLY, type TallyTable } from '../replay/tally-table.ts';
import { sameEntry } from '../rows/entry-fields.ts';
import { repeatedHashes } from '../rows/hash-table.ts';
import { noteLate } from './corrections/correction-lines.ts';
import { ask, type Session } from './drive.ts';
import { hashAt } from './identity-list.ts';
import { type Memory, SWEEP_FLOOR } from './memory.ts';
import { sumLines } from './sums.ts';

/** Looks for what has settled once enough is at hand: a sweep costs as much as what it looks through. */
export function settleWhenFull(memory: Memory): void {
  if (!memory.settings.keepsAll && memory.books.replay.tallies.count >= memory.sweepAt) settle(memory);
}

/** Settles every operation whose lines and final state agree: its figures stay, its tally goes. */
export function settle(memory: Memory): void {
  const { books, context } = memory;
  const seen = seeTallies(books.replay.tallies);
  sweepTallies(books.replay, (row) => {
    if (isBeyondJudging(memory, row)) return false;
    const settled = staysAtHand(memory, seen, row) ? null : settledCase(seen, row, context);
    if (settled === null) return true;
    const { operation, facts, type } = settled;
    noteLate(books, settled, () => tallyAt(seen, row));
    vote(books.votes, fitInterpretations(operation, facts, type), 1);
    sumLines(books.lineSums, settled, 1);
    addTo(books.requiredBalance, requiredBalance(operation, facts, context.standing, type));
    return false;
  });
  memory.sweepAt = SWEEP_FLOOR + 2 * books.replay.tallies.count;
}

/**
 * It can have no finding, for a whole part of the books is missing, which is one note. Its lines matter to
 * the lines that follow as long as it holds money.
 */
function isBeyondJudging({ books, settings: { present } }: Memory, row: number): boolean {
  return !present.ledger || (!present.operations && books.replay.tallies.figures[row * TALLY.width + TALLY.held] === 0);
}

/** An earlier pass had let it go too early; or its lines, if it ever has any, are still to come: they were not read up to its last change, or wait to be applied. */
function staysAtHand({ books: { atHand, replay }, readUntil }: Memory, seen: TalliesSeen, row: number): boolean {
  if (atHand.size > 0 && atHand.has(referenceAt(seen.table, row))) return true;
  if (seen.table.figures[row * TALLY.width + TALLY.lines] !== 0) return false;
  const operation = operationAt(seen, row);
  if (operation === null) return false;
  const { updatedAt, reference } = operation;
  return updatedAt >= readUntil || replay.waiting.some(({ operationReference }) => operationReference === reference);
}

/** The case of an operation that may be settled; null while something is open, unknown or wrong about it. */
function settledCase(seen: TalliesSeen, row: number, context: CheckContext): OperationCase | null {
  const { figures, previous } = seen.table;
  const at = row * TALLY.width;
  const operation = operationAt(seen, row);
  if (operation === null || !isFinal(operation.status) || figures[at + TALLY.held] !== 0) return null;
  if (figures[at + TALLY.judgedAt] === figures[at + TALLY.lines]) return null;
  // A version that replaces one already settled is judged with all its lines, which only a recall brings back.
  if (previous.has(row) || isTooNew(operation, context)) return null;
  const available = figures[at + TALLY.availableBefore]!;
  const availableBefore = Number.isNaN(available) ? null : available;
  const subject = caseOf(
    { operation, lines: linesAt(seen, row), held: 0, availableBefore },
    announcedAt(seen.table, row),
  );
  if (subject.facts.unknown.lines.length > 0) return null;
  if (isSound(subject, context)) return subject;
  figures[at + TALLY.judgedAt] = figures[at + TALLY.lines]!;
  return null;
}

// Recalls what was settled: an operation that a later line names, or that changed, is judged again with all its lines.
// Nothing is reported of an operation before that.

/** Asks for the settled operations that are named or changed, and for identities that were seen twice. */
export function* askBack(memory: Memory): Session<Recalled> {
  yield* lookUpRepeated(memory);
  const { replay, suspectIds: entryIds, suspectExternalReferences: externalReferences } = memory.books;
  const references = new Set<string>();
  const { tallies } = replay;
  for (let row = 0; row < tallies.count; row += 1)
    if (isPartial(tallies, row)) references.add(referenceAt(tallies, row));
  if (references.size + entryIds.size + externalReferences.size === 0) return { entries: [], operations: [] };
  return yield* ask<'recall'>({ what: 'recall', request: { references, entryIds, externalReferences } });
}

/** Finds the rows whose identities may have been seen twice: the rows are passed once more, where there are such. */
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
      if (shared === null || !references.has(hashAt(hashes, i, { text: shared, hashOf }))) return;
      books.suspectExternalReferences.add(shared);
    });
  }
}

/**
 * Merges what was recalled into the tallies that asked for it; lines after the last replayed one are left alone. What
 * turns out to be sound is to be settled again: it must not matter whether it had been at hand all the time.
 */
export function recall(memory: Memory, recalled: Recalled): void {
  const { books } = memory;
  const last = books.replay.last?.sequence ?? 0;
  const leftOut = Map.groupBy(books.leftOut, ({ sequence }) => sequence);
  const isApplied = ({ entry }: RecalledEntry): boolean =>
    entry.sequence <= last && leftOut.get(entry.sequence)?.some((left) => sameEntry(left, entry)) !== true;
  const entries = Map.groupBy(recalled.entries.filter(isApplied), ({ entry }) => entry.operationReference);
  const versions = new Map(recalled.operations.map((version) => [version.operation.reference, version.operation]));
  const { tallies } = books.replay;
  const { count } = tallies;
  for (let row = 0; row < count; row += 1) {
    const reference = referenceAt(tallies, row);
    const lines = entries.get(reference);
    if (lines === undefined && !isPartial(tallies, row)) continue;
    const tally = tallyAt(seeTallies(tallies), row);
    completeTally(memory, tally, { lines: lines ?? [], operation: versions.get(reference) ?? null });
    putTally(tallies, row, tally);
  }
}

/** An operation that came once and is still at hand was never settled: its tally has all of its lines. */
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
    if (operation !== null) takeBack(memory, operation, rebuilt.lines);
    tally.lacksEarlierLines ||= tally.lines.length > 0;
    tally.lines = [...rebuilt.lines, ...tally.lines].sort((a, b) => a.entry.sequence - b.entry.sequence);
    tally.held = tally.lines.reduce((held, line) => held + line.heldMove, 0);
  }
  tally.previous = null;
  tally.judgedAt = -1;
}

/**
 * Operations with something wrong, of which a line was replayed after they had been settled: what it moved, and what followed
 * from it, was judged without the lines before it. One that is too new is not known to be wrong yet.
 */
export function apartReferences({ books, context }: Memory): readonly string[] {
  const { tallies } = books.replay;
  const seen = seeTallies(tallies);
  const apart: string[] = [];
  for (let row = 0; row < tallies.count; row += 1) {
    if (tallies.figures[row * TALLY.width + TALLY.lacksEarlierLines] !== 1) continue;
    if (!isTooNew(operationAt(seen, row), context)) apart.push(referenceAt(tallies, row));
  }
  return apart;
}

/** Takes back what the operation had added when it was settled with these lines. */
function takeBack({ books, context }: Memory, operation: Operation, lines: readonly TalliedLine[]): void {
  const facts = factsOf(lines);
  vote(books.votes, fitInterpretations(operation, facts), -1);
  sumLines(books.lineSums, { operation, facts }, -1);
  addTo(books.requiredBalance, -requiredBalance(operation, facts, context.standing));
}

function addRecalled({ settings, context }: Memory, tally: Tally, { entry, before }: RecalledEntry): void {
  const { opening } = settings;
  const posted = postedLine(entry);
  const { reservedMove, heldMove } = moveOf(posted, {
    before,
    opening,
    tally: heldSoFar(tally),
    standing: context.standing,
  });
  tally.held += heldMove;
  tally.lines.push({ entry: posted, reservedMove, heldMove });
}
