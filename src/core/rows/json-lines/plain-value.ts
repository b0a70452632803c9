// Passes over one text of plain JSON: where it ends, and how its bytes are to be read. Whatever it is unsure of it refuses,
// for the strict parser. The bytes must be valid UTF-8 and end with a line feed, which ends every loop.

import { ASCII, type ByteSpan, type ColumnBatch, ESCAPED, markOf, textIn, UTF8 } from '../column-batch.ts';
import { BEGIN_HASH, END_HASH, HASH_WORD, type HashKey, hashText, LAST_BYTES } from '../hash-bytes.ts';
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

const source = `return (batch, key, start, at) => {
const { bytes, view, numbers } = batch;
${BEGIN_HASH}
let position = start | 0, seen = 0, word = view.getInt32(position, true), special = specialIn(word);
while (special === 0) {
  seen |= word;
  ${HASH_WORD}
  position += 4;
  word = view.getInt32(position, true);
  special = specialIn(word);
}
const lowest = special & -special, last = word;
seen |= word & (lowest - 1);
position += (31 - Math.clz32(lowest)) >> 3;
if (bytes[position] !== ${QUOTE}) return passEscaped(batch, key, start, at);
const length = position - start;
${END_HASH}
numbers[at] = hash;
return (position << 2) | ((seen & 0x80808080) === 0 ? ${ASCII} : ${UTF8});
};`;

/** As `passText`, in one go with the hash of the text, which is written among the batch's numbers. */
export const passHashed = new Function('specialIn', 'passEscaped', 'LAST_BYTES', source)(
  specialIn,
  passEscaped,
  LAST_BYTES,
) as (batch: ColumnBatch<unknown>, key: HashKey, start: number, at: number) => number;

function passEscaped(batch: ColumnBatch<unknown>, key: HashKey, start: number, at: number): number {
  const passed = passText(batch, start);
  if (passed < 0) return -1;
  batch.numbers[at] = hashText(key, textIn(batch, start, markOf((passed >> 2) - start, passed & 3)));
  return passed;
}
