// Sections F, I and J of the catalogue: reports and notifications, payments by link, payouts. Payments by link and payouts are not
// in the ledger, and explain no finding there.

import type { LinkKind, PayoutKind, PublishedKind } from '../../domain/finding-kind.ts';
import { about, beside, CASHIN, type KindDeclaration, NOTIFIED, REVERSED, TWO_CASHINS } from './declaration.ts';

export const PUBLISHED_KINDS: Readonly<Record<PublishedKind, KindDeclaration>> = {
  REPORT_SUMMARY_MISMATCH: {
    ...about('report', 'error'),
    counts: true,
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
    fires: `${TWO_CASHINS}
      event cashin.succeeded CI-1 1000`,
    quiet: `${CASHIN}
      op CI-2 CANCELLED 500
      op CI-3 FAILED 700 createdAt=+29d
      event cashin.succeeded CI-1 1000`,
  },
  EVENT_CONTRADICTS_OPERATION: {
    ...about('notification', 'error'),
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
    fires: `${TWO_CASHINS}
      event cashin.succeeded CI-1 1000 id=evt_1
      event cashin.succeeded CI-2 500 id=evt_1`,
    quiet: `${CASHIN}
      event cashin.succeeded CI-1 1000 id=evt_1
      event cashin.succeeded CI-1 1000 id=evt_1`,
  },
  EVENT_UNKNOWN_OPERATION: {
    ...about('notification', 'error'),
    fires: `${NOTIFIED}
      event cashin.failed CI-9 400 at=+1m`,
    quiet: NOTIFIED,
  },
  EVENT_TYPE_MISMATCH: {
    ...about('notification', 'error'),
    fires: `${CASHIN}
      event cashin.failed CI-1 1000 status=SUCCEEDED`,
    quiet: NOTIFIED,
  },
};

export const LINK_KINDS: Readonly<Record<LinkKind, KindDeclaration>> = {
  PAYMENT_OVERDUE: {
    ...beside('report', 'warning'),
    fires: `payment 1 PENDING 1000
      at +3d`,
    quiet: `payment 1 FAILED 1000
      payment 2 PENDING 1000 at=+60h
      at +3d`,
  },
  PAYMENT_OUTCOME_CHANGED: {
    ...beside('report', 'error'),
    fires: `payment 1 SUCCESS 1000 seen=+1d
      payment 1 FAILED 1000
      at +3d`,
    quiet: `payment 1 PENDING 1000 seen=+1h
      payment 1 SUCCESS 1000
      at +3d`,
  },
  PAYMENT_FIELD_CHANGED: {
    ...beside('report', 'error'),
    fires: `payment 1 SUCCESS 1000 seen=+1d
      payment 1 SUCCESS 900
      at +3d`,
    quiet: `payment 1 PENDING 1000 operator=wave seen=+1h
      payment 1 SUCCESS 1000 operator=mtn
      at +3d`,
  },
  ORDER_PAID_TWICE: {
    ...beside('report', 'warning'),
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
    fires: `limits 200000 50000 140000
      at +10d`,
    quiet: `limits 200000 50000 150000
      payout 1 SUCCESS 50000
      counters 1 0 0
      at +10d`,
  },
  PAYOUT_CEILING_UNEXPECTED: {
    ...beside('report', 'info'),
    fires: `limits 500000 0 500000
      at +10d`,
    quiet: `limits 2000000 0 2000000 compliance=APPROVED
      at +10d`,
  },
  PAYOUT_UNRECORDED: {
    ...beside('report', 'error'),
    counts: true,
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
