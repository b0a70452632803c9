// The states of an operation and the times and details that go with them (direct API, "Operation", "States").

import { setOf } from '../../domain/assumptions.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import { formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../domain/instant.ts';
import { FAILURE_CODES, isFinal, lifetimeOf, type Operation, type OperationStatus } from '../../domain/operation.ts';
import type { PostedLine, TalliedLine } from '../../replay/tally.ts';
import { reservedDriftPage } from '../lines/drift.ts';
import {
  type CheckContext,
  compared,
  draftOf,
  type KindPage,
  lineEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  operationEvidence,
} from '../port/check.ts';
import type { FindingFigures } from '../port/finding-figures.ts';

/** Two writes of one request may be this far apart. */
const SAME_MOMENT = 5 * SECOND;
/** An outcome may be on its way when an operation expires; the document does not say for how long it still counts. */
const LATEST_SUCCESS = HOUR;
const sound = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`;

/** A check that says at most one sentence about the operation itself. `fault` gives its figures; null for a sound one. */
function stateCheck<Kind extends FindingKind>(
  page: KindPage<Kind>,
  fault: (subject: OperationCase, context: CheckContext) => FindingFigures[Kind] | null,
): OperationCheck {
  return {
    says: [page],
    find(subject, context) {
      const figures = fault(subject, context);
      if (figures === null) return NO_FINDINGS;
      const { reference, status } = subject.operation;
      const evidence = [operationEvidence(reference, `status ${status}`)];
      return [draftOf(page, figures, { operationReference: reference, evidence })];
    },
  };
}

function shown({ reference, status }: Operation) {
  return { reference, status };
}

export const overdueCheck = stateCheck(
  {
    kind: 'OPERATION_OVERDUE',
    explanation: 'The operation is past its expiresAt plus grace and still not final: ask the service for it.',
    fires: `
    op CI-1 PENDING 1000`,
    quiet: `
    op CI-1 PENDING 1000
    at +10m`,
  },
  ({ operation }, { watermark, grace }) => {
    if (isFinal(operation.status) || operation.expiresAt === null || watermark <= operation.expiresAt + grace)
      return null;
    return { ...shown(operation), expiresAt: formatInstant(operation.expiresAt) };
  },
);

export const expiryWindowCheck = stateCheck(
  {
    kind: 'EXPIRY_WINDOW_WRONG',
    explanation: 'expiresAt is not 30 minutes (cash-in) or 6 hours (cash-out) after createdAt.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 expiresAt=+6h`,
    quiet: sound,
  },
  ({ operation, type }) => {
    if (operation.expiresAt === null) return null;
    const window = operation.expiresAt - operation.createdAt;
    if (Math.abs(window - lifetimeOf(type)) <= SAME_MOMENT) return null;
    const { reference } = operation;
    return { reference, minutes: Math.round(window / MINUTE), due: lifetimeOf(type) / MINUTE };
  },
);

export const completionTimeCheck = stateCheck(
  {
    kind: 'COMPLETION_TIME_INCONSISTENT',
    explanation:
      'completedAt is set exactly when the state is final, and is not before createdAt. An operation expires at its expiresAt, not before, and does not succeed more than an hour after it.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 completedAt=null`,
    quiet: sound,
  },
  ({ operation }, { clockTolerance }) => {
    const { status, completedAt, createdAt, expiresAt } = operation;
    if (isFinal(status) && completedAt === null) return { fault: 'missing', ...shown(operation) };
    if (!isFinal(status) && completedAt !== null) return { fault: 'not-final', ...shown(operation) };
    if (completedAt === null) return null;
    if (completedAt < createdAt - clockTolerance) return { fault: 'before-creation', ...shown(operation) };
    if (expiresAt === null) return null;
    const fault = outOfTime(status, completedAt - expiresAt, clockTolerance);
    if (fault === null) return null;
    const [completed, expires] = [formatInstant(completedAt), formatInstant(expiresAt)];
    return { fault, ...shown(operation), completedAt: completed, expiresAt: expires };
  },
);

/**
 * `late`: how long after its expiry it came to its state. Of REVERSED the document leaves open whether completedAt is still
 * that of the success; FAILED and CANCELLED move no money, whenever they come.
 */
function outOfTime(
  status: OperationStatus,
  late: number,
  clockTolerance: number,
): 'expired-early' | 'succeeded-late' | null {
  if (status === 'EXPIRED' && late < -clockTolerance) return 'expired-early';
  return status === 'SUCCEEDED' && late > LATEST_SUCCESS + clockTolerance ? 'succeeded-late' : null;
}

