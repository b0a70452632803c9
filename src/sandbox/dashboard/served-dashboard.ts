// The resources as the dashboard API serves them: every field of the document's tables, in the tables' order. What the
// document calls "not shown" has here the one form that the sandbox chose for it.

import type { Amount } from '../../core/domain/amount.ts';
import type { LINK_OPERATORS, PaymentStatus } from '../../core/domain/payment.ts';
import type { PayoutStatus, SettlementMode } from '../../core/domain/published/payout.ts';
import type { ReportStatus } from '../../core/domain/service-report.ts';

/** Countries that payments by link know: fewer than the wallet's operations do. */
export const LINK_COUNTRIES = ['CI', 'BF', 'ML', 'CM'] as const;
export type LinkCountry = (typeof LINK_COUNTRIES)[number];

export type LinkOperator = (typeof LINK_OPERATORS)[number];

export interface ServedPayment {
  readonly id: string;
  readonly reference: string;
  readonly amount: Amount;
  readonly country: LinkCountry;
  readonly provider: string;
  readonly order_id: string;
  readonly senderNumber: string;
  readonly senderOperateur: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: PaymentStatus;
  readonly createdAt: string;
}

/** `summary`: total amount and number of the payments that succeeded, broken down; the form is the sandbox's own. */
export interface ServedSummary {
  readonly currency: string;
  readonly totalAmount: Amount;
  readonly paymentCount: number;
  readonly byOperator: readonly { readonly operator: string; readonly count: number; readonly amount: Amount }[];
  readonly byCountry: readonly { readonly country: string; readonly count: number; readonly amount: Amount }[];
  readonly byStatus: Readonly<Record<PaymentStatus, number>>;
}

/** Whatever a report does not have yet is null. */
export interface ServedReport {
  readonly id: string;
  readonly period: string;
  readonly periodLabel: string;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly status: ReportStatus;
  readonly filename: string | null;
  readonly fileUrl: string | null;
  readonly fileSize: number | null;
  readonly summary: ServedSummary | null;
  readonly error: string | null;
  readonly generatedAt: string | null;
}

export interface ServedPayoutLimits {
  readonly plafond: Amount;
  readonly consomme: Amount;
  readonly restant: Amount;
}

export interface ServedDisbursementCounters {
  readonly requestSuccess: number;
  readonly requestPending: number;
  readonly requestFailed: number;
}

/** The document shows no field of one. `fees` are on top of the amount; `completedAt` is null while it is PENDING. */
export interface ServedPayout {
  readonly id: string;
  readonly reference: string;
  readonly amount: Amount;
  readonly fees: Amount;
  readonly status: PayoutStatus;
  readonly mode: SettlementMode;
  readonly payoutAccountId: string;
  readonly accountType: string;
  readonly createdAt: string;
  readonly completedAt: string | null;
  readonly failureReason: string | null;
}
