// Compares commissions with the price of the account. The profile states today's price and has no
// history. So operations in a row that all fit one other price show a change of price, from the
// first of them to the last; that price excuses no operation outside of them. A commission that
// fits no price is a finding.

import { BITS, includes, type Standing } from '../../../domain/assumptions.ts';
import { roundingsThatFit, sharesOf } from '../../../domain/decimal.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import type { FindingFigures } from '../../../domain/finding-kind.ts';
import type { Merchant, Price } from '../../../domain/merchant.ts';
import type { Operation, OperationStatus, OperationType } from '../../../domain/operation.ts';
import { operationDraft, operationEvidence } from '../port/check.ts';

/** The commission of an operation, with the fields that a price must explain it by. */
export type Charge = Pick<Operation, 'reference' | 'type' | 'amount' | 'fees' | 'createdAt'>;

/** A charge that no price explained which was stated by then. */
export interface Misfit extends Charge {
  /** The state in the newest version of the operation. */
  readonly status: OperationStatus;
}

/** The charges that a stated price explains between one misfit and the next. */
interface Run {
  /** The misfit at which the run begins; `null` for the run at the beginning of the books. */
  readonly from: Order | null;
  /**
   * The first STRETCH and the last STRETCH charges of the run, by creation, in whatever order they
   * arrive. Only a misfit that arrives after the charges around it may split a run whose middle was
   * dropped.
   */
  charges: Charge[];
}

export interface PricingState {
  /** Misfits by the reference of their operation. */
  readonly misfits: Map<string, Misfit>;
  /** Runs of each type, in the order of creation. */
  readonly runs: Record<OperationType, Run[]>;
  /**
   * The first operations of each type that a stated price explains, by creation: an earlier price
   * may explain them too.
   */
  earlyFits: Record<OperationType, Charge[]>;
}

/**
 * How many operations in a row decide: this many that share one other price are a change of price,
 * and this many that do not fit that price end it.
 */
const STRETCH = 4;
/**
 * Whole units. A charge counts between misfits only if its fee, or a hundredth of its amount, is at
 * least this: smaller charges fit nearly any price.
 */
const TELLING = 10;
/**
 * How many early fits are kept. If this many operations at the beginning of the books fit both
 * prices, enough of them also fit only one, so that no early stretch needs to be assumed.
 */
const EARLY = 40;

export function beginPricing(): PricingState {
  const runs = (): Run[] => [{ from: null, charges: [] }];
  return {
    misfits: new Map(),
    runs: { CASHIN: runs(), CASHOUT: runs() },
    earlyFits: { CASHIN: [], CASHOUT: [] },
  };
}

/**
 * Takes one operation's charge. Returns the roundings that a stated price allows for it (0: none,
 * or no profile).
 */
export function takeCharge(
  state: PricingState,
  operation: Operation,
  profiles: readonly Merchant[],
): number {
  if (profiles.length === 0) return 0;
  const { type } = operation;
  let fits = 0;
  for (const { pricing } of profiles) {
    fits |= roundingsThatFit(operation, type === 'CASHIN' ? pricing.cashin : pricing.cashout);
  }
  if (fits === 0) {
    state.misfits.set(operation.reference, misfitOf(operation));
    splitRun(state.runs[type], operation);
  } else {
    noteEarly(state.earlyFits[type], operation);
    noteBetween(state.runs[type], operation);
  }
  return fits;
}

/** Returns the index of the run in which a charge of that creation and reference lies. */
function runAt(runs: readonly Run[], at: Order): number {
  return runs.findLastIndex(({ from }) => from === null || compareCharges(from, at) < 0);
}

function splitRun(runs: Run[], { createdAt, reference }: Operation): void {
  const from = { createdAt, reference };
  const at = runAt(runs, from);
  const { charges } = runs[at]!;
  const later = charges.filter((charge) => compareCharges(charge, from) > 0);
  runs[at]!.charges = charges.slice(0, charges.length - later.length);
  runs.splice(at + 1, 0, { from, charges: later });
}

function noteBetween(runs: readonly Run[], operation: Operation): void {
  if (Math.max(operation.fees, operation.amount / 100) < TELLING) return;
  const { charges } = runs[runAt(runs, operation)]!;
  const at = charges.findLastIndex((one) => compareCharges(one, operation) < 0) + 1;
  if (charges.length === 2 * STRETCH && at === STRETCH) return;
  charges.splice(at, 0, chargeOf(operation));
  if (charges.length > 2 * STRETCH) charges.splice(STRETCH, 1);
}

/** Takes a newer version of an operation whose charge was taken before and has not changed. */
export function retakeCharge({ misfits }: PricingState, operation: Operation): void {
  if (misfits.has(operation.reference)) misfits.set(operation.reference, misfitOf(operation));
}

function misfitOf(operation: Operation): Misfit {
  return { ...chargeOf(operation), status: operation.status };
}

function chargeOf({ reference, type, amount, fees, createdAt }: Operation): Charge {
  return { reference, type, amount, fees, createdAt };
}

