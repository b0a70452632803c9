// Holds one notification against the operation that it names: its type, and what its body states. Of an operation that is
// unknown nothing more is said.

import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import { formatInstant } from '../../domain/instant.ts';
import { type Notification, type NotifiedOperation, stateNotifiedBy } from '../../domain/notification.ts';
import { isFinal, mayBecome, type Operation } from '../../domain/operation.ts';
import { compared, draftOf, type KindPage, NO_FINDINGS, operationEvidence } from '../port/check.ts';
import type { FindingFigures } from '../port/finding-figures.ts';

const LONGEST_SHOWN = 80;

/** What a notification is compared with. Of the partner's reference nothing is said where it is left out. */
export type ComparedOperation = Pick<
  Operation,
  'type' | 'status' | 'updatedAt' | 'amount' | 'fees' | 'netAmount' | 'currency' | 'failureCode'
> &
  Partial<Pick<Operation, 'externalReference'>>;

/**
 * `operation` is the newest version known, null when there is none. A draft is `againstOlder` where books that were read
 * later could explain the notification: whether these were, the caller knows.
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
      draftAt(eventUnknownOperation, shown(notification, carried), {
        notification,
        operation,
        parts: { againstOlder: true },
      }),
    ];
  }
  const strange = misfitOf(notification, carried, operation);
  const contradiction = contradictionOf(notification, carried, { operation, clockTolerance: settings.clockTolerance });
  if (strange === null) return contradiction === null ? NO_FINDINGS : [contradiction];
  const misfit = draftAt(eventTypeMismatch, strange, { notification, operation, parts: {} });
  return contradiction === null ? [misfit] : [misfit, contradiction];
}

/** Another amount, or what else is fixed at creation; else a state that is not the operation's and did not lead to it. */
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
    const parts = compared({ expected: amount.due, actual: amount.stated });
    const figures = { ...shown(notification, carried), ...amount };
    return draftAt(eventContradicts, figures, { notification, operation, parts });
  }
  const text =
    differing('currency', carried.currency, operation.currency) ??
    (operation.externalReference === undefined
      ? null
      : differing('externalReference', carried.externalReference, operation.externalReference)) ??
    (isAsFailed(notification, carried, operation)
      ? differing('failureCode', carried.failureCode, operation.failureCode)
      : null);
  if (text !== null) {
    const cut = { stated: text.stated.slice(0, LONGEST_SHOWN), due: text.due?.slice(0, LONGEST_SHOWN) ?? null };
    const parts = { expected: cut.due, actual: cut.stated };
    const figures = { ...shown(notification, carried), of: text.of, ...cut };
    return draftAt(eventContradicts, figures, { notification, operation, parts });
  }
  if (isLawfulThen(notification, carried, held)) return null;
  const [createdAt, since] = [formatInstant(notification.createdAt), formatInstant(operation.updatedAt)];
  const states = { stated: carried.status, status: operation.status };
  const figures = { ...shown(notification, carried), of: 'status', createdAt, ...states, since } as const;
  // Out of its final state the operation comes to no other, but from SUCCEEDED to REVERSED.
  const againstOlder = !isFinal(carried.status) || mayBecome(operation.status, carried.status);
  const parts = { expected: operation.status, actual: carried.status, againstOlder };
  return draftAt(eventContradicts, figures, { notification, operation, parts });
}

/** Null where nothing is stated, or what is due. */
function differing<const Of extends string, Stated, Due>(of: Of, stated: Stated | null, due: Due) {
  return stated === null || (stated as unknown) === due ? null : { of, stated, due };
}

/** Both state a failure, of one and the same move: the operation has not changed since the body was written. */
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

/** What about the type does not fit; null when it fits. */
function misfitOf(
  notification: Notification,
  carried: NotifiedOperation,
  operation: ComparedOperation,
): FindingFigures['EVENT_TYPE_MISMATCH'] | null {
  const state = stateNotifiedBy(notification.type);
  if (state === null) return null;
  const { type, status } = carried;
  if (state.type !== null && type !== state.type) return { ...shown(notification, carried), of: 'body', carried: type };
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
  { operation, clockTolerance }: { readonly operation: ComparedOperation; readonly clockTolerance: number },
): boolean {
  if (status === operation.status) return true;
  // Without its own time of change, the time at which it was written stands in, which may be a little later.
  const changedAt = updatedAt ?? createdAt - clockTolerance;
  return changedAt <= operation.updatedAt && mayBecome(status, operation.status);
}

