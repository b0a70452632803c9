// Says whether books of which nothing was found as of the reading were sound at an earlier cut,
// too, without judging all of them again.
//
// An operation that last changed more than a day before the cut looked then as it does now, and one
// that was created later was not there. Only operations that straddle the cut can have looked
// otherwise: they were open then, or had ended so shortly before that lines could still follow.
// These alone are judged again, as they were at the cut.
//
// Example: books read on 5 November are clean, and October is cut. A cash-out of 31 October, 20:00,
// held 1,000 at once and was debited on 1 November, 00:30. At the cut it was PENDING, and its debit
// was not there. Judged with its hold alone it is sound, and so is October. Had its hold come with
// the debit, it would lack a hold at the cut.
//
// Whatever is not sure counts as not quiet: then the books are judged at the cut from their first
// line.

import { QUESTIONS, type Standing, type Votes } from '../../domain/assumptions.ts';
import type { Instant } from '../../domain/instant.ts';
import {
  hasLapsed,
  isFinal,
  LAWFUL_DELAY,
  type Operation,
  unlessBlank,
} from '../../domain/operation.ts';
import type { Recalled, RecalledEntry } from '../../domain/snapshot.ts';
import { judgeOperation } from '../checks/judge-operation.ts';
import type { CheckContext } from '../checks/port/check.ts';
import type { Cut } from '../replay/cut.ts';
import { moveOf } from '../replay/move-of.ts';
import { factsOf } from '../replay/operation-facts.ts';
import { beginTally, heldSoFar, postedLine, type Tally } from '../replay/tally.ts';
import type { ReconcileSettings } from './books.ts';
import { lateLines } from './corrections/correction-lines.ts';

/** What books were judged by, of which nothing was found, nothing came late and nothing waits. */
export interface QuietBooks {
  readonly context: CheckContext;
  readonly opening: ReconcileSettings['opening'];
}

/**
 * Whether every operation that voted fits all the interpretations that stand. Then so do the
 * operations before any cut, and the cut has the same interpretations.
 */
export function areOfOneMind(votes: Votes, standing: Standing, pinned: Partial<Standing>): boolean {
  return QUESTIONS.every(
    (question) =>
      pinned[question] !== undefined ||
      votes[question].every(
        (count, set) => count === 0 || (set & standing[question]) === standing[question],
      ),
  );
}

/**
 * True for an operation that existed at the cut, and was open then or had ended so shortly before
 * that lines may follow.
 */
export function mayStraddle(
  { status, createdAt, updatedAt, completedAt }: Operation,
  end: Instant,
): boolean {
  if (createdAt >= end) return false;
  return !isFinal(status) || Math.max(updatedAt, completedAt ?? updatedAt) >= end - LAWFUL_DELAY;
}

/**
 * Whether nothing is found at the cut. `straddling` has the references of the operations that
 * straddle it. `recalled` must have these operations with all of their lines, and all other
 * operations that share a partner's reference with one of them.
 */
export function isQuietAt(
  cut: Cut,
  { context, opening }: QuietBooks,
  {
    straddling,
    recalled,
  }: { readonly straddling: ReadonlySet<string>; readonly recalled: Recalled },
): boolean {
  const lines = Map.groupBy(recalled.entries, ({ entry }) => entry.operationReference);
  const then = { ...context, deadlinesAt: cut.end };
  const isSound = (operation: Operation): boolean => {
    const was = cut.operationAt(operation);
    // An operation that had another final state then is judged among all others, at the cut.
    if (was === null || (isFinal(was.status) && was.status !== operation.status))
      return was === null;
    const tally = tallyOf(was, lines.get(operation.reference) ?? [], { cut, context, opening });
    return (
      factsOf(tally.lines).unknown.lines.length === 0 &&
      lateLines(tally).length === 0 &&
      judgeOperation(tally, then).length === 0
    );
  };
  const operations = recalled.operations.map(({ operation }) => operation);
  return (
    operations.every((one) => !straddling.has(one.reference) || isSound(one)) &&
    sharesNothing(operations, cut)
  );
}

function tallyOf(
  operation: Operation,
  recalled: readonly RecalledEntry[],
  { cut, context, opening }: Pick<QuietBooks, 'context' | 'opening'> & { readonly cut: Cut },
): Tally {
  const tally = beginTally(operation.reference);
  tally.operation = operation;
  for (const { entry, before } of recalled) {
    const posted = postedLine(entry);
    const { standing } = context;
    const { reservedMove, heldMove } = moveOf(posted, {
      before,
      opening,
      tally: heldSoFar(tally),
      standing,
    });
    if (cut.isBehind(entry)) continue;
    tally.held += heldMove;
    tally.lines.push({ entry: posted, reservedMove, heldMove });
  }
  return tally;
}

/**
 * Whether no two operations that were live at the cut shared a partner's reference. One of them may
 * have lapsed since, so that nothing is found now.
 */
function sharesNothing(operations: readonly Operation[], cut: Cut): boolean {
  const live = operations
    .flatMap((operation) => cut.operationAt(operation) ?? [])
    .filter(({ status }) => !hasLapsed(status));
  const shared = live.flatMap(({ externalReference }) => unlessBlank(externalReference) ?? []);
  return new Set(shared).size === shared.length;
}
