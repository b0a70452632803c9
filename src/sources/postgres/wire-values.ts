// Values of COPY's binary format. Two readings of each: a fast one that gives NaN where the value is not of the plain
// kind, and an exact one that gives whatever the column holds, for the decoders to judge.

import { isUtf8 } from 'node:buffer';
import type { Instant } from '../../domain/instant.ts';
import { readJsonNumber } from '../../rows/json-number.ts';
import type { RowSlots } from './row-slots.ts';
import type { TableColumn, WireForm } from './table-of-part.ts';

/** 2000-01-01T00:00:00Z, PostgreSQL's epoch, in milliseconds. */
const EPOCH = 946_684_800_000;
/** The years 1600 to 9999 are plain; of the others the decoders say what they read. */
const EARLIEST = Date.UTC(1600, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const TWO_TO_32 = 2 ** 32;
const REPLACEMENT = '\ufffd';
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function isNull(slots: RowSlots, index: number): boolean {
  return slots.lengths[index]! < 0;
}

/** A whole number from either form, or NaN when it is null, no whole number, or not surely safe. */
export function readInteger(slots: RowSlots, index: number, form: WireForm): number {
  const start = slots.starts[index]!;
  const length = slots.lengths[index]!;
  if (form === 'integer') {
    if (length !== 8) return Number.NaN;
    const value = slots.bytes.readInt32BE(start) * TWO_TO_32 + slots.bytes.readUInt32BE(start + 4);
    return Number.isSafeInteger(value) ? value : Number.NaN;
  }
  return form === 'digits' ? readDigits(slots.bytes, start, length) : Number.NaN;
}

/** Up to 15 digits, perhaps with a minus; NaN for anything else. */
function readDigits(bytes: Buffer, start: number, length: number): number {
  const isNegative = bytes[start] === 0x2d;
  const first = isNegative ? start + 1 : start;
  const end = start + length;
  if (end <= first || end - first > 15) return Number.NaN;
  let value = 0;
  for (let at = first; at < end; at += 1) {
    const digit = bytes[at]! - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return isNegative ? 0 - value : value;
}

/** An instant from microseconds, cut to the millisecond; NaN when it is null, infinite or far off. */
export function readInstant(slots: RowSlots, index: number, form: WireForm): Instant {
  if (form !== 'microseconds' || slots.lengths[index] !== 8) return Number.NaN;
  const start = slots.starts[index]!;
  const microseconds = slots.bytes.readInt32BE(start) * TWO_TO_32 + slots.bytes.readUInt32BE(start + 4);
  if (!Number.isSafeInteger(microseconds)) return Number.NaN;
  const instant = Math.floor(microseconds / 1_000) + EPOCH;
  return instant >= EARLIEST && instant <= LATEST ? instant : Number.NaN;
}

/** A text of 1 to `longest` bytes, or null when it is anything that the decoders should look at. */
export function readText(slots: RowSlots, index: number, longest: number): string | null {
  const length = slots.lengths[index]!;
  if (length < 1 || length > longest) return null;
  const start = slots.starts[index]!;
  const text = slots.bytes.toString('utf8', start, start + length);
  return text.includes(REPLACEMENT) ? null : text;
}

/** The value of any field, as a decoder wants it; a bigint where a number could not hold it. */
export function readValue(slots: RowSlots, index: number, column: TableColumn): unknown {
  const length = slots.lengths[index]!;
  if (length < 0) return null;
  const start = slots.starts[index]!;
  if (column.form === 'integer') return asNumber(slots.bytes.readBigInt64BE(start));
  if (column.form === 'microseconds') return instantText(slots.bytes.readBigInt64BE(start));
  const text = slots.bytes.toString('utf8', start, start + length);
  if (column.form === 'digits') return JSON_NUMBER.test(text) ? readJsonNumber(text) : text;
  if (column.field.kind === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  if (column.field.kind === 'texts') return listOf(text);
  return text;
}

/** What the field holds, for people: the raw row of a refusal. */
export function showValue(slots: RowSlots, index: number, column: TableColumn): string {
  const value = readValue(slots, index, column);
  if (typeof value === 'bigint') return value.toString();
  if (column.form === 'digits' && slots.lengths[index]! >= 0) {
    return slots.bytes.toString('utf8', slots.starts[index]!, slots.starts[index]! + slots.lengths[index]!);
  }
  return JSON.stringify(value);
}

/** True when a field of text is not UTF-8: a database in SQL_ASCII may hold any bytes. */
export function isBadText(slots: RowSlots, index: number): boolean {
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
