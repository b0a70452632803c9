// The result of comparing the service's report with our figures, whichever population the report
// counts.

import type { Amount } from '../domain/amount.ts';
import type { Instant } from '../domain/instant.ts';
import type { Payment, PaymentStatus } from '../domain/payment.ts';
import type { Bounds } from '../domain/period.ts';
import type { Payout } from '../domain/published/payout.ts';
import type { NotChecked, Reason } from '../domain/snapshot.ts';
import type { Measure } from '../domain/summary-keys.ts';

export interface ServiceComparison {
  /** Why nothing was compared, in English; `null` when a report was compared. */
  readonly notCompared: string | null;
  /**
   * The same reason as a code with its figures, for other languages. Absent where the text of
   * `notCompared` is not ours.
   */
  readonly reason?: Pick<Reason, 'code' | 'figures'>;
  /**
   * Number of figures that both the service and we state. A figure that only one of the two states
   * is neither counted nor a difference.
   */
  readonly compared: number;
  /** Figures that differ, in the order of the service's summary. */
  readonly differences: readonly ServiceDifference[];
  /** Figures that lawfully differ; absent when none does. */
  readonly allowed?: readonly AllowedDifference[];
  /**
   * When the service made its report; `null` when it does not say. Given only beside `allowed`,
   * because an allowed difference may come from the time between.
   */
  readonly madeAt?: Instant | null;
}

export interface ServiceDifference {
  /** Path of the figure in the service's summary. */
  readonly key: string;
  /**
   * The service's figure. `null` when both sides give the breakdown but this one does not list the
   * member, which then counts as 0.
   */
  readonly service: string | null;
  /** Our figure; `null` as in `service`. */
  readonly ours: string | null;
}

export interface AllowedDifference extends ServiceDifference {
  /**
   * pending: payments that were still pending when the report was made · population: the report
   * counts payments that did not succeed as well · days: it begins its days at other midnights.
   */
  readonly why: 'pending' | 'population' | 'days';
  /** What the figure counts, when it is a figure of the whole period and not of a breakdown. */
  readonly total?: Measure;
}

export function notCompared({ why, ...reason }: Reason): ServiceComparison {
  return { notCompared: why, reason, compared: 0, differences: [] };
}

/**
 * Most characters that are shown of a key or figure of a report, because it is the service's text.
 */
const LONGEST_SHOWN = 80;

export function cut(text: string): string {
  return text.slice(0, LONGEST_SHOWN);
}

// The service's own file of a month: what its report says of it, and what was received.

export interface ServiceDocument {
  readonly reportId: string;
  /** Name of the file as the service states it (dashboard API, "Report"). */
  readonly fileName: string | null;
  /** Bytes, as stated (`fileSize`). */
  readonly statedSize: number | null;
  /**
   * Size and hash of the received file, which is kept beside the statement byte for byte; `null`
   * when none was received.
   */
  readonly kept: { readonly size: number; readonly sha256: string } | null;
  /** Why the file was not kept; `null` when it was. */
  readonly notKept: Reason | null;
}

/**
 * Returns whether the file is as long as its report says. It is true also when the report states no
 * size, or no file was kept.
 */
export function isSizeAsStated({ statedSize, kept }: ServiceDocument): boolean {
  return kept === null || statedSize === null || statedSize === kept.size;
}

// Payments by link (`PAY…`) of a statement's period, beside the wallet's operations: another
// population, whose money is not in the wallet's balance. Its figures have the keys of
// `Report.summary` (dashboard API, "Report"), and are added to nothing.

/**
 * Totals of payments by link. A payment belongs to the period and the day in which it was created,
 * because the service's API does not show when it was paid.
 */
export interface LinkSummary {
  readonly population: 'PAYMENTS_BY_LINK';
  /**
   * Currency of the countries in which payments were made. It is `FCFA` where they are of both CFA
   * francs, because the service adds the two up.
   */
  readonly currency: string;
  /** Σ `amount` of the payments that are SUCCESS, gross. */
  readonly totalAmount: Amount;
  readonly paymentCount: number;
  /**
   * Totals by operator (in lower case), sorted by name. They sum to `totalAmount` and
   * `paymentCount`.
   */
  readonly byOperator: readonly ({ readonly operator: string } & Paid)[];
  /** Totals by country, sorted by code. They sum to `totalAmount` and `paymentCount`. */
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
   * What the service owes for these payments. `null` unless the wallet's currency and that of the
   * payments are both CFA francs.
   */
  readonly account: LinkAccount | null;
  /** Payouts that were paid in the period, by time. */
  readonly payouts: readonly PaidOut[];
  /** Number of payments that could not be read and that the figures lack. */
  readonly unread: number;
  /**
   * Comparison with the service's report of the month, key by key. `null` where no report that
   * counts payments by link is READY.
   */
  readonly comparison: ServiceComparison | null;
}

