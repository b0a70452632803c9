// Reads and writes the fields of PostgreSQL's COPY text format; reading makes no string of what is a number or a word
// seen before. Refuses nothing by itself: the rows are those of our own tables, in columns that we name.

const TAB = 9;
const MINUS = 45;
const ZERO = 48;
const BACKSLASH = 92;
const UPPER_N = 78;

/** `Buffer` with the two calls behind `toString` that skip its choice of encoding. */
type Bytes = Buffer & {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
};

/** A position in a row, moved past each field as it is read. One for each reader; never shared. */
export interface Cursor {
  at: number;
}

/** A decimal integer; the caller knows that the column is not null and holds safe integers. */
export function readInteger(buffer: Buffer, cursor: Cursor): number {
  let at = cursor.at;
  const negative = buffer[at] === MINUS;
  if (negative) at += 1;
  let value = buffer[at]! - ZERO;
  at += 1;
  // Up to nine digits fit in the machine's small integers; only what is longer pays for doubles.
  const short = at + 8;
  let digit = buffer[at]! - ZERO;
  while (digit >= 0 && at < short) {
    value = (value * 10 + digit) | 0;
    at += 1;
    digit = buffer[at]! - ZERO;
  }
  let long = value;
  while (digit >= 0) {
    long = long * 10 + digit;
    at += 1;
    digit = buffer[at]! - ZERO;
  }
  cursor.at = at + 1;
  return negative ? -long : long;
}

/** As `readInteger`, for a column that may be null. */
export function readNullableInteger(buffer: Buffer, cursor: Cursor): number | null {
  if (buffer[cursor.at] !== BACKSLASH) return readInteger(buffer, cursor);
  cursor.at += 3;
  return null;
}

export function readBoolean(buffer: Buffer, cursor: Cursor): boolean {
  const value = buffer[cursor.at] === 116;
  cursor.at += 2;
  return value;
}

/** Text up to the next tab or `end`; null for `\N`. */
export function readText(buffer: Buffer, cursor: Cursor, end: number): string | null {
  const start = cursor.at;
  if (buffer[start] === BACKSLASH && buffer[start + 1] === UPPER_N) {
    // A text that begins with a backslash is written with two.
    cursor.at = start + 3;
    return null;
  }
  let at = start;
  let bits = 0;
  for (; at < end; at += 1) {
    const byte = buffer[at]!;
    if (byte === TAB) break;
    if (byte === BACKSLASH) return readEscaped(buffer, cursor, end);
    bits |= byte;
  }
  cursor.at = at + 1;
  return bits < 128 ? (buffer as Bytes).latin1Slice(start, at) : (buffer as Bytes).utf8Slice(start, at);
}

function readEscaped(buffer: Buffer, cursor: Cursor, end: number): string {
  const start = cursor.at;
  const tab = buffer.indexOf(TAB, start);
  const stop = tab === -1 || tab > end ? end : tab;
  cursor.at = stop + 1;
  return (buffer as Bytes)
    .utf8Slice(start, stop)
    .replaceAll(/\\(.)/gs, (_pair, letter: string) => ESCAPES[letter] ?? letter);
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Reads a column that often repeats the row before (the reference of an operation's lines): equal bytes give the same
 * string back. Keeps what it read last: one for each place in a row.
 */
export function repeatReader(): (buffer: Buffer, cursor: Cursor, end: number) => string | null {
  let last: string | null = null;
  let lastBuffer: Buffer | null = null;
  let from = 0;
  let to = 0;
  return (buffer, cursor, end) => {
    const start = cursor.at;
    if (buffer === lastBuffer && repeats(buffer, { from, to, start })) {
      cursor.at = start + to - from;
      return last;
    }
    last = readText(buffer, cursor, end);
    lastBuffer = buffer;
    from = start;
    to = cursor.at;
    return last;
  };
}

/** The separator after the field is compared too, so that a longer field is not taken for its beginning. */
function repeats(
  buffer: Buffer,
  range: { readonly from: number; readonly to: number; readonly start: number },
): boolean {
  const shift = range.start - range.from;
  // From the end: what tells one reference from the next stands there.
  for (let at = range.to - 1; at >= range.from; at -= 1) if (buffer[at] !== buffer[at + shift]) return false;
  return true;
}

/**
 * Reads adjacent columns that hold few distinct combinations (kind, direction, currency): bytes seen before give the same
 * strings back, without making new ones.
 */
export type ReadPhrase = (buffer: Buffer, cursor: Cursor, end: number) => Phrase;

/** One string for each column of the phrase; null for `\\N`. */
export type Phrase = readonly (string | null)[];

const SLOTS = 256;
const NEVER_SEEN = new Uint8Array(0);

/**
 * A reader of `columns` adjacent columns. `telling`: offsets of the bytes that tell the common phrases apart, all of them
 * within the shortest phrase; a wrong choice costs time, never exactness. Keeps what it has seen: one for each place in a
 * row.
 */
export function phraseReader(columns: number, telling: readonly number[]): ReadPhrase {
  const phrases: Phrase[] = new Array(SLOTS).fill([]);
  const seen: Uint8Array[] = new Array(SLOTS).fill(NEVER_SEEN);
  return (buffer, cursor, end) => {
    const start = cursor.at;
    const slot = slotOf(buffer, start, telling);
    const known = seen[slot]!;
    const after = start + known.length;
    if (
      after <= end &&
      known !== NEVER_SEEN &&
      (after === end || buffer[after] === TAB) &&
      beginsWith(buffer, start, known)
    ) {
      cursor.at = after + 1;
      return phrases[slot]!;
    }
    const phrase: (string | null)[] = [];
    for (let i = 0; i < columns; i += 1) phrase.push(readText(buffer, cursor, end));
    seen[slot] = Uint8Array.prototype.slice.call(buffer, start, cursor.at - 1);
    phrases[slot] = phrase;
    return phrase;
  };
}

function slotOf(buffer: Buffer, start: number, telling: readonly number[]): number {
  let hash = 0;
  for (let i = 0; i < telling.length; i += 1) hash = (hash * 31 + (buffer[start + telling[i]!] ?? 0)) | 0;
  return (hash ^ (hash >>> 8)) & (SLOTS - 1);
}

function beginsWith(buffer: Buffer, start: number, known: Uint8Array): boolean {
  for (let i = 0; i < known.length; i += 1) if (known[i] !== buffer[start + i]) return false;
  return true;
}

/** A field as COPY … FROM reads it. */
export function textField(text: string | null): string {
  if (text === null) return '\\N';
  return NEEDS_ESCAPE.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (letter) => WRITTEN[letter]!) : text;
}

const NEEDS_ESCAPE = /[\\\t\n\r]/;
const WRITTEN: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A number, or null, as COPY … FROM reads it. */
export function numberField(value: number | null): string {
  return value === null ? '\\N' : String(value);
}
