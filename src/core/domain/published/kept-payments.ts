// What is kept of a merchant's payments by link: the versions that earlier looks saw, and what was notified of them.

import type { Payment, ReceivedClaim } from '../payment.ts';
import type { Kept } from './payout-place.ts';

export interface KeptPayments {
  /** By reference, oldest first; a version stands until the next one. */
  readonly versions: ReadonlyMap<string, readonly Kept<Payment>[]>;
  /** In the order in which they came; null: none were ever taken for this merchant, or none are kept here. */
  readonly claims: readonly ReceivedClaim[] | null;
}

export const NO_PAYMENTS_KEPT: KeptPayments = { versions: new Map(), claims: null };
