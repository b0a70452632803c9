// Writes a whole amount in words, as accounts are closed with: "cinq millions de francs CFA". Knows
// no nouns of currencies.

import { toCardinal as inEnglish } from 'n2words/en-GB';
import { toCardinal as inFrench } from 'n2words/fr-FR';
import type { Language } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/finding.ts';
import type { Labels } from '../../../core/words/tree.ts';

/**
 * Writes an amount with the currency's noun where the labels have one, and otherwise with its code.
 */
export function sumInWords(
  amount: number,
  currency: string,
  { labels, language }: { readonly labels: Pick<Labels, 'due'>; readonly language: Language },
): string {
  const { nouns } = labels.due;
  const noun = Object.hasOwn(nouns, currency) ? nouns[currency as keyof typeof nouns] : currency;
  return amountInWords(amount, noun, language);
}

/**
 * Writes an amount with a noun, which may depend on the count: "zéro franc", "deux francs". French
 * says "un million de francs", and "un million cent francs".
 */
export function amountInWords(amount: number, noun: string, language: Language): string {
  const counted = fill(noun, { count: amount }, { language, number: String, time: String });
  if (language === 'en') return `${inEnglish(amount)} ${counted}`;
  const isRound = amount !== 0 && amount % 1_000_000 === 0;
  return `${inFrench(amount)} ${isRound ? 'de ' : ''}${counted}`;
}

/** Elides "de" before "un", as French does: "à la somme d’un million". */
export function elided(sentence: string): string {
  return sentence.replace(/ de (?=une? )/gu, ' d’');
}
