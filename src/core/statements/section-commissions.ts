// Commissions of the month: what was charged, compared with the price in the merchant's profile.

import type { Amount } from '../domain/amount.ts';
import type { OperationType } from '../domain/operation.ts';

export interface CommissionSection {
  /**
   * Rows by type, then in the order in which prices became known. A type without settled operations
   * has only its newest price.
   */
  readonly rows: readonly CommissionRow[];
  readonly total: Pick<CommissionRow, 'count' | 'base' | 'charged' | 'recomputed' | 'difference'>;
  /** What the fee lines of the month posted (CASHIN_FEE, CASHOUT_FEE), for comparison. */
  readonly posted: { readonly cashin: Amount; readonly cashout: Amount };
  /** The interpretations of rounding that stood: FLOOR, CEILING, HALF_UP, HALF_EVEN. */
  readonly roundings: readonly string[];
  /** Operations that were charged otherwise than any known price asks; at most 200. */
  readonly differences: readonly CommissionDifference[];
  readonly differenceCount: number;
}

/**
 * Wallet operations of one type that succeeded in the month (by the rule of the summary) and fit
 * one price. An operation that fits no known price is in the row of the newest.
 */
export interface CommissionRow {
  readonly type: OperationType;
  /** `null` when no profile was read. Nothing is recomputed then, and recomputed = charged. */
  readonly price: { readonly bps: number; readonly flat: Amount } | null;
  readonly count: number;
  /** Σ `amount`. */
  readonly base: Amount;
  /** Σ `fees`. */
  readonly charged: Amount;
  /**
   * Σ of base × bps, rounded, + flat. The rounding is the first standing one that fits the
   * operation, or else the first standing one.
   */
  readonly recomputed: Amount;
  /** charged − recomputed. */
  readonly difference: Amount;
  readonly differenceCount: number;
}

export interface CommissionDifference
  extends Pick<CommissionRow, 'type' | 'charged' | 'recomputed' | 'difference'> {
  readonly operationReference: string;
  readonly amount: Amount;
}
