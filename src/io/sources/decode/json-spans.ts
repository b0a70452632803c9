// Finds where the values of a JSON text begin and end without reading them, so that one bad item of
// a page can be refused with its own bytes while its neighbours are read. It locates only; each
// item is parsed strictly elsewhere.

/**
 * The bytes of one value: `start` is the position of its first byte, `end` the position after its
 * last.
 */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly name: string;
  readonly value: Span;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Returns the one value that the text consists of; `null` when the text breaks off, or anything but
 * white space follows the value.
 */
export function wholeValue(bytes: Uint8Array): Span | null {
  const start = skipSpace(bytes, 0);
  const end = endOfValue(bytes, start);
  return end === null || skipSpace(bytes, end) !== bytes.length ? null : { start, end };
}

export function isArray(bytes: Uint8Array, value: Span): boolean {
  return bytes[value.start] === OPEN_BRACKET;
}

export function isObject(bytes: Uint8Array, value: Span): boolean {
  return bytes[value.start] === OPEN_BRACE;
}

/**
 * Returns the items of an array in order; `null` when the array is not well formed between its
 * items.
 */
export function itemsOf(bytes: Uint8Array, array: Span): readonly Span[] | null {
  const items: Span[] = [];
  let at = skipSpace(bytes, array.start + 1);
  if (bytes[at] === CLOSE_BRACKET) return items;
  for (;;) {
    const end = endOfValue(bytes, at);
    if (end === null) return null;
    items.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACKET) return at + 1 === array.end ? items : null;
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1);
  }
}

/**
 * Returns the members of an object in order; `null` when the object is not well formed between its
 * members, or repeats a name.
 */
export function membersOf(bytes: Uint8Array, object: Span): readonly Member[] | null {
  const members: Member[] = [];
  const names = new Set<string>();
  let at = skipSpace(bytes, object.start + 1);
  if (bytes[at] === CLOSE_BRACE) return members;
  for (;;) {
    const nameEnd = bytes[at] === QUOTE ? endOfString(bytes, at) : null;
    if (nameEnd === null) return null;
    const name = nameIn(bytes, { start: at, end: nameEnd });
    const colon = skipSpace(bytes, nameEnd);
    if (name === null || names.has(name) || bytes[colon] !== COLON) return null;
    names.add(name);
    const start = skipSpace(bytes, colon + 1);
    const end = endOfValue(bytes, start);
    if (end === null) return null;
    members.push({ name, value: { start, end } });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACE) return at + 1 === object.end ? members : null;
    if (bytes[at] !== COMMA) return null;
    at = skipSpace(bytes, at + 1);
  }
}

function nameIn(bytes: Uint8Array, text: Span): string | null {
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(text.start, text.end)),
    );
  } catch {
    return null;
  }
}

/** Returns the position after the value that begins at `at`; `null` when the text ends first. */
function endOfValue(bytes: Uint8Array, at: number): number | null {
  const first = bytes[at];
  if (first === QUOTE) return endOfString(bytes, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfContainer(bytes, at);
  let end = at;
  while (end < bytes.length && !endsScalar(bytes[end]!)) end += 1;
  return end === at ? null : end;
}

function endOfContainer(bytes: Uint8Array, at: number): number | null {
  let depth = 0;
  let position = at;
  while (position < bytes.length) {
    const byte = bytes[position]!;
    if (byte === QUOTE) {
      const end = endOfString(bytes, position);
      if (end === null) return null;
      position = end;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    position += 1;
    if (depth === 0) return position;
  }
  return null;
}

function endOfString(bytes: Uint8Array, at: number): number | null {
  let position = at + 1;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, position);
    if (quote === -1) return null;
    let backslashes = 0;
    while (bytes[quote - 1 - backslashes] === BACKSLASH && quote - 1 - backslashes > at)
      backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    position = quote + 1;
  }
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || isSpace(byte);
}

function skipSpace(bytes: Uint8Array, at: number): number {
  let position = at;
  while (position < bytes.length && isSpace(bytes[position]!)) position += 1;
  return position;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
