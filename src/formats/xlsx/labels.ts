// The words of the workbook by language, and how figures are put into them.

import type { Language } from '../../statements/statement.ts';
import ENGLISH from './labels.en.json' with { type: 'json' };
import FRENCH from './labels.fr.json' with { type: 'json' };

/** Every language has the same words to find. Names of sheets hold no apostrophe: print titles break on it. */
export type Labels = typeof FRENCH;

const LABELS: Readonly<Record<Language, Labels>> = { fr: FRENCH, en: ENGLISH };

export function labelsOf(language: Language): Labels {
  return LABELS[language];
}

/** `{name}` becomes the value of that name; a name without a value stays. Values are not searched again. */
export function fillIn(words: string, values: Readonly<Record<string, string | number>>): string {
  return words.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

/** A figure inside a sentence: digits in threes, whatever the language. */
export function groupDigits(figure: number): string {
  return String(figure).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** The first sheet has the name itself, the next is its second part. */
export function partName(name: string, part: number): string {
  return part === 0 ? name : `${name} ${part + 1}`;
}
