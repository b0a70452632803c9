// The plan of one simulated merchant (who it is, the policy of its books, how busy it is, what goes
// wrong), its complete books at one instant, and the form of a planted fault: a named change to
// complete books, with the one finding that an audit should reach. The same plan and seed always
// give the same books.

import { type Country, type Currency, currencyOf } from '../../core/domain/amount.ts';
import { DAY, type Instant } from '../../core/domain/instant.ts';
import type { MerchantStatus, WalletStatus } from '../../core/domain/merchant.ts';
import { hasSettled } from '../../core/domain/operation.ts';
import type { ComplianceStatus, SettlementMode } from '../../core/domain/published/payout.ts';
import { PLAIN_POLICY, type Policy } from './policy.ts';
import type { Random } from './random.ts';
import type {
  ServedEntry,
  ServedLimits,
  ServedMerchant,
  ServedNotification,
  ServedOperation,
  ServedPricing,
  ServedWallet,
} from './served.ts';
import type { ServedPayment, ServedReport } from './served-dashboard.ts';

/** How the merchant's traffic is made up. Rates are probabilities, 0 … 1. */
export interface Traffic {
  readonly operationsPerDay: number;
  readonly cashoutShare: number;
  readonly failureRate: number;
  readonly expiryRate: number;
  readonly cancellationRate: number;
  /** Share of the successful operations that are reversed later. */
  readonly reversalRate: number;
  readonly adjustmentsPerMonth: number;
  /** Chance that numbers are rolled back before a posting: a harmless gap in the sequence. */
  readonly sequenceGapRate: number;
  /**
   * Payments by link, which are no operations of the wallet. There are none in countries without
   * links.
   */
  readonly paymentsPerDay: number;
  /** Usual amount of an operation, whole units. */
  readonly typicalAmount: number;
}

/**
 * Mistakes that a running service makes once: at the first posting after a given instant where the
 * mistake is possible.
 */
export const SLIPS = [
  'CREDIT_MISSING',
  'CREDIT_DUPLICATED',
  'FEE_AMOUNT_MISMATCH',
  'HOLD_NOT_RELEASED',
  'DEBIT_DUPLICATED',
] as const;
export type SlipKind = (typeof SLIPS)[number];

export interface PlannedSlip {
  readonly kind: SlipKind;
  readonly from: Instant;
}

/**
 * A change of the account's or the wallet's state at an instant. Operations already under way still
 * reach their end.
 */
export interface PlannedMove {
  readonly at: Instant;
  readonly account?: MerchantStatus | undefined;
  readonly wallet?: WalletStatus | undefined;
}

export const PAYOUT_ACCOUNT_TYPES = ['MOBILE_MONEY', 'BANK'] as const;
export type PayoutAccountType = (typeof PAYOUT_ACCOUNT_TYPES)[number];

/** The terms of automatic payouts ("Settlement settings"). */
export interface SettlementTerms {
  readonly mode: SettlementMode;
  /** `HH:mm` on the clocks of `timezone`; `null` exactly when `mode` is MANUAL. */
  readonly time: string | null;
  readonly timezone: string;
}

/** The dashboard when the account opens. */
export interface PlannedDashboard {
  /** The state of the compliance file; `null` when none was deposited. */
  readonly compliance: ComplianceStatus | null;
  /** The first is the primary one. */
  readonly payoutAccounts: readonly PayoutAccountType[];
  readonly settlement: SettlementTerms;
}

export interface MerchantPlan {
  /** One word, unique in the sandbox. */
  readonly reference: string;
  readonly name: string;
  readonly legalName: string | null;
  readonly country: Country;
  /** All must share one currency, because the wallet has only one. */
  readonly allowedCountries: readonly Country[];
  /**
   * The first state of the account; `moves` change it. Operations arrive only while account and
   * wallet are ACTIVE.
   */
  readonly status: MerchantStatus;
  /** The first state of the wallet; `moves` change it. */
  readonly walletStatus: WalletStatus;
  readonly moves: readonly PlannedMove[];
  readonly policy: Policy;
  readonly pricing: ServedPricing;
  readonly limits: ServedLimits;
  /** A new price from that instant on; the profile shows only the price in force. */
  readonly priceChange: { readonly at: Instant; readonly pricing: ServedPricing } | null;
  /** The first operations arrive after this instant. */
  readonly opensAt: Instant;
  /** `null` when the account is 30 days older than `opensAt`. */
  readonly createdAt: Instant | null;
  /** `null` when it is made up. */
  readonly contact: { readonly email: string; readonly phoneNumber: string } | null;
  readonly dashboard: PlannedDashboard;
  readonly traffic: Traffic;
  /** Faults planted, in this order, in the history that exists when the service starts. */
  readonly faults: readonly Fault[];
  /** Mistakes that happen after the start, while the service runs. */
  readonly slips: readonly PlannedSlip[];
  /** Faults planted, each at its instant, in rows that the service has served before. */
  readonly laterFaults: readonly { readonly fault: Fault; readonly at: Instant }[];
  /** Months (`YYYY-MM`) whose report fails at first and succeeds when it is generated again. */
  readonly failedReports: readonly string[];
  /** Caller addresses that may use the API; when empty, any may. */
  readonly allowedAddresses: readonly string[];
}

export const ORDINARY_TRAFFIC: Traffic = {
  operationsPerDay: 12,
  cashoutShare: 0.3,
  failureRate: 0.08,
  expiryRate: 0.03,
  cancellationRate: 0.03,
  reversalRate: 0.02,
  adjustmentsPerMonth: 2,
  sequenceGapRate: 0,
  paymentsPerDay: 6,
  typicalAmount: 12_000,
};

