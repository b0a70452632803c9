// The key figures of a month: `Report.summary` of the dashboard document. JSON-ready, its keys
// always in this order.

import type { Amount } from '../domain/amount.ts';
import type { MonthColumn, MonthFigures } from '../domain/delivery/delivery-channel.ts';
import type { OperationStatus } from '../domain/operation.ts';

/**
 * Two populations, never mixed. *Collections* (`paymentCount`, `totalAmount`, `totalFees`,
 * `byOperator`, `byCountry`, `byDay`) are wallet operations, GUI-…; payments by link, PAY…, are not
 * in it. *Ledger figures* (from `collected` on) are sums over the month's lines.
 *
 * A collection counts in the month in which it succeeded: a CASHIN that is SUCCEEDED, or REVERSED
 * after having succeeded (the reversal is shown by itself, in the month of its lines), by its
 * `completedAt`, "time of the move to a final state". Two final states may be reached, so
 * `completedAt` of a REVERSED operation may be either; where it equals `updatedAt`, or is absent,
 * the date of the operation's CASHIN_CREDIT line counts instead.
 *
 * Amounts are JSON integers, as in the dashboard document ("amounts are integers in FCFA").
 */
export interface StatementSummary extends MonthFigures {
  /** Says which population the collections below are of. */
  readonly population: 'WALLET_OPERATIONS';
  /** Σ `amount` of the collections, gross. */
  readonly totalAmount: Amount;
  readonly paymentCount: number;
  /** Σ `fees` of the collections. */
  readonly totalFees: Amount;
  /** Collections by operator, sorted. They sum to the totals. */
  readonly byOperator: readonly ({ readonly operator: string } & Collections)[];
  /** Collections by country, sorted. They sum to the totals. */
  readonly byCountry: readonly ({ readonly country: string } & Collections)[];
  /** Days of the month on which a collection succeeded, `YYYY-MM-DD` in the zone, ascending. */
  readonly byDay: readonly ({ readonly day: string } & Collections)[];
  /**
   * Number of wallet operations of both types that were created in the month, by their state at its
   * end.
   */
  readonly byStatus: StatusCounts;
  readonly openingReserved: Amount;
  /** Lowest sequence among the month's lines; `null` in a month without lines. */
  readonly firstSequence: number | null;
  /** Highest sequence among the month's lines; `null` in a month without lines. */
  readonly lastSequence: number | null;
  readonly entryCount: number;
  /**
   * Absent in statements issued before these totals were kept. Not part of the content hash, so
   * that earlier months, whose lines give the totals as well, keep their hash.
   */
  readonly perpetual?: PerpetualTotals;
  readonly control: {
    /** Computed, not assumed. It is always 0, because otherwise there is no statement. */
    readonly openingPlusMovementsMinusClosing: 0;
    /** Recorded balance at the cut-off − closingBalance: 0 unless the ledger itself is wrong. */
    readonly recordedMinusRecomputed: Amount;
    readonly reservedRecordedMinusRecomputed: Amount;
  };
  /** Confirmed findings that lie in the month (never provisional ones). */
  readonly findings: FindingCounts;
  readonly revision: number;
  readonly chainHead: string;
}

/**
 * What all lines up to the cut-off have moved on the balance since the first known line: `credits`
 * is the sum of those that raised it, `debits` of those that lowered it, both positive. Declared
 * opening balance + credits − debits = closing balance. The next month continues these totals.
 */
export interface PerpetualTotals {
  readonly creditCount: number;
  readonly credits: Amount;
  readonly debitCount: number;
  readonly debits: Amount;
}

/**
 * total − roots is how many findings follow from others. roots = critical + error + warning + info
 * + settled + accepted.
 */
export interface FindingCounts {
  readonly total: number;
  /** Findings that no other finding explains. */
  readonly roots: number;
  /** Roots that were open at the cut-off, by severity. */
  readonly critical: number;
  readonly error: number;
  readonly warning: number;
  readonly info: number;
  /** Roots that were put right by the cut-off; absent when there are none. */
  readonly settled?: number;
  /** Roots that a person had accepted; absent when there are none. */
  readonly accepted?: number;
}

export interface Collections {
  readonly count: number;
  /** Gross amount. */
  readonly amount: Amount;
  readonly fees: Amount;
}

/**
 * Number of operations by their state at the cut-off, so that it does not change when the month is
 * stated again. An operation that reached its final state later counts as OPEN (CREATED, PENDING or
 * AWAITING_PAYER), and one that was reversed later as SUCCEEDED.
 */
export type StatusCounts = Readonly<
  Record<'OPEN' | Exclude<OperationStatus, 'CREATED' | 'PENDING' | 'AWAITING_PAYER'>, number>
>;

/** A period's figures as a statement's first page shows them. */
export interface PeriodFigures
  extends MonthColumn,
    Pick<StatementSummary, 'paymentCount' | 'totalAmount'> {
  /** Success rate in the form of `SuccessRate.percent`. */
  readonly success: string | null;
  /**
   * Commissions of the operations that succeeded, in basis points of their amounts, whatever lines
   * were posted. Absent in statements issued before it was kept.
   */
  readonly rate?: number | null;
}

/** The month before, or the same month of the year before, as it was last issued. */
export interface ComparedPeriod {
  readonly period: string;
  readonly revision: number;
  readonly documentHash: string;
  readonly figures: PeriodFigures;
}
