// Reads the usual form of a date-time straight from its bytes, as parseInstant would. Refuses every other form.

import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../domain/instant.ts';

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const EARLIEST_YEAR = 1600;
/** Days from 1970-01-01 back to 1600-01-01. */
const EPOCH_DAYS = 135_140;

/** The day that was read last: neighbouring dates nearly always share it. Its ten bytes, as eight and two. */
const lastDay = { head: 0, tail: 0, midnight: Number.NaN };

/** Bytes, and the view that reads them four and eight at a time. */
export interface ByteSpan {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** The instant written as `2026-01-05T08:00:00Z` or `2026-01-05T08:00:00.000Z` between the offsets, or NaN. */
export function readPlainInstant(span: ByteSpan, start: number, end: number): Instant {
  const { bytes, view } = span;
  const length = end - start;
  if ((length !== 24 && length !== 20) || bytes[end - 1] !== 0x5a) return Number.NaN;
  if (bytes[start + 10] !== 0x54 || bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return Number.NaN;
  // Eight bytes compared as one double: two doubles that are equal and not zero have the same bytes.
  const head = view.getFloat64(start, true);
  const tail = view.getInt16(start + 8, true);
  if (head !== lastDay.head || tail !== lastDay.tail) {
    const midnight = readDay(bytes, start);
    if (Number.isNaN(midnight)) return Number.NaN;
    Object.assign(lastDay, { head, tail, midnight });
  }
  const hour = twoDigits(bytes, start + 11);
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  const millisecond = length === 24 ? readMilliseconds(bytes, start + 19) : 0;
  // NaN, a pair that is not two digits, fails each comparison; NaN milliseconds make the sum NaN.
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  return lastDay.midnight + hour * HOUR + minute * MINUTE + second * SECOND + millisecond;
}

/** Midnight of the day written as `2026-01-05`, or NaN. */
function readDay(bytes: Buffer, start: number): Instant {
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if (!(year >= EARLIEST_YEAR && month >= 1 && month <= 12)) return Number.NaN;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = isLeap && month === 2 ? 29 : DAYS_IN_MONTH[month]!;
  if (!(day >= 1 && day <= last)) return Number.NaN;
  return (daysBeforeYear(year) + DAYS_BEFORE_MONTH[month]! + (isLeap && month > 2 ? 1 : 0) + day - 1) * DAY;
}

function daysBeforeYear(year: number): number {
  const years = year - EARLIEST_YEAR;
  const leapDays =
    years === 0 ? 0 : ((years + 3) >> 2) - Math.floor((years + 99) / 100) + Math.floor((years + 399) / 400);
  return years * 365 + leapDays - EPOCH_DAYS;
}

function twoDigits(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - 0x30;
  const units = bytes[at + 1]! - 0x30;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : Number.NaN;
}

function readMilliseconds(bytes: Buffer, at: number): number {
  const units = bytes[at + 3]! - 0x30;
  return bytes[at] === 0x2e && units >= 0 && units <= 9 ? twoDigits(bytes, at + 1) * 10 + units : Number.NaN;
}
