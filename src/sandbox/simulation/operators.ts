// Operators, countries and phone numbers. The document does not show which operator serves which country: this table is
// the sandbox's own, and so is the choice of operators that send the payer to a page.

import type { Country } from '../../core/domain/amount.ts';
import { drawInteger, type Random } from '../random.ts';
import type { Operator } from '../served.ts';

const OPERATORS_OF: Readonly<Record<Country, readonly Operator[]>> = {
  CI: ['ORANGE', 'MTN', 'MOOV', 'WAVE', 'DJAMO'],
  BF: ['ORANGE', 'MOOV', 'WAVE'],
  ML: ['ORANGE', 'MOOV', 'WAVE'],
  SN: ['ORANGE', 'WAVE'],
  TG: ['MOOV'],
  BJ: ['MTN', 'MOOV'],
  NE: ['ORANGE', 'MOOV'],
  CM: ['ORANGE', 'MTN'],
  GN: ['ORANGE', 'MTN'],
};

/** Dialling prefix and digits that follow it. */
const NUMBERING: Readonly<Record<Country, { readonly prefix: string; readonly digits: number }>> = {
  CI: { prefix: '+225', digits: 10 },
  BF: { prefix: '+226', digits: 8 },
  ML: { prefix: '+223', digits: 8 },
  SN: { prefix: '+221', digits: 9 },
  TG: { prefix: '+228', digits: 8 },
  BJ: { prefix: '+229', digits: 10 },
  NE: { prefix: '+227', digits: 8 },
  CM: { prefix: '+237', digits: 9 },
  GN: { prefix: '+224', digits: 9 },
};

export function operatorsOf(country: Country): readonly Operator[] {
  return OPERATORS_OF[country];
}

/** True when the payer is sent to `payerActionUrl`. */
export function needsRedirect(operator: Operator): boolean {
  return operator === 'WAVE' || operator === 'DJAMO';
}

/** E.164, of the country's length. Begins with 00 after the prefix, which no subscriber's number does. */
export function drawPhoneNumber(random: Random, country: Country): string {
  const { prefix, digits } = NUMBERING[country];
  const number = drawInteger(random, { from: 0, to: 10 ** (digits - 2) - 1 });
  return `${prefix}00${String(number).padStart(digits - 2, '0')}`;
}

/** A number as somebody writes it, as E.164; null when it is not of the country's length or prefix. */
export function e164Of(text: string, country: Country): string | null {
  const { prefix, digits } = NUMBERING[country];
  const plain = text.replace(/[ .()-]/g, '').replace(/^00/, '+');
  const international = plain.startsWith('+') ? plain : `${prefix}${plain}`;
  const subscriber = international.startsWith(prefix) ? international.slice(prefix.length) : '';
  return subscriber.length === digits && /^\d+$/.test(subscriber) ? international : null;
}
