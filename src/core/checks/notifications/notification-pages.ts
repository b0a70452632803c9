// The pages of the catalogue on notifications: what the service notified of an operation against the operation itself.

import type { KindPage } from '../port/check.ts';

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
