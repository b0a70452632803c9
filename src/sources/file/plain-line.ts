// Splits a line of a known shape into its values, in one pass over its bytes. Accepts only plain JSON: texts without
// escapes where they are asked for by their bytes, whole numbers of up to 15 digits, nested data; refuses the rest, for the
// strict parser.

import type { ByteSpan } from '../../packed/byte-span.ts';
import type { LineShape } from './line-shape.ts';
import { BACKSLASH, passEscape } from './plain-escape.ts';
import { readPlainInstant } from './plain-instant.ts';
import { skipNested } from './plain-nested.ts';

export const ABSENT = 0;
export const NULL = 1;
export const TRUE = 2;
export const FALSE = 3;
export const INTEGER = 4;
/** A text of ASCII alone; its bytes lie between the quotes. */
export const ASCII_TEXT = 5;
/** A text with other characters; the bytes are UTF-8. */
export const OTHER_TEXT = 6;
/** An object or a list, brackets included. */
export const NESTED = 7;
/** A text that is a date-time in its usual form, in a field that holds instants; `numbers` has the instant. */
export const INSTANT = 8;
/** A text with escapes, in a field that holds free text; the bytes between the quotes are UTF-8 and the escapes sound. */
export const ESCAPED_TEXT = 9;

/** Where the values of a line stand, by field; numbers are read on the way. Each line overwrites the one before. */
export interface Slots {
  /** What each field holds, as far as it matters here: `OTHER_FIELD`, `INSTANT_FIELD` or `FREE_FIELD`. Fixed. */
  readonly forms: Uint8Array;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly numbers: Float64Array;
}

const OTHER_FIELD = 0;
const INSTANT_FIELD = 1;
/** Text of the partner's own choice: it may have escapes. */
const FREE_FIELD = 2;
const FREE_FIELDS: readonly string[] = ['description', 'externalReference', 'payerActionUrl'];

function formOf(name: string): number {
  if (name.endsWith('At')) return INSTANT_FIELD;
  return FREE_FIELDS.includes(name) ? FREE_FIELD : OTHER_FIELD;
}

