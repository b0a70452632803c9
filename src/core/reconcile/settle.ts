// Settles operations: what a finished operation adds to votes and sums is kept, and its lines are let go, so that memory does
// not grow with the history. Refuses to settle anything that is open, unknown or wrong; a recall brings back what was settled.

import type { CheckContext, OperationCase } from '../checks/port/check.ts';
import { addTo } from '../domain/amount.ts';
import { vote } from '../domain/assumptions.ts';
import { isFinal } from '../domain/operation.ts';
import { fitInterpretations } from '../replay/fit-interpretations.ts';
import { sweepTallies } from '../replay/replay-state.ts';
import { requiredBalance } from '../replay/required.ts';
import {
  announcedAt,
  linesAt,
  operationAt,
  referenceAt,
  seeTallies,
  type TalliesSeen,
  tallyAt,
} from '../replay/tallies-seen.ts';
import { TALLY } from '../replay/tally-table.ts';
import { noteLate } from './corrections/correction-lines.ts';
import { caseOf, isSound, isTooNew } from './judge-operation.ts';
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
 * Nothing will ever be said of it, for a whole part of the books is missing, and that is said once. Its lines matter to
 * the lines that follow as long as it holds money.
 */
function isBeyondJudging({ books, settings: { holds } }: Memory, row: number): boolean {
  return !holds.ledger || (!holds.operations && books.replay.tallies.figures[row * TALLY.width + TALLY.held] === 0);
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
