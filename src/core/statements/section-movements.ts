// Tables of the month's money: by ledger kind, by operator and country, by day. All three count
// ledger lines, by their createdAt, and their net columns sum to the same figure: closing −
// opening.

import type { Amount } from '../domain/amount.ts';
import type { Collections } from './summary.ts';

export interface MovementRow {
  readonly kind: string;
  /** The direction that the document gives the kind; null for a kind that it does not know. */
  readonly direction: string | null;
  readonly count: number;
  /** Σ recorded amounts, positive in sound books. */
  readonly amount: Amount;
  /** Signed effect on the balance; 0 for holds and releases. Over all rows: closing − opening. */
  readonly balanceEffect: Amount;
  /** Signed effect on the reserved amount. Over all rows: closingReserved − openingReserved. */
  readonly reservedEffect: Amount;
}

/**
 * The columns that operators and days share. `grossIn` to `feesOut` are positive sums of amounts;
 * `reversals`, `adjustments`, `other` and `net` are signed. net = grossIn − feesIn − grossOut −
 * feesOut + reversals + adjustments + other.
 */
export interface MoneyColumns {
  /** Number of CASHIN_CREDIT lines. */
  readonly countIn: number;
  readonly grossIn: Amount;
  readonly feesIn: Amount;
  /** Number of CASHOUT_DEBIT lines. */
  readonly countOut: number;
  readonly grossOut: Amount;
  readonly feesOut: Amount;
  readonly reversals: Amount;
  readonly adjustments: Amount;
  /**
   * Lines of unknown kind, or whose money effect is not that of their kind and amount; 0 in sound
   * books.
   */
  readonly other: Amount;
  readonly net: Amount;
}

export interface OperatorSection {
  /**
   * Rows by operator, then country. The row with `operator: null` has the lines whose operation is
   * not known.
   */
  readonly rows: readonly OperatorRow[];
  /** Sums over the countries of each operator. */
  readonly byOperator: readonly OperatorRow[];
  /** Sums over the operators of each country. */
  readonly byCountry: readonly OperatorRow[];
  readonly total: OperatorRow;
}

export interface OperatorRow extends MoneyColumns {
  /**
   * `null` for lines whose operation is not known, and in `byCountry` and `total`, which sum over
   * operators.
   */
  readonly operator: string | null;
  /**
   * `null` for lines whose operation is not known, and in `byOperator` and `total`, which sum over
   * countries.
   */
  readonly country: string | null;
  readonly success: SuccessRate;
}

/**
 * How many of the wallet operations that reached their final state in the month (by completedAt)
 * succeeded: SUCCEEDED, or REVERSED after it. The two counts are exact; `percent` is rounded half
 * up to a tenth of a percent.
 */
export interface SuccessRate {
  readonly succeeded: number;
  readonly final: number;
  /**
   * `97.4`; `null` when no operation became final. The decimal sign is a point, and each format
   * puts its own.
   */
  readonly percent: string | null;
}

/** A month of a year: the sum of its days. */
export interface MonthRow extends Omit<DayRow, 'day'> {
  /** `YYYY-MM`. */
  readonly month: string;
  /** Collections by the day on which their operation succeeded. */
  readonly collections: Collections;
}

export interface DayRow extends MoneyColumns {
  /** `YYYY-MM-DD`, in the period's zone. */
  readonly day: string;
  readonly entryCount: number;
  readonly opening: Amount;
  /** opening + net; the next day's opening. */
  readonly closing: Amount;
  readonly closingReserved: Amount;
}
