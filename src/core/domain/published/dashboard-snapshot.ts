// The port of what a service publishes about a merchant beside the ledger (dashboard API): monthly
// reports, payments by link, payout limits and disbursement counters. None of it is a ledger, and
// nothing here is replayed.

import type { Payment } from '../payment.ts';
import type { ServiceReport, Span } from '../service-report.ts';
import type { Batch, Note } from '../snapshot.ts';
import type { PayoutPlace } from './payout-place.ts';

export interface DashboardSnapshot {
  readonly merchant: string;
  /**
   * What this source cannot give, each note with its reason. Callers look for the names `reports`,
   * `payments` and `payouts` here.
   */
  readonly absent: readonly Note[];
  /** Every report published, newest first; several may cover one month (it was generated again). */
  reports(): Promise<Batch<ServiceReport>>;
  /** Returns the file of a READY report as it is served; `null` when this source keeps no files. */
  reportFile(id: string): Promise<Uint8Array | null>;
  /**
   * Payments created in `span`, each reference once and in its newest state, in no particular order
   * of time.
   */
  payments(span: Span): AsyncIterable<Batch<Payment>>;
  readonly payouts: PayoutPlace;
  /**
   * True for a copy made at one moment: `payments` then holds all payments ever and may be read in
   * one pass.
   */
  readonly isCopy: boolean;
  close(): Promise<void>;
}

export interface Dashboard {
  /** Shown in reports; holds no secret. */
  readonly name: string;
  /** Sorted references of the merchants that this source can open. */
  merchants(): Promise<readonly string[]>;
  /** Throws `SourceFailed` when the merchant cannot be opened at all. */
  open(merchant: string): Promise<DashboardSnapshot>;
  close(): Promise<void>;
}
