// What the naive model is given: a merchant's whole books in memory, and the interpretations that
// stand. The model shares nothing with src but the domain's words; it knows nothing of speed, of
// memory, or of what is the root of what.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../src/core/domain/merchant.ts';
import type { NotificationContent } from '../../src/core/domain/notification.ts';
import type { Operation } from '../../src/core/domain/operation.ts';

export interface NaiveBooks {
  /** In ascending sequence. */
  readonly lines: readonly LedgerEntry[];
  readonly operations: readonly Operation[];
  readonly wallet: Wallet;
  readonly profile: Merchant;
  /** Of `wallet.adjusted` notifications; empty where there are none. */
  readonly adjustedAt: readonly number[];
  /** Null: what was notified is not known. */
  readonly notifications: readonly NotificationContent[] | null;
  /** The instant at which the books stand: everything in them is older. */
  readonly asOf: number;
}

/**
 * For each question that the documents leave open, the answers that may be the service's. Never
 * empty.
 */
export interface Interpretations {
  readonly holdSettlement: readonly string[];
  readonly holdAmount: readonly string[];
  readonly cashinCredit: readonly string[];
  readonly reversal: readonly string[];
  readonly feeRounding: readonly string[];
}

/** One thing that is wrong: its kind and its place, as the catalogue of findings defines them. */
export interface NaiveFinding {
  readonly kind: string;
  readonly sequence: number | null;
  readonly operationReference: string | null;
}

export const MINUTE = 60_000;
/** Two clocks may differ by as much. */
export const CLOCKS_DIFFER = 5 * MINUTE;

export function isFinal({ status }: Operation): boolean {
  return ['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVERSED'].includes(status);
}

/** It succeeded, whether or not it was reversed later. */
export function hasSucceeded({ status }: Operation): boolean {
  return status === 'SUCCEEDED' || status === 'REVERSED';
}

/** It ended without success. */
export function hasLapsed({ status }: Operation): boolean {
  return status === 'FAILED' || status === 'EXPIRED' || status === 'CANCELLED';
}

export function sumOf(lines: readonly LedgerEntry[]): number {
  return lines.reduce((sum, line) => sum + line.amount, 0);
}
