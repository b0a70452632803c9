// Steps over an object or a list that nobody asks for, making sure that the strict parser would have accepted it: no escapes
// in keys, no exponent, no key given twice, not too deep and not too many keys. Whatever it is unsure of, it refuses.

import { type ByteSpan, ESCAPED } from '../column-batch.ts';
import { passText, QUOTE } from './plain-value.ts';

const DEEPEST = 8;
const MOST_KEYS = 24;

/** `null`, `true` and `fals`, as four bytes are read at once. */
export const NULL_WORD = 0x6c6c756e;
export const TRUE_WORD = 0x65757274;
export const FALS_WORD = 0x736c6166;

/** Where the keys of the objects being walked begin and end, one row a level: two offsets a key. */
const keys = Array.from({ length: DEEPEST + 1 }, () => new Int32Array(MOST_KEYS * 2));

/**
 * Offset after the value that starts at `start`, or −1. `depth` counts what it stands in. The bytes must end with a line feed,
 * which no plain value may contain: it ends every loop.
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
    return first === 0x7b ? skipObject(span, start + 1, depth + 1) : skipList(span, start + 1, depth + 1);
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
 * Notes the key as number `count` of its object, and says whether that has it already. Without escapes, equal keys are equal
 * bytes.
 */
function isRepeated(bytes: Buffer, known: Int32Array, count: number, start: number, end: number): boolean {
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
