// How reports and the command line speak: English, with amounts in threes and instants as they are stored. The language of
// `message` in reports, whatever the language of a document.

import type { FindingSpeech } from './finding.ts';
import { LABELS } from './tree.ts';

/** A whole amount: `1 234 567`, with a plain space, and a real minus sign. */
export function money(amount: string | number | bigint): string {
  const text = amount.toString();
  const digits = text.replace('-', '').replace(/\B(?=(\d{3})+$)/g, ' ');
  return text.startsWith('-') ? `−${digits}` : digits;
}

export const ENGLISH: FindingSpeech = {
  language: 'en',
  words: LABELS.en,
  // A figure that somebody else states may be no whole number, and of any length.
  number: (text) => (/^-?\d+$/.test(text) ? money(text) : text).slice(0, 80),
  time: String,
};
