// The port of what a service publishes of a merchant beside the ledger (dashboard API): monthly
// reports, payments by link, payout limits and disbursement counters. None of it is a ledger, and
// nothing here is replayed.

import type { Payment } from '../payment.ts';
import type { ServiceReport, Span } from '../service-report.ts';
import type { Batch, Note } from '../snapshot.ts';
import type { PayoutPlace } from './payout-place.ts';

export interface DashboardSnapshot {
  readonly merchant: string;
  /**
   * What this place does not hold: `reports`, `payments` and `payouts` are looked for here by these
   * names.
   */
  readonly absent: readonly Note[];
  /** Every report published, newest first; several may cover one month (it was generated again). */
  reports(): Promise<Batch<ServiceReport>>;
  /** The file behind a READY report, as it is served; null where this place keeps none. */
  reportFile(id: string): Promise<Uint8Array | null>;
  /**
   * Payments created in `span`, each reference once and in its newest state, in no particular order
   * of time.
   */
  payments(span: Span): AsyncIterable<Batch<Payment>>;
  readonly payouts: PayoutPlace;
  /** Taken whole at one moment: its payments are all there ever were, and may be read at once. */
  readonly isCopy: boolean;
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
