// Merchants drawn from a seed, as many as are wanted: sound ones, in all nine countries, each with
// its own lawful policy, prices, bounds and traffic. A longer draw begins with the merchants of a
// shorter one.

import { COUNTRIES, type Country, currencyOf } from '../../core/domain/amount.ts';
import { DAY, type Instant } from '../../core/domain/instant.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../model/plan.ts';
import { LAWFUL_POLICIES } from '../model/policy.ts';
import { chance, drawFrom, drawInteger, type Random, seedRandom } from '../model/random.ts';

/** Length of the history that exists at the start. */
const HISTORY = 90 * DAY;

/** By how much amounts in a currency are multiplied: a Guinean franc is worth so much less. */
const SCALES: Readonly<Record<string, number>> = { GNF: 15 };

/** Returns the plans of `BOUTIQUE_0001` and so on, with three months of history at `start`. */
export function drawnPlans(
  count: number,
  of: { readonly seed: string; readonly start: Instant },
): MerchantPlan[] {
  return Array.from({ length: count }, (_, i) => {
    const reference = `BOUTIQUE_${String(i + 1).padStart(4, '0')}`;
    const random = seedRandom(`${of.seed}/plan of ${reference}`);
    const country = COUNTRIES[i % COUNTRIES.length]!;
    return drawPlan(random, { reference, country, opensAt: of.start - HISTORY });
  });
}

function drawPlan(
  random: Random,
  { reference, country, opensAt }: Pick<MerchantPlan, 'reference' | 'country' | 'opensAt'>,
): MerchantPlan {
  const scale = SCALES[currencyOf(country) ?? ''] ?? 1;
  const alike = COUNTRIES.filter((other: Country) => currencyOf(other) === currencyOf(country));
  return planMerchant({
    reference,
    name: `Boutique ${reference.slice(-4)} (fictive)`,
    country,
    allowedCountries: chance(random, 0.3) ? alike : [country],
    opensAt,
    policy: drawFrom(random, LAWFUL_POLICIES),
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
      dailyCashoutLimit: chance(random, 0.2) ? 500_000 * scale : 0,
    },
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: drawInteger(random, { from: 3, to: 15 }),
      cashoutShare: drawInteger(random, { from: 15, to: 40 }) / 100,
      typicalAmount: drawFrom(random, [6_000, 12_000, 30_000]) * scale,
    },
  });
}