/** Keeps the charge if it is among the first by creation, in whatever order charges arrive. */
function noteEarly(early: Charge[], operation: Operation): void {
  if (early.length < EARLY || compareCharges(early[EARLY - 1]!, operation) > 0)
    keepEarly(early, chargeOf(operation));
}

function keepEarly(early: Charge[], charge: Charge): void {
  const at = early.findIndex((one) => compareCharges(charge, one) < 0);
  early.splice(at < 0 ? early.length : at, 0, charge);
  if (early.length > EARLY) early.pop();
}

function compareCharges(a: Order, b: Order): number {
  return (
    a.createdAt - b.createdAt ||
    (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0)
  );
}

type Order = Pick<Charge, 'createdAt' | 'reference'>;

function statedPrices(profiles: readonly Merchant[], type: OperationType): readonly Price[] {
  return profiles.map((profile) =>
    type === 'CASHIN' ? profile.pricing.cashin : profile.pricing.cashout,
  );
}

interface LearnedPrice {
  /**
   * Every price that all `charges` so far fit. Further charges narrow the list, which is never
   * empty.
   */
  candidates: readonly Price[];
  /** The charges at this price, in the order of creation; at least one. */
  charges: Charge[];
}

/** A misfit, and the kept charges since the misfit before it, which stated prices explain. */
interface Spaced {
  readonly charge: Charge;
  readonly between: readonly Charge[];
}

export function judgePricing(
  state: PricingState,
  profiles: readonly Merchant[],
  standing: Standing,
): readonly FindingDraft[] {
  const byType = (['CASHIN', 'CASHOUT'] as const).map((type) =>
    learnPrices(spacedMisfits(state, statedPrices(profiles, type), type)),
  );
  const changed = byType.some(({ learned }) => learned.length > 0);
  return byType.flatMap(({ learned, left }) => {
    const early = earlierPrice(left, state, changed);
    const known = [...learned, ...(early === null ? [] : [early])];
    const drafts = known.map((price) => describeChange(price, profiles, standing));
    return early === null
      ? [...drafts, ...left.map((charge) => describeMisfit(charge, profiles, standing))]
      : drafts;
  });
}

/** Returns the charges that no price stated by now explains, by creation. */
function spacedMisfits(
  { misfits, runs }: PricingState,
  stated: readonly Price[],
  type: OperationType,
): Spaced[] {
  const spaced: Spaced[] = [];
  let between: Charge[] = [];
  for (const { from, charges } of runs[type]) {
    const charge = from === null ? undefined : misfits.get(from.reference);
    if (charge !== undefined && fitsOne(charge, stated)) between.push(charge);
    else if (charge !== undefined) {
      spaced.push({ charge, between });
      between = [];
    }
    between.push(...charges);
  }
  return spaced;
}

function fitsOne(charge: Charge, prices: readonly Price[]): boolean {
  return prices.some((price) => roundingsThatFit(charge, price) !== 0);
}

function learnPrices(misfits: readonly Spaced[]): { learned: LearnedPrice[]; left: Charge[] } {
  const learned: LearnedPrice[] = [];
  // For each learned price: how many charges since its last one do not fit it.
  const others = new Map<LearnedPrice, number>();
  let left: Spaced[] = [];
  let since: Charge[] = [];
  for (const { charge, between } of misfits) {
    since.push(...between);
    for (const price of learned)
      others.set(price, (others.get(price) ?? 0) + countOthers(price, between));
    const inForce = learned.find((price) => others.get(price)! < STRETCH && accept(price, charge));
    if (inForce !== undefined) {
      others.set(inForce, 0);
      since.push(charge);
      continue;
    }
    left.push({ charge, between: since });
    since = [];
    const price = priceOfStretch(left.slice(-STRETCH));
    if (price === null) continue;
    learned.push(price);
    left = takeBack(left, price);
  }
  return { learned, left: left.map(({ charge }) => charge) };
}

function countOthers({ candidates }: LearnedPrice, charges: readonly Charge[]): number {
  return charges.filter((charge) => !fitsOne(charge, candidates)).length;
}

/**
 * Returns the price that STRETCH misfits in a row share, where no charge between them has another
 * price; `null` where they share none.
 */
function priceOfStretch(stretch: readonly Spaced[]): LearnedPrice | null {
  if (stretch.length < STRETCH) return null;
  const candidates = pricesThatFit(stretch.map(({ charge }) => charge));
  const price = { candidates, charges: [] };
  const isRow =
    candidates.length > 0 &&
    stretch.slice(1).every(({ between }) => countOthers(price, between) === 0);
  return isRow ? price : null;
}

/**
 * Moves to `price` the stretch itself, and the misfits before it at that price. Returns the
 * remaining misfits.
 */
function takeBack(left: readonly Spaced[], price: LearnedPrice): Spaced[] {
  let others = 0;
  const kept = left.toReversed().filter(({ charge, between }) => {
    const isOfPrice = others < STRETCH && accept(price, charge);
    others = (isOfPrice ? 0 : others) + countOthers(price, between);
    return !isOfPrice;
  });
  price.charges.reverse();
  return kept.reverse();
}

