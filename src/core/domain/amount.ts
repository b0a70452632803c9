// Amounts: whole units of XOF, XAF or GNF, which have no subunit (direct API, "What the service
// does"). Refuses fractions and anything past 2^53 − 1: a recorded figure is an exact integer or it
// is not an amount.

/**
 * A recorded figure: whole units, a safe integer (|n| ≤ 2^53 − 1), guaranteed by the decoders. Sums
 * that could leave the safe range use `ExactSum`, differences use bigint.
 */
export type Amount = number;

/**
 * A sum of amounts that stays exact past 2^53: `low` is moved into `high` before it can lose a
 * unit. Plain data.
 */
export interface ExactSum {
  low: number;
  high: string;
}

const CARRY_LIMIT = 2 ** 52;

export function emptySum(): ExactSum {
  return { low: 0, high: '0' };
}

/**
 * Adds `amount` (signed) to `sum` in place. Exact: neither `low` nor an amount added to it exceeds
 * 2^52, so that their sum does not exceed 2^53; larger amounts go into `high`.
 */
export function addTo(sum: ExactSum, amount: Amount): void {
  if (amount > CARRY_LIMIT || amount < -CARRY_LIMIT) {
    sum.high = (BigInt(sum.high) + BigInt(amount)).toString();
    return;
  }
  sum.low += amount;
  if (sum.low > CARRY_LIMIT || sum.low < -CARRY_LIMIT) {
    sum.high = (BigInt(sum.high) + BigInt(sum.low)).toString();
    sum.low = 0;
  }
}

export function totalOf(sum: ExactSum): bigint {
  return BigInt(sum.high) + BigInt(sum.low);
}

/** `a − b`, exact for any two amounts; the sign is kept: positive when `a` is larger. */
export function differenceOf(a: Amount | bigint, b: Amount | bigint): bigint {
  return BigInt(a) - BigInt(b);
}

// Countries and their currencies (direct API, "Enumerations"; the pairing is that of the two
// monetary unions and Guinea).

export const COUNTRIES = ['CI', 'BF', 'ML', 'SN', 'TG', 'BJ', 'NE', 'CM', 'GN'] as const;
export type Country = (typeof COUNTRIES)[number];

export const CURRENCIES = ['XOF', 'XAF', 'GNF'] as const;
export type Currency = (typeof CURRENCIES)[number];

/**
 * Returns the currency of a country: CM is XAF (BEAC), GN is GNF, the other seven are XOF (BCEAO).
 * `null` for another country.
 */
export function currencyOf(country: string): Currency | null {
  if (country === 'CM') return 'XAF';
  if (country === 'GN') return 'GNF';
  return (COUNTRIES as readonly string[]).includes(country) ? 'XOF' : null;
}

export function withoutSign(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

/**
 * Returns the difference nearest to 0, its sign kept; the first one of those that are equally near.
 */
export function leastOf(differences: readonly bigint[]): bigint {
  return differences.reduce((least, one) => (withoutSign(one) < withoutSign(least) ? one : least));
}
