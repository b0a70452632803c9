// Payments by link (`PAY…`) of a statement's period, beside the wallet's operations: another population, whose money is not in
// the wallet's balance. Its figures have the keys of `Report.summary` (dashboard API, "Report"), and are added to nothing.

import type { Amount } from '../../domain/amount.ts';
import type { PaymentStatus } from '../../domain/payment.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import type { ServiceComparison } from './comparison.ts';

/** A payment belongs to the period and the day in which it was created: when it was paid, the document does not show. */
export interface LinkSummary {
  readonly population: 'PAYMENTS_BY_LINK';
  /** Of the countries in which payments were made; `FCFA` where they are of both CFA francs, which the service adds up. */
  readonly currency: string;
  /** Σ `amount` of the payments that are SUCCESS, gross. */
  readonly totalAmount: Amount;
  readonly paymentCount: number;
  /** By operator, in lower case, sorted; each table sums to the totals. */
  readonly byOperator: readonly ({ readonly operator: string } & Paid)[];
  readonly byCountry: readonly ({ readonly country: string } & Paid)[];
  /** Days on which a payment that succeeded was created, `YYYY-MM-DD` in the statement's zone, ascending. */
  readonly byDay: readonly ({ readonly day: string } & Paid)[];
  /** All payments of the period, as they stood when they were read. */
  readonly byStatus: Readonly<Record<PaymentStatus, number>>;
}

export interface Paid {
  readonly count: number;
  readonly amount: Amount;
}

export interface LinkSection {
  readonly summary: LinkSummary;
  /** Rows of payments that could not be read: the figures lack them. */
  readonly unread: number;
  /** The service's report of the month, key by key; null where none that counts payments by link is READY. */
  readonly comparison: ServiceComparison | null;
}

/** What was found of a period's payments by link. */
export interface LinksRead {
  /** Null: there is nothing to state, or it is not known. */
  readonly section: LinkSection | null;
  /** They were read. What is not known is stated as it was before. */
  readonly isKnown: boolean;
  /** Why they could not be read; null: they were. */
  readonly unread: NotChecked | null;
}

/**
 * What a month is answerable for, and is revised for: the payments that succeeded. How many are pending still changes from day to
 * day. Null where nothing was paid.
 */
export function answerableOf(section: LinkSection | null): Omit<LinkSummary, 'byStatus' | 'population'> | null {
  if (section === null || section.summary.paymentCount === 0) return null;
  const { byStatus: _, population: __, ...answerable } = section.summary;
  return answerable;
}
