// A commission as priced: a share of the amount in basis points, rounded to whole units, plus a flat part (direct API,
// "Merchant", pricing). The document does not show the rounding: four are lawful.

import type { Amount } from './amount.ts';
import type { InterpretationSet } from './assumptions.ts';
import { ExactDecimal, ROUNDINGS } from './decimal.ts';
import type { Price } from './merchant.ts';

const BPS = 10_000;

/** The share under each rounding, in the order of the `feeRounding` interpretations. Amount ≥ 0, bps ≥ 0. */
export function sharesOf(amount: Amount, bps: number): readonly [Amount, Amount, Amount, Amount] {
  const product = amount * bps;
  if (!Number.isSafeInteger(product)) return largeShares(amount, bps);
  const rest = product % BPS;
  const floor = (product - rest) / BPS;
  return [floor, ceilingOf(floor, rest), halfUpOf(floor, rest), halfEvenOf(floor, rest)];
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

/** The roundings under which `price` asks exactly `fees` for `amount`; 0 when none does. */
export function roundingsThatFit({ amount, fees }: Charged, price: Price): InterpretationSet {
  const wanted = fees - price.flat;
  const product = amount * price.bps;
  if (!Number.isSafeInteger(product)) {
    return largeShares(amount, price.bps).reduce((set, share, i) => (share === wanted ? set | (1 << i) : set), 0);
  }
  // Every operation passes here: no list is made of the shares.
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
