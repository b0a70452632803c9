// Sections F, I and J of the catalogue: reports and notifications, payments by link, payouts. Payments by link and payouts are not
// in the ledger, and explain no finding there.

import type { LinkKind, PayoutKind, PublishedKind } from '../../domain/finding-kind.ts';
import { about, beside, CASHIN, type KindDeclaration, NOTIFIED, REVERSED, TWO_CASHINS } from './declaration.ts';

export const PUBLISHED_KINDS: Readonly<Record<PublishedKind, KindDeclaration>> = {
  REPORT_SUMMARY_MISMATCH: {
    ...about('report', 'error'),
    counts: true,
    explanation:
      'The service’s own monthly report disagrees with the payments by link of that month. Each figure that differs is named with both values; the report’s bounds are used. The amounts of a summary, and its counts, may take the payments that succeeded or all of them, totals and breakdowns alike: the reading that fits best applies. Payments up to 25 hours old when the report was made may have been pending then. A figure that is no number, is missing, or has a key that the configuration does not map (summaryKeys) is not compared, and the report names it beside the verdict.',
    fires: `payment 1 SUCCESS 1000 operator=wave
      payment 2 SUCCESS 500 operator=orange
      report 2026-10 totalAmount=1600 paymentCount=2
      at +40d`,
    quiet: `payment 1 SUCCESS 1000 operator=wave
      payment 2 SUCCESS 500 operator=orange
      payment 3 FAILED 700 operator=orange
      report 2026-10 totalAmount=1500.00 paymentCount=2
      at +40d`,
  },
  EVENT_MISSING: {
    ...about('notification', 'warning', 'lack'),
    // The missing notification may be the one that states something else.
    follows: ['EVENT_CONTRADICTS_OPERATION', 'EVENT_ID_REUSED', 'EVENT_UNKNOWN_OPERATION', 'EVENT_TYPE_MISMATCH'],
    sharedWhen: ['of'],
    explanation:
      'No notification reports the final state of an operation, though the last attempt to deliver one is over (31 hours and a half after it). Its callbackUrl may have led elsewhere, or the receiver was out of reach or refused it: the service lists failed deliveries and can send them again. Where a notification is missing, a night over the direct API reads that list and adds state, attempts and last answer of the delivery, with its id among the evidence; or notes that the whole list has none. An adjustment of the wallet has its wallet.adjusted, which is missed where an earlier one has arrived. Where more than a hundred operations lack theirs, that is one finding, at the first of them. CANCELLED is never notified, nor is anything where the profile’s webhookUrl is null and no operation has a callbackUrl of its own: where no operation is notified at all, none is missing. Where a notification under another reference agrees in all else, its own fault is the root. A notification that could not be read and names no operation may be the missing one: its INPUT_REJECTED is the root then. What the merchant’s own receiver keeps is judged from its first notification on.',
    fires: `${TWO_CASHINS}
      event cashin.succeeded CI-1 1000`,
    quiet: `${CASHIN}
      op CI-2 CANCELLED 500
      op CI-3 FAILED 700 createdAt=+29d
      event cashin.succeeded CI-1 1000`,
  },
  EVENT_CONTRADICTS_OPERATION: {
    ...about('notification', 'error'),
    explanation:
      'A notification states another amount than the operation has, other fees, net amount, currency or partner’s reference, another failure code of the same failure, or a state that cannot have led to its present one. A notification that is older than the operation is lawful where its state can be followed by the present one: any state that is not final, and SUCCEEDED before REVERSED. Where nothing in the books is as new as the notification, they may have been read before it: a state that the operation may still come to stays provisional then; an amount or what else is fixed at creation, and a final state that it can no longer come to, do not.',
    fires: `op CI-1 FAILED 1000
      op CI-2 CANCELLED 500
      event cashin.succeeded CI-1 1000`,
    quiet: `${REVERSED}
      event cashin.awaiting_payer CI-1 1000 at=+1m
      event cashin.succeeded CI-1 1000 at=+1m
      event operation.reversed CI-1 1000
      wallet 0/0`,
  },
  EVENT_ID_REUSED: {
    ...about('notification', 'error'),
    explanation:
      'Notifications of different content have one id. A receiver knows a repeated delivery by its id: it took the second one for the first, and dropped it. The same content delivered again is lawful, however it is written.',
    fires: `${TWO_CASHINS}
      event cashin.succeeded CI-1 1000 id=evt_1
      event cashin.succeeded CI-2 500 id=evt_1`,
    quiet: `${CASHIN}
      event cashin.succeeded CI-1 1000 id=evt_1
      event cashin.succeeded CI-1 1000 id=evt_1`,
  },
  EVENT_UNKNOWN_OPERATION: {
    ...about('notification', 'error'),
    explanation:
      'A notification names an operation that is not in a complete reading of the operations, nor found when asked for by itself.',
    fires: `${NOTIFIED}
      event cashin.failed CI-9 400 at=+1m`,
    quiet: NOTIFIED,
  },
  EVENT_TYPE_MISMATCH: {
    ...about('notification', 'error'),
    explanation:
      'The type of a notification does not fit the operation: cashin.… on a cash-out, or a type that names one outcome with an operation in its own body that shows another. A body written a little later, when the operation had already moved on lawfully, fits: its state is the reference. Where the body also states another amount or state than the operation has, that is the root (EVENT_CONTRADICTS_OPERATION) and the type follows.',
    fires: `${CASHIN}
      event cashin.failed CI-1 1000 status=SUCCEEDED`,
    quiet: NOTIFIED,
  },
};

