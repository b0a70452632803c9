// What a comparison of the service's report with our figures comes to, whichever population it
// counts.

import type { Amount } from '../domain/amount.ts';
import type { Instant } from '../domain/instant.ts';
import type { Payment, PaymentStatus } from '../domain/payment.ts';
import type { Bounds } from '../domain/period.ts';
import type { Payout } from '../domain/published/payout.ts';
import type { NotChecked, Reason } from '../domain/snapshot.ts';
import type { Measure } from '../domain/summary-keys.ts';

export interface ServiceComparison {
  /** Why nothing was compared; null: it was. */
  readonly notCompared: string | null;
  /** The same, for other languages; absent where the text is not ours. */
  readonly reason?: Pick<Reason, 'code' | 'figures'>;
  /** Figures that both state. What only one of them states is neither counted nor a difference. */
  readonly compared: number;
  /** In the service's order. */
  readonly differences: readonly ServiceDifference[];
  /** Figures that lawfully differ; absent: none does. */
  readonly allowed?: readonly AllowedDifference[];
  /**
   * When the service made its report; absent where nothing else was needed to understand a
   * difference.
   */
  readonly madeAt?: Instant | null;
}

export interface ServiceDifference {
  /** Path in the service's summary. */
  readonly key: string;
  /** Null: this member of a breakdown that both give is not listed, and counts as nothing. */
  readonly service: string | null;
  readonly ours: string | null;
}

export interface AllowedDifference extends ServiceDifference {
  /**
   * pending: payments that were still pending when the report was made · population: the report
   * counts payments that did not succeed as well · days: it begins its days at other midnights.
   */
  readonly why: 'pending' | 'population' | 'days';
  /** Of a figure of the whole, what it counts. */
  readonly total?: Measure;
}

export function notCompared({ why, ...reason }: Reason): ServiceComparison {
  return { notCompared: why, reason, compared: 0, differences: [] };
}

/** Longest key or figure that is shown of a report: it is the service's text. */
const LONGEST_SHOWN = 80;

export function cut(text: string): string {
  return text.slice(0, LONGEST_SHOWN);
}

// The service's own file of a month: what its report says of it, and what was received.

export interface ServiceDocument {
  readonly reportId: string;
  /** As stated (dashboard API, "Report"). */
  readonly fileName: string | null;
  /** Bytes, as stated (`fileSize`). */
  readonly statedSize: number | null;
  /** What was received, kept beside the statement byte for byte; null: nothing was. */
  readonly kept: { readonly size: number; readonly sha256: string } | null;
  /** Why not; null where it was kept. */
  readonly notKept: Reason | null;
}

/** It is as long as its report says, or the report says nothing of it. */
export function isSizeAsStated({ statedSize, kept }: ServiceDocument): boolean {
  return kept === null || statedSize === null || statedSize === kept.size;
}

// Payments by link (`PAY…`) of a statement's period, beside the wallet's operations: another
// population, whose money is not in the wallet's balance. Its figures have the keys of
// `Report.summary` (dashboard API, "Report"), and are added to nothing.

/**
 * A payment belongs to the period and the day in which it was created: when it was paid, the
 * document does not show.
 */
export interface LinkSummary {
  readonly population: 'PAYMENTS_BY_LINK';
  /**
   * Of the countries in which payments were made; `FCFA` where they are of both CFA francs, which
   * the service adds up.
   */
  readonly currency: string;
  /** Σ `amount` of the payments that are SUCCESS, gross. */
  readonly totalAmount: Amount;
  readonly paymentCount: number;
  /** By operator, in lower case, sorted; each table sums to the totals. */
  readonly byOperator: readonly ({ readonly operator: string } & Paid)[];
  readonly byCountry: readonly ({ readonly country: string } & Paid)[];
  /**
   * Days on which a payment that succeeded was created, `YYYY-MM-DD` in the statement's zone,
   * ascending.
   */
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
  /**
   * What the service owes of them; null where they are not of the wallet's currency, or one of the
   * two is no CFA franc.
   */
  readonly account: LinkAccount | null;
  /** That were paid in the period, by time. */
  readonly payouts: readonly PaidOut[];
  /** Rows of payments that could not be read: the figures lack them. */
  readonly unread: number;
  /**
   * The service's report of the month, key by key; null where none that counts payments by link is
   * READY.
   */
  readonly comparison: ServiceComparison | null;
}

