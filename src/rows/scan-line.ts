// Reads a line of JSON straight into a column batch, in one pass over its bytes: a line of a shape met before, whose values are
// of the plainest form. Refuses the rest, for the strict decoder; what it does enter is what that would have read.

import { type ColumnBatch, ESCAPED, markOf, NO_TEXT } from './column-batch.ts';
import { type HashKey, hashBytes, hashText } from './hash-bytes.ts';
import { type KnownKeys, type LineShape, learnShape, NO_OBJECT } from './line-shape.ts';
import { readPlainInstant } from './plain-instant.ts';
import { skipValue } from './plain-nested.ts';
import { passText, QUOTE } from './plain-value.ts';
import type { PlacedField, RowTable } from './row-table.ts';
import { LONGEST_ID, LONGEST_TEXT } from './take-fields.ts';
import { codeOfKnown, codeOfWord, createWordCodes, type WordCodes } from './word-codes.ts';

/** Knows the shapes met so far. It also fits wherever rows are written (`write-row.ts`). */
export interface LineScanner<Row> {
  readonly table: RowTable<Row>;
  readonly key: HashKey;
  readonly codes: WordCodes;
  readonly keys: KnownKeys;
  /** The latest to fit first. */
  readonly shapes: LearnedShape[];
  lessons: number;
}

/** A shape, and for each of its values what is done with it. */
export interface LearnedShape {
  readonly shape: LineShape;
  readonly acts: Uint8Array;
  readonly fields: readonly (PlacedField | null)[];
  readonly absent: readonly PlacedField[];
}

/** What is done with a value. */
const PASS = 0;
const NULL_ALONE = 1;
const INTEGER = 2;
const INSTANT = 3;
const TEXT = 4;
const WORD = 5;
const FLAG = 6;

const MOST_SHAPES = 8;
const MOST_LESSONS = 256;
const MOST_DIGITS = 15;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NULL_WORD = 0x6c6c756e;
const TRUE_WORD = 0x65757274;
const FALS_WORD = 0x736c6166;

/** `known`: what a scanner of this table made before, or may go on with. */
export function createLineScanner<Row>(
  table: RowTable<Row>,
  key: HashKey,
  known: Pick<LineScanner<Row>, 'codes' | 'shapes'> = { codes: createWordCodes(table), shapes: [] },
): LineScanner<Row> {
  const fields = new Map(table.fields.map(({ path }, i) => [path.join('.'), i]));
  const objects = new Set(
    table.fields.flatMap(({ path }) => path.slice(1).map((_, i) => path.slice(0, i + 1).join('.'))),
  );
  return { table, key, codes: known.codes, keys: { fields, objects }, shapes: [...known.shapes], lessons: 0 };
}

/** Keeps the shape of a line (without its end) that the strict decoder has accepted, unless too many lines differ. */
export function learnLine<Row>(scanner: LineScanner<Row>, line: Uint8Array): void {
  const { shapes, table, keys } = scanner;
  if (shapes.length === MOST_SHAPES || scanner.lessons === MOST_LESSONS) return;
  scanner.lessons += 1;
  const shape = learnShape(line, keys);
  if (shape === null || shapes.some((known) => known.shape.signature === shape.signature)) return;
  const fields = Array.from(shape.fields, (field) => table.fields[field] ?? null);
  const acts = Uint8Array.from(shape.fields, (field) =>
    field === NO_OBJECT ? NULL_ALONE : actOf(table.fields[field]),
  );
  shapes.unshift({ shape, acts, fields, absent: shape.absent.map((field) => table.fields[field]!) });
}

function actOf(field: PlacedField | undefined): number {
  if (field === undefined) return PASS;
  if (field.form === 'integer') return INTEGER;
  if (field.form === 'instant') return INSTANT;
  if (field.form === 'flag') return FLAG;
  return field.store === 'word' ? WORD : TEXT;
}

/**
 * Enters the line at `at` as the batch's next row and gives the offset after its line feed, or −1, and nothing is entered.
 * The bytes up to `end` must be valid UTF-8 and end with a line feed; the batch must have room for a row.
 */
