// The port by which payouts are read, and the result of one look. A look requests the figures
// before and after the lists that they are compared with, so that a change during the look is
// noticed.

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
 * One answer of a service. `value` is `null` when nothing in it can be used; `absent` then says
 * why.
 */
export interface Answered<Value> {
  readonly value: Value | null;
  /** The readable rows of a list that has refused rows too; `value` is then `null`. */
  readonly readable?: Value;
  readonly rejected: readonly RejectedRow[];
  readonly absent: Note | null;
}

/**
 * Reads payouts. Every call makes a new request. Throws `SourceFailed` when the source itself
 * cannot be read.
 */
export interface PayoutPlace {
  /** Present when the source is a copy, made at one unknown moment. */
  readonly isCopy?: true;
  limits(): Promise<Answered<PayoutLimits>>;
  counters(): Promise<Answered<DisbursementCounters>>;
  balance(): Promise<Answered<LinkBalance>>;
  list(): Promise<Answered<readonly Payout[]>>;
  accounts(): Promise<Answered<readonly PayoutAccount[]>>;
  settlement(): Promise<Answered<SettlementSettings>>;
  statistics(): Promise<Answered<PaymentStatistics>>;
  /**
   * Failed deliveries about payments by link; only the newest ones when the service gives no more.
   */
  deliveries(): Promise<Answered<readonly FailedDelivery[]>>;
}

/** The figures that change whenever money comes in or is paid out. */
export interface PayoutFigures {
  readonly limits: PayoutLimits | null;
  readonly counters: DisbursementCounters | null;
  readonly balance: LinkBalance | null;
}

/** The results of one look at a merchant's payouts. */
export interface PayoutsRead {
  /** When the first request of the look was sent. */
  readonly from: Instant;
  /** When the last answer of the look had come. */
  readonly until: Instant;
  /** For a copy, the newest instant in its payouts: the copy was made then or later. */
  readonly copiedAfter?: Instant;
  readonly before: PayoutFigures;
  readonly after: PayoutFigures;
  /** `null` when the list could not be read, or not to its end. */
  readonly payouts: readonly Payout[] | null;
  readonly accounts: readonly PayoutAccount[] | null;
  readonly settlement: SettlementSettings | null;
  readonly statistics: PaymentStatistics | null;
}

/**
 * A value that an earlier look saw first at `at`. Every later look saw the same value, up to the
 * next `Kept` of the list.
 */
export interface Kept<Value> {
  readonly at: Instant;
  readonly value: Value;
}

/** The values that earlier looks saw, each list oldest first. */
export interface KeptPayouts {
  readonly limits: readonly Kept<PayoutLimits>[];
  readonly counters: readonly Kept<DisbursementCounters>[];
  readonly balance: readonly Kept<LinkBalance>[];
  readonly settlement: readonly Kept<SettlementSettings>[];
  /** The versions of each payout, by its id. */
  readonly payouts: ReadonlyMap<string, readonly Kept<Payout>[]>;
  /** Counts of the payments by link that are too old to change; the newest counts are last. */
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

// The memory of a merchant's payments by link: the versions that earlier looks saw, and what
// notifications claimed about them.

export interface KeptPayments {
  /** Versions by reference, oldest first; a version holds until the next one. */
  readonly versions: ReadonlyMap<string, readonly Kept<Payment>[]>;
  /**
   * Claims in the order in which they came; `null` when none were ever received for this merchant,
   * or none are kept here.
   */
  readonly claims: readonly ReceivedClaim[] | null;
}

export const NO_PAYMENTS_KEPT: KeptPayments = { versions: new Map(), claims: null };

// Payments by link that are too old to change are counted once and kept as sums. Later looks add
// only the newer payments, so that the balance can be compared with all payments without reading
// all of them again.

/**
 * Number of payments, and Σ of their amounts in whole units as decimal text, because a sum may pass
 * 2^53.
 */
export type KeptSum = readonly [count: number, amount: string];
export type KeptCell = Readonly<Record<PaymentStatus, KeptSum>>;

export interface KeptTotals {
  /** The sums hold all payments that were created before this instant. */
  readonly before: Instant;
  readonly all: KeptCell;
  /** Sums by zone name, then by local month in that zone, `YYYY-MM`. */
  readonly months: Readonly<Record<string, Readonly<Record<string, KeptCell>>>>;
  /** Σ of the known fees of successful payments, as decimal text. */
  readonly told: string;
  /** The successful payments whose fees are not known. */
  readonly untold: KeptSum;
  /** Rows that could not be read. If there are any, no figure is compared with the sums. */
  readonly unread: number;
}
