// Judges one operation by every check, under the interpretations that stand.

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

/** In the order in which the findings of one operation are listed. */
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

/** The evidence of each draft is the operation and all its lines. */
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
 * Stops at the first fault: most operations have none, and those that have are judged again at the
 * end.
 */
export function isSound(subject: OperationCase, context: CheckContext): boolean {
  for (const check of OPERATION_CHECKS) if (check(subject, context).length > 0) return false;
  return true;
}

/** Not older than the watermark, or with a line of unknown kind: it cannot be judged yet. */
export function isUnjudged(tally: Tally, context: CheckContext): boolean {
  return isTooNew(tally.operation, context) || factsOf(tally.lines).unknown.lines.length > 0;
}

/** It began before the first known line: lines of it are in the declared opening. */
export function isOfEarlier({ operation }: Tally, { knownFrom = null }: CheckContext): boolean {
  return knownFrom !== null && operation !== null && operation.createdAt < knownFrom;
}

/**
 * It can be judged; of an operation that is not served: some of its lines are old enough, or
 * impossible.
 */
export function isKnown(tally: Tally, context: CheckContext): boolean {
  if (tally.operation !== null) return !isUnjudged(tally, context) && !isOfEarlier(tally, context);
  const instants = tally.lines.map((line) => line.entry.createdAt);
  return instants.some((at) => at < context.watermark) || Math.max(...instants) > context.latest;
}

export function isTooNew(operation: Operation | null, { watermark }: CheckContext): boolean {
  if (operation === null) return false;
  const { status, updatedAt, createdAt, completedAt } = operation;
  if (createdAt >= watermark || (completedAt ?? 0) >= watermark) return true;
  // One that had ended is as it was, whatever touched it since; what is found of it is provisional.
  // It may have been reversed.
  const hadEnded = completedAt !== null && isFinal(status) && status !== 'REVERSED';
  return updatedAt >= watermark && !hadEnded;
}

/**
 * Of one that is too new: what is known of it is what a move of these minutes leaves. It is sound
 * as it is, or was while it was open; one that should have ended long ago does not end in these
 * minutes.
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
  // An adjustment is no line of the operation: it may put right what is wrong, and proves none of
  // it.
  const own = lines.filter(({ entry }) => !isAdjustment(entry.kind));
  const possible = own.map((line) => line.entry.createdAt).filter((at) => at <= latest);
  return Math.max(operation!.updatedAt, ...possible);
}
