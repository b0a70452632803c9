// Payments by link of a simulated merchant, as they stand at an instant. Each day's are drawn from the seed and the day
// alone, so they need no state and leave the wallet's operations, another population, untouched.

import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../domain/instant.ts';
import { LINK_LIFETIME, type PaymentStatus } from '../../domain/payment.ts';
import type { MerchantPlan } from '../plan.ts';
import { chance, drawFrom, drawInteger, drawLetters, drawUuid, drawWait, type Random, seedRandom } from '../random.ts';
import { writeInstant } from '../simulation/instant-text.ts';
import { drawPhoneNumber } from '../simulation/operators.ts';
import { LINK_COUNTRIES, type LinkCountry, type LinkOperator, type ServedPayment } from './served-dashboard.ts';

/** The sandbox's own table: the document does not show which operator serves which country. */
const OPERATORS_OF: Readonly<Record<LinkCountry, readonly LinkOperator[]>> = {
  CI: ['orange', 'mtn', 'moov', 'wave', 'visa'],
  BF: ['orange', 'moov', 'visa'],
  ML: ['orange', 'moov', 'wave'],
  CM: ['orange', 'mtn', 'visa'],
};

/** A payment and when its outcome was known. */
export interface LinkPayment {
  readonly createdAt: Instant;
  readonly settledAt: Instant;
  readonly outcome: Exclude<PaymentStatus, 'PENDING'>;
  /** As served once it is settled. */
  readonly served: ServedPayment;
}

/** Countries of the merchant in which payments by link exist; none: the merchant has no dashboard. */
export function linkCountriesOf(plan: MerchantPlan): readonly LinkCountry[] {
  return LINK_COUNTRIES.filter((country) => plan.allowedCountries.includes(country));
}

/** Payments created up to and including `now`, ascending in createdAt, with their outcomes still to come. */
export function linkPayments(plan: MerchantPlan, run: { readonly seed: string; readonly now: Instant }): LinkPayment[] {
  const countries = linkCountriesOf(plan);
  const payments: LinkPayment[] = [];
  if (countries.length === 0) return payments;
  for (let day = Math.floor(plan.opensAt / DAY); day * DAY <= run.now; day += 1) {
    const random = seedRandom(`${run.seed}/${plan.reference}/links/${day}`);
    const count = drawInteger(random, { from: 0, to: 2 * plan.traffic.paymentsPerDay });
    for (let number = 1; number <= count; number += 1) {
      const payment = drawPayment(random, { plan, countries, day, number });
      if (payment.createdAt >= plan.opensAt && payment.createdAt <= run.now) payments.push(payment);
    }
  }
  return payments.sort((a, b) => a.createdAt - b.createdAt || (a.served.reference < b.served.reference ? -1 : 1));
}

/** The payment as the API serves it at `now`: PENDING until its outcome is known. */
export function servedAt(payment: LinkPayment, now: Instant): ServedPayment {
  return payment.settledAt <= now ? payment.served : { ...payment.served, status: 'PENDING' };
}

function drawPayment(
  random: Random,
  at: {
    readonly plan: MerchantPlan;
    readonly countries: readonly LinkCountry[];
    readonly day: number;
    readonly number: number;
  },
): LinkPayment {
  const { plan, day, number } = at;
  const createdAt = day * DAY + drawInteger(random, { from: 0, to: DAY - 1 });
  const fate = drawFate(random);
  const country = drawFrom(random, at.countries);
  const operator = drawFrom(random, OPERATORS_OF[country]);
  const code = `${day.toString(36)}${number.toString(36).padStart(2, '0')}`.toUpperCase();
  return {
    createdAt,
    settledAt: createdAt + fate.after,
    outcome: fate.outcome,
    served: {
      id: drawUuid(random),
      reference: `PAY${drawLetters(random, 4)}${code}`,
      amount: 101 + drawWait(random, plan.traffic.typicalAmount),
      country,
      provider: drawFrom(random, ['agrégateur-a', 'agrégateur-b']),
      order_id: `CMD-${day}-${number}`,
      senderNumber: drawPhoneNumber(random, country),
      senderOperateur: drawCasing(random, operator),
      metadata: drawFrom(random, [{}, { panier: number }, { note: 'livré "à la main"', étages: [1, null] }]),
      status: fate.outcome,
      createdAt: writeInstant(createdAt),
    },
  };
}

/** Paid within the hour, refused soon, or never answered: then the link expires after 24 hours. */
function drawFate(random: Random): { readonly outcome: LinkPayment['outcome']; readonly after: number } {
  if (chance(random, 0.08)) return { outcome: 'FAILED', after: LINK_LIFETIME };
  if (chance(random, 0.1)) return { outcome: 'FAILED', after: drawInteger(random, { from: 5 * SECOND, to: HOUR }) };
  const longest = chance(random, 0.15) ? LINK_LIFETIME - MINUTE : 30 * MINUTE;
  return { outcome: 'SUCCESS', after: drawInteger(random, { from: 5 * SECOND, to: longest }) };
}

/** "Casing varies." */
function drawCasing(random: Random, operator: LinkOperator): string {
  const capital = operator[0]!.toUpperCase() + operator.slice(1);
  return drawFrom(random, [operator, capital, capital, operator.toUpperCase()]);
}