export function scanLine<Row>(scanner: LineScanner<Row>, batch: ColumnBatch<Row>, at: number, end: number): number {
  const { shapes } = scanner;
  for (let i = 0; i < shapes.length; i += 1) {
    const lesson = shapes[i]!;
    const after = scanValues(scanner, batch, lesson, at, end - 4) | 0;
    const next = after < 0 ? -1 : passTail(batch.bytes, after, lesson.shape.tail);
    if (next < 0) continue;
    if (lesson.absent.length > 0) for (const field of lesson.absent) writeNull(scanner.table, batch, field);
    batch.rows += 1;
    if (i > 0) {
      shapes.splice(i, 1);
      shapes.unshift(lesson);
    }
    return next;
  }
  return -1;
}

/** `lastWord`: the last offset at which four bytes can be read. */
function scanValues<Row>(
  scanner: LineScanner<Row>,
  batch: ColumnBatch<Row>,
  { shape, acts, fields }: LearnedShape,
  at: number,
  lastWord: number,
): number {
  const { view, bytes } = batch;
  const { pairs, pairDeltas, pairEnds, words: literals, deltas, wordEnds, lengths } = shape;
  const { table } = scanner;
  let position = at | 0;
  let pair = 0;
  let word = 0;
  for (let value = 0; value < acts.length; value += 1) {
    const length = lengths[value]!;
    // So that neither the literal nor the first four bytes of the value can pass the end.
    if (position + length > lastWord) return -1;
    for (const stop = pairEnds[value]!; pair < stop; pair += 1) {
      if (view.getFloat64(position + pairDeltas[pair]!, true) !== pairs[pair]) return -1;
    }
    for (const stop = wordEnds[value]!; word < stop; word += 1) {
      if (view.getInt32(position + deltas[word]!, true) !== literals[word]) return -1;
    }
    position = (position + length) | 0;
    const act = acts[value]!;
    if (act === PASS) {
      position = passAny(batch, position, lastWord) | 0;
      if (position < 0) return -1;
      continue;
    }
    if (bytes[position] === 0x6e) {
      if (view.getInt32(position, true) !== NULL_WORD) return -1;
      if (act !== NULL_ALONE && (fields[value]!.isRequiredInside || !writeNull(table, batch, fields[value]!)))
        return -1;
      position += 4;
      continue;
    }
    if (act === NULL_ALONE) return -1;
    position = readValue(scanner, batch, act, fields[value]!, position, lastWord) | 0;
    if (position < 0) return -1;
  }
  return position;
}

/** Of a value that is not null: enters it and gives the offset after it, or −1. */
function readValue<Row>(
  scanner: LineScanner<Row>,
  batch: ColumnBatch<Row>,
  act: number,
  field: PlacedField,
  at: number,
  lastWord: number,
): number {
  if (act === INTEGER) return readInteger(scanner.table, batch, field, at);
  if (act === FLAG) return readFlag(scanner.table, batch, field, at);
  if (batch.bytes[at] !== QUOTE) return -1;
  const start = at + 1;
  if (act === INSTANT) return readInstant(scanner.table, batch, field, start);
  const passed = passText(batch, start, lastWord) | 0;
  if (passed < 0) return -1;
  const isEntered =
    act === TEXT ? writeText(scanner, batch, field, start, passed) : writeWord(scanner, batch, field, start, passed);
  return isEntered ? (passed >> 2) + 1 : -1;
}

function readInteger<Row>(table: RowTable<Row>, batch: ColumnBatch<Row>, field: PlacedField, at: number): number {
  const { bytes } = batch;
  const isNegative = bytes[at] === 0x2d;
  const start = isNegative ? at + 1 : at;
  let figure = 0;
  let position = start;
  for (let digit = bytes[position]! - 0x30; digit >= 0 && digit <= 9; digit = bytes[position]! - 0x30) {
    figure = figure * 10 + digit;
    position += 1;
  }
  const digits = position - start;
  if (digits === 0 || digits > MOST_DIGITS || (bytes[start] === 0x30 && digits > 1)) return -1;
  batch.numbers[batch.rows * table.numbers + field.place] = isNegative && figure !== 0 ? -figure : figure;
  return position;
}

