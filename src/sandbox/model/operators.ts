// The words that operations are made of: operators, countries, phone numbers, free text. The
// document does not show which operator serves which country, so this table is the sandbox's own.
// Free text is like that of real partners, with accents, emoji, quotes, markup, formulas and line
// breaks. All of it is made up, and must come through unchanged.

import { readFileSync } from 'node:fs';
import type { Country } from '../../core/domain/amount.ts';
import { chance, drawFrom, drawInteger, type Random } from './random.ts';
import type { Operator } from './served.ts';

/**
 * For each country its operators, the dialling prefix, and the number of digits after the prefix.
 */
const NETWORKS: Readonly<
  Record<
    Country,
    { readonly operators: readonly Operator[]; readonly prefix: string; readonly digits: number }
  >
> = {
  CI: { operators: ['ORANGE', 'MTN', 'MOOV', 'WAVE', 'DJAMO'], prefix: '+225', digits: 10 },
  BF: { operators: ['ORANGE', 'MOOV', 'WAVE'], prefix: '+226', digits: 8 },
  ML: { operators: ['ORANGE', 'MOOV', 'WAVE'], prefix: '+223', digits: 8 },
  SN: { operators: ['ORANGE', 'WAVE'], prefix: '+221', digits: 9 },
  TG: { operators: ['MOOV'], prefix: '+228', digits: 8 },
  BJ: { operators: ['MTN', 'MOOV'], prefix: '+229', digits: 10 },
  NE: { operators: ['ORANGE', 'MOOV'], prefix: '+227', digits: 8 },
  CM: { operators: ['ORANGE', 'MTN'], prefix: '+237', digits: 9 },
  GN: { operators: ['ORANGE', 'MTN'], prefix: '+224', digits: 9 },
};

export function operatorsOf(country: Country): readonly Operator[] {
  return NETWORKS[country].operators;
}

/**
 * Draws a phone number in E.164 with the country's length. It begins with 00 after the prefix, as
 * no subscriber's number does.
 */
export function drawPhoneNumber(random: Random, country: Country): string {
  const { prefix, digits } = NETWORKS[country];
  const number = drawInteger(random, { from: 0, to: 10 ** (digits - 2) - 1 });
  return `${prefix}00${String(number).padStart(digits - 2, '0')}`;
}

/**
 * Returns a number as a caller writes it in E.164; `null` when it has not the country's length or
 * prefix.
 */
export function e164Of(text: string, country: Country): string | null {
  const { prefix, digits } = NETWORKS[country];
  const plain = text.replace(/[ .()-]/g, '').replace(/^00/, '+');
  const international = plain.startsWith('+') ? plain : `${prefix}${plain}`;
  const subscriber = international.startsWith(prefix) ? international.slice(prefix.length) : '';
  return subscriber.length === digits && /^\d+$/.test(subscriber) ? international : null;
}

/**
 * Lists of free text. `adjustmentReasons` has no `null`, because an adjustment without a reason
 * would be a fault. `lineLabels` is by kind of line.
 */
export const FREE_TEXTS = JSON.parse(
  readFileSync(new URL('free-texts.json', import.meta.url), 'utf8'),
) as {
  readonly [List in 'descriptions' | 'counterparties' | 'adjustmentReasons']: readonly string[];
} & { readonly lineLabels: Readonly<Record<string, string>> };

export function drawDescription(random: Random): string | null {
  return chance(random, 0.4) ? null : drawFrom(random, FREE_TEXTS.descriptions);
}

/** Draws a made-up name, or `null`. */
export function drawCounterpartyName(random: Random): string | null {
  if (chance(random, 0.25)) return null;
  return `${drawFrom(random, FREE_TEXTS.counterparties)} ${drawInteger(random, { from: 1, to: 9999 })}`;
}

export function drawLineDescription(random: Random, kind: string): string | null {
  return chance(random, 0.5) ? null : (FREE_TEXTS.lineLabels[kind] ?? null);
}

/**
 * Draws free partner data (`metadata`), or `null`. `number` makes it differ from one operation to
 * the next.
 */
export function drawMetadata(
  random: Random,
  number: number,
): Readonly<Record<string, unknown>> | null {
  switch (drawInteger(random, { from: 0, to: 4 })) {
    case 0:
      return { panier: number, note: drawFrom(random, FREE_TEXTS.descriptions) };
    case 1:
      return { canal: 'boutique', étage: null, articles: [{ code: `A-${number}`, quantité: 2 }] };
    case 2:
      return {};
    default:
      return null;
  }
}

/** Draws the partner's own reference, or `null`. `number` makes it unique within the merchant. */
export function drawExternalReference(random: Random, number: number): string | null {
  switch (drawInteger(random, { from: 0, to: 9 })) {
    case 0:
      return null;
    case 1:
      return `Facture n°${number} – été`;
    case 2:
      return `cmd/${number}?"x"&y=<${number}>`;
    default:
      return `CMD-${String(number).padStart(6, '0')}`;
  }
}