export const LINK_KINDS: Readonly<Record<LinkKind, KindDeclaration>> = {
  PAYMENT_OVERDUE: {
    ...beside('report', 'warning'),
    explanation:
      'A payment by link is still PENDING long after its end: a link expires after 24 hours, and an hour is left for the service to notice. Whether it was paid is not known; ask the service.',
    fires: `payment 1 PENDING 1000
      at +3d`,
    quiet: `payment 1 FAILED 1000
      payment 2 PENDING 1000 at=+60h
      at +3d`,
  },
  PAYMENT_OUTCOME_CHANGED: {
    ...beside('report', 'error'),
    explanation:
      'A payment by link that had succeeded or failed is served with another outcome now, or is not served any more. An outcome is final, and a payment is not taken back in silence. Ask the service: the goods may have been delivered.',
    fires: `payment 1 SUCCESS 1000 seen=+1d
      payment 1 FAILED 1000
      at +3d`,
    quiet: `payment 1 PENDING 1000 seen=+1h
      payment 1 SUCCESS 1000
      at +3d`,
  },
  PAYMENT_FIELD_CHANGED: {
    ...beside('report', 'error'),
    explanation:
      'Of a payment by link the amount, the country, the order or the instant of its creation is not what an earlier look saw. All of them are fixed when the link is made. The operator is not: it is the payer’s choice.',
    fires: `payment 1 SUCCESS 1000 seen=+1d
      payment 1 SUCCESS 900
      at +3d`,
    quiet: `payment 1 PENDING 1000 operator=wave seen=+1h
      payment 1 SUCCESS 1000 operator=mtn
      at +3d`,
  },
  ORDER_PAID_TWICE: {
    ...beside('report', 'warning'),
    explanation:
      'Two payments by link for the same order and the same amount succeeded within a day of each other: the customer has probably paid twice. A merchant may use the name of an order again, so that payments further apart, or over other amounts, are no finding. Pay one of them back, or accept the finding.',
    fires: `payment 1 SUCCESS 1000 order=42
      payment 2 SUCCESS 1000 order=42
      at +3d`,
    quiet: `payment 1 SUCCESS 1000 order=42
      payment 2 FAILED 1000 order=42
      payment 3 SUCCESS 1500 order=42
      payment 4 SUCCESS 1000 order=42 at=+2d
      at +5d`,
  },
  PAYMENT_EVENT_CONTRADICTS: {
    ...beside('notification', 'warning'),
    explanation:
      'A notification of a payment by link says another outcome or amount than the dashboard serves, and none agrees with it. These notifications are not signed: believe the dashboard, and treat whatever was done on the notification’s word as unpaid.',
    fires: `payment 1 FAILED 1000
      notice 1 SUCCESS 1000
      at +3d`,
    quiet: `payment 1 SUCCESS 1000
      notice 1 SUCCESS 1000
      notice 1 FAILED 1000
      at +3d`,
  },
  PAYMENT_EVENT_MISSING: {
    ...beside('notification', 'warning'),
    concerns: ['amount'],
    explanation:
      'No notification reports the success of a payment by link, though notifications were received before it was made, and every attempt to deliver one is over. The finding notes where the service lists it as not delivered. A merchant who waits for the notification does not know that the customer has paid.',
    fires: `payment 1 SUCCESS 1000
      payment 2 SUCCESS 1000 at=+2h
      notice 1 SUCCESS 1000 at=+1h
      at +5d`,
    quiet: `payment 1 SUCCESS 1000
      payment 2 SUCCESS 1000 at=+2h
      payment 3 SUCCESS 1000 at=+4d
      notice 1 SUCCESS 1000 at=+1h
      notice 2 SUCCESS 1000 at=+3h
      at +5d`,
  },
  PAYMENT_EVENT_UNKNOWN: {
    ...beside('notification', 'warning'),
    explanation:
      'A notification names a payment by link that the dashboard does not know, though all payments of that time were read. It is not signed: anyone who knows the address may have sent it. Nothing was paid.',
    fires: `payment 1 SUCCESS 1000
      notice 1 SUCCESS 1000
      notice 9 SUCCESS 1000
      at +3d`,
    quiet: `payment 1 SUCCESS 1000
      notice 1 SUCCESS 1000
      at +3d`,
  },
};

