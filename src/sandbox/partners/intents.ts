// What a partner wants next, drawn from a seed: mostly an operation of its own, at times one that it has asked for before, as a
// partner does whose connection broke, and now and then a mistake.

import type { Country } from '../../core/domain/amount.ts';
import type { MerchantPlan } from '../plan.ts';
import { drawFrom, drawInteger, drawLetters, drawUnit, type Random } from '../random.ts';
import { drawPhoneNumber, operatorsOf } from '../simulation/operators.ts';

/** The body of POST /cashin and POST /cashout. */
export interface Creation {
  readonly amount: number;
  readonly country: Country;
  readonly operator: string;
  readonly phoneNumber: string;
  readonly externalReference: string | null;
  readonly description: string | null;
}

export interface Order {
  readonly endpoint: 'cashin' | 'cashout';
  readonly key: string;
  readonly form: Creation;
}

/** Something to ask for; `ANOTHER_BODY` comes under the key of an order that was asked for before. */
export type Intent =
  | { readonly what: 'ORDER' | 'REPEAT' | 'ANOTHER_BODY'; readonly order: Order }
  /** A link that a customer pays by. */
  | { readonly what: 'LINK'; readonly link: { readonly amount: number; readonly order_id: string } }
  | { readonly what: 'LOOK' };

/** The merchant for which it asks; `hasLinks`: its countries have payments by link. */
export type Customer = Pick<MerchantPlan, 'reference' | 'country' | 'limits'> & { readonly hasLinks: boolean };

/** `made` are the orders of the last hours, oldest first; `number` tells this intent from all others of the partner. */
export function drawIntent(
  random: Random,
  customer: Customer,
  before: { readonly made: readonly Order[]; readonly number: number },
): Intent {
  const die = drawUnit(random);
  if (before.made.length > 0 && die < 0.06) return { what: 'REPEAT', order: drawFrom(random, before.made) };
  if (before.made.length > 0 && die < 0.08) {
    const order = drawFrom(random, before.made);
    return { what: 'ANOTHER_BODY', order: { ...order, form: { ...order.form, amount: order.form.amount + 1 } } };
  }
  if (die < 0.12) return { what: 'LOOK' };
  if (die < 0.3 && customer.hasLinks) return { what: 'LINK', link: drawLink(random, customer, before.number) };
  return { what: 'ORDER', order: drawOrder(random, customer, before.number) };
}

/** From 101 on, which the document asks of a test payment ("Webhooks", 7). */
function drawLink(random: Random, { reference }: Customer, number: number) {
  return { amount: drawInteger(random, { from: 101, to: 60_000 }), order_id: `panier-${reference}-${number}` };
}

/** One in thirty is above what the account allows. */
function drawOrder(random: Random, { reference, country, limits }: Customer, number: number): Order {
  const endpoint = drawUnit(random) < 0.7 ? 'cashin' : 'cashout';
  const [least, most] =
    endpoint === 'cashin'
      ? [limits.minCashinAmount, limits.maxCashinAmount]
      : [limits.minCashoutAmount, limits.maxCashoutAmount];
  const isTooMuch = drawUnit(random) < 1 / 30;
  const amount = isTooMuch ? most + 1 : drawInteger(random, { from: least, to: Math.min(most, 40 * least) });
  const form = {
    amount,
    country,
    operator: drawFrom(random, operatorsOf(country)),
    phoneNumber: drawPhoneNumber(random, country),
    externalReference: drawUnit(random) < 0.5 ? `cmd-${reference}-${number}` : null,
    description: drawUnit(random) < 0.2 ? 'Commande n° « é » ✓' : null,
  };
  return { endpoint, key: `${reference}-${number}-${drawLetters(random, 8)}`, form };
}
