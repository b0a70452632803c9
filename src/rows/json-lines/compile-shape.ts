// Makes of a shape one function that reads a line of it: each literal compared, each value entered, one after the other, with
// nothing left to look up. Its source is made of numbers alone: no text of a file or of a table ever gets into it.

import { type ColumnBatch, NO_TEXT } from '../column-batch.ts';
import type { HashKey } from '../hash-bytes.ts';
import type { PlacedField, RowTable } from '../row-table.ts';
import { LONGEST_ID, LONGEST_TEXT } from '../take-fields.ts';
import type { WordCodes } from '../word-codes.ts';
import { type LineShape, NO_OBJECT, NOBODYS } from './line-shape.ts';
import { createLastHours, readPlainInstant } from './plain-instant.ts';
import { FALS_WORD, NULL_WORD, skipValue, TRUE_WORD } from './plain-nested.ts';
import { hashPassed, passText, QUOTE, readWord } from './plain-value.ts';

/**
 * Writes the values of the line at `at` into the columns of the batch's next row, and gives the offset after its line feed; −1
 * where the line is not of the shape or not of the plainest form, and what was written means nothing.
 */
export type ReadShape = (batch: ColumnBatch<unknown>, at: number, key: HashKey, codes: WordCodes) => number;

const MOST_DIGITS = 15;

const HELPERS = { hashPassed, passText, readPlainInstant, readWord, skipValue };

export function compileShape(shape: LineShape, { fields, numbers, words, texts }: RowTable<unknown>): ReadShape {
  const parts = [
    `const { ${Object.keys(HELPERS).join(', ')} } = helpers;`,
    'return (batch, at, key, codes) => {',
    'const { bytes, view, numbers, words, texts, rows } = batch;',
    `const number = rows * ${numbers}, word = rows * ${words}, text = rows * ${2 * texts};`,
    'let position = at | 0, start = 0, passed = 0, length = 0, figure = 0, digit = 0;',
  ];
  shape.fields.forEach((place, value) => {
    parts.push(passLiteral(shape.literals[value]!));
    if (place === NOBODYS) parts.push('position = skipValue(batch, position, 0);', refuseIf('position < 0'));
    else if (place === NO_OBJECT)
      parts.push(refuseIf(`view.getInt32(position, true) !== ${NULL_WORD}`), 'position += 4;');
    else parts.push(readField(fields[place]!, value));
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
 * make no number, which is equal to nothing; they are compared four at a time, and what is left over one by one.
 */
function passLiteral(literal: Uint8Array): string {
  const view = new DataView(literal.buffer, literal.byteOffset, literal.length);
  const unlike: string[] = [];
  for (let at = 0; at < literal.length; ) {
    const left = literal.length - at;
    const size = left >= 8 && literal.subarray(at, at + 8).every((byte) => byte < 0x7f) ? 8 : left >= 4 ? 4 : 1;
    if (size === 8) unlike.push(`view.getFloat64(position + ${at}, true) !== ${view.getFloat64(at, true)}`);
    else if (size === 4) unlike.push(`view.getInt32(position + ${at}, true) !== ${view.getInt32(at, true)}`);
    else unlike.push(`bytes[position + ${at}] !== ${literal[at]}`);
    at += size;
  }
  return `${refuseIf(unlike.join(' || '))} position += ${literal.length};`;
}

/** `value`: its number in the shape. */
function readField(field: PlacedField, value: number): string {
  const isNullable = (field.isOptional || field.form === 'flag') && !field.isRequiredInside;
  const read = readForm(field, value);
  if (!isNullable) return read;
  return `if (view.getInt32(position, true) === ${NULL_WORD}) { ${writeNull(field)} position += 4; } else {\n${read}\n}`;
}

function readForm(field: PlacedField, value: number): string {
  if (field.form === 'integer') return readInteger(field);
  if (field.form === 'flag') return readFlag(field);
  const opened = `${refuseIf(`bytes[position] !== ${QUOTE}`)} start = position + 1;`;
  if (field.form === 'instant') return `${opened}\n${readInstant(field, value)}`;
  return `${opened}\n${field.store === 'word' ? readWordOf(field, value) : readText(field)}`;
}

function readInteger({ place }: PlacedField): string {
  return `start = bytes[position] === 45 ? position + 1 : position;
figure = 0; passed = start;
for (digit = bytes[passed] - 48; digit >= 0 && digit <= 9; digit = bytes[passed] - 48) { figure = figure * 10 + digit; passed += 1; }
length = passed - start;
if (length === 0 || length > ${MOST_DIGITS} || (bytes[start] === 48 && length > 1)) return -1;
numbers[number + ${place}] = start === position || figure === 0 ? figure : -figure;
position = passed;`;
}

function readFlag({ place }: PlacedField): string {
  return `figure = view.getInt32(position, true);
if (figure === ${TRUE_WORD}) { words[word + ${place}] = 1; position += 4; }
else if (figure === ${FALS_WORD} && bytes[position + 4] === 101) { words[word + ${place}] = 0; position += 5; }
else return -1;`;
}

function readInstant({ place }: PlacedField, value: number): string {
  return `length = bytes[start + 20] === ${QUOTE} ? 20 : 24;
if (bytes[start + length] !== ${QUOTE}) return -1;
figure = readPlainInstant(batch, start, length === 20, last, ${value});
if (figure !== figure) return -1;
numbers[number + ${place}] = figure;
position = start + length + 1;`;
}

function readWordOf({ form, place }: PlacedField, value: number): string {
  return `position = readWord(batch, codes, start, word + ${place});
if (position < 0${form === 'one-of' ? ` || allowed[${value}][words[word + ${place}]] !== 1` : ''}) return -1;`;
}

/** Limits are counted in bytes, which are never fewer than characters. */
function readText({ form, place, hashPlace }: PlacedField): string {
  const [least, most] = form === 'id' ? [1, LONGEST_ID] : [0, LONGEST_TEXT];
  const hash = `numbers[number + ${hashPlace}] = hashPassed(batch, key, start, passed);`;
  return `passed = passText(batch, start);
length = (passed >> 2) - start;
if (length < ${least} || length > ${most}) return -1;
texts[text + ${2 * place}] = start; texts[text + ${2 * place + 1}] = length << 2 | passed & 3;
position = (passed >> 2) + 1;
${hashPlace < 0 ? '' : hash}`;
}

/** A flag that is absent or null is false. */
function writeNull({ store, place, hashPlace }: PlacedField): string {
  const hash = hashPlace < 0 ? '' : ` numbers[number + ${hashPlace}] = NaN;`;
  if (store === 'number') return `numbers[number + ${place}] = NaN;`;
  if (store === 'word') return `words[word + ${place}] = 0;`;
  return `texts[text + ${2 * place + 1}] = ${NO_TEXT};${hash}`;
}
