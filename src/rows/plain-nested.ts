// Steps over an object or a list that nobody asks for, making sure that the strict parser would have accepted it: no escapes
// in keys, no exponent, no key given twice, not too deep and not too many keys. Whatever it is unsure of, it refuses.

import { BACKSLASH, passEscape } from './plain-escape.ts';

const DEEPEST = 8;
const MOST_KEYS = 24;

/** Key positions of the objects being walked, one row a level: two offsets a key. */
const keys = Array.from({ length: DEEPEST + 1 }, () => new Int32Array(MOST_KEYS * 2));

/**
 * Offset after the object or list that starts at `start`, or −1. `depth` counts it and what it stands in. The bytes must
 * end with a line feed, which no plain value may contain: it ends every loop.
 */
function skipNested(bytes: Buffer, start: number, depth: number): number {
  if (depth > DEEPEST) return -1;
  return bytes[start] === 0x7b ? skipObject(bytes, start + 1, depth) : skipList(bytes, start + 1, depth);
}

function skipObject(bytes: Buffer, start: number, depth: number): number {
  let position = skipSpaces(bytes, start);
  if (bytes[position] === 0x7d) return position + 1;
  for (let count = 0; count < MOST_KEYS; count += 1) {
    if (bytes[position] !== 0x22) return -1;
    const keyEnd = skipKey(bytes, position);
    if (keyEnd < 0 || isRepeated(bytes, { start: position, end: keyEnd, count, depth })) return -1;
    position = skipSpaces(bytes, keyEnd);
    if (bytes[position] !== 0x3a) return -1;
    position = skipValue(bytes, skipSpaces(bytes, position + 1), depth);
    if (position < 0) return -1;
    position = skipSpaces(bytes, position);
    if (bytes[position] === 0x7d) return position + 1;
    if (bytes[position] !== 0x2c) return -1;
    position = skipSpaces(bytes, position + 1);
  }
  return -1;
}

function skipList(bytes: Buffer, start: number, depth: number): number {
  let position = skipSpaces(bytes, start);
  if (bytes[position] === 0x5d) return position + 1;
  for (;;) {
    position = skipValue(bytes, position, depth);
    if (position < 0) return -1;
    position = skipSpaces(bytes, position);
    if (bytes[position] === 0x5d) return position + 1;
    if (bytes[position] !== 0x2c) return -1;
    position = skipSpaces(bytes, position + 1);
  }
}

/** Any value at all; `depth` counts what it stands in. */
export function skipValue(bytes: Buffer, start: number, depth: number): number {
  const first = bytes[start]!;
  if (first === 0x22) return skipText(bytes, start);
  if (first === 0x7b || first === 0x5b) return skipNested(bytes, start, depth + 1);
  if (first === 0x6e) return passWord(bytes, start, 'null');
  if (first === 0x74) return passWord(bytes, start, 'true');
  if (first === 0x66) return passWord(bytes, start, 'false');
  return skipNumber(bytes, start);
}

function skipSpaces(bytes: Buffer, start: number): number {
  let position = start;
  while (bytes[position] === 0x20) position += 1;
  return position;
}

/** A text without escapes: two keys are then equal when their bytes are. */
function skipKey(bytes: Buffer, start: number): number {
  let position = start + 1;
  for (;;) {
    const byte = bytes[position]!;
    if (byte === 0x22) return position + 1;
    if (byte === BACKSLASH || byte < 0x20) return -1;
    position += 1;
  }
}

function skipText(bytes: Buffer, start: number): number {
  let position = start + 1;
  for (;;) {
    const byte = bytes[position]!;
    if (byte === 0x22) return position + 1;
    if (byte < 0x20) return -1;
    position = byte === BACKSLASH ? passEscape(bytes, position) : position + 1;
    if (position < 0) return -1;
  }
}

function passWord(bytes: Buffer, start: number, word: string): number {
  for (let i = 0; i < word.length; i += 1) {
    if (bytes[start + i] !== word.charCodeAt(i)) return -1;
  }
  return start + word.length;
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

interface Key {
  readonly start: number;
  readonly end: number;
  /** How many keys of this object came before. */
  readonly count: number;
  readonly depth: number;
}

/** Notes the key, and says whether its object has it already. Without escapes, equal keys are equal bytes. */
function isRepeated(bytes: Buffer, key: Key): boolean {
  const known = keys[key.depth]!;
  for (let i = 0; i < key.count; i += 1) {
    const start = known[i * 2]!;
    const length = known[i * 2 + 1]! - start;
    if (length !== key.end - key.start) continue;
    let same = 0;
    while (same < length && bytes[start + same] === bytes[key.start + same]) same += 1;
    if (same === length) return true;
  }
  known[key.count * 2] = key.start;
  known[key.count * 2 + 1] = key.end;
  return false;
}
