// Compares one notification with the operation that it names: its type and its body. An unknown
// operation has one finding alone.

import type { Evidence, FindingDraft } from '../../../domain/finding.ts';
import type { FindingFigures, FindingKind } from '../../../domain/finding-kind.ts';
import { formatInstant } from '../../../domain/instant.ts';
import {
  type Notification,
  type NotifiedOperation,
  stateNotifiedBy,
} from '../../../domain/notification.ts';
import { isFinal, mayBecome, type Operation, unlessBlank } from '../../../domain/operation.ts';
import { draftOf, NO_FINDINGS, operationEvidence, type Parts } from '../port/check.ts';

const LONGEST_SHOWN = 80;

/** What a notification is compared with. A partner's reference that is left out is not compared. */
export type ComparedOperation = Pick<
  Operation,
  'type' | 'status' | 'updatedAt' | 'amount' | 'fees' | 'netAmount' | 'currency' | 'failureCode'
> &
  Partial<Pick<Operation, 'externalReference'>>;

/**
 * `operation` is the newest version known, null when there is none. A draft is `againstOlder` where
 * books that were read later could explain the notification: whether these were, the caller knows.
 */
export function judgeNotification(
  notification: Notification,
  operation: ComparedOperation | null,
  settings: { readonly clockTolerance: number },
): readonly FindingDraft[] {
  const carried = notification.operation;
  if (carried === null) return NO_FINDINGS;
  if (operation === null) {
    return [
      draftAt('EVENT_UNKNOWN_OPERATION', shown(notification, carried), {
        notification,
        operation,
        parts: { againstOlder: true },
      }),
    ];
  }
  const strange = misfitOf(notification, carried, operation);
  const contradiction = contradictionOf(notification, carried, {
    operation,
    clockTolerance: settings.clockTolerance,
  });
  if (strange === null) return contradiction === null ? NO_FINDINGS : [contradiction];
  const misfit = draftAt('EVENT_TYPE_MISMATCH', strange, { notification, operation, parts: {} });
  return contradiction === null ? [misfit] : [misfit, contradiction];
}

/**
 * Another amount, or another value fixed at creation; else a state that is not the operation's and
 * did not lead to it.
 */
function contradictionOf(
  notification: Notification,
  carried: NotifiedOperation,
  held: { readonly operation: ComparedOperation; readonly clockTolerance: number },
): FindingDraft | null {
  const { operation } = held;
  const amount =
    differing('amount', carried.amount, operation.amount) ??
    differing('fees', carried.fees, operation.fees) ??
    differing('netAmount', carried.netAmount, operation.netAmount);
  if (amount !== null) {
    const parts = { expected: amount.due, actual: amount.stated };
    const figures = { ...shown(notification, carried), ...amount };
    return draftAt('EVENT_CONTRADICTS_OPERATION', figures, { notification, operation, parts });
  }
  const text =
    differing('currency', carried.currency, operation.currency) ??
    (operation.externalReference === undefined
      ? null
      : differing(
          'externalReference',
          unlessBlank(carried.externalReference),
          unlessBlank(operation.externalReference),
        )) ??
    (isAsFailed(notification, carried, operation)
      ? differing('failureCode', carried.failureCode, operation.failureCode)
      : null);
  if (text !== null) {
    const cut = {
      stated: text.stated.slice(0, LONGEST_SHOWN),
      due: text.due?.slice(0, LONGEST_SHOWN) ?? null,
    };
    const parts = { expected: cut.due, actual: cut.stated };
    const figures = { ...shown(notification, carried), of: text.of, ...cut };
    return draftAt('EVENT_CONTRADICTS_OPERATION', figures, { notification, operation, parts });
  }
  if (isLawfulThen(notification, carried, held)) return null;
  const [createdAt, since] = [
    formatInstant(notification.createdAt),
    formatInstant(operation.updatedAt),
  ];
  const states = { stated: carried.status, status: operation.status };
  const figures = {
    ...shown(notification, carried),
    of: 'status',
    createdAt,
    ...states,
    since,
  } as const;
  // A final state does not change, except from SUCCEEDED to REVERSED.
  const againstOlder = !isFinal(carried.status) || mayBecome(operation.status, carried.status);
  const parts = { expected: operation.status, actual: carried.status, againstOlder };
  return draftAt('EVENT_CONTRADICTS_OPERATION', figures, { notification, operation, parts });
}

