// A payment by link (dashboard API, "Payment"): `PAY…`, paid by a customer through a link or a QR
// code. These are other payments than the wallet's operations (`GUI-…`), and no figure mixes the
// two.

import type { Amount } from './amount.ts';
import { HOUR, type Instant } from './instant.ts';

export const PAYMENT_STATUSES = ['PENDING', 'SUCCESS', 'FAILED'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The payer's operators in lower case; any other passes unchanged. */
export const LINK_OPERATORS = ['orange', 'mtn', 'moov', 'wave', 'visa'] as const;

export interface Payment {
  /** `PAY…`, the key of a payment. */
  readonly reference: string;
  readonly amount: Amount;
  readonly country: string;
  /**
   * The payer's operator in lower case: the service's own casing varies. Null before the payment.
   */
  readonly operator: string | null;
  readonly orderId: string | null;
  readonly status: PaymentStatus;
  readonly createdAt: Instant;
}

export const PAYMENT_RESULTS = ['SUCCESS', 'FAILED'] as const;

/**
 * What an unsigned notification claims of a payment by link (dashboard API, "Events"). It may come
 * from anyone.
 */
export interface PaymentClaim {
  readonly reference: string;
  readonly status: (typeof PAYMENT_RESULTS)[number];
  /** Whole units; `null` when the notification leaves it out. */
  readonly amount: number | null;
  /**
   * Fees as decimal text, stated when the payment succeeded ("`fees` when SUCCESS"); `null` when
   * they are left out.
   */
  readonly fees: string | null;
  /** Creation of the link (`created_date`); `null` when it is left out. */
  readonly createdAt: Instant | null;
}

/**
 * True when the claim agrees with the payment as served. An amount that is left out never
 * contradicts.
 */
export function saysAsServed(claim: PaymentClaim, { status, amount }: Payment): boolean {
  return claim.status === status && (claim.amount ?? amount) === amount;
}

/** A claim, and when it came. */
export interface ReceivedClaim extends PaymentClaim {
  readonly receivedAt: Instant;
}

/** An unpaid link fails after this time ("Pending payment link expires after 24 hours"). */
export const LINK_LIFETIME = 24 * HOUR;

/**
 * For this long after its end a link may still be PENDING, because the service needs time to
 * notice.
 */
export const LINK_END_NOTICED = HOUR;
