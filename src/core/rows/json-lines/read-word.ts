// Reads a word of a JSON text and writes its code: most often that of a word met lately, of which the bytes are compared as they
// stand, its quote included. Refuses what `passText` refuses.

import { type ColumnBatch, markOf } from '../column-batch.ts';
import { LONGEST_TEXT } from '../take-fields.ts';
import { codeOfWord, GUESSES, lengthOfQuoted, type WordCodes } from '../word-codes.ts';
import { passText } from './plain-value.ts';

/** Offset after the quote of the word that begins at `start`, whose code is written at `at` among the batch's words, or −1. */
export function readWord(batch: ColumnBatch<unknown>, codes: WordCodes, start: number, at: number): number {
  const { view, words } = batch;
  // What follows a short word is nearly always the same too: the key that comes next.
  const first = view.getInt32(start, true) ^ Math.imul(view.getInt32(start + 4, true), 0x9e3779b1);
  const mixed = Math.imul(first ^ Math.imul(view.getInt32(start + 8, true), 0x7feb352d), 0x85ebca6b);
  const guess = (mixed >>> 16) & (GUESSES - 1);
  const met = codes.guesses[guess]!;
  const lengthMet = met === 0 ? -1 : lengthOfQuoted(batch, codes, met, start);
  if (lengthMet >= 0) {
    words[at] = met;
    return start + lengthMet + 1;
  }
  const passed = passText(batch, start);
  const length = (passed >> 2) - start;
  if (length < 0 || length > LONGEST_TEXT) return -1;
  const code = codeOfWord(batch, codes, start, markOf(length, passed & 3));
  words[at] = code;
  codes.guesses[guess] = code;
  return start + length + 1;
}
