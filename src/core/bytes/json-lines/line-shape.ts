// The shape of a line: which bytes stand between its values, learned from one line that the strict
// parser has accepted. Lines of one file nearly always share a shape, and then only their values
// need to be looked at.

import { SPARE } from '../../domain/rows/column-batch.ts';

export interface LineShape {
  /** For each value in turn, the bytes that must stand before it. */
  readonly literals: readonly Uint8Array[];
  /** The field of each value, or one of the two below. */
  readonly fields: readonly number[];
  /** The bytes between the last value and the line feed. */
  readonly tail: Uint8Array;
  /** The fields that the line does not have. */
  readonly absent: readonly number[];
  /** Equal for two shapes that accept the same lines. */
  readonly signature: string;
}

/** A value without a field. */
export const UNMAPPED_FIELD = -1;
/** In place of an object that is looked into: it must be null. */
export const NO_OBJECT = -2;

/**
 * The keys of one object: each is a field, by its number, or an object whose values are read, and
 * the bytes around these are part of the shape. A key that is spelled `failure.code` is none of
 * `failure`.
 */
export type KnownKeys = ReadonlyMap<string, number | KnownKeys>;

const MOST_VALUES = 64;
/**
 * Bytes of all literals together: what is made of a shape must stay small, and a literal must be
 * readable after any line.
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
 * The shape of a line (without its line feed), which the strict parser has accepted as an object;
 * null when it has no value or too many.
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

/** Gives the offset after the object that begins at `start`. */
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
 * Offset after the value that starts at `start`; the text is known to be sound, so brackets need
 * only be counted.
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
