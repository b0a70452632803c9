// Values of COPY's binary format, as whatever the column holds, for the decoders to judge. What is of the plainest form is
// read faster (`rows/copy-binary/enter-copied.ts`).

import { isUtf8 } from 'node:buffer';
import type { CopySlots } from '../../../core/rows/copy-binary/copy-rows.ts';
import { readJsonNumber } from '../../../core/rows/decode-object.ts';
import type { TableColumn } from './table-of-part.ts';

/** 2000-01-01T00:00:00Z, PostgreSQL's epoch, in milliseconds. */
const EPOCH = 946_684_800_000;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The value of any field, as a decoder wants it; a bigint where a number could not hold it. */
export function readValue(slots: CopySlots, index: number, column: TableColumn): unknown {
  const length = slots.lengths[index]!;
  if (length < 0) return null;
  const start = slots.starts[index]!;
  if (column.form === 'int8') return asNumber(slots.bytes.readBigInt64BE(start));
  if (column.form === 'microseconds') return instantText(slots.bytes.readBigInt64BE(start));
  const text = slots.bytes.toString('utf8', start, start + length);
  if (column.form === 'digits') return JSON_NUMBER.test(text) ? readJsonNumber(text) : text;
  if (column.field.form === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  if (column.field.form === 'texts') return listOf(text);
  return text;
}

/** What the field holds, for people: the raw row of a refusal. */
export function showValue(slots: CopySlots, index: number, column: TableColumn): string {
  const value = readValue(slots, index, column);
  if (typeof value === 'bigint') return value.toString();
  if (column.form === 'digits' && slots.lengths[index]! >= 0) {
    return slots.bytes.toString('utf8', slots.starts[index]!, slots.starts[index]! + slots.lengths[index]!);
  }
  return JSON.stringify(value);
}

/** True when a field of text is not UTF-8: a database in SQL_ASCII may hold any bytes. */
export function isBadText(slots: CopySlots, index: number): boolean {
  const start = slots.starts[index]!;
  const length = slots.lengths[index]!;
  return length > 0 && !isUtf8(slots.bytes.subarray(start, start + length));
}

function asNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function instantText(microseconds: bigint): string {
  const instant = Number(microseconds / 1_000n) + EPOCH - (microseconds % 1_000n < 0n ? 1 : 0);
  const isTellable = Number.isSafeInteger(instant) && Math.abs(instant) <= 8.64e15;
  if (isTellable) return new Date(instant).toISOString();
  return microseconds > 0n ? 'infinity' : '-infinity';
}

function listOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
