// What the dashboard says of payouts (dashboard API, "Compliance file", "Settlement settings",
// "Disbursement counters", and the lists whose records the document does not show). None of it is
// part of the ledger.

import type { Amount } from '../amount.ts';
import type { Instant } from '../instant.ts';

export const PAYOUT_STATUSES = ['PENDING', 'SUCCESS', 'FAILED'] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export const SETTLEMENT_MODES = ['MANUAL', 'T0', 'T1'] as const;
export type SettlementMode = (typeof SETTLEMENT_MODES)[number];

export const COMPLIANCE_STATUSES = ['PENDING', 'APPROVED', 'REJECTED'] as const;
export type ComplianceStatus = (typeof COMPLIANCE_STATUSES)[number];

/**
 * "Monthly payout ceiling: 200 000 FCFA by default; 2 000 000 FCFA once the compliance file is
 * approved".
 */
export const CEILING_BY_DEFAULT: Amount = 200_000;
export const CEILING_ONCE_APPROVED: Amount = 2_000_000;

/** One payout request. */
export interface Payout {
  readonly id: string;
  readonly reference: string | null;
  readonly amount: Amount;
  /** Fees as decimal text; `null` when none are stated. */
  readonly fees: string | null;
  readonly status: PayoutStatus;
  /** How the payout was requested: by the merchant, or by the settlement settings. */
  readonly mode: string | null;
  readonly payoutAccountId: string | null;
  readonly accountType: string | null;
  readonly createdAt: Instant;
  readonly completedAt: Instant | null;
  readonly failureReason: string | null;
}

/** Monthly payout ceiling in whole units (`limits`: plafond, consomme, restant), as stated. */
export interface PayoutLimits {
  readonly ceiling: Amount;
  readonly used: Amount;
  readonly remaining: Amount;
  /** Status of the compliance file; `null` when none was deposited. */
  readonly compliance: ComplianceStatus | null;
}

/** How many payout requests there are in each state. */
export type DisbursementCounters = Readonly<Record<'succeeded' | 'pending' | 'failed', number>>;

/** Money collected by link and not paid out yet: "a balance is returned as a decimal string". */
export interface LinkBalance {
  readonly balance: string;
}

/** An account that payouts go to. Its number and label are not read. */
export interface PayoutAccount {
  readonly id: string;
  readonly type: string;
  readonly isPrimary: boolean;
  readonly createdAt: Instant | null;
}

export interface SettlementSettings {
  readonly mode: SettlementMode;
  /** `HH:mm`; null in MANUAL. */
  readonly time: string | null;
  readonly timezone: string | null;
  readonly lastSettlementAt: Instant | null;
  readonly hasPrimaryAccount: boolean;
  readonly primaryAccountType: string | null;
  /** The rates as decimal text; `null` where they are not stated. */
  readonly mobileMoneyRate: string | null;
  readonly bankFixed: string | null;
}

// The counts that the dashboard states of payments by link (`merchants-transactions-count` and its
// two neighbours, whose forms the document does not show). They are a second source, against which
// the payments that a search returned are counted.

export interface PaymentCounts extends DisbursementCounters {
  readonly total: number;
}

export interface MonthlyCounts extends PaymentCounts {
  /** `YYYY-MM`. */
  readonly month: string;
  /** Whole units; `null` when the amount is not stated. */
  readonly amount: Amount | null;
}

/** The successful payments of one day. */
export interface DailyFlow {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly count: number;
  readonly amount: Amount;
}

/** Counts of payments by link; each is `null` when it could not be read. */
export interface PaymentStatistics {
  readonly counts: PaymentCounts | null;
  readonly months: readonly MonthlyCounts[] | null;
  readonly days: readonly DailyFlow[] | null;
}
