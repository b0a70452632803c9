// Exact decimals, for commissions in basis points and for figures that services write as decimal
// text. The only file that uses the decimal library; amounts themselves are whole units and need no
// decimals.

import { Decimal } from 'decimal.js';
import type { Amount } from './amount.ts';
import type { InterpretationSet } from './assumptions.ts';
import type { Price } from './merchant.ts';

/** Digits enough for any product of two safe integers, and for its share in basis points. */
const ExactDecimal = Decimal.clone({ precision: 60 });

/**
 * The rounding modes in the order of the `feeRounding` interpretations: down, up, halves up, halves
 * to even.
 */
const ROUNDINGS = [
  Decimal.ROUND_FLOOR,
  Decimal.ROUND_CEIL,
  Decimal.ROUND_HALF_UP,
  Decimal.ROUND_HALF_EVEN,
] as const;

/** Digits enough that sums and differences of two decimals of the form below are exact. */
const Wide = Decimal.clone({ precision: 500 });
const FORM = /^[+-]?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,2})?$/;

/**
 * Reads a value that is a number however it is written: 12500, "12500", "12500.00" and 1.25e4 are
 * the same. Returns `null` for any other value.
 */
export function asDecimal(value: unknown): Decimal | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && FORM.test(text) ? new Wide(text) : null;
}

/** Writes the decimal without an exponent or trailing zeros: `12500`, `-0.5`. */
export function decimalText(decimal: Decimal): string {
  return decimal.isZero() ? '0' : decimal.toFixed();
}

/** Returns the decimal as a whole number, or `null` when it has a fraction. */
export function wholeOf(decimal: Decimal): bigint | null {
  return decimal.isInteger() ? BigInt(decimal.toFixed()) : null;
}

export type { Decimal };

// A commission as priced: a share of the amount in basis points, rounded to whole units, plus a
// flat part (direct API, "Merchant", pricing). The document does not say how to round: four ways
// are lawful.

const BPS = 10_000;

/**
 * Returns the share under each rounding, in the order of the `feeRounding` interpretations.
 * `amount` and `bps` must not be negative.
 */
export function sharesOf(amount: Amount, bps: number): readonly [Amount, Amount, Amount, Amount] {
  const product = amount * bps;
  if (!Number.isSafeInteger(product)) return largeShares(amount, bps);
  const rest = product % BPS;
  const floor = (product - rest) / BPS;
  return [floor, ceilingOf(floor, rest), halfUpOf(floor, rest), halfEvenOf(floor, rest)];
}

/**
 * Converts signed amounts and returns their sum in whole 10^-decimals of the other currency,
 * rounded once, half away from 0. At a rate, `units` of the amount's currency are worth `worth` of
 * the other one: 655.957 XOF are worth 1 EUR.
 */
export function convert(
  parts: Iterable<
    readonly [rate: { readonly units: number; readonly worth: number }, amount: Amount]
  >,
  decimals: number,
): number {
  let sum = new ExactDecimal(0);
  for (const [{ units, worth }, amount] of parts)
    sum = sum.plus(
      new ExactDecimal(amount)
        .times(worth)
        .times(10 ** decimals)
        .dividedBy(units),
    );
  return sum.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
}

function ceilingOf(floor: Amount, rest: number): Amount {
  return rest === 0 ? floor : floor + 1;
}

function halfUpOf(floor: Amount, rest: number): Amount {
  return 2 * rest >= BPS ? floor + 1 : floor;
}

function halfEvenOf(floor: Amount, rest: number): Amount {
  return 2 * rest === BPS ? floor + (floor % 2) : halfUpOf(floor, rest);
}

function largeShares(amount: Amount, bps: number): readonly [Amount, Amount, Amount, Amount] {
  const share = new ExactDecimal(amount).times(bps).dividedBy(BPS);
  const [a, b, c, d] = ROUNDINGS.map((mode) => share.toDecimalPlaces(0, mode).toNumber());
  return [a!, b!, c!, d!];
}

/**
 * Returns the roundings under which `price` charges exactly `fees` for `amount`; 0 when none does.
 */
export function roundingsThatFit({ amount, fees }: Charged, price: Price): InterpretationSet {
  const wanted = fees - price.flat;
  const product = amount * price.bps;
  if (!Number.isSafeInteger(product)) {
    return largeShares(amount, price.bps).reduce(
      (set, share, i) => (share === wanted ? set | (1 << i) : set),
      0,
    );
  }
  // Written without a list of the shares, because every operation passes here.
  const rest = product % BPS;
  const floor = (product - rest) / BPS;
  return (
    (floor === wanted ? 1 : 0) |
    (ceilingOf(floor, rest) === wanted ? 2 : 0) |
    (halfUpOf(floor, rest) === wanted ? 4 : 0) |
    (halfEvenOf(floor, rest) === wanted ? 8 : 0)
  );
}

interface Charged {
  readonly amount: Amount;
  readonly fees: Amount;
}