/** A finding that several notifications show is confirmed as soon as one of them is old enough. */
function draftAt<Kind extends FindingKind>(
  page: KindPage<Kind>,
  figures: FindingFigures[Kind],
  found: {
    readonly notification: Notification;
    readonly operation: ComparedOperation | null;
    readonly parts: Partial<Pick<FindingDraft, 'expected' | 'actual' | 'difference' | 'againstOlder'>>;
  },
): FindingDraft {
  const { notification, operation, parts } = found;
  const { reference } = notification.operation!;
  return draftOf(page, figures, {
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

// The pages of the catalogue on notifications: what the service notified of an operation against the operation itself.

const notified = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000
    event cashin.succeeded CI-1 1000`;

export const eventMissing: KindPage<'EVENT_MISSING'> = {
  kind: 'EVENT_MISSING',
  explanation:
    'No notification reports the final state of an operation, though the last attempt to deliver one is over (31 hours and a half after it). Its callbackUrl may have led elsewhere, or the receiver was out of reach or refused it: the service lists failed deliveries and can send them again. A night over the direct API asks for that list where a notification is missing, and says its state, its attempts and the last answer, with the id of the delivery among the evidence; or that the list, read whole, has none. An adjustment of the wallet has its wallet.adjusted, which is missed where an earlier one has arrived. Where more than a hundred operations lack theirs, that is one finding, at the first of them. CANCELLED is never notified, nor is anything where the profile’s webhookUrl is null and no operation has a callbackUrl of its own: where no operation is notified at all, none is missing. Where the notification stands under another reference, which all else that its body says shows, what is wrong with that one is the root. A notification that could not be read and names no operation may be the missing one: its INPUT_REJECTED is the root then. What the merchant’s own receiver keeps is judged from its first notification on.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500
    event cashin.succeeded CI-1 1000`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000
    op CI-2 CANCELLED 500
    op CI-3 FAILED 700 createdAt=+29d
    event cashin.succeeded CI-1 1000`,
};

export const eventContradicts: KindPage<'EVENT_CONTRADICTS_OPERATION'> = {
  kind: 'EVENT_CONTRADICTS_OPERATION',
  explanation:
    'A notification states another amount than the operation has, other fees, net amount, currency or partner’s reference, another failure code of the same failure, or a state that cannot have led to its present one. A notification that is older than the operation is lawful where its state can be followed by the present one: any state that is not final, and SUCCEEDED before REVERSED. Where nothing in the books is as new as the notification, they may have been read before it: a state that the operation may still come to stays provisional then; an amount or what else is fixed at creation, and a final state that it can no longer come to, do not.',
  fires: `
    op CI-1 FAILED 1000
    op CI-2 CANCELLED 500
    event cashin.succeeded CI-1 1000`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 REVERSAL_DEBIT 1000 0/0 CI-1
    op CI-1 REVERSED 1000
    event cashin.awaiting_payer CI-1 1000 at=+1m
    event cashin.succeeded CI-1 1000 at=+1m
    event operation.reversed CI-1 1000
    wallet 0/0`,
};

export const eventIdReused: KindPage<'EVENT_ID_REUSED'> = {
  kind: 'EVENT_ID_REUSED',
  explanation:
    'One id stands on notifications of different content. The id is the key by which a receiver knows a repeated delivery: the second one was taken for the first, and dropped. The same content delivered again is lawful, however it is written.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500
    event cashin.succeeded CI-1 1000 id=evt_1
    event cashin.succeeded CI-2 500 id=evt_1`,
  quiet: `${notified} id=evt_1
    event cashin.succeeded CI-1 1000 id=evt_1`,
};

export const eventUnknownOperation: KindPage<'EVENT_UNKNOWN_OPERATION'> = {
  kind: 'EVENT_UNKNOWN_OPERATION',
  explanation:
    'A notification names an operation that is not in a complete reading of the operations, nor found when asked for by itself.',
  fires: `${notified}
    event cashin.failed CI-9 400 at=+1m`,
  quiet: notified,
};

export const eventTypeMismatch: KindPage<'EVENT_TYPE_MISMATCH'> = {
  kind: 'EVENT_TYPE_MISMATCH',
  explanation:
    'The type of a notification does not fit the operation: cashin.… on a cash-out, or a type that names one outcome with an operation in its own body that shows another. A body written a little later, when the operation had already moved on lawfully, fits: its state is the reference. Where the body also states another amount or state than the operation has, that is the root (EVENT_CONTRADICTS_OPERATION) and the type follows.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000
    event cashin.failed CI-1 1000 status=SUCCEEDED`,
  quiet: notified,
};
