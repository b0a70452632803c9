// Commissions of the month: what was charged, compared with the price in the merchant's profile.

import type { Amount } from '../domain/amount.ts';
import type { OperationType } from '../domain/operation.ts';

export interface CommissionSection {
  /**
   * By type, then in the order in which prices became known; a type without settled operations has
   * its newest price.
   */
  readonly rows: readonly CommissionRow[];
  readonly total: Pick<CommissionRow, 'count' | 'base' | 'charged' | 'recomputed' | 'difference'>;
  /** The commission lines posted in the month, for comparison: CASHIN_FEE and CASHOUT_FEE. */
  readonly posted: { readonly cashin: Amount; readonly cashout: Amount };
  /** The interpretations of rounding that stood: FLOOR, CEILING, HALF_UP, HALF_EVEN. */
  readonly roundings: readonly string[];
  /** Operations charged otherwise than any known price asks; at most 200. */
  readonly differences: readonly CommissionDifference[];
  readonly differenceCount: number;
}

/**
 * Wallet operations of one type that succeeded in the month (by the rule of the summary) and fit
 * one price; one that fits no known price is under the newest.
 */
export interface CommissionRow {
  readonly type: OperationType;
  /** Null when no profile was read: then nothing is recomputed, and recomputed = charged. */
  readonly price: { readonly bps: number; readonly flat: Amount } | null;
  readonly count: number;
  /** Σ `amount`. */
  readonly base: Amount;
  /** Σ `fees`. */
  readonly charged: Amount;
  /**
   * Σ of base × bps rounded + flat, under the first standing rounding that fits the operation, else
   * the first.
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
