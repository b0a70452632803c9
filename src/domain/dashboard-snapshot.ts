// The port of what a service publishes of a merchant beside the ledger (dashboard API): monthly reports, payments by link,
// payout limits and disbursement counters. None of it is a ledger, and nothing here is replayed.

import type { Amount } from './amount.ts';
import type { Payment } from './payment.ts';
import type { ServiceReport, Span } from './service-report.ts';
import type { Batch, NotChecked, RejectedRow } from './snapshot.ts';

/** Monthly payout ceiling in whole units ("Compliance file", `limits`): plafond, consomme, restant, as stated. */
export interface PayoutLimits {
  readonly ceiling: Amount;
  readonly used: Amount;
  readonly remaining: Amount;
}

/** How many payout requests there are in each state ("Disbursement counters"). */
export interface DisbursementCounters {
  readonly succeeded: number;
  readonly pending: number;
  readonly failed: number;
}

/** One answer that is an object: the value, or the row that could not be read; both null where the place has none. */
export interface Single<Value> {
  readonly value: Value | null;
  readonly rejected: RejectedRow | null;
}

export interface DashboardSnapshot {
  /** The merchant's reference. */
  readonly merchant: string;
  /** What this place does not hold: `reports` and `payments` are looked for here by these names. */
  readonly absent: readonly NotChecked[];
  /** Every report published, newest first; several may cover one month (it was generated again). */
  reports(): Promise<Batch<ServiceReport>>;
  /** Payments created in `span`, each reference once and in its newest state, in no particular order of time. */
  payments(span: Span): AsyncIterable<Batch<Payment>>;
  limits(): Promise<Single<PayoutLimits>>;
  disbursements(): Promise<Single<DisbursementCounters>>;
  close(): Promise<void>;
}

export interface Dashboard {
  /** Shown in reports; holds no secret. */
  readonly name: string;
  /** References of the merchants that this place can open, sorted. */
  merchants(): Promise<readonly string[]>;
  /** Throws `SourceFailed` when the merchant cannot be opened at all. */
  open(merchant: string): Promise<DashboardSnapshot>;
  close(): Promise<void>;
}
