// What payments by link and payouts cost, and their least amounts: the dashboard document shows none of these figures.

import type { Amount } from '../../core/domain/amount.ts';
import type { PayoutAccountType } from '../plan.ts';

/** "A test payment should use an amount of at least 101 FCFA." */
export const LEAST_LINK_AMOUNT: Amount = 101;
export const LEAST_PAYOUT: Amount = 100;

/** Percent of a payment by link. */
export const LINK_FEE_RATE = 1.5;
/** Percent of a payout to mobile money. */
export const MOBILE_MONEY_RATE = 1;
/** Of a payout to a bank, whole units. */
export const BANK_FIXED: Amount = 500;

/** Hundredths of a unit, rounded half up. */
export function linkFees(amount: Amount): number {
  return Math.round(amount * LINK_FEE_RATE);
}

/** Whole units, on top of the amount. */
export function payoutFees(amount: Amount, type: PayoutAccountType): Amount {
  return type === 'BANK' ? BANK_FIXED : Math.ceil((amount * MOBILE_MONEY_RATE) / 100);
}

/** The largest amount that can be paid out of `funds` with its fees; may be negative. Whole units. */
export function payableOf(funds: Amount, type: PayoutAccountType): Amount {
  if (type === 'BANK') return funds - BANK_FIXED;
  const amount = Math.floor((funds * 100) / (100 + MOBILE_MONEY_RATE));
  return amount + payoutFees(amount, type) > funds ? amount - 1 : amount;
}
