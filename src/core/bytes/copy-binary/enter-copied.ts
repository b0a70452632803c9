// Reads rows in the COPY binary format into a column batch, several times faster than through
// objects. A row read here is the row that the strict decoder would have read; all unusual rows are
// left to the strict decoder.

import {
  ASCII,
  allocateBatch,
  type ColumnBatch,
  clearBatch,
  markOf,
  openBatch,
  sizeOf,
  UTF8,
} from '../../domain/rows/column-batch.ts';
import { LONGEST_TEXT } from '../../domain/rows/decode-object.ts';
import {
  hashPlaceOf,
  isNullable,
  limitsOf,
  numberOf,
  openRow,
  wordPlaceOf,
  writeNull,
  writeText,
} from '../../domain/rows/field-source.ts';
import { type HashKey, hashBytes, LAST_BYTES } from '../../domain/rows/hash-bytes.ts';
import type { RowCursor } from '../../domain/rows/row-cursor.ts';
import type { RowWriter } from '../../domain/rows/row-store.ts';
import type { PlacedField, RowTable } from '../../domain/rows/row-table.ts';
import {
  codeOfKnown,
  codeOfWord,
  createWordCodes,
  forgetOwnWords,
  type WordCodes,
} from '../../domain/rows/word-codes.ts';
import type { CopySlots } from './copy-rows.ts';

/**
 * The format of a field in the stream. `int8`: eight bytes. `digits`: a number as text.
 * `microseconds`: an instant as eight bytes, counted from 2000-01-01. `bool`: one byte.
 */
export type Wire = 'int8' | 'digits' | 'microseconds' | 'bool' | 'text';

export interface CopyReader<Row> extends RowWriter<Row> {
  readonly write: WriteFields;
}

/**
 * Writes the fields of a row into the batch. `first` is the slot of its first field. The row's
 * bytes stand in the batch at the slots' offsets plus `shift`. Returns false when a field is not
 * plain.
 */
type WriteFields = (
  reader: CopyReader<never>,
  batch: ColumnBatch<never>,
  slots: CopySlots,
  first: number,
  shift: number,
) => boolean;

