// Settles operations: what a finished operation adds to votes and sums is kept, and its lines are let go, so that memory does
// not grow with the history. Refuses to settle anything that is open, unknown or wrong; a recall brings back what was settled.

import type { CheckContext, OperationCase } from '../checks/check.ts';
import { addTo } from '../domain/amount.ts';
import { vote } from '../domain/assumptions.ts';
import type { Instant } from '../domain/instant.ts';
import { isFinal } from '../domain/operation.ts';
import { fitInterpretations } from '../replay/fit-interpretations.ts';
import { requiredBalance } from '../replay/required.ts';
import type { Tally } from '../replay/tally.ts';
import type { ReconcileSettings } from './books.ts';
import { noteLate } from './corrections/late-lines.ts';
import { caseOf, isSound, isTooNew } from './judge-operation.ts';
import { type Memory, SWEEP_FLOOR } from './memory.ts';
import { sumLines } from './sums.ts';

/** Looks for what has settled once enough is at hand: a sweep costs as much as what it looks through. */
export function settleWhenFull(memory: Memory): void {
  if (!memory.settings.keepsAll && memory.books.replay.tallies.size >= memory.sweepAt) settle(memory);
}

/** Settles every operation whose lines and final state agree: its figures stay, its tally goes. */
export function settle(memory: Memory): void {
  const { books, context, settings } = memory;
  // A map of its own for those that stay: a map that others were deleted from outlives them, and keeps them alive.
  const left = new Map<string, Tally>();
  for (const tally of books.replay.tallies.values()) {
    if (isBeyondJudging(tally, settings)) continue;
    const stays = books.atHand.has(tally.reference) || isAwaited(tally, memory.readUntil);
    const settled = stays ? null : settledCase(tally, context);
    if (settled === null) {
      left.set(tally.reference, tally);
      continue;
    }
    noteLate(books, tally);
    vote(books.votes, fitInterpretations(settled.operation, settled.facts), 1);
    sumLines(books.lineSums, settled, 1);
    addTo(books.requiredBalance, requiredBalance(settled.operation, settled.facts, context.standing));
  }
  books.replay.tallies = left;
  memory.sweepAt = SWEEP_FLOOR + 2 * books.replay.tallies.size;
}

/**
 * Nothing will ever be said of it, for a whole part of the books is missing, and that is said once. Its lines matter to
 * the lines that follow as long as it holds money.
 */
function isBeyondJudging(tally: Tally, { holds }: ReconcileSettings): boolean {
  return !holds.ledger || (!holds.operations && tally.held === 0);
}

/** Its lines, if it ever has any, are still to come: the ledger has not been read up to its last change. */
function isAwaited({ operation, lines }: Tally, readUntil: Instant): boolean {
  return lines.length === 0 && operation !== null && operation.updatedAt >= readUntil;
}

/** The case of an operation that may be settled; null while something is open, unknown or wrong about it. */
function settledCase(tally: Tally, context: CheckContext): OperationCase | null {
  const { operation, lines } = tally;
  if (operation === null || !isFinal(operation.status) || tally.held !== 0 || tally.judgedAt === lines.length)
    return null;
  // A version that replaces one already settled is judged with all its lines, which only a recall brings back.
  if (tally.previous !== null || isTooNew(tally, context)) return null;
  const subject = caseOf(tally);
  if (subject.facts.unknown.lines.length > 0) return null;
  if (isSound(subject, context)) return subject;
  tally.judgedAt = lines.length;
  return null;
}