/** A dashboard with an approved compliance file, one payout account, and payouts on request. */
export const ORDINARY_DASHBOARD: PlannedDashboard = {
  compliance: 'APPROVED',
  payoutAccounts: ['MOBILE_MONEY'],
  settlement: { mode: 'MANUAL', time: null, timezone: 'UTC' },
};

/**
 * Completes a plan from the parts that matter to the caller. By default it is an active XOF
 * merchant in Côte d'Ivoire.
 */
export function planMerchant(
  parts: Partial<MerchantPlan> & Pick<MerchantPlan, 'reference'>,
): MerchantPlan {
  const country = parts.country ?? 'CI';
  return {
    name: `Boutique ${parts.reference}`,
    legalName: null,
    country,
    allowedCountries: [country],
    status: 'ACTIVE',
    walletStatus: 'ACTIVE',
    moves: [],
    policy: PLAIN_POLICY,
    pricing: { cashinFeeBps: 175, cashinFeeFlat: 0, cashoutFeeBps: 100, cashoutFeeFlat: 50 },
    limits: {
      minCashinAmount: 200,
      maxCashinAmount: 2_000_000,
      minCashoutAmount: 500,
      maxCashoutAmount: 1_500_000,
      dailyCashoutLimit: 0,
    },
    priceChange: null,
    opensAt: Date.UTC(2026, 7, 1),
    createdAt: null,
    contact: null,
    dashboard: ORDINARY_DASHBOARD,
    traffic: ORDINARY_TRAFFIC,
    faults: [],
    slips: [],
    laterFaults: [],
    failedReports: [],
    allowedAddresses: [],
    ...parts,
  };
}

export function accountCreatedAt(plan: MerchantPlan): Instant {
  return plan.createdAt ?? plan.opensAt - 30 * DAY;
}

/**
 * Returns the wallet's currency. Throws RangeError when the plan opens countries of another
 * currency.
 */
export function walletCurrencyOf(plan: MerchantPlan): Currency {
  const currency = currencyOf(plan.country);
  if (
    currency === null ||
    plan.allowedCountries.some((country) => currencyOf(country) !== currency)
  ) {
    throw new RangeError(
      `plan ${plan.reference}: countries ${plan.allowedCountries.join(', ')} do not share a currency`,
    );
  }
  return currency;
}

export interface Books {
  readonly policy: Policy;
  readonly asOf: Instant;
  readonly merchant: ServedMerchant;
  readonly wallet: ServedWallet;
  /** In ascending sequence. */
  readonly entries: readonly ServedEntry[];
  /** In ascending createdAt. */
  readonly operations: readonly ServedOperation[];
  /** In ascending createdAt, except for those that a fault added; each once. */
  readonly notifications: readonly ServedNotification[];
  /** Payments by link, in ascending createdAt. */
  readonly payments: readonly ServedPayment[];
  /** Newest first. */
  readonly reports: readonly ServedReport[];
  /**
   * The dashboard's answers about payouts and counts, by the last words of each path; `null` when
   * none were read.
   */
  readonly payouts: Readonly<Record<string, unknown>> | null;
}

export type WalletTotals = Pick<ServedWallet, 'totalCollected' | 'totalDisbursed' | 'totalFees'>;

/**
 * Returns what one operation, in its present state, adds to the wallet's totals under
 * `policy.totals`; all are 0 until it succeeds.
 */
export function totalsOfOperation(operation: ServedOperation, policy: Policy): WalletTotals {
  if (!hasSettled(operation.status)) return NO_TOTALS;
  const gone = operation.status === 'REVERSED' && policy.totals.endsWith('LESS_REVERSALS');
  const counted = gone
    ? 0
    : policy.totals.startsWith('GROSS')
      ? operation.amount
      : operation.netAmount;
  return {
    totalCollected: operation.type === 'CASHIN' ? counted : 0,
    totalDisbursed: operation.type === 'CASHOUT' ? counted : 0,
    totalFees: gone && policy.reversal !== 'PRINCIPAL' ? 0 : operation.fees,
  };
}

export const NO_TOTALS: WalletTotals = { totalCollected: 0, totalDisbursed: 0, totalFees: 0 };

/** Returns the sum, or with `sign` −1 the difference. */
export function addTotals(one: WalletTotals, other: WalletTotals, sign: 1 | -1 = 1): WalletTotals {
  return {
    totalCollected: one.totalCollected + sign * other.totalCollected,
    totalDisbursed: one.totalDisbursed + sign * other.totalDisbursed,
    totalFees: one.totalFees + sign * other.totalFees,
  };
}

export function totalsOf(operations: readonly ServedOperation[], policy: Policy): WalletTotals {
  return operations.reduce(
    (sum, operation) => addTotals(sum, totalsOfOperation(operation, policy)),
    NO_TOTALS,
  );
}

/**
 * The root finding that a fault should lead to, and its place (catalogue of findings, "Words"). A
 * part is `null` when the place has no such part.
 */
export interface Expected {
  readonly kind: string;
  readonly sequence: number | null;
  readonly operationReference: string | null;
  /** The name that the finding's evidence must have when its place is in no ledger. */
  readonly about?: string;
}

export interface Fault {
  /**
   * The kind of the expected root. A slash and a word follow where there are several ways to plant
   * it: `CREDIT_DUPLICATED/corrected`.
   */
  readonly name: string;
  /** The change to the books, in words. */
  readonly says: string;
  /**
   * Returns the changed books; `null` when they offer no place for the fault, because nothing
   * suitable has happened in them.
   */
  readonly plant: (
    books: Books,
    random: Random,
  ) => { readonly books: Books; readonly expected: Expected } | null;
}