/**
 * Totals of payments. `count` is how many there are. `commissions` sums the commissions that are
 * known. `unknownCount` and `unknownAmount` (gross) are of the payments whose commission is not
 * known.
 */
const OF_PAYMENTS = ['count', 'collected', 'commissions', 'unknownCount', 'unknownAmount'] as const;
export const LINK_TOTALS = [...OF_PAYMENTS, 'paidOut', 'payoutFees'] as const;
/** Totals of payments and payouts; amounts are in whole units. */
export interface LinkTotals extends Readonly<Record<(typeof LINK_TOTALS)[number], Amount>> {
  /**
   * Both kinds of fees before rounding, as decimals. Absent in statements of an older version,
   * which rounded the fee of each payment.
   */
  readonly exact?: Readonly<Record<'commissions' | 'payoutFees', string>>;
}

/**
 * What the service owes for payments by link. opening + collected − commissions − paidOut −
 * payoutFees = closing, and the next period opens with `closing`.
 */
export interface LinkAccount extends Omit<LinkTotals, 'count' | 'exact'> {
  readonly opening: Amount;
  readonly closing: Amount;
  /** Totals from the first known payment to the end of the period. */
  readonly perpetual: LinkTotals;
  /**
   * The part of `collected` that belongs to the closed month before and came later. No figure of
   * the summary includes it. Absent when there is none.
   */
  readonly late?: Paid;
  /**
   * Payments of the month before that no entry has, because that month was issued without them and
   * may still be revised. Absent when there are none.
   */
  readonly missing?: Paid;
  /**
   * Exact fees of both kinds before the period, as a decimal. Absent in statements of an older
   * version.
   */
  readonly before?: string | undefined;
  /** `false` when the list of payouts may lack some. */
  readonly isWhole: boolean;
  /**
   * The balance that the service stated when it was read, as a decimal, beside our balance at that
   * time. It is not part of the content hash. Payouts that were requested and had not left
   * (`pending`), unknown commissions and rounding may explain the difference. `null` when the
   * balances were not compared.
   */
  readonly service: {
    readonly at: Instant;
    readonly balance: string;
    readonly ours: Amount;
    readonly difference: string;
    readonly pending: Amount;
    /** Number of payments whose commission is not known. */
    readonly unknown: number;
    /**
     * Least rate, in basis points, that the unknown commissions must have, because payouts and
     * rounding do not explain the whole difference. `null` or absent when they do.
     */
    readonly rate?: number | null;
    readonly isExplained: boolean;
  } | null;
}

/**
 * A payment that succeeded. `fees` is its commission as its notification states it, a decimal;
 * `null` when it is not known.
 */
export interface PaidLink
  extends Pick<Payment, 'reference' | 'orderId' | 'createdAt' | 'operator' | 'country' | 'amount'> {
  readonly fees: string | null;
}

/**
 * A payout that has left, dated `at` the instant at which it ended. `amount` is what the
 * beneficiary receives.
 */
export interface PaidOut
  extends Pick<Payout, 'id' | 'reference' | 'amount' | 'fees' | 'accountType'> {
  readonly at: Instant;
}

/** The payments and payouts that the journal books in a period, by time. */
export interface LinkMoney {
  readonly payments: readonly PaidLink[];
  readonly payouts: readonly PaidOut[];
  /** The same as `LinkAccount.before`. */
  readonly before?: string | undefined;
}

export const NO_MONEY: LinkMoney = { payments: [], payouts: [] };

/** What was read of a period's payments by link. */
export interface LinksRead {
  /**
   * Payments and payouts that the statement books: those of `section`, or else those of the section
   * that was issued before.
   */
  readonly money: LinkMoney;
  /** `null` when there is nothing to state, or when payments could not be read (`isKnown`). */
  readonly section: LinkSection | null;
  /**
   * Whether payments were read. If they were not, the statement repeats the section of the revision
   * before.
   */
  readonly isKnown: boolean;
  /** Why payments could not be read, and notes on rows that could not. */
  readonly notRead: readonly NotChecked[];
  /**
   * Reads payments and payouts within bounds before the period again, so that they need not all be
   * in memory. Rejects with `SourceFailed`. Absent when no earlier payments are known.
   */
  readonly earlier?: ((bounds: Bounds) => Promise<LinkMoney>) | undefined;
}

/**
 * Returns the part of the section that a month is answerable for, and is revised for: the payments
 * that succeeded, and what is owed for them. It leaves out how many are pending, because that
 * changes from day to day. Returns `null` where nothing was paid and nothing is owed.
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
