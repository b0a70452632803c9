// The wallet as the service states it (direct API, "Wallet"): what the replayed ledger is compared with.

import type { Amount } from './amount.ts';
import type { Instant } from './instant.ts';

export const WALLET_STATUSES = ['ACTIVE', 'FROZEN', 'CLOSED'] as const;
export type WalletStatus = (typeof WALLET_STATUSES)[number];

export interface Wallet {
  readonly walletId: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly balance: Amount;
  /** Held by cash-outs in progress; part of `balance`. */
  readonly reserved: Amount;
  /** As stated; must be balance − reserved. */
  readonly available: Amount;
  readonly status: WalletStatus;
  readonly totalCollected: Amount;
  readonly totalDisbursed: Amount;
  readonly totalFees: Amount;
  readonly updatedAt: Instant;
}
