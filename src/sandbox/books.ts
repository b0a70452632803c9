// A merchant's complete books at one instant, as served, with the policy they are kept by. What bundles are written
// from and faults are planted in.

import type { Amount } from '../core/domain/amount.ts';
import type { Instant } from '../core/domain/instant.ts';
import { hasSettled } from '../core/domain/operation.ts';
import type { ServedPayment, ServedReport } from './dashboard/served-dashboard.ts';
import type { Policy } from './policy.ts';
import type { ServedEntry, ServedMerchant, ServedNotification, ServedOperation, ServedWallet } from './served.ts';

export interface Books {
  readonly policy: Policy;
  /** The instant at which these books stand. */
  readonly asOf: Instant;
  readonly merchant: ServedMerchant;
  readonly wallet: ServedWallet;
  /** In ascending sequence. */
  readonly entries: readonly ServedEntry[];
  /** In ascending createdAt. */
  readonly operations: readonly ServedOperation[];
  /** In ascending createdAt, but for those that a fault brought along; each once. */
  readonly notifications: readonly ServedNotification[];
  /** Payments by link, in ascending createdAt. */
  readonly payments: readonly ServedPayment[];
  /** Newest first. */
  readonly reports: readonly ServedReport[];
  /** What the dashboard answers of payouts and of counts, by the last words of each path; null: it was not asked. */
  readonly payouts: Readonly<Record<string, unknown>> | null;
}

export interface WalletTotals {
  readonly totalCollected: Amount;
  readonly totalDisbursed: Amount;
  readonly totalFees: Amount;
}

/** What one operation adds to the wallet's totals as it stands now, under `policy.totals`; all 0 until it succeeds. */
export function totalsOfOperation(operation: ServedOperation, policy: Policy): WalletTotals {
  if (!hasSettled(operation.status)) return { totalCollected: 0, totalDisbursed: 0, totalFees: 0 };
  const gone = operation.status === 'REVERSED' && policy.totals.endsWith('LESS_REVERSALS');
  const counted = gone ? 0 : policy.totals.startsWith('GROSS') ? operation.amount : operation.netAmount;
  return {
    totalCollected: operation.type === 'CASHIN' ? counted : 0,
    totalDisbursed: operation.type === 'CASHOUT' ? counted : 0,
    totalFees: gone && policy.reversal !== 'PRINCIPAL' ? 0 : operation.fees,
  };
}
