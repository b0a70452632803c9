// The merchant's account profile (direct API, "Merchant"), with the prices and bounds in force when
// it was read, and the wallet as the service states it ("Wallet"), with which the replayed ledger
// is compared.

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
   * False when the profile has no URL for notifications. Absent when it has one, or when that is
   * not known because the profile comes from the mirror, which does not keep it.
   */
  readonly isNotified?: false;
}

/** The party that is legally responsible, in texts as they were configured. */
export interface LegalIdentity {
  readonly legalName: string | null;
  /** Number in the register of commerce (RCCM). */
  readonly registration: string | null;
  /**
   * The company's tax number. `label` is its local name: NCC, NIF, IFU, NINEA or NIU. `isShared`:
   * several merchants belong to the company.
   */
  readonly taxNumber: {
    readonly label: string;
    readonly number: string;
    readonly isShared?: true;
  } | null;
  readonly address: readonly string[];
}

/** The parties of a statement, as configured for a merchant. */
export interface Parties {
  readonly issuer: LegalIdentity | null;
  readonly holder: LegalIdentity | null;
}

/**
 * True when no URL for notifications is set: the service then notifies at most the operations that
 * named a URL themselves (direct API, "Events").
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
  /** Part of `balance` that cash-outs in progress hold. */
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
 * Figures before the first known line, as an operator declares them for a ledger whose beginning is
 * not served. A total that is absent is not compared.
 */
export type DeclaredOpening = Pick<Wallet, 'balance' | 'reserved'> & {
  readonly [Name in Total]?: Amount | undefined;
};
