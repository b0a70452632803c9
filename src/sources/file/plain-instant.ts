// Reads the usual form of a date-time straight from its bytes, as parseInstant would. Refuses every other form.

import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../domain/instant.ts';

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const EARLIEST_YEAR = 1600;
/** Days from 1970-01-01 back to 1600-01-01. */
const EPOCH_DAYS = 135_140;

/** The instant written as `2026-01-05T08:00:00Z` or `2026-01-05T08:00:00.000Z` between the offsets, or NaN. */
export function readPlainInstant(bytes: Buffer, start: number, end: number): Instant {
  const length = end - start;
  if ((length !== 24 && length !== 20) || bytes[end - 1] !== 0x5a) return Number.NaN;
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d || bytes[start + 10] !== 0x54) return Number.NaN;
  if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  const millisecond = length === 24 ? readMilliseconds(bytes, start + 19) : 0;
  // Each comparison is written so that NaN, a pair that is not two digits, fails it.
  if (!(year >= EARLIEST_YEAR && month >= 1 && month <= 12 && hour <= 23 && minute <= 59 && second <= 59)) {
    return Number.NaN;
  }
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lastDay = isLeap && month === 2 ? 29 : DAYS_IN_MONTH[month]!;
  if (!(day >= 1 && day <= lastDay)) return Number.NaN;
  const days = daysBeforeYear(year) + DAYS_BEFORE_MONTH[month]! + (isLeap && month > 2 ? 1 : 0) + day - 1;
  return days * DAY + hour * HOUR + minute * MINUTE + second * SECOND + millisecond;
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
