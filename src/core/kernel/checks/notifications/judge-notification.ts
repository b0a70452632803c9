// Compares one notification, its type and its body, with the operation that it names. Where that
// operation is unknown, this is the only finding.

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

/**
 * The fields of an operation that a notification is compared with. `externalReference` is not
 * compared where it is left out.
 */
export type ComparedOperation = Pick<
  Operation,
  'type' | 'status' | 'updatedAt' | 'amount' | 'fees' | 'netAmount' | 'currency' | 'failureCode'
> &
  Partial<Pick<Operation, 'externalReference'>>;

/**
 * Judges one notification. `operation` is the newest known version of the operation that it names,
 * or `null` when there is none. A draft has `againstOlder` where newer books could explain the
 * notification; only the caller knows whether newer books were read.
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
 * Returns a finding where the notification states another amount, or another value that is fixed at
 * creation, or else a state that is not the operation's and did not lead to it.
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

/**
 * Returns the field with both values; `null` where the notification states nothing, or the due
 * value.
 */
function differing<const Of extends string, Stated, Due>(of: Of, stated: Stated | null, due: Due) {
  return stated === null || (stated as unknown) === due ? null : { of, stated, due };
}

/**
 * Whether both state the same failure: the operation has not changed since the body was written, so
 * that the failure codes can be compared.
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

/** The names for a sentence about the notification, cut to a length that can be shown. */
function shown({ id, type }: Notification, { reference }: NotifiedOperation) {
  return { id: id.slice(0, LONGEST_SHOWN), type: type.slice(0, 40), reference };
}

/** Says why the notification's type does not fit its body or the operation; `null` when it fits. */
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

/** Whether the state in the body is the operation's, or was its state once on the way there. */
function isLawfulThen(
  { createdAt }: Notification,
  { status, updatedAt }: NotifiedOperation,
  {
    operation,
    clockTolerance,
  }: { readonly operation: ComparedOperation; readonly clockTolerance: number },
): boolean {
  if (status === operation.status) return true;
  // A body without `updatedAt` counts as of when the notification was written, which may be a
  // little after the change.
  const changedAt = updatedAt ?? createdAt - clockTolerance;
  return changedAt <= operation.updatedAt && mayBecome(status, operation.status);
}

/** Returns a draft at the operation that the notification names. */
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