export const PAYOUT_KINDS: Readonly<Record<PayoutKind, KindDeclaration>> = {
  PAYOUT_LIMITS_INCONSISTENT: {
    ...beside('report', 'error'),
    explanation:
      'The monthly payout limits do not agree with themselves or with the payouts: what is used and what remains do not come to the ceiling; more is used than the ceiling allows, which was no higher before; what is used fell within a month though no payout failed, or did not begin anew in a new one; or it is not what the listed payouts of the month come to. Whether pending payouts and fees count, which date puts a payout into its month, and in which zone a month begins, the document leaves open: the reading that fits most looks applies. A list that may be truncated is not judged.',
    fires: `limits 200000 50000 140000
      at +10d`,
    quiet: `limits 200000 50000 150000
      payout 1 SUCCESS 50000
      counters 1 0 0
      at +10d`,
  },
  PAYOUT_CEILING_UNEXPECTED: {
    ...beside('report', 'info'),
    explanation:
      'The monthly payout ceiling is neither 200 000 nor 2 000 000, the two that the document names, or does not fit the compliance file: the higher one belongs to an approved file, the lower one to any other. A file that was approved and is looked at again may keep the higher one.',
    fires: `limits 500000 0 500000
      at +10d`,
    quiet: `limits 2000000 0 2000000 compliance=APPROVED
      at +10d`,
  },
  PAYOUT_UNRECORDED: {
    ...beside('report', 'error'),
    counts: true,
    explanation:
      'The service counts more payout requests than it lists: money was paid out, or is to be, that the list does not show. Other comparisons with the list are skipped then. A list that may be truncated (the document shows no page size, and the number of its rows is a round one) is no finding.',
    fires: `payout 1 SUCCESS 50000
      counters 2 0 0
      at +10d`,
    quiet: `payout 1 SUCCESS 50000
      payout 2 SUCCESS 10000
      counters 2 0 0
      at +10d`,
  },
  PAYOUT_COUNTERS_MISMATCH: {
    ...beside('report', 'error'),
    counts: true,
    explanation:
      'The counters of payout requests disagree with the list of payouts, over all time and over the month alike, or a counter of requests that have ended fell within a month. Where they count more than the list has, a payout is not listed (PAYOUT_UNRECORDED); where a payout itself changed its outcome, that is the root.',
    fires: `limits 200000 50000 150000
      payout 1 SUCCESS 50000
      counters 0 0 1
      at +10d`,
    quiet: `limits 200000 50000 150000
      payout 1 SUCCESS 50000
      payout 2 FAILED 90000
      counters 1 0 1
      at +10d`,
  },
  PAYOUT_OUTCOME_CHANGED: {
    ...beside('report', 'error'),
    concerns: ['amount'],
    explanation:
      'A payout that had ended, with success or without, has another outcome now, or what is fixed when it is requested has changed: its amount, its date, the account that it goes to; or when it had ended, its fees or when that was. What earlier looks saw is kept and shown.',
    fires: `payout 1 SUCCESS 50000 seen=+9d
      payout 1 FAILED 50000
      at +10d`,
    quiet: `payout 1 PENDING 50000 seen=+1h
      payout 1 SUCCESS 50000
      at +10d`,
  },
  LINK_BALANCE_MISMATCH: {
    ...beside('report', 'critical'),
    concerns: ['difference'],
    explanation:
      'The balance of what was collected by link is not the payments that succeeded, less their fees, less what was paid out. Gross or net of fees, pending payouts taken off or not, and the fees of payouts on top of them or not are all lawful: no reading fits. The fees of a payment are stated in its notification alone: where some were never received, the balance is compared with bounds, and a balance within them is only noted. It takes every payment and payout from the first.',
    fires: `payment 1 SUCCESS 10000
      fees 1 200
      payout 1 SUCCESS 4000
      counters 1 0 0
      balance 5700.00
      at +10d`,
    quiet: `payment 1 SUCCESS 10000
      fees 1 200
      payout 1 SUCCESS 4000
      counters 1 0 0
      balance 5800.00
      at +10d`,
  },
  SETTLEMENT_MISSED: {
    ...beside('report', 'warning'),
    ofActiveAccount: true,
    explanation:
      'An automatic payout (T0: every day, T1: every two days, at the chosen time of the chosen zone) was due and did not happen, nor within as long again: the settings were the same all the while, a primary account was there, there was money to pay out, and room for it under the ceiling. What was not so at each look since then excuses it, and so does an account that is not ACTIVE.',
    fires: `settlement T0 06:00 UTC last=+1d seen=+2d
      limits 200000 0 200000 seen=+2d
      balance 9000 seen=+2d
      at +10d`,
    quiet: `settlement T0 06:00 UTC last=+1d seen=+2d
      settlement T0 06:00 UTC last=+9d
      limits 200000 0 200000 seen=+2d
      balance 9000 seen=+2d
      at +10d`,
  },
  PAYMENT_COUNT_MISMATCH: {
    ...beside('report', 'error'),
    counts: true,
    explanation:
      'The statistics of payments by link, in all, of a month or of a day, count other payments than were read, though these were read from the first to the last. A payment that may have been made, paid or refused while they were read may be counted or not; the day and the month may be those of UTC or of the country. What is missing from a day, its month and the whole is one finding, of the day.',
    fires: `payment 1 SUCCESS 1000
      payment 2 FAILED 500
      count all 3 2 0 1
      at +10d`,
    quiet: `payment 1 SUCCESS 1000
      payment 2 FAILED 500
      count all 2 1 0 1
      count 2026-10 2 1 0 1 1000
      flow 2026-10-01 1 1000
      at +10d`,
  },
};
