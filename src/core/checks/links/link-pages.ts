// The pages of the catalogue on payments by link.

import type { KindPage } from '../port/check.ts';

export const paymentOverdue: KindPage<'PAYMENT_OVERDUE'> = {
  kind: 'PAYMENT_OVERDUE',
  explanation:
    'A payment by link is still PENDING long after its end: a link expires after 24 hours, and an hour is left for the service to notice. Whether it was paid is not known; ask the service.',
  fires: `
    payment 1 PENDING 1000
    at +3d`,
  quiet: `
    payment 1 FAILED 1000
    payment 2 PENDING 1000 at=+60h
    at +3d`,
};

export const paymentOutcomeChanged: KindPage<'PAYMENT_OUTCOME_CHANGED'> = {
  kind: 'PAYMENT_OUTCOME_CHANGED',
  explanation:
    'A payment by link that had succeeded or failed is served with another outcome now, or is not served any more. An outcome is final, and a payment is not taken back in silence. Ask the service; whoever was paid for it may have delivered.',
  fires: `
    payment 1 SUCCESS 1000 seen=+1d
    payment 1 FAILED 1000
    at +3d`,
  quiet: `
    payment 1 PENDING 1000 seen=+1h
    payment 1 SUCCESS 1000
    at +3d`,
};

export const paymentFieldChanged: KindPage<'PAYMENT_FIELD_CHANGED'> = {
  kind: 'PAYMENT_FIELD_CHANGED',
  explanation:
    'Of a payment by link the amount, the country, the order or the instant of its creation is not what an earlier look saw. All of them are fixed when the link is made. The operator is not: it is the payer’s choice.',
  fires: `
    payment 1 SUCCESS 1000 seen=+1d
    payment 1 SUCCESS 900
    at +3d`,
  quiet: `
    payment 1 PENDING 1000 operator=wave seen=+1h
    payment 1 SUCCESS 1000 operator=mtn
    at +3d`,
};

export const orderPaidTwice: KindPage<'ORDER_PAID_TWICE'> = {
  kind: 'ORDER_PAID_TWICE',
  explanation:
    'Two payments by link for the same order and the same amount succeeded within a day of each other: the customer has probably paid twice. A merchant may use the name of an order again, so that further apart, or over other amounts, nothing is said. Pay one of them back, or accept the finding.',
  fires: `
    payment 1 SUCCESS 1000 order=42
    payment 2 SUCCESS 1000 order=42
    at +3d`,
  quiet: `
    payment 1 SUCCESS 1000 order=42
    payment 2 FAILED 1000 order=42
    payment 3 SUCCESS 1500 order=42
    payment 4 SUCCESS 1000 order=42 at=+2d
    at +5d`,
};

export const paymentEventContradicts: KindPage<'PAYMENT_EVENT_CONTRADICTS'> = {
  kind: 'PAYMENT_EVENT_CONTRADICTS',
  explanation:
    'A notification of a payment by link says another outcome or amount than the dashboard serves, and none agrees with it. These notifications are not signed: believe the dashboard, and treat whatever was done on the notification’s word as unpaid.',
  fires: `
    payment 1 FAILED 1000
    told 1 SUCCESS 1000
    at +3d`,
  quiet: `
    payment 1 SUCCESS 1000
    told 1 SUCCESS 1000
    told 1 FAILED 1000
    at +3d`,
};

export const paymentEventMissing: KindPage<'PAYMENT_EVENT_MISSING'> = {
  kind: 'PAYMENT_EVENT_MISSING',
  explanation:
    'No notification ever said that a payment by link succeeded, though notifications were received before it was made, and every attempt to deliver one is over. Where the service lists it as not delivered, that is said. Whoever waits for the notification does not know that the customer has paid.',
  fires: `
    payment 1 SUCCESS 1000
    payment 2 SUCCESS 1000 at=+2h
    told 1 SUCCESS 1000 at=+1h
    at +5d`,
  quiet: `
    payment 1 SUCCESS 1000
    payment 2 SUCCESS 1000 at=+2h
    payment 3 SUCCESS 1000 at=+4d
    told 1 SUCCESS 1000 at=+1h
    told 2 SUCCESS 1000 at=+3h
    at +5d`,
};

export const paymentEventUnknown: KindPage<'PAYMENT_EVENT_UNKNOWN'> = {
  kind: 'PAYMENT_EVENT_UNKNOWN',
  explanation:
    'A notification names a payment by link that the dashboard does not know, though all payments of that time were read. It is not signed: anybody who knows the address may have sent it. Nothing was paid.',
  fires: `
    payment 1 SUCCESS 1000
    told 1 SUCCESS 1000
    told 9 SUCCESS 1000
    at +3d`,
  quiet: `
    payment 1 SUCCESS 1000
    told 1 SUCCESS 1000
    at +3d`,
};