function readFlag<Row>(table: RowTable<Row>, batch: ColumnBatch<Row>, field: PlacedField, at: number): number {
  const first = batch.view.getInt32(at, true);
  const isTrue = first === TRUE_WORD;
  if (!isTrue && (first !== FALS_WORD || batch.bytes[at + 4] !== 0x65)) return -1;
  batch.words[batch.rows * table.words + field.place] = isTrue ? 1 : 0;
  return isTrue ? at + 4 : at + 5;
}

/** In its usual form. */
function readInstant<Row>(table: RowTable<Row>, batch: ColumnBatch<Row>, field: PlacedField, start: number): number {
  const { bytes } = batch;
  const end = bytes[start + 20] === QUOTE ? start + 20 : start + 24;
  if (bytes[end] !== QUOTE) return -1;
  const instant = readPlainInstant(batch, start, end);
  if (Number.isNaN(instant)) return -1;
  batch.numbers[batch.rows * table.numbers + field.place] = instant;
  return end + 1;
}

function passAny(batch: ColumnBatch<unknown>, at: number, lastWord: number): number {
  if (batch.bytes[at] !== QUOTE) return skipValue(batch.bytes, at, 0);
  const passed = passText(batch, at + 1, lastWord);
  return passed < 0 ? -1 : (passed >> 2) + 1;
}

/** `passed`: as `passText` gives it. Limits are counted in bytes, which are never fewer than characters. */
function writeText<Row>(
  { table, key }: LineScanner<Row>,
  batch: ColumnBatch<Row>,
  { form, place, hashPlace }: PlacedField,
  start: number,
  passed: number,
): boolean {
  const length = (passed >> 2) - start;
  if (form === 'id' ? length === 0 || length > LONGEST_ID : length > LONGEST_TEXT) return false;
  const at = 2 * (batch.rows * table.texts + place);
  batch.texts[at] = start;
  batch.texts[at + 1] = markOf(length, passed & 3);
  if (hashPlace < 0) return true;
  const isEscaped = (passed & 3) === ESCAPED;
  const hash = isEscaped
    ? hashText(key, JSON.parse(batch.bytes.toString('utf8', start - 1, start + length + 1)) as string)
    : hashBytes(key, batch.view, start, length);
  batch.numbers[batch.rows * table.numbers + hashPlace] = hash;
  return true;
}

function writeWord<Row>(
  { table, codes }: LineScanner<Row>,
  batch: ColumnBatch<Row>,
  { form, place, allowed }: PlacedField,
  start: number,
  passed: number,
): boolean {
  const length = (passed >> 2) - start;
  if (length > LONGEST_TEXT) return false;
  let code: number;
  if (form === 'one-of') {
    code = codeOfKnown(codes, batch.view, start, length);
    if (allowed[code] !== 1) return false;
  } else code = codeOfWord(batch, codes, start, markOf(length, passed & 3));
  batch.words[batch.rows * table.words + place] = code;
  return true;
}

/** False for a field that must not be null. A flag that is absent or null is false. */
function writeNull<Row>(table: RowTable<Row>, batch: ColumnBatch<Row>, field: PlacedField): boolean {
  const { store, form, place, hashPlace, isOptional } = field;
  if (!isOptional && form !== 'flag') return false;
  if (store === 'number') batch.numbers[batch.rows * table.numbers + place] = Number.NaN;
  else if (store === 'word') batch.words[batch.rows * table.words + place] = 0;
  else batch.texts[2 * (batch.rows * table.texts + place) + 1] = NO_TEXT;
  if (hashPlace >= 0) batch.numbers[batch.rows * table.numbers + hashPlace] = Number.NaN;
  return true;
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
