// The states of an operation and the times and details that go with them (direct API, "Operation", "States").

import { formatInstant, type Instant, SECOND } from '../../domain/instant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { FAILURE_CODES, isFinal, lifetimeOf } from '../../domain/operation.ts';
import type { TalliedLine } from '../../replay/tally.ts';
import {
  type CheckContext,
  draftOf,
  type KindPage,
  lineEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  operationEvidence,
} from '../check.ts';

/** Two writes of one request may be this far apart. */
const SAME_MOMENT = 5 * SECOND;
const sound = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`;

/** A check that says at most one sentence about the operation itself. */
function stateCheck(
  page: KindPage,
  fault: (subject: OperationCase, context: CheckContext) => string | null,
): OperationCheck {
  return {
    says: [page],
    find(subject, context) {
      const sentence = fault(subject, context);
      if (sentence === null) return NO_FINDINGS;
      const { reference, status } = subject.operation;
      const evidence = [operationEvidence(reference, `status ${status}`)];
      return [draftOf(page, `Operation ${reference} ${sentence}.`, { operationReference: reference, evidence })];
    },
  };
}

export const overdueCheck = stateCheck(
  {
    kind: 'OPERATION_OVERDUE',
    severity: 'warning',
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
    return `is still ${operation.status}, although it expired at ${formatInstant(operation.expiresAt)}`;
  },
);

export const expiryWindowCheck = stateCheck(
  {
    kind: 'EXPIRY_WINDOW_WRONG',
    severity: 'warning',
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
    return `expires ${Math.round(window / 60_000)} minutes after its creation instead of ${lifetimeOf(type) / 60_000}`;
  },
);

export const completionTimeCheck = stateCheck(
  {
    kind: 'COMPLETION_TIME_INCONSISTENT',
    severity: 'warning',
    explanation: 'completedAt is set exactly when the state is final, and is not before createdAt.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 completedAt=null`,
    quiet: sound,
  },
  ({ operation }, { clockTolerance }) => {
    const { status, completedAt, createdAt } = operation;
    if (isFinal(status) && completedAt === null) return `is ${status}, a final state, without a completion time`;
    if (!isFinal(status) && completedAt !== null) return `is ${status}, not final, but has a completion time`;
    if (completedAt !== null && completedAt < createdAt - clockTolerance) return 'was completed before it was created';
    return null;
  },
);

export const failureDetailCheck = stateCheck(
  {
    kind: 'FAILURE_DETAIL_INCONSISTENT',
    severity: 'warning',
    explanation: '`failure` is set exactly when the operation FAILED, with a code of the document.',
    fires: `
    op CI-1 FAILED 1000 failureCode=null`,
    quiet: `
    op CI-1 FAILED 1000 failureCode=OPERATOR_REFUSED`,
  },
  ({ operation }) => {
    const { status, failureCode } = operation;
    if (status === 'FAILED' && failureCode === null) return 'is FAILED without a failure code';
    if (status !== 'FAILED' && failureCode !== null) return `is ${status}, but carries the failure ${failureCode}`;
    if (failureCode !== null && !(FAILURE_CODES as readonly string[]).includes(failureCode)) {
      return `carries the failure code '${failureCode}', which the document does not know`;
    }
    return null;
  },
);

export const payerActionCheck = stateCheck(
  {
    kind: 'PAYER_ACTION_INCONSISTENT',
    severity: 'warning',
    explanation:
      'Only a cash-in waits for its payer: AWAITING_PAYER or payerActionUrl on a cash-out, or an action without a URL.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 requiresPayerAction=true`,
    quiet: sound,
  },
  ({ operation, type }) => {
    if (type === 'CASHOUT' && operation.status === 'AWAITING_PAYER') return 'is a cash-out that waits for a payer';
    if (type === 'CASHOUT' && operation.payerActionUrl !== null) return 'is a cash-out with a payer action URL';
    if (operation.requiresPayerAction && operation.payerActionUrl === null)
      return 'requires a payer action without a URL';
    return null;
  },
);

const entryBefore: KindPage = {
  kind: 'ENTRY_BEFORE_OPERATION',
  severity: 'warning',
  explanation: 'A line is dated before its operation was created, beyond what two clocks may disagree by.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1 at=+1h
    op CI-1 SUCCEEDED 1000 createdAt=+3h`,
  quiet: sound,
};

/** Every operation passes here: nothing is made for the look. */
function firstBefore(lines: readonly TalliedLine[], instant: Instant): LedgerEntry | undefined {
  for (const { entry } of lines) if (entry.createdAt < instant) return entry;
  return undefined;
}

export const entryBeforeOperationCheck: OperationCheck = {
  says: [entryBefore],
  find({ operation, lines }, { clockTolerance }) {
    const early = firstBefore(lines, operation.createdAt - clockTolerance);
    if (early === undefined) return NO_FINDINGS;
    const message = `Line ${early.sequence} is dated ${formatInstant(early.createdAt)}, before operation ${operation.reference} was created (${formatInstant(operation.createdAt)}).`;
    const evidence = [lineEvidence(early.sequence), operationEvidence(operation.reference)];
    return [
      draftOf(entryBefore, message, { sequence: early.sequence, operationReference: operation.reference, evidence }),
    ];
  },
};
