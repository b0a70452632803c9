// Whether books that nothing was found of as of the reading were sound at a cut, too: only what
// straddles the cut can have looked otherwise then, and is judged again as it was. Refuses whatever
// it is not sure of: those books are judged at the cut from their first line.

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

/** What books of which nothing is found, late or waiting were judged by. */
export interface QuietBooks {
  readonly context: CheckContext;
  readonly opening: ReconcileSettings['opening'];
}

/**
 * No operation speaks against an interpretation that stands: so it is with those before any cut.
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
 * True for an operation that was there when the cut came, and was open then, or had ended so
 * shortly before that lines may follow.
 */
export function mayStraddle(
  { status, createdAt, updatedAt, completedAt }: Operation,
  end: Instant,
): boolean {
  if (createdAt >= end) return false;
  return !isFinal(status) || Math.max(updatedAt, completedAt ?? updatedAt) >= end - LAWFUL_DELAY;
}

/**
 * `recalled`: the operations that straddle the cut, with all of their lines, and others that share
 * a partner's reference with one.
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
    // One that left a final state since then is judged among all others.
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
 * Of those that lapsed since, none shared a partner's reference with another one while it was open.
 */
function sharesNothing(operations: readonly Operation[], cut: Cut): boolean {
  const live = operations
    .flatMap((operation) => cut.operationAt(operation) ?? [])
    .filter(({ status }) => !hasLapsed(status));
  const shared = live.flatMap(({ externalReference }) => unlessBlank(externalReference) ?? []);
  return new Set(shared).size === shared.length;
}
