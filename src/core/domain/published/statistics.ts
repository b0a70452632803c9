// The counts that the dashboard states of payments by link (`merchants-transactions-count` and its two neighbours, whose forms the
// document does not show): a second witness of what a search has found.

import type { Amount } from '../amount.ts';

export interface PaymentCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly pending: number;
  readonly failed: number;
}

export interface MonthlyCounts extends PaymentCounts {
  /** `YYYY-MM`. */
  readonly month: string;
  /** Null where it is not stated. */
  readonly amount: Amount | null;
}

/** The payments of a day that succeeded. */
export interface DailyFlow {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly count: number;
  readonly amount: Amount;
}

/** Each null where it could not be read. */
export interface PaymentStatistics {
  readonly counts: PaymentCounts | null;
  readonly months: readonly MonthlyCounts[] | null;
  readonly days: readonly DailyFlow[] | null;
}
