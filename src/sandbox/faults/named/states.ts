// Faults in what an operation says about its own course: state, times, failure, the payer's part.

import { DAY, formatInstant, HOUR, type Instant, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationStatus, OperationType } from '../../../core/domain/operation.ts';
import type { Books } from '../../books.ts';
import type { Random } from '../../random.ts';
import type { ServedOperation } from '../../served.ts';
import { atOperation, type Change, defineFault, type Fault } from '../fault.ts';
import { casesOf, pick } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';

/** Changes fields of one operation of this type and state that has been at rest for a day. */
function alterOne(
  wish: { readonly type: OperationType; readonly status: OperationStatus },
  changes: (operation: ServedOperation) => Partial<ServedOperation>,
) {
  return (books: Books, random: Random): Change | null => {
    const cases = casesOf(books, { type: wish.type, statuses: [wish.status] });
    const old = cases.filter(({ operation }) => Date.parse(operation.updatedAt) < books.asOf - DAY);
    const one = pick(
      random,
      old.filter(({ operation }) => !isRetried(books, operation)),
    );
    if (one === null) return null;
    const { reference } = one.operation;
    return atOperation(alterOperation(books, reference, changes(one.operation)), reference);
  };
}

/** Brought back to life, an operation that was asked for again would share its external reference with another. */
function isRetried(books: Books, { reference, externalReference }: ServedOperation): boolean {
  return books.operations.some(
    (other) =>
      externalReference !== null && other.externalReference === externalReference && other.reference !== reference,
  );
}

const COLLECTED = { type: 'CASHIN', status: 'SUCCEEDED' } as const;
const TRANSFERRED = { type: 'CASHOUT', status: 'SUCCEEDED' } as const;

export const STATE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'OPERATION_OVERDUE',
    says: 'a collection that should have expired is still pending',
    change: alterOne({ type: 'CASHIN', status: 'EXPIRED' }, ({ createdAt }) => ({
      status: 'PENDING',
      updatedAt: createdAt,
      completedAt: null,
    })),
  }),
  defineFault({
    name: 'EXPIRY_WINDOW_WRONG',
    says: 'a collection expires ten minutes later than it should',
    change: alterOne(COLLECTED, ({ expiresAt }) => ({
      expiresAt: formatInstant(Date.parse(expiresAt!) + 10 * MINUTE),
    })),
  }),
  defineFault({
    name: 'COMPLETION_TIME_INCONSISTENT',
    says: 'a collection that succeeded has no completion time',
    change: alterOne(COLLECTED, () => ({ completedAt: null })),
  }),
  defineFault({
    name: 'COMPLETION_TIME_INCONSISTENT/expired',
    says: 'a collection expired ten minutes before it should have',
    change: alterOne({ type: 'CASHIN', status: 'EXPIRED' }, ({ expiresAt }) =>
      completedAt(Date.parse(expiresAt!) - 10 * MINUTE),
    ),
  }),
  defineFault({
    name: 'COMPLETION_TIME_INCONSISTENT/late',
    says: 'a collection succeeded two hours after it should have expired',
    change: alterOne(COLLECTED, ({ expiresAt }) => completedAt(Date.parse(expiresAt!) + 2 * HOUR)),
  }),
  defineFault({
    name: 'FAILURE_DETAIL_INCONSISTENT',
    says: 'a failed collection does not say why',
    change: alterOne({ type: 'CASHIN', status: 'FAILED' }, () => ({ failure: null })),
  }),
  defineFault({
    name: 'FAILURE_DETAIL_INCONSISTENT/success',
    says: 'a collection that succeeded states a failure',
    change: alterOne(COLLECTED, () => ({ failure: { code: 'OPERATOR_TIMEOUT', message: 'Délai dépassé' } })),
  }),
  defineFault({
    name: 'FAILURE_DETAIL_INCONSISTENT/code',
    says: 'a failed collection states a code that the document does not have',
    change: alterOne({ type: 'CASHIN', status: 'FAILED' }, () => ({
      failure: { code: 'OPERATOR_ON_STRIKE', message: 'Opérateur en grève' },
    })),
  }),
  defineFault({
    name: 'PAYER_ACTION_INCONSISTENT',
    says: 'a transfer bears an address to send the payer to',
    change: alterOne(TRANSFERRED, ({ reference }) => ({ payerActionUrl: `https://pay.example/${reference}` })),
  }),
  defineFault({
    name: 'PAYER_ACTION_INCONSISTENT/url',
    says: 'a collection requires the payer to act and gives no address',
    change: alterOne(COLLECTED, () => ({ payerActionUrl: null, requiresPayerAction: true })),
  }),
  defineFault({
    name: 'PAYER_ACTION_INCONSISTENT/over',
    says: 'a collection that succeeded still requires its payer to act',
    change: alterOne(COLLECTED, ({ reference }) => ({
      payerActionUrl: `https://pay.example/${reference}`,
      requiresPayerAction: true,
    })),
  }),
];

function completedAt(instant: Instant): Partial<ServedOperation> {
  return { updatedAt: formatInstant(instant), completedAt: formatInstant(instant) };
}