/**
 * `count`: of payments · `commissions`: as far as they are known · `unknown…`: payments whose
 * commission is not known, gross.
 */
const OF_PAYMENTS = ['count', 'collected', 'commissions', 'unknownCount', 'unknownAmount'] as const;
export const LINK_TOTALS = [...OF_PAYMENTS, 'paidOut', 'payoutFees'] as const;
/** In whole units. */
export interface LinkTotals extends Readonly<Record<(typeof LINK_TOTALS)[number], Amount>> {
  /**
   * Both kinds of fees before they are rounded, decimals. Absent: not known, of an older version
   * that rounded each payment.
   */
  readonly exact?: Readonly<Record<'commissions' | 'payoutFees', string>>;
}

/**
 * opening + collected − commissions − paidOut − payoutFees = closing, which the next period opens
 * with.
 */
export interface LinkAccount extends Omit<LinkTotals, 'count' | 'exact'> {
  readonly opening: Amount;
  readonly closing: Amount;
  /** From the first known payment to the end of the period. */
  readonly perpetual: LinkTotals;
  /**
   * Of `collected`, what is of the closed month before and came later: in no figure of the summary.
   * Absent: nothing.
   */
  readonly late?: Paid;
  /** In no entry: the month before was issued without it and may be revised. Absent: nothing. */
  readonly missing?: Paid;
  /** Exact fees of both kinds before the period, a decimal. Absent: of an older version. */
  readonly before?: string | undefined;
  /** False: the list of payouts may lack some. */
  readonly isWhole: boolean;
  /**
   * The balance that the service stated when it was read, a decimal, beside ours at that time; no
   * part of the content hash. Payouts that were requested and had not left (`pending`), unknown
   * commissions, and rounding may explain the difference. Null: not compared.
   */
  readonly service: {
    readonly at: Instant;
    readonly balance: string;
    readonly ours: Amount;
    readonly difference: string;
    readonly pending: Amount;
    /** Payments whose commission is not known. */
    readonly unknown: number;
    /**
     * Basis points that their commissions must have at least, for payouts and rounding not to
     * explain all; null or absent: none.
     */
    readonly rate?: number | null;
    readonly isExplained: boolean;
  } | null;
}

/**
 * A payment that succeeded. `fees`: its commission by its notification, a decimal; null: not known.
 */
export interface PaidLink
  extends Pick<Payment, 'reference' | 'orderId' | 'createdAt' | 'operator' | 'country' | 'amount'> {
  readonly fees: string | null;
}

/** A payout that has left, at the instant at which it ended. `amount`: what arrives. */
export interface PaidOut
  extends Pick<Payout, 'id' | 'reference' | 'amount' | 'fees' | 'accountType'> {
  readonly at: Instant;
}

/** What the journal books of a period, by time. */
export interface LinkMoney {
  readonly payments: readonly PaidLink[];
  readonly payouts: readonly PaidOut[];
  /** As of the account. */
  readonly before?: string | undefined;
}

export const NO_MONEY: LinkMoney = { payments: [], payouts: [] };

/** What was found of a period's payments by link. */
export interface LinksRead {
  /** Of what is stated: of the section, else of the one that was issued before. */
  readonly money: LinkMoney;
  /** Null: there is nothing to state, or it is not known. */
  readonly section: LinkSection | null;
  /** They were read. What is not known is stated as it was before. */
  readonly isKnown: boolean;
  /** Why they could not be read, and rows that could not. */
  readonly notRead: readonly NotChecked[];
  /**
   * Of bounds before the period, read anew, so that not all are in memory. Rejects with
   * `SourceFailed`. Absent: none are known.
   */
  readonly earlier?: ((bounds: Bounds) => Promise<LinkMoney>) | undefined;
}

/**
 * What a month is answerable for, and is revised for: the payments that succeeded, and what is owed
 * of them. How many are pending still changes from day to day. Null where nothing was paid.
 */
export function answerableOf(section: LinkSection | null) {
  if (section === null || (section.summary.paymentCount === 0 && section.account == null))
    return null;
  const { byStatus: _, population: __, ...answerable } = section.summary;
  if (section.account == null) return answerable;
  const { opening, collected, commissions, paidOut, payoutFees, closing } = section.account;
  return {
    ...answerable,
    account: { opening, collected, commissions, paidOut, payoutFees, closing },
  };
}
