// A commission as priced: a share of the amount in basis points, rounded to whole units, plus a flat part (direct API,
// "Merchant", pricing). The document does not show the rounding: four are lawful.

import type { Amount } from './amount.ts';
import type { ReadingSet } from './assumptions.ts';
import { ExactDecimal, ROUNDINGS } from './decimal.ts';
import type { Price } from './merchant.ts';

const BPS = 10_000;

/** The share under each rounding, in the order of the `feeRounding` readings. Amount ≥ 0, bps ≥ 0. */
export function sharesOf(amount: Amount, bps: number): readonly [Amount, Amount, Amount, Amount] {
  const product = amount * bps;
  if (!Number.isSafeInteger(product)) return largeShares(amount, bps);
  const rest = product % BPS;
  const floor = (product - rest) / BPS;
  if (rest === 0) return [floor, floor, floor, floor];
  const half = 2 * rest;
  const up = floor + 1;
  const even = half === BPS ? floor + (floor % 2) : half > BPS ? up : floor;
  return [floor, up, half >= BPS ? up : floor, even];
}

function largeShares(amount: Amount, bps: number): readonly [Amount, Amount, Amount, Amount] {
  const share = new ExactDecimal(amount).times(bps).dividedBy(BPS);
  const [a, b, c, d] = ROUNDINGS.map((mode) => share.toDecimalPlaces(0, mode).toNumber());
  return [a!, b!, c!, d!];
}

/** The roundings under which `price` asks exactly `fees` for `amount`; 0 when none does. */
export function roundingsThatFit(charge: { amount: Amount; fees: Amount; price: Price }): ReadingSet {
  const wanted = charge.fees - charge.price.flat;
  const shares = sharesOf(charge.amount, charge.price.bps);
  return (
    (shares[0] === wanted ? 1 : 0) |
    (shares[1] === wanted ? 2 : 0) |
    (shares[2] === wanted ? 4 : 0) |
    (shares[3] === wanted ? 8 : 0)
  );
}