/** Null where the notification states nothing, or the due value. */
function differing<const Of extends string, Stated, Due>(of: Of, stated: Stated | null, due: Due) {
  return stated === null || (stated as unknown) === due ? null : { of, stated, due };
}

/**
 * Both state a failure, of one and the same move: the operation has not changed since the body was
 * written.
 */
function isAsFailed(
  { createdAt }: Notification,
  { status, failureCode, updatedAt }: NotifiedOperation,
  operation: ComparedOperation,
): boolean {
  const isFailed = status === 'FAILED' && operation.status === 'FAILED';
  return (
    isFailed &&
    failureCode !== null &&
    operation.failureCode !== null &&
    operation.updatedAt <= (updatedAt ?? createdAt)
  );
}

/** The names that a sentence about a notification needs, cut to a length that can be shown. */
function shown({ id, type }: Notification, { reference }: NotifiedOperation) {
  return { id: id.slice(0, LONGEST_SHOWN), type: type.slice(0, 40), reference };
}

/** Why the type does not fit; null when it does. */
function misfitOf(
  notification: Notification,
  carried: NotifiedOperation,
  operation: ComparedOperation,
): FindingFigures['EVENT_TYPE_MISMATCH'] | null {
  const state = stateNotifiedBy(notification.type);
  if (state === null) return null;
  const { type, status } = carried;
  if (state.type !== null && type !== state.type)
    return { ...shown(notification, carried), of: 'body', carried: type };
  if (type !== operation.type) {
    return { ...shown(notification, carried), of: 'operation', carried: type, due: operation.type };
  }
  // The state in the body is the reference: it may lawfully be a later one than the type says.
  const fits = mayBecome(state.status, status) && status !== 'CREATED';
  return fits ? null : { ...shown(notification, carried), of: 'status', status };
}

/** Its state is the operation's, or was once, on the way there. */
function isLawfulThen(
  { createdAt }: Notification,
  { status, updatedAt }: NotifiedOperation,
  {
    operation,
    clockTolerance,
  }: { readonly operation: ComparedOperation; readonly clockTolerance: number },
): boolean {
  if (status === operation.status) return true;
  // Without its own time of change, the time at which it was written counts, which may be a little
  // later.
  const changedAt = updatedAt ?? createdAt - clockTolerance;
  return changedAt <= operation.updatedAt && mayBecome(status, operation.status);
}

/** A finding that several notifications show is confirmed as soon as one of them is old enough. */
function draftAt<Kind extends FindingKind>(
  kind: Kind,
  figures: FindingFigures[Kind],
  found: {
    readonly notification: Notification;
    readonly operation: ComparedOperation | null;
    readonly parts: Pick<Parts, 'expected' | 'actual' | 'againstOlder'>;
  },
): FindingDraft {
  const { notification, operation, parts } = found;
  const { reference } = notification.operation!;
  return draftOf(kind, figures, {
    ...parts,
    operationReference: reference,
    evidence: [
      notificationEvidence(notification),
      ...(operation === null ? [] : [operationEvidence(reference)]),
    ],
    about: { ...notification.operation!, ...operation },
    newestEvidence: Math.max(notification.at, operation?.updatedAt ?? notification.at),
  });
}

export function notificationEvidence({ id, type, createdAt, operation }: Notification): Evidence {
  const carried =
    operation === null ? '' : `: ${operation.reference} ${operation.status} ${operation.amount}`;
  const note = `${type.slice(0, 40)} of ${formatInstant(createdAt)}${carried}`;
  return { what: 'notification', sequence: null, reference: id, note };
}
