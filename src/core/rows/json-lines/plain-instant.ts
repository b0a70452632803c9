// Reads the usual form of a date-time straight from its bytes, as parseInstant would. Refuses every other form.

import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../domain/instant.ts';
import type { ColumnBatch } from '../column-batch.ts';
import { QUOTE } from './plain-value.ts';

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const EARLIEST_YEAR = 1600;
/** Days from 1970-01-01 back to 1600-01-01. */
const EPOCH_DAYS = 135_140;

/** The hour that was read last for each field of a row: rows near each other share it. */
export type LastHours = Float64Array;

/** Of an hour: its first eight bytes and its last eight, each as one double, and the instant at which it begins. */
const KEPT = 3;

export function createLastHours(fields: number): LastHours {
  return new Float64Array(KEPT * fields).fill(Number.NaN);
}

/**
 * Of the instant written as `2026-01-05T08:00:00.000Z` or `2026-01-05T08:00:00Z` from `start` on, with a quote after it: writes
 * it at `at` among the numbers, and gives the offset after the quote; −1 where that is not what stands there. `field`: its
 * number in `last`. Eight bytes are compared as one double: two doubles that are equal and not zero have the same bytes.
 */
export function readPlainInstant(
  { bytes, view, numbers }: Pick<ColumnBatch<unknown>, 'bytes' | 'view' | 'numbers'>,
  start: number,
  last: LastHours,
  field: number,
  at: number,
): number {
  const isShort = bytes[start + 20] === QUOTE;
  const end = isShort ? start + 20 : start + 24;
  if (bytes[end] !== QUOTE) return -1;
  const head = view.getFloat64(start, true);
  const tail = view.getFloat64(start + 5, true);
  const kept = KEPT * field;
  if (head !== last[kept] || tail !== last[kept + 1]) {
    last[kept] = head;
    last[kept + 1] = tail;
    last[kept + 2] = readHour(bytes, start);
  }
  const hour = last[kept + 2]!;
  // What differs from `?:00`, `:00.` and `000Z`: nothing but digits, none above 9 and tens not above 5.
  const minute = view.getInt32(start + 12, true) ^ 0x30303a00;
  const second = view.getInt32(start + 16, true) ^ (isShort ? 0x5a30303a : 0x2e30303a);
  const thousandth = isShort ? 0 : view.getInt32(start + 20, true) ^ 0x5a303030;
  const odd =
    ((minute | (minute + 0x060a0000)) & 0xf0f0ff00) |
    ((second | (second + 0x00060a00)) & 0xfff0f0ff) |
    ((thousandth | (thousandth + 0x00060606)) & 0xfff0f0f0);
  if (odd !== 0 || Number.isNaN(hour)) return -1;
  const minutes = ((minute >> 16) & 15) * 10 + ((minute >> 24) & 15);
  const seconds = ((second >> 8) & 15) * 10 + ((second >> 16) & 15);
  const thousandths = (thousandth & 15) * 100 + ((thousandth >> 8) & 15) * 10 + ((thousandth >> 16) & 15);
  // Written here, for a double that is given back would take memory of its own.
  numbers[at] = hour + (minutes * MINUTE + seconds * SECOND + thousandths);
  return end + 1;
}

/** The beginning of the hour written as `2026-01-05T08`, or NaN. */
function readHour(bytes: Buffer, start: number): Instant {
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d || bytes[start + 10] !== 0x54) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  // NaN, a pair that is not two digits, fails each comparison.
  if (!(year >= EARLIEST_YEAR && month >= 1 && month <= 12 && hour <= 23)) return Number.NaN;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = isLeap && month === 2 ? 29 : DAYS_IN_MONTH[month]!;
  if (!(day >= 1 && day <= last)) return Number.NaN;
  const days = daysBeforeYear(year) + DAYS_BEFORE_MONTH[month]! + (isLeap && month > 2 ? 1 : 0) + day - 1;
  return days * DAY + hour * HOUR;
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
