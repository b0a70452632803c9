// The port by which payouts are read, and the result of one look: figures are requested before and
// after the lists that they are compared with, so that changes during the look are known.

import type { Instant } from '../instant.ts';
import type { Payment, PaymentStatus, ReceivedClaim } from '../payment.ts';
import type { Note, RejectedRow } from '../snapshot.ts';
import type { FailedDelivery } from './failed-delivery.ts';
import type {
  DisbursementCounters,
  LinkBalance,
  PaymentStatistics,
  Payout,
  PayoutAccount,
  PayoutLimits,
  SettlementSettings,
} from './payout.ts';

/**
 * One answer: what was read (null: nothing that can be used), the rows refused, and why there is
 * none where there is none.
 */
export interface Answered<Value> {
  readonly value: Value | null;
  /** Of a list with refused rows, the others. */
  readonly readable?: Value;
  readonly rejected: readonly RejectedRow[];
  readonly absent: Note | null;
}

/** Every call asks anew. Throws `SourceFailed` when the place itself cannot be read. */
export interface PayoutPlace {
  /** All of it was copied at one unknown moment. */
  readonly isCopy?: true;
  limits(): Promise<Answered<PayoutLimits>>;
  counters(): Promise<Answered<DisbursementCounters>>;
  balance(): Promise<Answered<LinkBalance>>;
  list(): Promise<Answered<readonly Payout[]>>;
  accounts(): Promise<Answered<readonly PayoutAccount[]>>;
  settlement(): Promise<Answered<SettlementSettings>>;
  statistics(): Promise<Answered<PaymentStatistics>>;
  /** Of payments by link; the newest ones where the service gives no more. */
  deliveries(): Promise<Answered<readonly FailedDelivery[]>>;
}

/** The figures that move whenever something is paid in or out. */
export interface PayoutFigures {
  readonly limits: PayoutLimits | null;
  readonly counters: DisbursementCounters | null;
  readonly balance: LinkBalance | null;
}

/** One look at a merchant's payouts. */
export interface PayoutsRead {
  /** Before the first question, and after the last answer. */
  readonly from: Instant;
  readonly until: Instant;
  /** Of a copy: the newest instant in its payouts. It was made then or later. */
  readonly copiedAfter?: Instant;
  readonly before: PayoutFigures;
  readonly after: PayoutFigures;
  /** Null: it could not be read, or not whole. */
  readonly payouts: readonly Payout[] | null;
  readonly accounts: readonly PayoutAccount[] | null;
  readonly settlement: SettlementSettings | null;
  readonly statistics: PaymentStatistics | null;
}

/** What an earlier look saw first at `at`, and every look since then until the next one. */
export interface Kept<Value> {
  readonly at: Instant;
  readonly value: Value;
}

/** What earlier looks have seen, each list oldest first. */
export interface KeptPayouts {
  readonly limits: readonly Kept<PayoutLimits>[];
  readonly counters: readonly Kept<DisbursementCounters>[];
  readonly balance: readonly Kept<LinkBalance>[];
  readonly settlement: readonly Kept<SettlementSettings>[];
  /** The versions of each payout, by its id. */
  readonly payouts: ReadonlyMap<string, readonly Kept<Payout>[]>;
  /** The newest: payments by link that are too old to change. */
  readonly totals: readonly Kept<KeptTotals>[];
}

export const NOTHING_KEPT: KeptPayouts = {
  limits: [],
  counters: [],
  balance: [],
  settlement: [],
  payouts: new Map(),
  totals: [],
};

// What is kept of a merchant's payments by link: the versions that earlier looks saw, and what was
// notified of them.

export interface KeptPayments {
  /** By reference, oldest first; a version holds until the next one. */
  readonly versions: ReadonlyMap<string, readonly Kept<Payment>[]>;
  /**
   * In the order in which they came; null: none were ever taken for this merchant, or none are kept
   * here.
   */
  readonly claims: readonly ReceivedClaim[] | null;
}

export const NO_PAYMENTS_KEPT: KeptPayments = { versions: new Map(), claims: null };

// Payments by link that are too old to change, counted once and kept: what later looks add to the
// payments that they read, so that a balance can be held against all of them without reading all of
// them again.

/** How many, and Σ amounts in whole units; as text, since a sum may pass 2^53. */
export type KeptSum = readonly [count: number, amount: string];
export type KeptCell = Readonly<Record<PaymentStatus, KeptSum>>;

export interface KeptTotals {
  /** All payments that were created before this instant. */
  readonly before: Instant;
  readonly all: KeptCell;
  /** By zone name and month on its clocks, `YYYY-MM`. */
  readonly months: Readonly<Record<string, Readonly<Record<string, KeptCell>>>>;
  /** Of the successes: Σ known fees, and the successes with unknown fees. */
  readonly told: string;
  readonly untold: KeptSum;
  /** Rows that could not be read: then no figure is compared with the rest. */
  readonly unread: number;
}
