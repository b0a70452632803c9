// Reads JSON (RFC 8259) and refuses what a lenient parser would quietly repair: duplicate keys,
// invalid UTF-8, lone surrogates, endless nesting. Never rounds a number and never guesses what a
// broken text meant.

import type { Refusal } from '../../../core/domain/refusal.ts';
import {
  type Decoded,
  type InexactNumber,
  readJsonNumber,
} from '../../../core/domain/rows/decode-object.ts';

/** Most objects and arrays inside each other, including the outermost one. */
const DEEPEST_NESTING = 64;

interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

/** What the grammar expects at an offset. */
const WANTED = {
  end: 'the value has ended',
  key: 'a key is wanted',
  colon: 'a colon is wanted',
  object_end: 'a comma or the end of the object is wanted',
  list_end: 'a comma or the end of the list is wanted',
  value: 'a value is wanted',
  escaped: 'a control character must be escaped',
  string_end: 'a string is open',
  hex: 'four hexadecimal digits are wanted after it',
  escape: 'an escape is wanted',
} as const;

/** Ends the parsing at the first fault; caught in this file. */
class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(reason: string, refusal: Refusal) {
    super(reason);
    this.refusal = refusal;
  }
}

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Matches the characters of a string that need no escape. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
/** Matches one escape of a string. */
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Parses one JSON text, in linear time. A byte order mark is refused like any other stray
 * character: the reader of a file must remove it first.
 */
export function parseStrictJson(bytes: Uint8Array): Decoded<unknown> {
  let text: string;
  try {
    text = DECODER.decode(bytes);
  } catch {
    return { ok: false, reason: 'the bytes are not valid UTF-8', refusal: { code: 'NOT_UTF8' } };
  }
  return parseStrictJsonText(text);
}

/**
 * Parses JSON that is already decoded to text, as `parseStrictJson` does. Offsets in reasons count
 * UTF-16 units from 0.
 */
export function parseStrictJsonText(text: string): Decoded<unknown> {
  if (!text.isWellFormed()) {
    const refusal = { code: 'LONE_SURROGATE', isEscaped: false } as const;
    return { ok: false, reason: 'the text holds a lone surrogate', refusal };
  }
  const cursor: Cursor = { text, at: 0, depth: 0 };
  try {
    skipBlanks(cursor);
    const value = readValue(cursor);
    skipBlanks(cursor);
    if (cursor.at < text.length) refuse(cursor, 'end');
    return { ok: true, value };
  } catch (error) {
    if (error instanceof RefusedError)
      return { ok: false, reason: error.message, refusal: error.refusal };
    throw error;
  }
}

/** Refuses the text, naming the character at the cursor and what the grammar expects there. */
function refuse({ text, at }: Cursor, wanted: keyof typeof WANTED): never {
  const code = text.codePointAt(at);
  const found = code === undefined ? null : JSON.stringify(String.fromCodePoint(code));
  throw new RefusedError(
    `not JSON: ${found === null ? 'it ends' : found} at offset ${at}, where ${WANTED[wanted]}`,
    {
      code: 'NOT_JSON',
      found,
      offset: at,
      wanted,
    },
  );
}

function skipBlanks(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    cursor.at += 1;
  }
}

function readValue(cursor: Cursor): unknown {
  switch (cursor.text[cursor.at]) {
    case '{':
      return nested(cursor, readObject);
    case '[':
      return nested(cursor, readArray);
    case '"':
      return readString(cursor);
    case 't':
      return readWord(cursor, 'true', true);
    case 'f':
      return readWord(cursor, 'false', false);
    case 'n':
      return readWord(cursor, 'null', null);
    default:
      return readNumber(cursor);
  }
}

function nested<T>(cursor: Cursor, read: (cursor: Cursor) => T): T {
  cursor.depth += 1;
  if (cursor.depth > DEEPEST_NESTING) {
    const refusal = { code: 'NESTED_TOO_DEEP', most: DEEPEST_NESTING } as const;
    throw new RefusedError(`nested deeper than ${DEEPEST_NESTING} levels`, refusal);
  }
  cursor.at += 1;
  skipBlanks(cursor);
  const value = read(cursor);
  cursor.depth -= 1;
  return value;
}

function readObject(cursor: Cursor): unknown {
  const object: Record<string, unknown> = {};
  if (takes(cursor, '}')) return object;
  for (;;) {
    if (cursor.text[cursor.at] !== '"') refuse(cursor, 'key');
    const key = readString(cursor);
    if (Object.hasOwn(object, key)) refuseTwice(key);
    skipBlanks(cursor);
    if (!takes(cursor, ':')) refuse(cursor, 'colon');
    skipBlanks(cursor);
    put(object, key, readValue(cursor));
    skipBlanks(cursor);
    if (takes(cursor, '}')) return object;
    if (!takes(cursor, ',')) refuse(cursor, 'object_end');
    skipBlanks(cursor);
  }
}

/**
 * Sets a member. Assigning to `__proto__` would change the object's prototype instead of adding a
 * key.
 */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    object[key] = value;
  }
}

function readArray(cursor: Cursor): unknown {
  const array: unknown[] = [];
  if (takes(cursor, ']')) return array;
  for (;;) {
    array.push(readValue(cursor));
    skipBlanks(cursor);
    if (takes(cursor, ']')) return array;
    if (!takes(cursor, ',')) refuse(cursor, 'list_end');
    skipBlanks(cursor);
  }
}

function takes(cursor: Cursor, character: string): boolean {
  if (cursor.text[cursor.at] !== character) return false;
  cursor.at += 1;
  return true;
}

/**
 * Returns true, and moves the cursor to the end of the match, when the text at the cursor matches
 * `form`.
 */
function passes(cursor: Cursor, form: RegExp): boolean {
  form.lastIndex = cursor.at;
  if (!form.test(cursor.text)) return false;
  cursor.at = form.lastIndex;
  return true;
}

function readWord<T>(cursor: Cursor, word: string, value: T): T {
  if (!cursor.text.startsWith(word, cursor.at)) refuse(cursor, 'value');
  cursor.at += word.length;
  return value;
}

function readNumber(cursor: Cursor): number | InexactNumber {
  const { text, at } = cursor;
  if (!passes(cursor, NUMBER)) refuse(cursor, 'value');
  return readJsonNumber(text.slice(at, cursor.at));
}

function readString(cursor: Cursor): string {
  const { text, at: start } = cursor;
  cursor.at += 1;
  while (passes(cursor, PLAIN) && passes(cursor, ESCAPE));
  if (!takes(cursor, '"')) refuseString(cursor);
  const written = text.slice(start, cursor.at);
  if (!written.includes('\\')) return written.slice(1, -1);
  const read: string = JSON.parse(written);
  if (read.isWellFormed()) return read;
  throw new RefusedError('a lone surrogate is escaped in a string', {
    code: 'LONE_SURROGATE',
    isEscaped: true,
  });
}

/**
 * Refuses a string at the first character that it may not contain. For a faulty escape, that is the
 * character after the backslash.
 */
function refuseString(cursor: Cursor): never {
  if (!takes(cursor, '\\'))
    refuse(cursor, cursor.at < cursor.text.length ? 'escaped' : 'string_end');
  refuse(cursor, cursor.text[cursor.at] === 'u' ? 'hex' : 'escape');
}

function refuseTwice(key: string): never {
  const whole = JSON.stringify(key);
  const shown = whole.length <= 60 ? whole : `${whole.slice(0, 59).toWellFormed()}…`;
  throw new RefusedError(`the key ${shown} is given twice`, { code: 'KEY_TWICE', key: shown });
}