/** 2000-01-01T00:00:00Z in milliseconds. */
const EPOCH = 946_684_800_000;
/** Only the years 1600 to 9999 are read here; the strict decoder reads all others. */
const EARLIEST = Date.UTC(1600, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const TWO_TO_32 = 2 ** 32;

const HELPERS = { codeOfKnown, digitsAt, flagAt, hashBytes, kindOf, wordAt };

/**
 * Compiled writers by table and formats. They are shared, because there are many readers, and some
 * read only one row.
 */
const writers = new WeakMap<RowTable<unknown>, Map<string, WriteFields>>();

/**
 * Makes a reader. `wires` are the formats in the order of the fields; by default those of our own
 * tables. Without a `key`, NaN is written in place of each hash.
 */
export function createCopyReader<Row>(
  table: RowTable<Row>,
  key: HashKey | null,
  wires: readonly Wire[] = table.fields.map(wireOf),
): CopyReader<Row> {
  const known = writers.get(table) ?? new Map<string, WriteFields>();
  const write = known.get(wires.join()) ?? compileFields(table, wires);
  writers.set(table, known.set(wires.join(), write));
  return { table, key, codes: createWordCodes(table), write };
}

function compileFields(table: RowTable<unknown>, wires: readonly Wire[]): WriteFields {
  const written = table.fields.map((field, i) => {
    const absent = isNullable(field) ? writeNull(field) : 'return false;';
    return `start = starts[first + ${i}] + shift; length = lengths[first + ${i}];
if (length < 0) { ${absent} } else { ${writeValue(field, i, wires[i]!)} }`;
  });
  const source = `const { ${Object.keys(HELPERS).join(', ')} } = helpers;
return ({ codes, key }, batch, { starts, lengths }, first, shift) => {
${openRow(table)}
let start = 0, length = 0, value = 0;
${written.join('\n')}
return true;
};`;
  const allowed = table.fields.map((field) => field.allowed);
  return new Function('helpers', 'allowed', source)(HELPERS, allowed) as WriteFields;
}

/** Returns the format of a column of our own tables. */
function wireOf({ form }: PlacedField): Wire {
  if (form === 'flag') return 'bool';
  return form === 'integer' || form === 'instant' ? 'int8' : 'text';
}

/**
 * Returns source that writes the value of field `i`, `length` bytes from `start` on. The source
 * returns false when the value is not plain.
 */
function writeValue(field: PlacedField, i: number, wire: Wire): string {
  if (field.store === 'number') return writeNumber(field, wire);
  if (field.store === 'text') {
    return `value = kindOf(batch, start, length, ${limitsOf(field)});
if (value < 0) return false;
${writeText(field, 'start', 'length << 2 | value')}
${field.hashPlace < 0 ? '' : `numbers[${hashPlaceOf(field)}] = key === null ? NaN : hashBytes(key, view, start, length);`}`;
  }
  const known = 'codeOfKnown(codes, view, start, length)';
  const write = `words[${wordPlaceOf(field)}] = value;`;
  if (field.form === 'one-of')
    return `value = ${known}; if (allowed[${i}][value] !== 1) return false; ${write}`;
  if (field.form === 'word')
    return `value = ${known} || wordAt(batch, codes, start, length); if (value === 0) return false; ${write}`;
  if (wire === 'bool') return `value = bytes[start]; ${write}`;
  return `value = flagAt(batch, start, length); if (value < 0) return false; ${write}`;
}

function writeNumber(field: PlacedField, wire: Wire): string {
  const write = `${numberOf(field)} = value;`;
  if (wire === 'digits' && field.form === 'integer') {
    return `value = digitsAt(bytes, start, length); if (Number.isNaN(value)) return false; ${write}`;
  }
  const isInstant = wire === 'microseconds' && field.form === 'instant';
  // The stream has a text where a number or an instant belongs: the strict decoder judges it.
  if (wire !== 'int8' && !isInstant) return 'return false;';
  return `value = view.getInt32(start) * ${TWO_TO_32} + view.getUint32(start + 4);
if (length !== 8 || !Number.isSafeInteger(value)) return false;
${isInstant ? `value = Math.floor(value / 1000) + ${EPOCH}; if (value < ${EARLIEST} || value > ${LATEST}) return false;` : ''} ${write}`;
}

/**
 * Reads a row whose bytes are in the batch already, at the slots' offsets plus `shift`. Returns
 * false, and adds no row, when the strict decoder must read it. The batch must have room for a row.
 */
export function enterPlaced<Row>(
  reader: CopyReader<Row>,
  batch: ColumnBatch<Row>,
  slots: CopySlots,
  { first, shift }: { readonly first: number; readonly shift: number },
): boolean {
  const { ownWordCount } = batch;
  if (
    !reader.write(reader as CopyReader<never>, batch as ColumnBatch<never>, slots, first, shift)
  ) {
    // The refused row may have added words, whose bytes the next row will overwrite.
    if (batch.ownWordCount !== ownWordCount) forgetOwnWords(reader.codes);
    batch.ownWordCount = ownWordCount;
    return false;
  }
  batch.rows += 1;
  return true;
}

/** Returns the code of a word that the table does not know, or 0 when the text is not plain. */
function wordAt(
  batch: ColumnBatch<unknown>,
  codes: WordCodes,
  start: number,
  length: number,
): number {
  const kind = kindOf(batch, start, length, 0, LONGEST_TEXT);
  return kind < 0 ? 0 : codeOfWord(batch, codes, start, markOf(length, kind));
}

/** Returns 1 for `true`, 0 for `false`, −1 for any other text. */
function flagAt({ bytes }: ColumnBatch<unknown>, start: number, length: number): number {
  const text = length > 5 ? '' : bytes.toString('latin1', start, start + length);
  return text === 'true' ? 1 : text === 'false' ? 0 : -1;
}

/**
 * Returns ASCII or UTF8; −1 when the text is too short, too long or not valid UTF-8. Texts that are
 * not ASCII have their length counted in UTF-16 units.
 */
function kindOf(
  { bytes, view }: ColumnBatch<unknown>,
  start: number,
  length: number,
  least: number,
  most: number,
): number {
  if (length < least) return -1;
  const even = length & ~3;
  let bits = view.getInt32(start + even, true) & LAST_BYTES[length & 3]!;
  for (let at = 0; at < even; at += 4) bits |= view.getInt32(start + at, true);
  if ((bits & 0x80808080) === 0) return length <= most ? ASCII : -1;
  // No character takes more than three bytes for each UTF-16 unit.
  if (length > 3 * most) return -1;
  const text = bytes.toString('utf8', start, start + length);
  // Invalid bytes have become U+FFFD, which may also be in the text itself.
  const isValid =
    !text.includes('\ufffd') || Buffer.from(text).equals(bytes.subarray(start, start + length));
  return isValid && text.length <= most ? UTF8 : -1;
}

/** Reads up to 15 digits, perhaps after a minus; NaN for any other text. */
function digitsAt(bytes: Buffer, start: number, length: number): number {
  const isNegative = bytes[start] === 0x2d;
  const first = isNegative ? start + 1 : start;
  const end = start + length;
  if (end <= first || end - first > 15) return Number.NaN;
  let value = 0;
  for (let at = first; at < end; at += 1) {
    const digit = bytes[at]! - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return isNegative ? 0 - value : value;
}

// Makes objects of rows in column batches. Rows that came by COPY become objects this way when
// there are few of them, or when two of them stand side by side.

export interface RowSeen<Row, Made = Row> {
  readonly cursor: RowCursor<Row>;
  /** Makes an object that does not refer to the batch. */
  readonly copy: (row: Row) => Made;
}

/** Bytes: more than any row that the strict decoder accepts. */
export const ROOM_FOR_ROWS = 524_288;

export function rowsOf<Row, Made>(
  batch: ColumnBatch<Row>,
  { cursor, copy }: RowSeen<Row, Made>,
): Made[] {
  const rows: Made[] = [];
  cursor.open(batch);
  for (let row = 0; row < batch.rows; row += 1) {
    cursor.moveTo(row);
    rows.push(copy(cursor.row));
  }
  return rows;
}

/**
 * Makes a function that reads one row, whose first field has the slot `first`, as an object. It
 * returns `null` for a row that the strict decoder must read.
 */
export function createRowMaker<Row>(reader: CopyReader<Row>, { cursor, copy }: RowSeen<Row>) {
  const batch = openBatch(reader.table, allocateBatch(reader.table, ROOM_FOR_ROWS));
  return (slots: CopySlots, first: number): Row | null => {
    clearBatch(batch);
    forgetOwnWords(reader.codes);
    const { bytes, starts, lengths } = slots;
    const last = first + reader.table.fields.length - 1;
    const [from, end] = [starts[first]!, starts[last]! + Math.max(lengths[last]!, 0)];
    if (end - from > sizeOf(batch)) return null;
    bytes.copy(batch.bytes, 0, from, end);
    if (!enterPlaced(reader, batch, slots, { first, shift: -from })) return null;
    cursor.open(batch);
    return copy(cursor.row);
  };
}
