// The states of an operation and the times and details that go with them (direct API, "Operation",
// "States").

import { setOf } from '../../../domain/assumptions.ts';
import type { FindingFigures, FindingKind } from '../../../domain/finding-kind.ts';
import { formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../../domain/instant.ts';
import {
  FAILURE_CODES,
  isFinal,
  lifetimeOf,
  type Operation,
  type OperationStatus,
  unlessBlank,
} from '../../../domain/operation.ts';
import type { PostedLine, TalliedLine } from '../../replay/tally.ts';
import {
  type CheckContext,
  lineEvidence,
  linesEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  operationDraft,
  operationEvidence,
} from '../port/check.ts';

/** Two instants that one request writes may be this far apart, in milliseconds. */
export const SAME_MOMENT = 5 * SECOND;
/**
 * An outcome may be on its way when an operation expires; the document does not say for how long it
 * still counts.
 */
export const LATEST_SUCCESS = HOUR;

/** Checks of what the operation itself states. Each finds at most one fault. */
export const STATE_CHECKS: readonly OperationCheck[] = [
  stateCheck('OPERATION_OVERDUE', findOverdue),
  stateCheck('EXPIRY_WINDOW_WRONG', findExpiryWindow),
  stateCheck('COMPLETION_TIME_INCONSISTENT', findCompletionTime),
  stateCheck('FAILURE_DETAIL_INCONSISTENT', findFailureDetail),
  stateCheck('PAYER_ACTION_INCONSISTENT', findPayerAction),
];

type FiguresOf<Kind extends FindingKind> =
  | (FindingFigures[Kind] & { readonly reference: string })
  | null;

function stateCheck<Kind extends FindingKind>(
  kind: Kind,
  find: (subject: OperationCase, context: CheckContext) => FiguresOf<Kind>,
): OperationCheck {
  return (subject, context) => {
    const figures = find(subject, context);
    if (figures === null) return NO_FINDINGS;
    const { reference, status } = subject.operation;
    return [
      operationDraft(kind, figures, {
        evidence: [operationEvidence(reference, `status ${status}`)],
      }),
    ];
  };
}

function stateOf({ reference, status }: Operation) {
  return { reference, status };
}

function findOverdue(
  { operation }: OperationCase,
  { deadlinesAt, grace }: CheckContext,
): FiguresOf<'OPERATION_OVERDUE'> {
  const { status, expiresAt } = operation;
  if (isFinal(status) || expiresAt === null || deadlinesAt <= expiresAt + grace) return null;
  return { ...stateOf(operation), expiresAt: formatInstant(expiresAt) };
}

function findExpiryWindow({ operation, type }: OperationCase): FiguresOf<'EXPIRY_WINDOW_WRONG'> {
  const { createdAt, expiresAt } = operation;
  if (expiresAt === null) return null;
  const window = expiresAt - createdAt;
  if (Math.abs(window - lifetimeOf(type)) <= SAME_MOMENT) return null;
  return {
    reference: operation.reference,
    minutes: Math.round(window / MINUTE),
    due: lifetimeOf(type) / MINUTE,
  };
}

function findCompletionTime(
  { operation }: OperationCase,
  { clockTolerance }: CheckContext,
): FiguresOf<'COMPLETION_TIME_INCONSISTENT'> {
  const { status, completedAt, createdAt, expiresAt } = operation;
  if (isFinal(status) && completedAt === null) return { fault: 'missing', ...stateOf(operation) };
  if (!isFinal(status) && completedAt !== null)
    return { fault: 'not-final', ...stateOf(operation) };
  if (completedAt === null) return null;
  if (completedAt < createdAt - clockTolerance)
    return { fault: 'before-creation', ...stateOf(operation) };
  if (expiresAt === null) return null;
  const fault = outOfTime(status, completedAt - expiresAt, clockTolerance);
  if (fault === null) return null;
  const [completed, expires] = [formatInstant(completedAt), formatInstant(expiresAt)];
  return { fault, ...stateOf(operation), completedAt: completed, expiresAt: expires };
}

/**
 * Judges an end by `late`, the milliseconds from the expiry to the end. REVERSED is not judged,
 * because the document leaves open whether `completedAt` is still that of the success; nor are
 * FAILED and CANCELLED, which move no money whenever they come.
 */
function outOfTime(
  status: OperationStatus,
  late: number,
  clockTolerance: number,
): 'expired-early' | 'succeeded-late' | null {
  if (status === 'EXPIRED' && late < -clockTolerance) return 'expired-early';
  return status === 'SUCCEEDED' && late > LATEST_SUCCESS + clockTolerance ? 'succeeded-late' : null;
}

function findFailureDetail({ operation }: OperationCase): FiguresOf<'FAILURE_DETAIL_INCONSISTENT'> {
  const { status } = operation;
  const code = unlessBlank(operation.failureCode);
  if (code === null)
    return status === 'FAILED' ? { fault: 'missing', ...stateOf(operation) } : null;
  if (status !== 'FAILED') return { fault: 'did-not-fail', code, ...stateOf(operation) };
  if ((FAILURE_CODES as readonly string[]).includes(code)) return null;
  return { fault: 'unknown', code, ...stateOf(operation) };
}

/** Reads `payerActionUrl` only where it must, because its text is made on demand from the row. */
function findPayerAction({
  operation,
  type,
}: OperationCase): FiguresOf<'PAYER_ACTION_INCONSISTENT'> {
  const { status, requiresPayerAction } = operation;
  const waits = status === 'AWAITING_PAYER';
  if (type === 'CASHOUT' && waits) return { fault: 'cashout-waits', ...stateOf(operation) };
  const hasUrl = (): boolean => unlessBlank(operation.payerActionUrl) !== null;
  if (type === 'CASHOUT' && hasUrl()) return { fault: 'cashout-url', ...stateOf(operation) };
  if (requiresPayerAction && !hasUrl()) return { fault: 'no-url', ...stateOf(operation) };
  if (waits && !hasUrl()) return { fault: 'waits-without-url', ...stateOf(operation) };
  if (waits && !requiresPayerAction) return { fault: 'waits-unsaid', ...stateOf(operation) };
  return requiresPayerAction && isFinal(status) ? { fault: 'over', ...stateOf(operation) } : null;
}

export const checkFirstLine: OperationCheck = ({ operation, lines }, { clockTolerance }) => {
  const early = firstBefore(lines, operation.createdAt - clockTolerance);
  if (early === undefined) return NO_FINDINGS;
  const { sequence } = early;
  const { reference } = operation;
  const [lineCreatedAt, createdAt] = [
    formatInstant(early.createdAt),
    formatInstant(operation.createdAt),
  ];
  const evidence = [lineEvidence(sequence), operationEvidence(reference)];
  const figures = { reference, sequence, lineCreatedAt, createdAt };
  return [operationDraft('ENTRY_BEFORE_OPERATION', figures, { sequence, evidence })];
};

/** Returns the first line before `instant`. Runs for every operation, so it makes no object. */
function firstBefore(lines: readonly TalliedLine[], instant: Instant): PostedLine | undefined {
  for (const { entry } of lines) if (entry.createdAt < instant) return entry;
  return undefined;
}

const RELEASED = setOf('holdSettlement', 'RELEASE_FIRST', 'RELEASE_LAST');

/**
 * Finds a cash-out that was settled in another way than the wallet's others: its hold was released,
 * and the debit that must consume the hold left the reserved amount alone. The line fits its own
 * hold, so that only the operation as a whole shows it.
 */
export const checkSettlement: OperationCheck = ({ operation, type, facts }, { standing }) => {
  const debit = facts.debit.lines[0];
  const released = facts.release.lines.length > 0 && facts.hold.lines.length > 0;
  if (type !== 'CASHOUT' || debit === undefined || !released) return NO_FINDINGS;
  if (debit.reservedMove !== 0 || (standing.holdSettlement & RELEASED) !== 0) return NO_FINDINGS;
  const { sequence, amount, reservedAfter } = debit.entry;
  const figures = { fault: 'hold-kept', reference: operation.reference, sequence, amount } as const;
  const evidence = linesEvidence([debit, ...facts.release.lines]);
  const amounts = { expected: reservedAfter - amount, actual: reservedAfter, difference: null };
  return [operationDraft('RESERVED_DRIFT', figures, { ...amounts, sequence, evidence })];
};
