// Lets what was notified of an operation follow a change to it, so that a fault in the operation is no fault of the
// notifications as well.

import { mayBecome } from '../../../core/domain/operation.ts';
import type { Books } from '../../books.ts';
import { notificationOf } from '../../notify.ts';
import type { ServedNotification, ServedOperation } from '../../served.ts';

/** The notifications of `books` with those of `known` as they would be, had it always been `altered`. */
export function followOperation(
  { notifications, merchant }: Books,
  known: ServedOperation,
  altered: ServedOperation,
): readonly ServedNotification[] {
  const followed = notifications.flatMap((one) => {
    const { operation } = one.data;
    if (operation?.reference !== known.reference) return [one];
    if (!isLawful(operation, altered)) return [];
    const { status, updatedAt, completedAt, requiresPayerAction } = operation;
    const { failure } = status === altered.status ? altered : operation;
    const then = { ...altered, status, updatedAt, completedAt, failure, requiresPayerAction };
    return [{ ...one, data: { operation: then } }];
  });
  const isItsState = (one: ServedNotification): boolean =>
    one.data.operation?.reference === altered.reference && one.data.operation.status === altered.status;
  const own = followed.some(isItsState) ? null : notificationOf(merchant.reference, altered);
  return own === null ? followed : [...followed, own];
}

function isLawful({ status, updatedAt }: ServedOperation, altered: ServedOperation): boolean {
  return status === altered.status || (mayBecome(status, altered.status) && updatedAt <= altered.updatedAt);
}
