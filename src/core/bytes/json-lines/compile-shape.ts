// Compiles the shape of a line into one function that reads such lines: it compares each literal
// and writes each value in turn, and looks nothing up. The source contains only numbers: no text of
// a file or of a table ever gets into it.

import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../domain/instant.ts';
import { type ColumnBatch, markOf } from '../../domain/rows/column-batch.ts';
import { LONGEST_TEXT } from '../../domain/rows/decode-object.ts';
import {
  hashPlaceOf,
  isNullable,
  limitsOf,
  numberOf,
  openRow,
  wordPlaceOf,
  writeNull,
  writeText,
} from '../../domain/rows/field-source.ts';
import type { HashKey } from '../../domain/rows/hash-bytes.ts';
import type { PlacedField, RowTable } from '../../domain/rows/row-table.ts';
import {
  codeOfWord,
  GUESSES,
  lengthOfQuoted,
  type WordCodes,
} from '../../domain/rows/word-codes.ts';
import { type LineShape, NO_OBJECT, UNMAPPED_FIELD } from './line-shape.ts';
import {
  FALS_WORD,
  NULL_WORD,
  passHashed,
  passText,
  QUOTE,
  skipValue,
  TRUE_WORD,
} from './plain-value.ts';

/**
 * Reads the line at `at` into the columns of the batch's next row, and returns the offset after its
 * line feed. Returns −1 when the line does not have the shape, or a value is not in its plainest
 * form; what was written into the columns is then to be ignored.
 */
export type ReadShape = (
  batch: ColumnBatch<unknown>,
  at: number,
  key: HashKey,
  codes: WordCodes,
) => number;

const MOST_DIGITS = 15;
const OPENING = Buffer.from([QUOTE]);

const HELPERS = { passHashed, passText, readPlainInstant, readWord, skipValue };

export function compileShape(shape: LineShape, table: RowTable<unknown>): ReadShape {
  const { fields } = table;
  const parts = [
    `const { ${Object.keys(HELPERS).join(', ')} } = helpers;`,
    'return (batch, at, key, codes) => {',
    openRow(table),
    'let position = at | 0, start = 0, passed = 0, length = 0, figure = 0, digit = 0;',
  ];
  shape.fields.forEach((place, value) => {
    const field = fields[place];
    const isOpened = field !== undefined && isQuoted(field) && !mayBeNull(field);
    parts.push(
      passLiteral(
        isOpened ? Buffer.concat([shape.literals[value]!, OPENING]) : shape.literals[value]!,
      ),
    );
    if (place === UNMAPPED_FIELD)
      parts.push('position = skipValue(batch, position, 0);', refuseIf('position < 0'));
    else if (place === NO_OBJECT)
      parts.push(refuseIf(`view.getInt32(position, true) !== ${NULL_WORD}`), 'position += 4;');
    else parts.push(readField(field!, value));
  });
  parts.push(passLiteral(shape.tail), ...shape.absent.map((field) => writeNull(fields[field]!)));
  parts.push(
    'if (bytes[position] === 13) position += 1;',
    'return bytes[position] === 10 ? position + 1 : -1;',
    '};',
  );
  const allowed = shape.fields.map((place) => fields[place]?.allowed);
  const make = new Function('helpers', 'allowed', 'last', parts.join('\n'));
  return make(HELPERS, allowed, createLastHours(shape.fields.length)) as ReadShape;
}

function refuseIf(condition: string): string {
  return `if (${condition}) return -1;`;
}

/**
 * Returns source that compares a literal. Eight bytes are compared as one double, because two equal
 * doubles other than zero have equal bytes. Bytes beyond ASCII may form NaN, which equals nothing,
 * so that such literals are compared four bytes at a time. The last comparison overlaps the one
 * before.
 */
