// The merchant's account profile (direct API, "Merchant"): prices and bounds in force when it was
// read; and the wallet as the service states it ("Wallet"): what the replayed ledger is compared
// with.

import type { Amount } from './amount.ts';
import type { Instant } from './instant.ts';

export const MERCHANT_STATUSES = ['PENDING', 'ACTIVE', 'SUSPENDED', 'CLOSED'] as const;
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number];

/** Commission of one operation type: basis points of the amount (200 = 2 %) plus a flat part. */
export interface Price {
  readonly bps: number;
  readonly flat: Amount;
}

export interface Merchant {
  readonly reference: string;
  readonly name: string;
  readonly legalName: string | null;
  readonly country: string;
  readonly status: MerchantStatus;
  readonly allowedCountries: readonly string[];
  readonly pricing: { readonly cashin: Price; readonly cashout: Price };
  readonly limits: {
    readonly minCashinAmount: Amount;
    readonly maxCashinAmount: Amount;
    readonly minCashoutAmount: Amount;
    readonly maxCashoutAmount: Amount;
    /** Rolling 24-hour ceiling on cash-outs; 0 means no ceiling. */
    readonly dailyCashoutLimit: Amount;
  };
  readonly createdAt: Instant;
  /**
   * False where no URL is set to notify. Absent where one is, or where that is not known: the
   * mirror does not keep it.
   */
  readonly isNotified?: false;
}

/** Who answers for something before the law, in texts as they were configured. */
export interface LegalIdentity {
  readonly legalName: string | null;
  /** In the register of commerce (RCCM). */
  readonly registration: string | null;
  /**
   * `label`: what the number is called there, NCC, NIF, IFU, NINEA, NIU. `isShared`: several
   * merchants are of one company.
   */
  readonly taxNumber: {
    readonly label: string;
    readonly number: string;
    readonly isShared?: true;
  } | null;
  readonly address: readonly string[];
}

/** As configured for a merchant. */
export interface Parties {
  readonly issuer: LegalIdentity | null;
  readonly holder: LegalIdentity | null;
}

/**
 * What the service notifies goes, at most, where single operations asked for it (direct API,
 * "Events").
 */
export function isUnnotified(profiles: readonly Merchant[]): boolean {
  return profiles.length > 0 && profiles.every(({ isNotified }) => isNotified === false);
}

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

/** The wallet's cumulative figures. */
export const TOTALS = ['totalCollected', 'totalDisbursed', 'totalFees'] as const;
export type Total = (typeof TOTALS)[number];

/**
 * Declared figures before the first known line, for a ledger that does not begin with it. A total
 * that is absent is compared with nothing.
 */
export type DeclaredOpening = Pick<Wallet, 'balance' | 'reserved'> & {
  readonly [Name in Total]?: Amount | undefined;
};
