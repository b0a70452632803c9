// Exact decimals, for basis points and for figures that services write as decimal text. The one file that knows the
// library behind them; amounts themselves are whole units and need none of this.

import { Decimal } from 'decimal.js';

/** Enough for any product of two safe integers, and for its share in basis points. */
export const ExactDecimal = Decimal.clone({ precision: 60 });

/** In the order of the `feeRounding` interpretations: down, up, halves up, halves to even. */
export const ROUNDINGS = [
  Decimal.ROUND_FLOOR,
  Decimal.ROUND_CEIL,
  Decimal.ROUND_HALF_UP,
  Decimal.ROUND_HALF_EVEN,
] as const;

/** Sums and differences of two decimals of the form below keep every digit. */
const Wide = Decimal.clone({ precision: 500 });
const FORM = /^[+-]?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,2})?$/;

/** A value that is a number however it is written: 12500, "12500", "12500.00" and 1.25e4 are one. Null for another. */
export function asDecimal(value: unknown): Decimal | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && FORM.test(text) ? new Wide(text) : null;
}

/** The decimal without an exponent or trailing zeros: `12500`, `-0.5`. */
export function decimalText(decimal: Decimal): string {
  return decimal.isZero() ? '0' : decimal.toFixed();
}

/** The whole number that a decimal is, or null when it has a fraction. */
export function wholeOf(decimal: Decimal): bigint | null {
  return decimal.isInteger() ? BigInt(decimal.toFixed()) : null;
}

export type { Decimal };