export const failureDetailCheck = stateCheck(
  {
    kind: 'FAILURE_DETAIL_INCONSISTENT',
    explanation: '`failure` is set exactly when the operation FAILED, with a code of the document.',
    fires: `
    op CI-1 FAILED 1000 failureCode=null`,
    quiet: `
    op CI-1 FAILED 1000 failureCode=OPERATOR_REFUSED`,
  },
  ({ operation }) => {
    const { status, failureCode } = operation;
    if (failureCode === null) return status === 'FAILED' ? { fault: 'missing', ...shown(operation) } : null;
    if (status !== 'FAILED') return { fault: 'did-not-fail', code: failureCode, ...shown(operation) };
    if ((FAILURE_CODES as readonly string[]).includes(failureCode)) return null;
    return { fault: 'unknown', code: failureCode, ...shown(operation) };
  },
);

export const payerActionCheck = stateCheck(
  {
    kind: 'PAYER_ACTION_INCONSISTENT',
    explanation:
      'Only a cash-in waits for its payer, who acts on payerActionUrl: AWAITING_PAYER or payerActionUrl on a cash-out; AWAITING_PAYER without a URL or without requiresPayerAction; requiresPayerAction without a URL, or on an operation that is over.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 requiresPayerAction=true`,
    quiet: sound,
  },
  ({ operation, type }) => {
    // Its URL is a text that is made when it is asked for: most operations are not.
    const { status, requiresPayerAction } = operation;
    if (type === 'CASHOUT' && status === 'AWAITING_PAYER') return { fault: 'cashout-waits', ...shown(operation) };
    if (type === 'CASHOUT' && operation.payerActionUrl !== null) return { fault: 'cashout-url', ...shown(operation) };
    const waits = status === 'AWAITING_PAYER';
    if (requiresPayerAction && operation.payerActionUrl === null) return { fault: 'no-url', ...shown(operation) };
    if (waits && operation.payerActionUrl === null) return { fault: 'waits-without-url', ...shown(operation) };
    if (waits && !requiresPayerAction) return { fault: 'waits-unsaid', ...shown(operation) };
    return requiresPayerAction && isFinal(status) ? { fault: 'over', ...shown(operation) } : null;
  },
);

const entryBefore: KindPage<'ENTRY_BEFORE_OPERATION'> = {
  kind: 'ENTRY_BEFORE_OPERATION',
  explanation: 'A line is dated before its operation was created, beyond what two clocks may disagree by.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1 at=+1h
    op CI-1 SUCCEEDED 1000 createdAt=+3h`,
  quiet: sound,
};

/** Every operation passes here: nothing is made for the look. */
function firstBefore(lines: readonly TalliedLine[], instant: Instant): PostedLine | undefined {
  for (const { entry } of lines) if (entry.createdAt < instant) return entry;
  return undefined;
}

export const entryBeforeOperationCheck: OperationCheck = {
  says: [entryBefore],
  find({ operation, lines }, { clockTolerance }) {
    const early = firstBefore(lines, operation.createdAt - clockTolerance);
    if (early === undefined) return NO_FINDINGS;
    const { sequence } = early;
    const { reference } = operation;
    const [lineCreatedAt, createdAt] = [formatInstant(early.createdAt), formatInstant(operation.createdAt)];
    const evidence = [lineEvidence(sequence), operationEvidence(reference)];
    const figures = { reference, sequence, lineCreatedAt, createdAt };
    return [draftOf(entryBefore, figures, { sequence, operationReference: reference, evidence })];
  },
};

// A cash-out that is settled in another way than the wallet's others: its hold was released, and the debit that must
// consume it left the reserved amount alone. The line fits its own hold, so only the operation as a whole shows it.

const RELEASED = setOf('holdSettlement', 'RELEASE_FIRST', 'RELEASE_LAST');

export const settlementCheck: OperationCheck = {
  says: [],
  find({ operation, type, facts }, { standing }) {
    const debit = facts.debit.lines[0];
    const released = facts.release.lines.length > 0 && facts.hold.lines.length > 0;
    if (type !== 'CASHOUT' || debit === undefined || !released) return NO_FINDINGS;
    if (debit.reservedMove !== 0 || (standing.holdSettlement & RELEASED) !== 0) return NO_FINDINGS;
    const { entry } = debit;
    const { sequence, amount } = entry;
    const figures = { fault: 'hold-kept', reference: operation.reference, sequence, amount } as const;
    const amounts = compared({ expected: entry.reservedAfter - entry.amount, actual: entry.reservedAfter });
    const evidence = [
      lineEvidence(entry.sequence),
      ...facts.release.lines.map((line) => lineEvidence(line.entry.sequence)),
    ];
    const place = { sequence, operationReference: operation.reference, evidence };
    return [draftOf(reservedDriftPage, figures, { ...place, expected: amounts.expected, actual: amounts.actual })];
  },
};
