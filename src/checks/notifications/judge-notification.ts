// Holds one notification against the operation that it names: its type, and what its body states. Of an operation that is
// unknown nothing more is said.

import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import { formatInstant } from '../../domain/instant.ts';
import { mayBecome, type Notification, type NotifiedOperation, toldBy } from '../../domain/notification.ts';
import { isFinal, type Operation } from '../../domain/operation.ts';
import { draftOf, figures, type KindPage, money, NO_FINDINGS, operationEvidence } from '../check.ts';
import { eventContradicts, eventTypeMismatch, eventUnknownOperation } from './notification-pages.ts';

/**
 * `operation` is the newest version known, null when there is none. A draft is `againstOlder` where books that were read
 * later could explain the notification: whether these were, the caller knows.
 */
export function judgeNotification(
  notification: Notification,
  operation: Operation | null,
  settings: { readonly clockTolerance: number },
): readonly FindingDraft[] {
  const carried = notification.operation;
  if (carried === null) return NO_FINDINGS;
  const shown = `Notification ${notification.id.slice(0, 80)} (${notification.type.slice(0, 40)})`;
  if (operation === null) {
    const message = `${shown} names operation ${carried.reference}, which is not among the operations.`;
    return [draftAt(eventUnknownOperation, message, { notification, operation, parts: { againstOlder: true } })];
  }
  const drafts: FindingDraft[] = [];
  const strange = misfitOf(notification, carried, operation);
  if (strange !== null) {
    drafts.push(draftAt(eventTypeMismatch, `${shown} ${strange}.`, { notification, operation, parts: {} }));
  }
  const contradiction = contradictionOf(notification, carried, { ...settings, operation, shown });
  return contradiction === null ? drafts : [...drafts, contradiction];
}

/** Another amount, which is fixed at creation, or else a state that is not the operation's and did not lead to it. */
function contradictionOf(
  notification: Notification,
  carried: NotifiedOperation,
  held: { readonly operation: Operation; readonly clockTolerance: number; readonly shown: string },
): FindingDraft | null {
  const { operation, shown } = held;
  const { reference } = operation;
  if (carried.amount !== operation.amount) {
    const message = `${shown} states an amount of ${money(carried.amount)} for ${reference}, whose amount is ${money(operation.amount)}.`;
    const parts = figures({ expected: operation.amount, actual: carried.amount });
    return draftAt(eventContradicts, message, { notification, operation, parts });
  }
  if (isLawfulThen(notification, carried, held)) return null;
  const message = `${shown} of ${formatInstant(notification.createdAt)} states ${reference} as ${carried.status}; the operation is ${operation.status} since ${formatInstant(operation.updatedAt)}.`;
  // Out of its final state the operation comes to no other, but from SUCCEEDED to REVERSED.
  const againstOlder = !isFinal(carried.status) || mayBecome(operation.status, carried.status);
  const parts = { expected: operation.status, actual: carried.status, againstOlder };
  return draftAt(eventContradicts, message, { notification, operation, parts });
}

/** What about the type does not fit, in words; null when it fits. */
function misfitOf({ type }: Notification, carried: NotifiedOperation, operation: Operation): string | null {
  const told = toldBy(type);
  if (told === null) return null;
  const { reference } = operation;
  if (told.type !== null && carried.type !== told.type) return `carries ${reference} as a ${carried.type}`;
  if (carried.type !== operation.type) return `is about a ${carried.type}, but ${reference} is a ${operation.type}`;
  // The state in the body is the reference: it may lawfully be a later one than the type tells.
  const fits = mayBecome(told.status, carried.status) && carried.status !== 'CREATED';
  return fits ? null : `carries ${reference} as ${carried.status}`;
}

/** Its state is the operation's, or was once, on the way there. */
function isLawfulThen(
  { createdAt }: Notification,
  { status, updatedAt }: NotifiedOperation,
  { operation, clockTolerance }: { readonly operation: Operation; readonly clockTolerance: number },
): boolean {
  if (status === operation.status) return true;
  // Without its own time of change, the time at which it was written stands in, which may be a little later.
  const changedAt = updatedAt ?? createdAt - clockTolerance;
  return changedAt <= operation.updatedAt && mayBecome(status, operation.status);
}

/** A finding that several notifications show is confirmed as soon as one of them is old enough. */
function draftAt(
  page: KindPage,
  message: string,
  found: {
    readonly notification: Notification;
    readonly operation: Operation | null;
    readonly parts: Partial<Pick<FindingDraft, 'expected' | 'actual' | 'difference' | 'againstOlder'>>;
  },
): FindingDraft {
  const { notification, operation, parts } = found;
  const { reference } = notification.operation!;
  return draftOf(page, message, {
    ...parts,
    operationReference: reference,
    evidence: [notificationEvidence(notification), ...(operation === null ? [] : [operationEvidence(reference)])],
    newestEvidence: Math.max(notification.at, operation?.updatedAt ?? notification.at),
  });
}

export function notificationEvidence({ id, type, createdAt, operation }: Notification): Evidence {
  const carried = operation === null ? '' : `: ${operation.reference} ${operation.status} ${operation.amount}`;
  const note = `${type.slice(0, 40)} of ${formatInstant(createdAt)}${carried}`;
  return { what: 'notification', sequence: null, reference: id, note };
}
