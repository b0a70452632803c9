// Payments by link that are too old to change, counted once and kept: what later looks add to the payments that they read, so that a
// balance can be held against all of them without reading all of them again.

import type { Instant } from '../instant.ts';
import type { PaymentStatus } from '../payment.ts';

/** How many, and Σ amounts in whole units; as text, since a sum may pass 2^53. */
export type KeptSum = readonly [count: number, amount: string];
export type KeptCell = Readonly<Record<PaymentStatus, KeptSum>>;

export interface KeptTotals {
  /** All payments that were created before this instant. */
  readonly before: Instant;
  readonly all: KeptCell;
  /** By zone name and month on its clocks, `YYYY-MM`. */
  readonly months: Readonly<Record<string, Readonly<Record<string, KeptCell>>>>;
  /** Of the successes: Σ fees that were told, and the successes whose fees were not. */
  readonly told: string;
  readonly untold: KeptSum;
  /** Rows that could not be read: what they were is not known, and nothing is held against the rest. */
  readonly unread: number;
}
