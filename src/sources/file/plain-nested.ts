// Steps over an object or a list that nobody asks for, making sure that the strict parser would have accepted it: no escaped
// keys, no code points, no exponent, no key given twice, not too deep and not too many keys. Whatever it is unsure of, it refuses.

const DEEPEST = 8;
const MOST_KEYS = 24;

/** Key positions of the objects being walked, one row a level: two offsets a key. */
const keys = Array.from({ length: DEEPEST + 1 }, () => new Int32Array(MOST_KEYS * 2));

/**
 * Offset after the object or list that starts at `start`, or −1. `depth` counts it and what it stands in; `mayEscape`:
 * its texts may have escapes of two characters, because nobody will read them. The bytes must
 * end with a line feed, which no plain value may contain: it ends every loop.
 */
export function skipNested(bytes: Buffer, start: number, depth: number, mayEscape: boolean): number {
  if (depth > DEEPEST) return -1;
  const skip = bytes[start] === 0x7b ? skipObject : skipList;
  return skip(bytes, start + 1, depth, mayEscape);
}

function skipObject(bytes: Buffer, start: number, depth: number, mayEscape: boolean): number {
  let position = skipSpaces(bytes, start);
  if (bytes[position] === 0x7d) return position + 1;
  for (let count = 0; count < MOST_KEYS; count += 1) {
    if (bytes[position] !== 0x22) return -1;
    const keyEnd = skipText(bytes, position, false);
    if (keyEnd < 0 || isRepeated(bytes, { start: position, end: keyEnd, count, depth })) return -1;
    position = skipSpaces(bytes, keyEnd);
    if (bytes[position] !== 0x3a) return -1;
    position = skipValue(bytes, skipSpaces(bytes, position + 1), depth, mayEscape);
    if (position < 0) return -1;
    position = skipSpaces(bytes, position);
    if (bytes[position] === 0x7d) return position + 1;
    if (bytes[position] !== 0x2c) return -1;
    position = skipSpaces(bytes, position + 1);
  }
  return -1;
}

function skipList(bytes: Buffer, start: number, depth: number, mayEscape: boolean): number {
  let position = skipSpaces(bytes, start);
  if (bytes[position] === 0x5d) return position + 1;
  for (;;) {
    position = skipValue(bytes, position, depth, mayEscape);
    if (position < 0) return -1;
    position = skipSpaces(bytes, position);
    if (bytes[position] === 0x5d) return position + 1;
    if (bytes[position] !== 0x2c) return -1;
    position = skipSpaces(bytes, position + 1);
  }
}

function skipValue(bytes: Buffer, start: number, depth: number, mayEscape: boolean): number {
  const first = bytes[start]!;
  if (first === 0x22) return skipText(bytes, start, mayEscape);
  if (first === 0x7b || first === 0x5b) return skipNested(bytes, start, depth + 1, mayEscape);
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

function skipText(bytes: Buffer, start: number, mayEscape: boolean): number {
  let position = start + 1;
  for (;;) {
    const byte = bytes[position]!;
    if (byte === 0x22) return position + 1;
    if (byte < 0x20) return -1;
    if (byte !== 0x5c) position += 1;
    else if (mayEscape && isSimpleEscape(bytes[position + 1]!)) position += 2;
    else return -1;
  }
}

/** What may follow a backslash and needs no further look: `"`, `\\`, `/`, b, f, n, r, t. Never a code point. */
export function isSimpleEscape(byte: number): boolean {
  return ESCAPES.has(byte);
}

const ESCAPES: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));

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
