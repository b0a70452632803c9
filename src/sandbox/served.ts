// The resources as the direct API serves them: every field of the document's tables, in the tables' order. The order of
// the keys in a value built here is the order of its JSON.

import type { Amount, Country, Currency } from '../core/domain/amount.ts';
import type { MerchantStatus } from '../core/domain/merchant.ts';
import type { OperationStatus, OperationType } from '../core/domain/operation.ts';
import type { WalletStatus } from '../core/domain/wallet.ts';

export const OPERATORS = ['ORANGE', 'MTN', 'MOOV', 'WAVE', 'DJAMO'] as const;
export type Operator = (typeof OPERATORS)[number];

/** The payer on a cash-in, the beneficiary on a cash-out; the number is normalized to E.164. */
export interface ServedCounterparty {
  readonly phoneNumber: string;
  readonly name: string | null;
}

export interface ServedOperation {
  readonly reference: string;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: Amount;
  readonly fees: Amount;
  readonly netAmount: Amount;
  readonly currency: Currency;
  readonly country: Country;
  readonly operator: Operator;
  readonly counterparty: ServedCounterparty;
  readonly externalReference: string | null;
  readonly description: string | null;
  readonly payerActionUrl: string | null;
  readonly requiresPayerAction: boolean;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt: string | null;
  readonly expiresAt: string | null;
}

export interface ServedWallet {
  readonly walletId: string;
  readonly merchantId: string;
  readonly currency: Currency;
  readonly balance: Amount;
  readonly reserved: Amount;
  readonly available: Amount;
  readonly status: WalletStatus;
  readonly totalCollected: Amount;
  readonly totalDisbursed: Amount;
  readonly totalFees: Amount;
  readonly updatedAt: string;
}

/** `direction` and `kind` are plain text so that a planted fault can serve a value outside the document. */
export interface ServedEntry {
  readonly id: string;
  readonly sequence: number;
  readonly direction: string;
  readonly kind: string;
  readonly amount: Amount;
  readonly currency: Currency;
  readonly balanceAfter: Amount;
  readonly reservedAfter: Amount;
  readonly operationReference: string | null;
  readonly description: string | null;
  readonly createdAt: string;
}

/** The body of a notification; `data` holds the operation where the type is about one. */
export interface ServedNotification {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly merchantReference: string;
  readonly data: { readonly operation?: ServedOperation };
}

export interface ServedPricing {
  readonly cashinFeeBps: number;
  readonly cashinFeeFlat: Amount;
  readonly cashoutFeeBps: number;
  readonly cashoutFeeFlat: Amount;
}

export interface ServedLimits {
  readonly minCashinAmount: Amount;
  readonly maxCashinAmount: Amount;
  readonly minCashoutAmount: Amount;
  readonly maxCashoutAmount: Amount;
  readonly dailyCashoutLimit: Amount;
}

export interface ServedMerchant {
  readonly reference: string;
  readonly name: string;
  readonly legalName: string | null;
  readonly email: string;
  readonly phoneNumber: string | null;
  readonly country: Country;
  readonly status: MerchantStatus;
  readonly allowedCountries: readonly Country[];
  readonly webhookUrl: string | null;
  readonly webhookSecretHint: string | null;
  readonly pricing: ServedPricing;
  readonly limits: ServedLimits;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: string;
}
