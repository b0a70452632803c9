// Makes of a shape one function that reads a line of it: each literal compared, each value entered, one after the other, with
// nothing left to look up. Its source is made of numbers alone: no text of a file or of a table ever gets into it.

import type { ColumnBatch } from '../column-batch.ts';
import {
  hashPlaceOf,
  isNullable,
  limitsOf,
  numberOf,
  openRow,
  wordPlaceOf,
  writeNull,
  writeText,
} from '../field-source.ts';
import type { HashKey } from '../hash-bytes.ts';
import type { PlacedField, RowTable } from '../row-table.ts';
import type { WordCodes } from '../word-codes.ts';
import { type LineShape, NO_OBJECT, NOBODYS } from './line-shape.ts';
import { createLastHours, readPlainInstant } from './plain-instant.ts';
import { FALS_WORD, NULL_WORD, skipValue, TRUE_WORD } from './plain-nested.ts';
import { passHashed, passText, QUOTE } from './plain-value.ts';
import { readWord } from './read-word.ts';

/**
 * Writes the values of the line at `at` into the columns of the batch's next row, and gives the offset after its line feed; −1
 * where the line is not of the shape or not of the plainest form, and what was written means nothing.
 */
export type ReadShape = (batch: ColumnBatch<unknown>, at: number, key: HashKey, codes: WordCodes) => number;

const MOST_DIGITS = 15;
const OPENING = Buffer.from([QUOTE]);

const HELPERS = { passHashed, passText, readPlainInstant, readWord, skipValue };

export function compileShape(shape: LineShape, table: RowTable<unknown>): ReadShape {
  const { fields } = table;
  const parts = [
    `const { ${Object.keys(HELPERS).join(', ')} } = helpers;`,
    'return (batch, at, key, codes) => {',
    openRow(table),
    'let position = at | 0, start = 0, passed = 0, length = 0, figure = 0, digit = 0;',
  ];
  shape.fields.forEach((place, value) => {
    const field = fields[place];
    const isOpened = field !== undefined && isQuoted(field) && !mayBeNull(field);
    parts.push(passLiteral(isOpened ? Buffer.concat([shape.literals[value]!, OPENING]) : shape.literals[value]!));
    if (place === NOBODYS) parts.push('position = skipValue(batch, position, 0);', refuseIf('position < 0'));
    else if (place === NO_OBJECT)
      parts.push(refuseIf(`view.getInt32(position, true) !== ${NULL_WORD}`), 'position += 4;');
    else parts.push(readField(field!, value));
  });
  parts.push(passLiteral(shape.tail), ...shape.absent.map((field) => writeNull(fields[field]!)));
  parts.push('if (bytes[position] === 13) position += 1;', 'return bytes[position] === 10 ? position + 1 : -1;', '};');
  const allowed = shape.fields.map((place) => fields[place]?.allowed);
  const make = new Function('helpers', 'allowed', 'last', parts.join('\n'));
  return make(HELPERS, allowed, createLastHours(shape.fields.length)) as ReadShape;
}

function refuseIf(condition: string): string {
  return `if (${condition}) return -1;`;
}

/**
 * Eight bytes are compared as one double: two doubles that are equal, and not zero, have the same bytes. Bytes beyond ASCII may
 * make no number, which is equal to nothing; they are compared four at a time. The last comparison overlaps the one before.
 */
function passLiteral(literal: Uint8Array): string {
  const view = new DataView(literal.buffer, literal.byteOffset, literal.length);
  const unlike: string[] = [];
  const widest = literal.every((byte) => byte < 0x7f) ? 8 : 4;
  const size = literal.length >= widest ? widest : literal.length >= 4 ? 4 : 1;
  for (let at = 0; at < literal.length; at += size) {
    const delta = Math.min(at, literal.length - size);
    if (size === 8) unlike.push(`view.getFloat64(position + ${delta}, true) !== ${view.getFloat64(delta, true)}`);
    else if (size === 4) unlike.push(`view.getInt32(position + ${delta}, true) !== ${view.getInt32(delta, true)}`);
    else unlike.push(`bytes[position + ${delta}] !== ${literal[delta]}`);
  }
  return `${refuseIf(unlike.join(' || '))} position += ${literal.length};`;
}

function isQuoted({ form }: PlacedField): boolean {
  return form !== 'integer' && form !== 'flag';
}

function mayBeNull(field: PlacedField): boolean {
  return isNullable(field) && !field.isRequiredInside;
}

/** `value`: its number in the shape. */
function readField(field: PlacedField, value: number): string {
  const read = readForm(field, value);
  if (!mayBeNull(field)) return read;
  const opened = isQuoted(field) ? `${refuseIf(`bytes[position] !== ${QUOTE}`)} position += 1;` : '';
  return `if (view.getInt32(position, true) === ${NULL_WORD}) { ${writeNull(field)} position += 4; } else {
${opened} ${read}
}`;
}

/** Of a text, from its first character on. */
function readForm(field: PlacedField, value: number): string {
  if (field.form === 'integer') return readInteger(field);
  if (field.form === 'flag') return readFlag(field);
  if (field.form === 'instant') return readInstant(field, value);
  return field.store === 'word' ? readWordOf(field, value) : readText(field);
}

function readInteger(field: PlacedField): string {
  return `start = bytes[position] === 45 ? position + 1 : position;
figure = 0; passed = start;
for (digit = bytes[passed] - 48; digit >= 0 && digit <= 9; digit = bytes[passed] - 48) { figure = figure * 10 + digit; passed += 1; }
length = passed - start;
if (length === 0 || length > ${MOST_DIGITS} || (bytes[start] === 48 && length > 1)) return -1;
${numberOf(field)} = start === position || figure === 0 ? figure : -figure;
position = passed;`;
}

function readFlag(field: PlacedField): string {
  return `figure = view.getInt32(position, true);
if (figure === ${TRUE_WORD}) { words[${wordPlaceOf(field)}] = 1; position += 4; }
else if (figure === ${FALS_WORD} && bytes[position + 4] === 101) { words[${wordPlaceOf(field)}] = 0; position += 5; }
else return -1;`;
}

function readInstant({ place }: PlacedField, value: number): string {
  return `position = readPlainInstant(batch, position, last, ${value}, number + ${place});
if (position < 0) return -1;`;
}

function readWordOf(field: PlacedField, value: number): string {
  const isRefused = field.form === 'one-of' ? ` || allowed[${value}][words[${wordPlaceOf(field)}]] !== 1` : '';
  return `position = readWord(batch, codes, position, ${wordPlaceOf(field)});
if (position < 0${isRefused}) return -1;`;
}

/** Limits are counted in bytes, which are never fewer than characters. */
function readText(field: PlacedField): string {
  const [least, most] = limitsOf(field);
  const isHashed = field.hashPlace >= 0;
  const pass = isHashed ? `passHashed(batch, key, position, ${hashPlaceOf(field)})` : 'passText(batch, position)';
  return `passed = ${pass};
length = (passed >> 2) - position;
if (length < ${least} || length > ${most}) return -1;
${writeText(field, 'position', 'length << 2 | passed & 3')}
position = (passed >> 2) + 1;`;
}