/** One more slot than fields: the values of fields that nobody asks for go there. Instants have names that end in `At`. */
export function createSlots(fields: readonly string[]): Slots {
  const forms = Uint8Array.from([...fields.map(formOf), FREE_FIELD]);
  const { length } = forms;
  return {
    forms,
    kinds: new Uint8Array(length),
    starts: new Int32Array(length),
    ends: new Int32Array(length),
    numbers: new Float64Array(length),
  };
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const MOST_DIGITS = 15;
const NULL_WORD = 0x6c6c756e;
const TRUE_WORD = 0x65757274;
const FALS_WORD = 0x736c6166;

/** 1 for the bytes that may simply be passed inside a text: ASCII but for control characters, quote and backslash. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte >= 0x80 || byte === QUOTE || byte === BACKSLASH ? 0 : 1,
);

/**
 * Fills `slots` from the line that starts at `at` and returns the offset after its line feed, or −1 when the line is not
 * of this shape or not plain. The bytes up to `end` must be valid UTF-8 and must end with a line feed.
 */
export function readPlainLine(span: ByteSpan, at: number, end: number, shape: LineShape, slots: Slots): number {
  const position = readPlainValues(span, at, end, shape, slots, shape.fields.length);
  return position < 0 ? -1 : passTail(span.bytes, position, shape.tail);
}

/** As `readPlainLine`, but stops after the first `count` values and returns the offset after the last of them, or −1. */
export function readPlainValues(
  span: ByteSpan,
  at: number,
  end: number,
  shape: LineShape,
  slots: Slots,
  count: number,
): number {
  const { view } = span;
  const { pairs, pairDeltas, pairEnds, words, deltas, wordEnds, lengths, fields } = shape;
  const lastWord = end - 4;
  let position = at;
  let pair = 0;
  let word = 0;
  for (let value = 0; value < count; value += 1) {
    const length = lengths[value]!;
    // So that neither the literal nor the first four bytes of the value can pass the end.
    if (position + length > lastWord) return -1;
    for (const stop = pairEnds[value]!; pair < stop; pair += 1) {
      if (view.getFloat64(position + pairDeltas[pair]!, true) !== pairs[pair]) return -1;
    }
    for (const stop = wordEnds[value]!; word < stop; word += 1) {
      if (view.getInt32(position + deltas[word]!, true) !== words[word]) return -1;
    }
    // A whole number to the compiler, which cannot see it through calls.
    position = readPlainValue(span, position + length, lastWord, slots, fields[value]!) | 0;
    if (position < 0) return -1;
  }
  return position;
}

/** Marks the fields that lines of `shape` never fill. */
export function clearSlots(slots: Slots, shape: LineShape): void {
  for (let field = 0; field < shape.fills.length; field += 1) {
    if (!shape.fills[field]) slots.kinds[field] = ABSENT;
  }
}

/** The line feed at the end of the bytes keeps the comparison inside them. */
function passTail(bytes: Buffer, at: number, tail: Uint8Array): number {
  for (let i = 0; i < tail.length; i += 1) {
    if (bytes[at + i] !== tail[i]) return -1;
  }
  const after = at + tail.length;
  const lineFeed = bytes[after] === CARRIAGE_RETURN ? after + 1 : after;
  return bytes[lineFeed] === LINE_FEED ? lineFeed + 1 : -1;
}

/** At least four bytes must be left: `at` is not after `lastWord`. */
function readPlainValue(span: ByteSpan, at: number, lastWord: number, slots: Slots, slot: number): number {
  const { bytes } = span;
  const first = bytes[at]!;
  if (first === QUOTE) {
    const after = slots.forms[slot] === INSTANT_FIELD ? readPlainDate(span, at + 1, slots, slot) : -1;
    return after < 0 ? readPlainText(span, at + 1, lastWord, slots, slot) : after;
  }
  if (first <= 0x39) return readPlainInteger(bytes, at, slots, slot);
  if (first === 0x7b || first === 0x5b) {
    slots.kinds[slot] = NESTED;
    slots.starts[slot] = at;
    const after = skipNested(bytes, at, 1);
    slots.ends[slot] = after;
    return after;
  }
  const word = span.view.getInt32(at, true);
  if (word === NULL_WORD) {
    slots.kinds[slot] = NULL;
    return at + 4;
  }
  if (word === TRUE_WORD) {
    slots.kinds[slot] = TRUE;
    return at + 4;
  }
  if (word !== FALS_WORD || bytes[at + 4] !== 0x65) return -1;
  slots.kinds[slot] = FALSE;
  return at + 5;
}

/** −1 when it is not a date-time in its usual form. Every byte of one is looked at, so that it needs no other test. */
function readPlainDate(span: ByteSpan, start: number, slots: Slots, slot: number): number {
  const { bytes } = span;
  const end = bytes[start + 20] === QUOTE ? start + 20 : start + 24;
  if (bytes[end] !== QUOTE) return -1;
  const instant = readPlainInstant(span, start, end);
  if (Number.isNaN(instant)) return -1;
  slots.kinds[slot] = INSTANT;
  slots.numbers[slot] = instant;
  return end + 1;
}

/** The line feed that ends the bytes also ends the loops: it may not stand inside a text. */
function readPlainText(span: ByteSpan, start: number, lastWord: number, slots: Slots, slot: number): number {
  const { bytes, view } = span;
  let position = start | 0;
  let kind = ASCII_TEXT;
  for (;;) {
    while (position <= lastWord && isPlainWord(view.getInt32(position, true))) position += 4;
    while (IS_PLAIN[bytes[position]!] === 1) position += 1;
    const byte = bytes[position]!;
    if (byte >= 0x80) {
      if (kind === ASCII_TEXT) kind = OTHER_TEXT;
      position += 1;
    } else if (byte === BACKSLASH && slots.forms[slot] === FREE_FIELD) {
      kind = ESCAPED_TEXT;
      position = passEscape(bytes, position) | 0;
      if (position < 0) return -1;
    } else break;
  }
  if (bytes[position] !== QUOTE) return -1;
  slots.kinds[slot] = kind;
  slots.starts[slot] = start;
  slots.ends[slot] = position;
  return position + 1;
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

function readPlainInteger(bytes: Buffer, at: number, slots: Slots, slot: number): number {
  const isNegative = bytes[at] === 0x2d;
  const start = isNegative ? at + 1 : at;
  let position = start;
  let value = 0;
  let digit = bytes[position]! - 0x30;
  while (digit >= 0 && digit <= 9) {
    value = value * 10 + digit;
    position += 1;
    digit = bytes[position]! - 0x30;
  }
  const digits = position - start;
  if (digits === 0 || digits > MOST_DIGITS || (bytes[start] === 0x30 && digits > 1)) return -1;
  slots.kinds[slot] = INTEGER;
  slots.numbers[slot] = isNegative && value !== 0 ? -value : value;
  return position;
}
