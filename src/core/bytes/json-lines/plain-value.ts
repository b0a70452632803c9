// Passes over the plain values of a JSON line: finds where a text ends and how its bytes are to be
// read. Leaves everything unusual to the strict parser. The bytes must be valid UTF-8 and end with
// a line feed, which ends every loop.

import {
  ASCII,
  type ByteSpan,
  type ColumnBatch,
  ESCAPED,
  markOf,
  textIn,
  UTF8,
} from '../../domain/rows/column-batch.ts';
import {
  BEGIN_HASH,
  END_HASH,
  HASH_WORD,
  type HashKey,
  hashText,
  LAST_BYTES,
} from '../../domain/rows/hash-bytes.ts';

export const QUOTE = 0x22;

/**
 * Finds the end of the text whose first character is at `start`. Returns 4 × the offset of its
 * closing quote + how its bytes are to be read (ASCII, UTF8 or ESCAPED), or −1 when it is not
 * sound. Three bytes after the line feed must be readable.
 */
export function passText({ bytes, view }: ByteSpan, start: number): number {
  let position = start | 0;
  let isEscaped = false;
  let seen = 0;
  for (;;) {
    let word = view.getInt32(position, true);
    let special = specialIn(word);
    while (special === 0) {
      seen |= word;
      position += 4;
      word = view.getInt32(position, true);
      special = specialIn(word);
    }
    const lowest = special & -special;
    seen |= word & (lowest - 1);
    position += (31 - Math.clz32(lowest)) >> 3;
    const byte = bytes[position];
    if (byte === QUOTE) break;
    if (byte !== BACKSLASH) return -1;
    isEscaped = true;
    position = passEscape(bytes, position) | 0;
    if (position < 0) return -1;
  }
  return (position << 2) | (isEscaped ? ESCAPED : (seen & 0x80808080) === 0 ? ASCII : UTF8);
}

/**
 * Sets the highest bit of each of the word's four bytes that is a control character, a quote or a
 * backslash. Subtracting n borrows into the highest bit of a byte below n; quotes and backslashes
 * are turned to 0 first, which is below 1. A borrow may also reach the bytes above, so that only
 * the lowest bit set is certain. Bytes beyond ASCII are not marked.
 */
function specialIn(word: number): number {
  const borrowed =
    ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101) | (word - 0x20202020);
  return borrowed & ~word & 0x80808080;
}

const source = `return (batch, key, start, at) => {
const { bytes, view, numbers } = batch;
${BEGIN_HASH}
let position = start | 0, seen = 0, word = view.getInt32(position, true), special = specialIn(word);
while (special === 0) {
  seen |= word;
  ${HASH_WORD}
  position += 4;
  word = view.getInt32(position, true);
  special = specialIn(word);
}
const lowest = special & -special, last = word;
seen |= word & (lowest - 1);
position += (31 - Math.clz32(lowest)) >> 3;
if (bytes[position] !== ${QUOTE}) return passEscaped(batch, key, start, at);
const length = position - start;
${END_HASH}
numbers[at] = hash;
return (position << 2) | ((seen & 0x80808080) === 0 ? ${ASCII} : ${UTF8});
};`;

/**
 * Does what `passText` does, and writes the hash of the text at the index `at` of the batch's
 * numbers. Made with `new Function`, because the source of the hash is put into the loop over the
 * bytes.
 */
export const passHashed = new Function('specialIn', 'passEscaped', 'LAST_BYTES', source)(
  specialIn,
  passEscaped,
  LAST_BYTES,
) as (batch: ColumnBatch<unknown>, key: HashKey, start: number, at: number) => number;

function passEscaped(batch: ColumnBatch<unknown>, key: HashKey, start: number, at: number): number {
  const passed = passText(batch, start);
  if (passed < 0) return -1;
  batch.numbers[at] = hashText(
    key,
    textIn(batch, start, markOf((passed >> 2) - start, passed & 3)),
  );
  return passed;
}

// Steps over one escape of a JSON text. Refuses what only the strict parser may judge: halves of
// surrogate pairs, U+0000, and anything that is not an escape.

const BACKSLASH = 0x5c;

/**
 * 1 for the letters that complete an escape after a backslash: quote, backslash, slash, b, f, n, r,
 * t.
 */
const IS_ESCAPE = new Uint8Array(256);
for (const letter of '"\\/bfnrt') IS_ESCAPE[letter.charCodeAt(0)] = 1;

/** Value of each hexadecimal digit; 16 for all other bytes. */
const HEX = new Uint8Array(256).fill(16);
for (let digit = 0; digit < 16; digit += 1) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** Returns the offset after the escape whose backslash is at `at`, or −1. */
function passEscape(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1]!;
  if (IS_ESCAPE[letter] === 1) return at + 2;
  if (letter !== 0x75) return -1;
  let unit = 0;
  for (let i = at + 2; i < at + 6; i += 1) {
    const digit = HEX[bytes[i]!]!;
    if (digit === 16) return -1;
    unit = unit * 16 + digit;
  }
  return unit === 0 || (unit >= 0xd800 && unit <= 0xdfff) ? -1 : at + 6;
}

