// Packs the columns of a row of PostgreSQL's COPY text format.

import type { ByteSpan } from '../packed/byte-span.ts';
import { type Packer, packString, packText, shareText } from '../packed/pack.ts';
import { NO_TEXT } from '../packed/slab.ts';
import { type Cursor, readText } from './copy-text.ts';

const TAB = 9;
const BACKSLASH = 92;

/** A text up to the next tab or `end`, which rows share with none; `NO_TEXT` for `\\N`. */
export function packColumn(packer: Packer, span: ByteSpan, cursor: Cursor, end: number): number {
  const start = cursor.at;
  const stop = endOfPlain(span, start, end);
  if (stop < 0) return packEscaped(packer, span, cursor, end);
  cursor.at = (stop >> 1) + 1;
  return packText(packer, span, start, stop >> 1, (stop & 1) === 0);
}

/** As `packColumn`, for a text that neighbouring rows have too. */
export function shareColumn(packer: Packer, span: ByteSpan, cursor: Cursor, end: number): number {
  const start = cursor.at;
  // At the end of what was received there may not be enough to compare.
  if (start + 4 > span.bytes.length) return packColumn(packer, span, cursor, end);
  const stop = endOfPlain(span, start, end);
  if (stop < 0) return packEscaped(packer, span, cursor, end);
  cursor.at = (stop >> 1) + 1;
  return shareText(packer, span, start, stop >> 1, (stop & 1) === 0);
}

/** Null, or a text with escapes. */
function packEscaped(packer: Packer, { bytes }: ByteSpan, cursor: Cursor, end: number): number {
  const text = readText(bytes, cursor, end);
  return text === null ? NO_TEXT : packString(packer, text);
}

/** The offset after the text, doubled, and odd where it is not ASCII alone; −1 where it has a backslash. */
function endOfPlain({ bytes, view }: ByteSpan, start: number, end: number): number {
  let at = start;
  while (at + 4 <= end && isPlainWord(view.getInt32(at, true))) at += 4;
  let bits = 0;
  for (; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte === TAB) break;
    if (byte === BACKSLASH) return -1;
    bits |= byte;
  }
  return at * 2 + (bits < 128 ? 0 : 1);
}

/** True when none of the four bytes ends a text, or is anything but ASCII. A borrow may only make the answer false. */
function isPlainWord(word: number): boolean {
  const special = ((word ^ 0x09090909) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101) | word;
  return (special & 0x80808080) === 0;
}