function accept(price: LearnedPrice, charge: Charge): boolean {
  const still = price.candidates.filter((candidate) => roundingsThatFit(charge, candidate) !== 0);
  if (still.length === 0) return false;
  price.candidates = still;
  price.charges.push(charge);
  return true;
}

/**
 * Finds an earlier price at the beginning of the books, where too few misfits prove it by
 * themselves: the first operations, up to the last misfit, all share one price, and some fit the
 * stated price as well. It counts when the other type changed price too. It also counts when there
 * are at least two misfits and the price is a round one, or the stretch has STRETCH operations.
 */
function earlierPrice(
  left: readonly Charge[],
  state: PricingState,
  changed: boolean,
): LearnedPrice | null {
  const [first, last] = [left[0], left.at(-1)];
  if (first === undefined || last === undefined) return null;
  const early = state.earlyFits[first.type];
  const both = early.filter((charge) => compareCharges(charge, last) < 0);
  if (both.length === EARLY) return null;
  const stretch = [...left, ...both].sort(compareCharges);
  const candidates = pricesThatFit(stretch);
  if (candidates.length === 0) return null;
  const isRound = candidates.some(({ bps, flat }) => bps % 10 === 0 && flat % 5 === 0);
  const isProved = changed || (left.length >= 2 && (isRound || stretch.length >= STRETCH));
  return isProved ? { candidates, charges: stretch } : null;
}

/**
 * Returns every price (whole basis points up to 100 %, whole flat part) that all charges fit under
 * some rounding.
 */
function pricesThatFit(charges: readonly Charge[]): readonly Price[] {
  const byAmount = [...charges].sort((a, b) => a.amount - b.amount);
  const low = byAmount[0]!;
  const high = byAmount.at(-1)!;
  const spread = high.amount - low.amount;
  const rise = high.fees - low.fees;
  const least = spread === 0 ? 0 : Math.max(0, Math.ceil(((rise - 1) * 10_000) / spread));
  const most = spread === 0 ? 10_000 : Math.min(10_000, Math.floor(((rise + 1) * 10_000) / spread));
  const found: Price[] = [];
  for (let bps = least; bps <= most; bps++) {
    const flats = new Set(sharesOf(low.amount, bps).map((share) => low.fees - share));
    for (const flat of flats) {
      if (flat < 0) continue;
      if (charges.every((charge) => roundingsThatFit(charge, { bps, flat }) !== 0))
        found.push({ bps, flat });
    }
  }
  return found;
}

function describeChange(
  { candidates, charges }: LearnedPrice,
  profiles: readonly Merchant[],
  standing: Standing,
): FindingDraft {
  const roundest = [...candidates].sort(
    (a, b) => (a.bps % 10) + (a.flat % 5) - (b.bps % 10) - (b.flat % 5),
  )[0]!;
  const [first, last] = [charges[0]!, charges.at(-1)!];
  const { reference, type, createdAt: newestEvidence } = first;
  const moved = charges.reduce(
    (sum, charge) => sum + BigInt(charge.fees - dueAsStated(charge, profiles, standing)),
    0n,
  );
  const than: FindingFigures['PRICING_CHANGED']['than'] =
    moved > 0n ? 'MORE' : moved < 0n ? 'LESS' : 'AS_MUCH';
  const evidence = [
    operationEvidence(reference, `${candidates.length} price(s) fit`),
    ...(last === first ? [] : [operationEvidence(last.reference, 'the last one')]),
  ];
  const sums = { last: last.reference, than, moved: moved < 0n ? -moved : moved };
  const figures = { reference, charges: charges.length, type, ...roundest, ...sums };
  return operationDraft('PRICING_CHANGED', figures, { evidence, newestEvidence, about: first });
}

/**
 * Returns the fee by the price that is stated last. It is rounded half up if that is among the
 * standing interpretations, else by the first rounding that is.
 */
function dueAsStated(
  charge: Charge,
  profiles: readonly Merchant[],
  { feeRounding }: Standing,
): number {
  const price = statedPrices(profiles, charge.type).at(-1)!;
  const shares = sharesOf(charge.amount, price.bps);
  const isHalfUp = includes(feeRounding, BITS.feeRounding.HALF_UP);
  return (
    (isHalfUp ? shares[2] : shares.find((_, i) => (feeRounding & (1 << i)) !== 0)!) + price.flat
  );
}

function describeMisfit(
  charge: Charge,
  profiles: readonly Merchant[],
  standing: Standing,
): FindingDraft {
  const due = dueAsStated(charge, profiles, standing);
  const { reference, amount, fees, createdAt: newestEvidence } = charge;
  const figures = { reference, amount, fees, ...statedPrices(profiles, charge.type).at(-1)!, due };
  return operationDraft('FEE_NOT_AS_PRICED', figures, {
    expected: due,
    actual: fees,
    newestEvidence,
    about: charge,
  });
}