function passLiteral(literal: Uint8Array): string {
  const view = new DataView(literal.buffer, literal.byteOffset, literal.length);
  const unlike: string[] = [];
  const widest = literal.every((byte) => byte < 0x7f) ? 8 : 4;
  const size = literal.length >= widest ? widest : literal.length >= 4 ? 4 : 1;
  for (let at = 0; at < literal.length; at += size) {
    const delta = Math.min(at, literal.length - size);
    if (size === 8)
      unlike.push(`view.getFloat64(position + ${delta}, true) !== ${view.getFloat64(delta, true)}`);
    else if (size === 4)
      unlike.push(`view.getInt32(position + ${delta}, true) !== ${view.getInt32(delta, true)}`);
    else unlike.push(`bytes[position + ${delta}] !== ${literal[delta]}`);
  }
  return `${refuseIf(unlike.join(' || '))} position += ${literal.length};`;
}

function isQuoted({ form }: PlacedField): boolean {
  return form !== 'integer' && form !== 'flag';
}

function mayBeNull(field: PlacedField): boolean {
  return isNullable(field) && !field.isRequiredInside;
}

/** Returns source that reads a field, or null. `value` is the number of the value in the shape. */
function readField(field: PlacedField, value: number): string {
  const read = readForm(field, value);
  if (!mayBeNull(field)) return read;
  const opened = isQuoted(field)
    ? `${refuseIf(`bytes[position] !== ${QUOTE}`)} position += 1;`
    : '';
  return `if (view.getInt32(position, true) === ${NULL_WORD}) { ${writeNull(field)} position += 4; } else {
${opened} ${read}
}`;
}

/**
 * Returns source that reads a value that is not null. A quoted value is read from the character
 * after its opening quote on.
 */
function readForm(field: PlacedField, value: number): string {
  if (field.form === 'integer') return readInteger(field);
  if (field.form === 'flag') return readFlag(field);
  if (field.form === 'instant') return readInstant(field, value);
  return field.store === 'word' ? readWordOf(field, value) : readText(field);
}

function readInteger(field: PlacedField): string {
  return `start = bytes[position] === 45 ? position + 1 : position;
figure = 0; passed = start;
for (digit = bytes[passed] - 48; digit >= 0 && digit <= 9; digit = bytes[passed] - 48) { figure = figure * 10 + digit; passed += 1; }
length = passed - start;
if (length === 0 || length > ${MOST_DIGITS} || (bytes[start] === 48 && length > 1)) return -1;
${numberOf(field)} = start === position || figure === 0 ? figure : -figure;
position = passed;`;
}

function readFlag(field: PlacedField): string {
  return `figure = view.getInt32(position, true);
if (figure === ${TRUE_WORD}) { words[${wordPlaceOf(field)}] = 1; position += 4; }
else if (figure === ${FALS_WORD} && bytes[position + 4] === 101) { words[${wordPlaceOf(field)}] = 0; position += 5; }
else return -1;`;
}

function readInstant({ place }: PlacedField, value: number): string {
  return `position = readPlainInstant(batch, position, last, ${value}, number + ${place});
if (position < 0) return -1;`;
}

function readWordOf(field: PlacedField, value: number): string {
  const isRefused =
    field.form === 'one-of' ? ` || allowed[${value}][words[${wordPlaceOf(field)}]] !== 1` : '';
  return `position = readWord(batch, codes, position, ${wordPlaceOf(field)});
if (position < 0${isRefused}) return -1;`;
}

/**
 * Limits of length are compared with bytes, of which a text has at least as many as characters. A
 * text refused too early is read by the strict decoder.
 */
function readText(field: PlacedField): string {
  const [least, most] = limitsOf(field);
  const isHashed = field.hashPlace >= 0;
  const pass = isHashed
    ? `passHashed(batch, key, position, ${hashPlaceOf(field)})`
    : 'passText(batch, position)';
  return `passed = ${pass};
length = (passed >> 2) - position;
if (length < ${least} || length > ${most}) return -1;
${writeText(field, 'position', 'length << 2 | passed & 3')}
position = (passed >> 2) + 1;`;
}

// Reads a word of a JSON text and writes its code. Most words were met lately in the batch, so that
// their bytes, with the closing quote, are compared before anything is looked up. Refuses what
// `passText` refuses.

/**
 * Reads the word that begins at `start`, and writes its code at the index `at` of the batch's
 * words. Returns the offset after its closing quote, or −1.
 */
