// Passes over one text of plain JSON: where it ends, and how its bytes are to be read. Whatever it is unsure of it refuses,
// for the strict parser. The bytes must be valid UTF-8 and end with a line feed, which ends every loop.

import { ASCII, type ByteSpan, type ColumnBatch, ESCAPED, markOf, UTF8 } from '../column-batch.ts';
import { type HashKey, hashBytes, hashText } from '../hash-bytes.ts';
import { LONGEST_TEXT } from '../take-fields.ts';
import { codeOfWord, type WordCodes } from '../word-codes.ts';
import { BACKSLASH, passEscape } from './plain-escape.ts';

export const QUOTE = 0x22;

/**
 * Of the text whose first character stands at `start`: four times the offset of the quote that ends it, and how its bytes are
 * to be read; −1 when it is not sound. Three bytes after the line feed must be readable.
 */
export function passText({ bytes, view }: ByteSpan, start: number): number {
  let position = start | 0;
  let isEscaped = false;
  let seen = 0;
  for (;;) {
    let word = view.getInt32(position, true);
    let special = specialIn(word);
    while (special === 0) {
      seen |= word;
      position += 4;
      word = view.getInt32(position, true);
      special = specialIn(word);
    }
    const lowest = special & -special;
    seen |= word & (lowest - 1);
    position += (31 - Math.clz32(lowest)) >> 3;
    const byte = bytes[position];
    if (byte === QUOTE) break;
    if (byte !== BACKSLASH) return -1;
    isEscaped = true;
    position = passEscape(bytes, position) | 0;
    if (position < 0) return -1;
  }
  return (position << 2) | (isEscaped ? ESCAPED : (seen & 0x80808080) === 0 ? ASCII : UTF8);
}

/**
 * The highest bit of each of the four bytes that may not simply be passed: control characters, quote and backslash. A byte
 * below n borrows into its highest bit when n is taken off; bytes equal to the quote or the backslash become 0 first, which is
 * below 1. A borrow may reach the bytes above: only the lowest bit is sure. Bytes beyond ASCII are passed.
 */
function specialIn(word: number): number {
  const borrowed = ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101) | (word - 0x20202020);
  return borrowed & ~word & 0x80808080;
}

/** `passed`: as `passText` gives it. The hash of the text's bytes without escapes. */
export function hashPassed({ bytes, view }: ByteSpan, key: HashKey, start: number, passed: number): number {
  const end = passed >> 2;
  if ((passed & 3) !== ESCAPED) return hashBytes(key, view, start, end - start);
  return hashText(key, JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string);
}

/** Writes the code of the word that begins at `start` among the batch's words, and gives the offset after its quote, or −1. */
export function readWord(batch: ColumnBatch<unknown>, codes: WordCodes, start: number, at: number): number {
  const passed = passText(batch, start);
  const length = (passed >> 2) - start;
  if (length < 0 || length > LONGEST_TEXT) return -1;
  batch.words[at] = codeOfWord(batch, codes, start, markOf(length, passed & 3));
  return (passed >> 2) + 1;
}
