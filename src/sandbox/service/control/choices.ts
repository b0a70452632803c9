// The sandbox's choices where the documents of both APIs are silent. GET /sandbox/choices lists
// them in the words of choices.json. Each is lawful under its document; none is claimed to be the
// real service's.

import { readFileSync } from 'node:fs';
import {
  BANK_FIXED,
  LEAST_LINK_AMOUNT,
  LEAST_PAYOUT,
  LINK_FEE_RATE,
  MOBILE_MONEY_RATE,
} from '../../dashboard/state.ts';
import {
  LARGEST_DOCUMENT,
  MOST_DELIVERIES,
  QUERY,
  USUAL_DELIVERIES,
} from '../dashboard/choices.ts';

export interface Choice {
  readonly subject: string;
  readonly chosen: string;
  /** The place in the document that leaves the question open. */
  readonly source: string;
}

/**
 * The choices by API and subject. In the text, `@NAME` is replaced by the value of that name in
 * `FIGURES`.
 */
const WORDS = JSON.parse(
  readFileSync(new URL('choices.json', import.meta.url), 'utf8'),
) as Readonly<Record<'direct' | 'dashboard', Readonly<Record<string, Omit<Choice, 'subject'>>>>>;

const FIGURES = {
  BANK_FIXED,
  LARGEST_DOCUMENT,
  LEAST_LINK_AMOUNT,
  LEAST_PAYOUT,
  LINK_FEE_RATE,
  MOBILE_MONEY_RATE,
  MOST_DELIVERIES,
  QUERY: Object.values(QUERY).join(', '),
  USUAL_DELIVERIES,
};

function choicesOf(api: keyof typeof WORDS): readonly Choice[] {
  const figure = (_: string, name: string): string => String(FIGURES[name as keyof typeof FIGURES]);
  return Object.entries(WORDS[api]).map(([subject, { chosen, source }]) => ({
    subject,
    chosen: chosen.replace(/@(\w+)/g, figure),
    source,
  }));
}

export const CHOICES = choicesOf('direct');
export const DASHBOARD_CHOICES = choicesOf('dashboard');