// Steps over a value without a field, when the strict parser would surely have accepted it: no
// escapes in keys, no exponent, no key given twice, and limits to the depth and to the number of
// keys. Refuses anything else.

const DEEPEST = 8;
const MOST_KEYS = 24;

/** The bytes of `null`, read as one little-endian word. */
export const NULL_WORD = 0x6c6c756e;
/** The bytes of `true`, read as one little-endian word. */
export const TRUE_WORD = 0x65757274;
/** The bytes of `fals`, the first four of `false`, read as one little-endian word. */
export const FALS_WORD = 0x736c6166;

/**
 * Where the keys of the open objects begin and end: one row for each depth, two offsets for each
 * key.
 */
const keys = Array.from({ length: DEEPEST + 1 }, () => new Int32Array(MOST_KEYS * 2));

/**
 * Returns the offset after the value that starts at `start`, or −1. `depth` is how many objects and
 * lists are around the value. The bytes must end with a line feed, because it ends every loop: no
 * plain value may contain one.
 */
export function skipValue(span: ByteSpan, start: number, depth: number): number {
  const { bytes, view } = span;
  const first = bytes[start]!;
  if (first === QUOTE) {
    const passed = passText(span, start + 1);
    return passed < 0 ? -1 : (passed >> 2) + 1;
  }
  if (first === 0x7b || first === 0x5b) {
    if (depth === DEEPEST) return -1;
    return first === 0x7b
      ? skipObject(span, start + 1, depth + 1)
      : skipList(span, start + 1, depth + 1);
  }
  if (first === 0x2d || (first >= 0x30 && first <= 0x39)) return skipNumber(bytes, start);
  const word = view.getInt32(start, true);
  if (word === NULL_WORD || word === TRUE_WORD) return start + 4;
  return word === FALS_WORD && bytes[start + 4] === 0x65 ? start + 5 : -1;
}

function skipObject(span: ByteSpan, start: number, depth: number): number {
  const { bytes } = span;
  let position = skipSpaces(bytes, start);
  if (bytes[position] === 0x7d) return position + 1;
  for (let count = 0; count < MOST_KEYS; count += 1) {
    if (bytes[position] !== QUOTE) return -1;
    const passed = passText(span, position + 1);
    if (passed < 0 || (passed & 3) === ESCAPED) return -1;
    const keyEnd = passed >> 2;
    if (isRepeated(bytes, keys[depth]!, count, position + 1, keyEnd)) return -1;
    position = skipSpaces(bytes, keyEnd + 1);
    if (bytes[position] !== 0x3a) return -1;
    position = skipValue(span, skipSpaces(bytes, position + 1), depth);
    if (position < 0) return -1;
    position = skipSpaces(bytes, position);
    if (bytes[position] === 0x7d) return position + 1;
    if (bytes[position] !== 0x2c) return -1;
    position = skipSpaces(bytes, position + 1);
  }
  return -1;
}

function skipList(span: ByteSpan, start: number, depth: number): number {
  const { bytes } = span;
  let position = skipSpaces(bytes, start);
  if (bytes[position] === 0x5d) return position + 1;
  for (;;) {
    position = skipValue(span, position, depth);
    if (position < 0) return -1;
    position = skipSpaces(bytes, position);
    if (bytes[position] === 0x5d) return position + 1;
    if (bytes[position] !== 0x2c) return -1;
    position = skipSpaces(bytes, position + 1);
  }
}

function skipSpaces(bytes: Buffer, start: number): number {
  let position = start;
  while (bytes[position] === 0x20) position += 1;
  return position;
}

function skipNumber(bytes: Buffer, start: number): number {
  const first = bytes[start] === 0x2d ? start + 1 : start;
  let position = skipDigits(bytes, first);
  if (position === first || (bytes[first] === 0x30 && position > first + 1)) return -1;
  if (bytes[position] === 0x2e) {
    const fraction = position + 1;
    position = skipDigits(bytes, fraction);
    if (position === fraction) return -1;
  }
  return position;
}

function skipDigits(bytes: Buffer, start: number): number {
  let position = start;
  while (bytes[position]! >= 0x30 && bytes[position]! <= 0x39) position += 1;
  return position;
}

/**
 * Records the key as number `count` of its object; returns true, and records nothing, when the
 * object already has this key. Keys have no escapes here, so that equal keys have equal bytes.
 */
function isRepeated(
  bytes: Buffer,
  known: Int32Array,
  count: number,
  start: number,
  end: number,
): boolean {
  for (let i = 0; i < count; i += 1) {
    const other = known[i * 2]!;
    const length = known[i * 2 + 1]! - other;
    if (length !== end - start) continue;
    let same = 0;
    while (same < length && bytes[other + same] === bytes[start + same]) same += 1;
    if (same === length) return true;
  }
  known[count * 2] = start;
  known[count * 2 + 1] = end;
  return false;
}
