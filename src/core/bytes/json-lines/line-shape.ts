// The shape of a line: the bytes that stand between its values, learned from one line that the
// strict parser has accepted. Nearly all lines of a file share a shape, so that only their values
// need to be read.

import { SPARE } from '../../domain/rows/column-batch.ts';

export interface LineShape {
  /** For each value in turn, the bytes that must stand before it. */
  readonly literals: readonly Uint8Array[];
  /** The field of each value, or UNMAPPED_FIELD or NO_OBJECT. */
  readonly fields: readonly number[];
  /** The bytes between the last value and the line feed. */
  readonly tail: Uint8Array;
  /** The fields that the line does not have. */
  readonly absent: readonly number[];
  /** Equal for two shapes that accept the same lines. */
  readonly signature: string;
}

/** In place of a field: the value belongs to no field and is skipped. */
export const UNMAPPED_FIELD = -1;
/**
 * In place of a field: the value must be null, where other lines have an object whose values are
 * read.
 */
export const NO_OBJECT = -2;

/**
 * The keys of one object. Each leads to a field, by its number, or to an inner object whose values
 * are read; the other bytes of that object are part of the shape. A key spelled `failure.code` is
 * not the key `code` of `failure`.
 */
export type KnownKeys = ReadonlyMap<string, number | KnownKeys>;

const MOST_VALUES = 64;
/**
 * Most bytes of all literals together. The compiled function must stay small, and comparing a
 * literal must not read past the spare bytes after any line.
 */
const MOST_LITERALS = SPARE / 2;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COMMA = 0x2c;

interface Lesson {
  readonly line: Uint8Array;
  readonly literals: Uint8Array[];
  readonly fields: number[];
  literalStart: number;
}

/**
 * Learns the shape of a line (without its line feed), which the strict parser must have accepted as
 * an object. Returns `null` when the line has no value, or too many.
 */
export function learnShape(bytes: Uint8Array, keys: KnownKeys): LineShape | null {
  const line = new Uint8Array(bytes);
  const lesson: Lesson = { line, literals: [], fields: [], literalStart: 0 };
  learnObject(lesson, line.indexOf(OPEN), keys);
  const { literals, fields, literalStart } = lesson;
  const tail = line.slice(literalStart);
  const texts = [...literals, tail].map((literal) => Buffer.from(literal).toString('latin1'));
  if (
    literals.length === 0 ||
    literals.length > MOST_VALUES ||
    texts.join('').length > MOST_LITERALS
  )
    return null;
  const absent = fieldsOf(keys).filter((field) => !fields.includes(field));
  return { literals, fields, tail, absent, signature: [...texts, fields].join('\n') };
}

function fieldsOf(keys: KnownKeys): readonly number[] {
  return [...keys.values()].flatMap((known) =>
    typeof known === 'number' ? [known] : fieldsOf(known),
  );
}

/** Learns the object that begins at `start`, and returns the offset after it. */
function learnObject(lesson: Lesson, start: number, keys: KnownKeys): number {
  const { line } = lesson;
  let at = skipBlanks(line, start + 1);
  while (line[at] === QUOTE) {
    const keyEnd = endOfText(line, at);
    const known =
      keys.get(JSON.parse(Buffer.from(line.subarray(at, keyEnd)).toString('utf8'))) ??
      UNMAPPED_FIELD;
    const value = skipBlanks(line, skipBlanks(line, keyEnd) + 1);
    if (typeof known === 'number') at = learnValue(lesson, value, known);
    else
      at =
        line[value] === OPEN
          ? learnObject(lesson, value, known)
          : learnValue(lesson, value, NO_OBJECT);
    at = skipBlanks(line, at);
    if (line[at] === COMMA) at = skipBlanks(line, at + 1);
  }
  return line[at] === CLOSE ? at + 1 : line.length;
}

function learnValue(lesson: Lesson, start: number, field: number): number {
  const { line, literals, fields } = lesson;
  literals.push(line.slice(lesson.literalStart, start));
  fields.push(field);
  lesson.literalStart = endOfValue(line, start);
  return lesson.literalStart;
}

function skipBlanks(line: Uint8Array, start: number): number {
  let at = start;
  while (line[at] === 0x20 || line[at] === 0x09 || line[at] === 0x0d || line[at] === 0x0a) at += 1;
  return at;
}

function endOfText(line: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== QUOTE) at += line[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/**
 * Returns the offset after the value that starts at `start`. It only counts brackets, because the
 * strict parser has accepted the text.
 */
function endOfValue(line: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  while (at < line.length) {
    const byte = line[at]!;
    if (byte === QUOTE) {
      at = endOfText(line, at);
      if (depth === 0) return at;
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === 0x2c || byte <= 0x20)) return at;
    at += 1;
  }
  return at;
}
