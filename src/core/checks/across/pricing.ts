// Commissions as priced. The profile states today's price and has no history: a stretch of operations that all fit one
// other price is a change of price, a single one that fits no price is a finding.

import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import { roundingsThatFit, sharesOf } from '../../domain/decimal.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { Merchant, Price } from '../../domain/merchant.ts';
import type { Operation, OperationStatus, OperationType } from '../../domain/operation.ts';
import { operationDraft, operationEvidence } from '../port/check.ts';

/** A charge that no stated price explains. */
export type Charge = Pick<Operation, 'reference' | 'type' | 'amount' | 'fees' | 'createdAt'>;

export interface Misfit extends Charge {
  /** As of the newest version that was taken. */
  readonly status: OperationStatus;
}

export interface PricingState {
  /** By the operation's reference. */
  readonly misfits: Map<string, Misfit>;
  /** The first operations of each type that a stated price explains, by creation: an earlier price may explain them too. */
  earlyFits: Record<OperationType, Charge[]>;
}

/** This many operations in a row that share one other price are a change of price. */
const STRETCH = 4;
/** A stretch at the beginning of the books with more operations than this that fit both prices has enough that fit one. */
const EARLY = 40;

export function beginPricing(): PricingState {
  return { misfits: new Map(), earlyFits: { CASHIN: [], CASHOUT: [] } };
}

/** Takes one operation's charge. Returns the roundings that a stated price allows for it (0: none, or no profile). */
export function takeCharge(state: PricingState, operation: Operation, profiles: readonly Merchant[]): number {
  if (profiles.length === 0) return 0;
  const { type } = operation;
  let fits = 0;
  for (const { pricing } of profiles) {
    fits |= roundingsThatFit(operation, type === 'CASHIN' ? pricing.cashin : pricing.cashout);
  }
  if (fits === 0) state.misfits.set(operation.reference, misfitOf(operation));
  else noteEarly(state.earlyFits[type], operation);
  return fits;
}

/** Takes a newer version of an operation whose charge was taken, and is the same. */
export function retakeCharge({ misfits }: PricingState, operation: Operation): void {
  if (misfits.has(operation.reference)) misfits.set(operation.reference, misfitOf(operation));
}

function misfitOf(operation: Operation): Misfit {
  return { ...chargeOf(operation), status: operation.status };
}

function chargeOf({ reference, type, amount, fees, createdAt }: Operation): Charge {
  return { reference, type, amount, fees, createdAt };
}

/** Whatever order they come in, the first by creation are kept. */
function noteEarly(early: Charge[], operation: Operation): void {
  if (early.length < EARLY || compareCharges(early[EARLY - 1]!, operation) > 0) keepEarly(early, chargeOf(operation));
}

function keepEarly(early: Charge[], charge: Charge): void {
  const at = early.findIndex((one) => compareCharges(charge, one) < 0);
  early.splice(at < 0 ? early.length : at, 0, charge);
  if (early.length > EARLY) early.pop();
}

function compareCharges(a: Order, b: Order): number {
  return a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0);
}

type Order = Pick<Charge, 'createdAt' | 'reference'>;

function statedPrices(profiles: readonly Merchant[], type: OperationType): readonly Price[] {
  return profiles.map((profile) => (type === 'CASHIN' ? profile.pricing.cashin : profile.pricing.cashout));
}

interface LearnedPrice {
  readonly first: Charge;
  /** Every price that all charges so far fit; later ones narrow it. Never empty. */
  candidates: readonly Price[];
  charges: number;
}

export function judgePricing(
  state: PricingState,
  profiles: readonly Merchant[],
  standing: Standing,
): readonly FindingDraft[] {
  const known = (charge: Charge): boolean =>
    statedPrices(profiles, charge.type).some((price) => roundingsThatFit(charge, price) !== 0);
  const misfits = [...state.misfits.values()].filter((charge) => !known(charge)).sort(compareCharges);
  const cashin = learnPrices(misfits.filter((charge) => charge.type === 'CASHIN'));
  const cashout = learnPrices(misfits.filter((charge) => charge.type === 'CASHOUT'));
  const changed = cashin.learned.length + cashout.learned.length > 0;
  return [cashin, cashout].flatMap(({ learned, left }) => {
    const early = earlierPrice(left, state, changed);
    const drafts = [...learned, ...(early === null ? [] : [early])].map(describeChange);
    return early === null ? [...drafts, ...left.map((charge) => describeMisfit(charge, profiles, standing))] : drafts;
  });
}

function learnPrices(charges: readonly Charge[]): { learned: LearnedPrice[]; left: Charge[] } {
  const learned: LearnedPrice[] = [];
  let left: Charge[] = [];
  for (const charge of charges) {
    if (learned.some((price) => accept(price, charge))) continue;
    left.push(charge);
    const stretch = left.slice(-STRETCH);
    const candidates = stretch.length < STRETCH ? [] : pricesThatFit(stretch);
    if (candidates.length === 0) continue;
    const price: LearnedPrice = { first: stretch[0]!, candidates, charges: 0 };
    learned.push(price);
    left = left.filter((one) => !accept(price, one));
  }
  return { learned, left };
}

function accept(price: LearnedPrice, charge: Charge): boolean {
  const still = price.candidates.filter((candidate) => roundingsThatFit(charge, candidate) !== 0);
  if (still.length === 0) return false;
  price.candidates = still;
  price.charges += 1;
  return true;
}

/**
 * A stretch with too few misfits to prove itself: the first operations of the books, up to the last one that misfits, all
 * share one price, some of them the stated one as well. It counts when the other type changed price too, or when there are
 * two misfits at least and the price is a round one or the stretch as long as any other.
 */
function earlierPrice(left: readonly Charge[], state: PricingState, changed: boolean): LearnedPrice | null {
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
  return isProved ? { first: stretch[0]!, candidates, charges: stretch.length } : null;
}

/** Every price (whole basis points up to 100 %, whole flat part) that all charges fit under some rounding. */
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
      if (charges.every((charge) => roundingsThatFit(charge, { bps, flat }) !== 0)) found.push({ bps, flat });
    }
  }
  return found;
}

function describeChange({ first, candidates, charges }: LearnedPrice): FindingDraft {
  const roundest = [...candidates].sort((a, b) => (a.bps % 10) + (a.flat % 5) - (b.bps % 10) - (b.flat % 5))[0]!;
  const { reference, type, createdAt: newestEvidence } = first;
  const evidence = [operationEvidence(reference, `${candidates.length} price(s) fit`)];
  const figures = { reference, charges, type, ...roundest };
  return operationDraft('PRICING_CHANGED', figures, { evidence, newestEvidence, about: first });
}

/** The price in force last, rounded as other fees are: half up where that may be. */
function describeMisfit(charge: Charge, profiles: readonly Merchant[], { feeRounding }: Standing): FindingDraft {
  const price = statedPrices(profiles, charge.type).at(-1)!;
  const shares = sharesOf(charge.amount, price.bps);
  const isHalfUp = includes(feeRounding, BITS.feeRounding.HALF_UP);
  const due = (isHalfUp ? shares[2] : shares.find((_, i) => (feeRounding & (1 << i)) !== 0)!) + price.flat;
  const { reference, amount, fees, createdAt: newestEvidence } = charge;
  const figures = { reference, amount, fees, ...price, due };
  return operationDraft('FEE_NOT_AS_PRICED', figures, { expected: due, actual: fees, newestEvidence, about: charge });
}
