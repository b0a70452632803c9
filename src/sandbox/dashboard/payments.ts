// Payments by link of a simulated merchant: those of a day are drawn from the seed and the day alone, one that a call makes from
// the number of the call. The wallet's operations, another population, are left untouched.

import type { Amount } from '../../core/domain/amount.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../core/domain/instant.ts';
import { LINK_LIFETIME, type PaymentStatus } from '../../core/domain/payment.ts';
import type { MerchantPlan } from '../plan.ts';
import { chance, drawFrom, drawInteger, drawLetters, drawUuid, drawWait, type Random, seedRandom } from '../random.ts';
import { writeInstant } from '../simulation/instant-text.ts';
import { drawPhoneNumber } from '../simulation/operators.ts';
import { LINK_COUNTRIES, type LinkCountry, type LinkOperator, type ServedPayment } from './served-dashboard.ts';
import { LEAST_LINK_AMOUNT, linkFees } from './terms.ts';

/** The sandbox's own table: the document does not show which operator serves which country. */
const OPERATORS_OF: Readonly<Record<LinkCountry, readonly LinkOperator[]>> = {
  CI: ['orange', 'mtn', 'moov', 'wave', 'visa'],
  BF: ['orange', 'moov', 'visa'],
  ML: ['orange', 'moov', 'wave'],
  CM: ['orange', 'mtn', 'visa'],
};

export type LinkOutcome = Exclude<PaymentStatus, 'PENDING'>;

/** A payment and when its outcome is known. */
export interface LinkPayment {
  readonly createdAt: Instant;
  settledAt: Instant;
  outcome: LinkOutcome;
  /** Charged where it succeeds, in hundredths of a unit. */
  readonly fees: number;
  /** As served once it has succeeded. */
  readonly served: ServedPayment;
}

/** What a call that makes a link says of it. */
export interface LinkWish {
  readonly amount: Amount;
  readonly country: LinkCountry;
  readonly orderId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Countries of the merchant in which payments by link exist; none: the merchant has no dashboard. */
export function linkCountriesOf(plan: MerchantPlan): readonly LinkCountry[] {
  return LINK_COUNTRIES.filter((country) => plan.allowedCountries.includes(country));
}

/** Payments of one day since the account opened, ascending in createdAt. */
export function paymentsOfDay(plan: MerchantPlan, day: number, seed: string): readonly LinkPayment[] {
  const countries = linkCountriesOf(plan);
  const random = seedRandom(`${seed}/${plan.reference}/links/${day}`);
  const count = drawInteger(random, { from: 0, to: 2 * plan.traffic.paymentsPerDay });
  const payments: LinkPayment[] = [];
  for (let number = 1; number <= count; number += 1) {
    const payment = drawPayment(random, { plan, countries, day, number });
    if (payment.createdAt >= plan.opensAt) payments.push(payment);
  }
  return payments.sort((a, b) => a.createdAt - b.createdAt || (a.served.reference < b.served.reference ? -1 : 1));
}

/** A link that a call has made. `isDrawn` false: nobody pays it unless somebody decides so, and it expires. */
export function callPayment(
  { amount, country, orderId, metadata }: LinkWish,
  call: { readonly seed: string; readonly number: number; readonly now: Instant; readonly isDrawn: boolean },
): LinkPayment {
  const random = seedRandom(`${call.seed}/called link ${call.number}`);
  const fate = drawFate(random);
  const code = `Z${call.number.toString(36).toUpperCase().padStart(4, '0')}`;
  return {
    createdAt: call.now,
    settledAt: call.now + (call.isDrawn ? fate.after : LINK_LIFETIME),
    outcome: call.isDrawn ? fate.outcome : 'FAILED',
    fees: linkFees(amount),
    served: {
      id: drawUuid(random),
      reference: `PAY${drawLetters(random, 4)}${code}`,
      amount,
      country,
      provider: drawProvider(random),
      order_id: orderId,
      senderNumber: drawPhoneNumber(random, country),
      senderOperateur: drawCasing(random, drawFrom(random, OPERATORS_OF[country])),
      metadata,
      status: 'SUCCESS',
      createdAt: writeInstant(call.now),
    },
  };
}

/** The payment as the API serves it at `now`: PENDING until its outcome is known. */
export function servedAt({ settledAt, outcome, served }: LinkPayment, now: Instant): ServedPayment {
  return { ...served, status: settledAt <= now ? outcome : 'PENDING' };
}

function drawProvider(random: Random): string {
  return drawFrom(random, ['agrégateur-a', 'agrégateur-b']);
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
  const [id, letters] = [drawUuid(random), drawLetters(random, 4)];
  const amount = LEAST_LINK_AMOUNT + drawWait(random, plan.traffic.typicalAmount);
  return {
    createdAt,
    settledAt: createdAt + fate.after,
    outcome: fate.outcome,
    fees: linkFees(amount),
    served: {
      id,
      reference: `PAY${letters}${code}`,
      amount,
      country,
      provider: drawProvider(random),
      order_id: `CMD-${day}-${number}`,
      senderNumber: drawPhoneNumber(random, country),
      senderOperateur: drawCasing(random, operator),
      metadata: drawFrom(random, [{}, { panier: number }, { note: 'livré "à la main"', étages: [1, null] }]),
      status: 'SUCCESS',
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
