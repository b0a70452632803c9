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
  /** Says which population the next six figures count. */
  readonly population: 'WALLET_OPERATIONS';
  /** Σ `amount` of the collections, gross. */
  readonly totalAmount: Amount;
  readonly paymentCount: number;
  /** Σ `fees` of the collections. */
  readonly totalFees: Amount;
  /** By operator, sorted; each sums to the totals. */
  readonly byOperator: readonly ({ readonly operator: string } & Collections)[];
  readonly byCountry: readonly ({ readonly country: string } & Collections)[];
  /** Days of the month on which a collection succeeded, `YYYY-MM-DD` in the zone, ascending. */
  readonly byDay: readonly ({ readonly day: string } & Collections)[];
  /**
   * Wallet operations of both types created in the month, by their state at its end. Sums to their
   * number.
   */
  readonly byStatus: StatusCounts;
  readonly openingReserved: Amount;
  /** Lowest and highest sequence of the month's lines; null in a month without lines. */
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  readonly entryCount: number;
  /**
   * Absent in what was issued before there was any. No part of the content hash: earlier months
   * have it from their lines too.
   */
  readonly perpetual?: PerpetualTotals;
  readonly control: {
    /** Computed, not assumed; always 0, or there is no statement. */
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
 * What all lines up to the cut-off have moved on the balance, since the first known line: those
 * that raised it, and those that lowered it, positive. Declared opening balance + credits − debits
 * = closing balance; those of the next month continue them.
 */
export interface PerpetualTotals {
  readonly creditCount: number;
  readonly credits: Amount;
  readonly debitCount: number;
  readonly debits: Amount;
}

/**
 * total − roots follow from others; roots = critical + error + warning + info + settled + accepted.
 */
export interface FindingCounts {
  readonly total: number;
  /** Those that no other finding explains. */
  readonly roots: number;
  /** Roots that were open at the cut-off, by severity. */
  readonly critical: number;
  readonly error: number;
  readonly warning: number;
  readonly info: number;
  /**
   * Roots that were put right by then, and those that a person has accepted. Absent where there are
   * none.
   */
  readonly settled?: number;
  readonly accepted?: number;
}

export interface Collections {
  readonly count: number;
  /** Gross. */
  readonly amount: Amount;
  readonly fees: Amount;
}

/**
 * The state at the cut-off, so that it does not change when the month is stated again: an operation
 * that reached its final state later was OPEN (CREATED, PENDING or AWAITING_PAYER), and one
 * reversed later was SUCCEEDED.
 */
export type StatusCounts = Readonly<
  Record<'OPEN' | Exclude<OperationStatus, 'CREATED' | 'PENDING' | 'AWAITING_PAYER'>, number>
>;

/** A period's figures as the first page has them. */
export interface PeriodFigures
  extends MonthColumn,
    Pick<StatementSummary, 'paymentCount' | 'totalAmount'> {
  /** As `SuccessRate.percent`. */
  readonly success: string | null;
  /**
   * Commissions of their amounts, of the operations that succeeded, whatever lines were posted:
   * basis points. Absent in what was issued before there was any.
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
