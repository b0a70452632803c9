// Passes over one value of plain JSON: where it ends, and for a text how its bytes are to be read. Whatever it is unsure of
// it refuses, for the strict parser. The bytes must be valid UTF-8 and end with a line feed, which ends every loop.

import { ASCII, ESCAPED, UTF8 } from './column-batch.ts';
import { BACKSLASH, passEscape } from './plain-escape.ts';
import type { ByteSpan } from './plain-instant.ts';

export const QUOTE = 0x22;

/** 1 for the bytes that may simply be passed inside a text: ASCII but for control characters, quote and backslash. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte >= 0x80 || byte === QUOTE || byte === BACKSLASH ? 0 : 1,
);

/**
 * Of the text whose first character stands at `start`: four times the offset of the quote that ends it, and how its bytes are
 * to be read; −1 when it is not sound. `lastWord`: the last offset at which four bytes can be read.
 */
export function passText({ bytes, view }: ByteSpan, start: number, lastWord: number): number {
  let position = start | 0;
  let kind = ASCII;
  for (;;) {
    while (position <= lastWord && isPlainWord(view.getInt32(position, true))) position += 4;
    while (IS_PLAIN[bytes[position]!] === 1) position += 1;
    const byte = bytes[position]!;
    if (byte >= 0x80) {
      if (kind === ASCII) kind = UTF8;
      position += 1;
    } else if (byte === BACKSLASH) {
      kind = ESCAPED;
      position = passEscape(bytes, position) | 0;
      if (position < 0) return -1;
    } else break;
  }
  return bytes[position] === QUOTE ? (position << 2) | kind : -1;
}

/**
 * True when all four bytes may be passed. A byte below n borrows into its highest bit when n is taken off; bytes equal
 * to the quote or the backslash become 0 first, which is below 1. A byte beyond ASCII says so itself by its highest bit.
 * A borrow may reach the next byte, and then only makes the answer false.
 */
function isPlainWord(word: number): boolean {
  const special = ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101) | (word - 0x20202020) | word;
  return (special & 0x80808080) === 0;
}