function readWord(
  batch: ColumnBatch<unknown>,
  codes: WordCodes,
  start: number,
  at: number,
): number {
  const { view, words } = batch;
  // The guess is chosen by twelve bytes. What follows a short word, the next key, is nearly always
  // the same too.
  const first = view.getInt32(start, true) ^ Math.imul(view.getInt32(start + 4, true), 0x9e3779b1);
  const mixed = Math.imul(
    first ^ Math.imul(view.getInt32(start + 8, true), 0x7feb352d),
    0x85ebca6b,
  );
  const guess = (mixed >>> 16) & (GUESSES - 1);
  const met = codes.guesses[guess]!;
  const lengthMet = met === 0 ? -1 : lengthOfQuoted(batch, codes, met, start);
  if (lengthMet >= 0) {
    words[at] = met;
    return start + lengthMet + 1;
  }
  const passed = passText(batch, start);
  const length = (passed >> 2) - start;
  if (length < 0 || length > LONGEST_TEXT) return -1;
  const code = codeOfWord(batch, codes, start, markOf(length, passed & 3));
  words[at] = code;
  codes.guesses[guess] = code;
  return start + length + 1;
}

// Reads the usual form of a date-time from its bytes, with the result of `parseInstant`. Refuses
// every other form.

const DAYS_BEFORE_MONTH = [0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const EARLIEST_YEAR = 1600;
/** Number of days from 1600-01-01 to 1970-01-01. */
const EPOCH_DAYS = 135_140;

/**
 * The hour that was read last for each field of a row. It is remembered because neighbouring rows
 * mostly share it. See `KEPT` for the layout.
 */
type LastHours = Float64Array;

/**
 * Numbers kept for each field: the bytes 0 to 7 of the text of an hour (`2026-01-05T08`) as one
 * double, the bytes 5 to 12 as another, and the instant at which the hour begins.
 */
const KEPT = 3;

export function createLastHours(fields: number): LastHours {
  return new Float64Array(KEPT * fields).fill(Number.NaN);
}

/**
 * Reads an instant written as `2026-01-05T08:00:00.000Z` or `2026-01-05T08:00:00Z` from `start` on,
 * with a quote after it. Writes it at the index `at` of `numbers`, and returns the offset after the
 * quote, or −1 when the text has another form. `field` is the number of the field in `last`. Eight
 * bytes are compared as one double, because two equal doubles other than zero have equal bytes.
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
  // XOR with `0:00`, `:00.` and `000Z` leaves the digits' values, and zeros for the signs between
  // them. A byte is odd if it is above 9, or above 5 as the tens of minutes or seconds.
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
  const thousandths =
    (thousandth & 15) * 100 + ((thousandth >> 8) & 15) * 10 + ((thousandth >> 16) & 15);
  // Written here and not returned, because a returned double would be allocated as a heap object.
  numbers[at] = hour + (minutes * MINUTE + seconds * SECOND + thousandths);
  return end + 1;
}

/** Returns the instant at which the hour written as `2026-01-05T08` begins, or NaN. */
function readHour(bytes: Buffer, start: number): Instant {
  if (bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d || bytes[start + 10] !== 0x54)
    return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  const hour = twoDigits(bytes, start + 11);
  // NaN, for a pair of bytes that are not two digits, fails each comparison.
  if (!(year >= EARLIEST_YEAR && month >= 1 && month <= 12 && hour <= 23)) return Number.NaN;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = isLeap && month === 2 ? 29 : DAYS_IN_MONTH[month]!;
  if (!(day >= 1 && day <= last)) return Number.NaN;
  const days =
    daysBeforeYear(year) + DAYS_BEFORE_MONTH[month]! + (isLeap && month > 2 ? 1 : 0) + day - 1;
  return days * DAY + hour * HOUR;
}

function daysBeforeYear(year: number): number {
  const years = year - EARLIEST_YEAR;
  const leapDays =
    years === 0
      ? 0
      : ((years + 3) >> 2) - Math.floor((years + 99) / 100) + Math.floor((years + 399) / 400);
  return years * 365 + leapDays - EPOCH_DAYS;
}

function twoDigits(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - 0x30;
  const units = bytes[at + 1]! - 0x30;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : Number.NaN;
}
