// Returns the notification that a row of events stands for, field by field, which the views of
// column batches must show.

import { type Notification, stateNotifiedBy } from '../../src/core/domain/notification.ts';
import type { EventRow } from '../../src/core/domain/rows/event-fields.ts';

export function notificationFrom(row: EventRow): Notification {
  const { id, type, createdAt } = row;
  const operation = {
    reference: row.operationReference!,
    type: row.operationType!,
    status: row.operationStatus!,
    amount: row.operationAmount!,
    fees: row.operationFees,
    netAmount: row.operationNetAmount,
    currency: row.operationCurrency,
    externalReference: row.operationExternalReference,
    failureCode: row.operationFailureCode,
    createdAt: row.operationCreatedAt,
    updatedAt: row.operationUpdatedAt,
  };
  return {
    id,
    type,
    createdAt,
    at: createdAt,
    operation: stateNotifiedBy(type) === null ? null : operation,
  };
}
