// Packs the columns of a row in PostgreSQL's COPY binary format ("COPY", Binary Format): each is its length and so many
// bytes. What it reads was never written as digits, and needs no search for its end.

import type { ByteSpan } from '../packed/byte-span.ts';
import { type Packer, packText, shareText } from '../packed/pack.ts';
import { NO_TEXT } from '../packed/slab.ts';
import type { Cursor } from './copy-text.ts';

const TWO_TO_32 = 2 ** 32;

/** A bigint that is a safe integer; the caller knows that the column is not null. */
export function readBigint({ view }: ByteSpan, cursor: Cursor): number {
  const at = cursor.at + 4;
  cursor.at = at + 8;
  return view.getInt32(at) * TWO_TO_32 + view.getUint32(at + 4);
}

/** As `readBigint`, for a column that may be null: NaN then. */
export function readNullableBigint(span: ByteSpan, cursor: Cursor): number {
  if (span.view.getInt32(cursor.at) >= 0) return readBigint(span, cursor);
  cursor.at += 4;
  return Number.NaN;
}

export function readFlag({ bytes }: ByteSpan, cursor: Cursor): boolean {
  const at = cursor.at + 4;
  cursor.at = at + 1;
  return bytes[at] === 1;
}

/** A text that rows share with none; `NO_TEXT` for null. */
export function packColumn(packer: Packer, span: ByteSpan, cursor: Cursor): number {
  const start = cursor.at + 4;
  const length = span.view.getInt32(cursor.at);
  cursor.at = length < 0 ? start : start + length;
  return length < 0 ? NO_TEXT : packText(packer, span, start, start + length);
}

/** As `packColumn`, for a text that neighbouring rows have too. */
export function shareColumn(packer: Packer, span: ByteSpan, cursor: Cursor): number {
  const start = cursor.at + 4;
  const length = span.view.getInt32(cursor.at);
  cursor.at = length < 0 ? start : start + length;
  if (length < 0) return NO_TEXT;
  // At the end of what was received there may not be enough to compare.
  const isComparable = start + 4 <= span.bytes.length;
  return isComparable ? shareText(packer, span, start, start + length) : packText(packer, span, start, start + length);
}
