// Judges one operation by every check, under the standing interpretations, and says whether it can
// be judged yet.

import type { FindingDraft } from '../../domain/finding.ts';
import { isAdjustment } from '../../domain/ledger-entry.ts';
import {
  asOpen,
  endOf,
  isFinal,
  LAWFUL_DELAY,
  livesUntil,
  type Operation,
  typeOfReference,
} from '../../domain/operation.ts';
import { effectiveType, factsOf } from '../replay/operation-facts.ts';
import type { Tally } from '../replay/tally.ts';
import {
  checkDebitHasHold,
  checkFeesAvailable,
  checkHold,
  checkOpenHold,
  checkReleases,
} from './operations/hold.ts';
import {
  checkBounds,
  checkCountryAllowed,
  checkCurrency,
  checkNetAmount,
  checkReferenceType,
} from './operations/identity.ts';
import { checkCredit, checkDebit, checkFees, checkReversal } from './operations/principal.ts';
import { checkFirstLine, checkSettlement, STATE_CHECKS } from './operations/states.ts';
import type { CheckContext, OperationCase, OperationCheck } from './port/check.ts';

/** The checks, in the order in which the findings of one operation are listed. */
const OPERATION_CHECKS: readonly OperationCheck[] = [
  checkCredit,
  checkFees,
  checkNetAmount,
  checkHold,
  checkFeesAvailable,
  checkOpenHold,
  checkReleases,
  checkDebitHasHold,
  checkDebit,
  checkSettlement,
  checkReversal,
  checkReferenceType,
  checkCurrency,
  checkFirstLine,
  ...STATE_CHECKS,
  checkBounds,
  checkCountryAllowed,
];

type Judged = Pick<OperationCase, 'operation' | 'lines' | 'held' | 'availableBefore'>;

export function caseOf({ operation, lines, held, availableBefore }: Judged): OperationCase {
  const facts = factsOf(lines);
  const announced = typeOfReference(operation.reference);
  const type = effectiveType(operation, facts, announced);
  return { operation, facts, announced, type, lines, held, availableBefore };
}

/**
 * Judges an operation with all its lines. The tally must have an operation. Each draft is as new as
 * the newest of the operation and its own lines.
 */
export function judgeOperation(tally: Tally, context: CheckContext): readonly FindingDraft[] {
  const subject = caseOf({ ...tally, operation: tally.operation! });
  let found: FindingDraft[] | null = null;
  for (const check of OPERATION_CHECKS) {
    const drafts = check(subject, context);
    if (drafts.length === 0) continue;
    found ??= [];
    found.push(...drafts);
  }
  if (found === null) return [];
  const newestEvidence = newestEvidenceOf(tally, context);
  const { currency } = subject.operation;
  return found.map((draft) => {
    const line = tally.lines.find(({ entry }) => entry.sequence === draft.sequence);
    const { amount, createdAt } = line?.entry ?? subject.operation;
    return { ...draft, newestEvidence, about: { amount, createdAt, currency } };
  });
}

/**
 * Whether no check finds anything. It stops at the first fault: most operations have none, and
 * those that have one are judged again at the end.
 */
export function isSound(subject: OperationCase, context: CheckContext): boolean {
  for (const check of OPERATION_CHECKS) if (check(subject, context).length > 0) return false;
  return true;
}

/**
 * Whether the operation cannot be judged yet: it is not older than the watermark, or has a line of
 * unknown kind.
 */
export function isUnjudged(tally: Tally, context: CheckContext): boolean {
  return isTooNew(tally.operation, context) || factsOf(tally.lines).unknown.lines.length > 0;
}

/**
 * Whether the operation began before the first known line. Then some of its lines may be part of
 * the declared opening.
 */
export function isOfEarlier({ operation }: Tally, { knownFrom = null }: CheckContext): boolean {
  return knownFrom !== null && operation !== null && operation.createdAt < knownFrom;
}

/**
 * Whether the tally can be judged. Where the operation itself is not served, that is so once a line
 * of it is older than the watermark, or has an impossible date.
 */
export function isKnown(tally: Tally, context: CheckContext): boolean {
  if (tally.operation !== null) return !isUnjudged(tally, context) && !isOfEarlier(tally, context);
  const instants = tally.lines.map((line) => line.entry.createdAt);
  return instants.some((at) => at < context.watermark) || Math.max(...instants) > context.latest;
}

/**
 * Whether the operation may have changed after the watermark, so that its lines need not be served
 * yet.
 */
export function isTooNew(operation: Operation | null, { watermark }: CheckContext): boolean {
  if (operation === null) return false;
  const { status, updatedAt, createdAt, completedAt } = operation;
  if (createdAt >= watermark || (completedAt ?? 0) >= watermark) return true;
  // An operation that had ended stays as it was, even where the service touches it later; what is
  // found of it is provisional. A REVERSED one may have been reversed after the watermark.
  const hadEnded = completedAt !== null && isFinal(status) && status !== 'REVERSED';
  return updatedAt >= watermark && !hadEnded;
}

/**
 * Whether an operation that is too new may only look wrong because it is moving right now. That is
 * so where it is sound as it is, or was sound while it was still open. If it should have ended long
 * ago, it is not believed to be ending right now.
 */
export function isInMotion(tally: Tally, context: CheckContext): boolean {
  const operation = tally.operation!;
  const since = context.watermark - context.clockTolerance;
  if (operation.createdAt >= since || isSound(caseOf({ ...tally, operation }), context))
    return true;
  if (endOf(operation) < since || livesUntil(operation) + LAWFUL_DELAY < since) return false;
  const lines = tally.lines.filter(({ entry }) => entry.createdAt < since);
  const held = lines.reduce((sum, { heldMove }) => sum + heldMove, 0);
  return isSound(caseOf({ ...tally, operation: asOpen(operation), lines, held }), context);
}

function newestEvidenceOf({ operation, lines }: Tally, { latest }: CheckContext): number {
  // An adjustment is no line of the operation itself. It may correct what is wrong, and is no
  // evidence of it.
  const own = lines.filter(({ entry }) => !isAdjustment(entry.kind));
  const possible = own.map((line) => line.entry.createdAt).filter((at) => at <= latest);
  return Math.max(operation!.updatedAt, ...possible);
}
