// Clean ledgers: simulated from a seed under one of the lawful interpretations of the documents,
// tiny to long, in nine countries. The same seed gives the same ledger.

import type { Books, MerchantPlan } from '../../src/sandbox/model/plan.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, drawInteger, seedRandom } from '../../src/sandbox/model/random.ts';
import { simulateBooks } from '../../test/support/simulate-books.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** tiny: 2 to 20 lines · short: about 100 to 400 · long: about 10,000 · vast: about 100,000. */
export const SIZES = ['tiny', 'short', 'long', 'vast'] as const;
export type Size = (typeof SIZES)[number];

/** Countries with one currency each, so that a ledger may be in any of the three. */
const MARKETS = [['CI', 'SN'], ['BF', 'ML'], ['TG'], ['BJ', 'NE'], ['CM'], ['GN']] as const;
/**
 * Amounts in Guinean francs are so many times as large, because the franc is worth so much less.
 */
const GUINEA = 15;

interface LedgerWish {
  readonly seed: string;
  readonly number: number;
  readonly size: Size;
  readonly alterPlan?: ((plan: MerchantPlan) => MerchantPlan) | undefined;
}

/**
 * Draws the ledger of a number. The number chooses the interpretation; all else follows from the
 * seed.
 */
export function drawLedger(wish: LedgerWish): Books {
  const { seed, number, size, alterPlan = (plan) => plan } = wish;
  for (let attempt = 0; ; attempt += 1) {
    const { plan: drawn, days } = drawPlan(`${seed}/${number}/${attempt}`, number, size);
    const plan = alterPlan(drawn);
    const books = simulateBooks(plan, {
      seed: `${seed}/${number}/${attempt}`,
      until: plan.opensAt + days * DAY,
    });
    const { length } = books.entries;
    if (size !== 'tiny' || (length >= 2 && length <= 20)) return books;
  }
}

/** Returns the books of one merchant at three instants, a day apart. */
export function drawNights({
  seed,
  number,
}: Pick<LedgerWish, 'seed' | 'number'>): readonly Books[] {
  const { plan, days } = drawPlan(`${seed}/${number}`, number, 'short');
  return [0, 1, 2].map((more) =>
    simulateBooks(plan, { seed: `${seed}/${number}`, until: plan.opensAt + (days + more) * DAY }),
  );
}

function drawPlan(
  seed: string,
  number: number,
  size: Size,
): { readonly plan: MerchantPlan; readonly days: number } {
  const random = seedRandom(`${seed}/plan`);
  const countries = drawFrom(random, MARKETS);
  const scale = countries[0] === 'GN' ? GUINEA : 1;
  const operationsPerDay = {
    tiny: 8,
    short: drawInteger(random, { from: 8, to: 14 }),
    long: 140,
    vast: 1_400,
  }[size];
  const plan = planMerchant({
    reference: `M${String(number).padStart(5, '0')}`,
    country: countries[0],
    allowedCountries: [...countries],
    // Neighbours in the list of policies differ in one answer only. A stride that is prime to the
    // list's length meets all of them.
    policy: LAWFUL_POLICIES[(number * 37) % LAWFUL_POLICIES.length]!,
    pricing: {
      cashinFeeBps: drawInteger(random, { from: 4, to: 10 }) * 25,
      cashinFeeFlat: drawFrom(random, [0, 0, 10, 25]) * scale,
      cashoutFeeBps: drawInteger(random, { from: 2, to: 6 }) * 25,
      cashoutFeeFlat: drawFrom(random, [0, 25, 50, 100]) * scale,
    },
    limits: {
      minCashinAmount: 200 * scale,
      maxCashinAmount: 2_000_000 * scale,
      minCashoutAmount: 500 * scale,
      maxCashoutAmount: 1_500_000 * scale,
      dailyCashoutLimit: drawFrom(random, [0, 0, 0, 500_000]) * scale,
    },
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay,
      cashoutShare: drawInteger(random, { from: 25, to: 40 }) / 100,
      reversalRate: 0.06,
      adjustmentsPerMonth: size === 'tiny' ? 10 : 4,
      paymentsPerDay: 0,
      typicalAmount: drawFrom(random, [6_000, 12_000, 30_000]) * scale,
    },
  });
  return {
    plan,
    days: size === 'tiny' ? drawInteger(random, { from: 8, to: 30 }) / 24 : drawDays(size, random),
  };
}

function drawDays(size: Size, random: ReturnType<typeof seedRandom>): number {
  return size === 'short' ? drawInteger(random, { from: 5, to: 14 }) : 31;
}
