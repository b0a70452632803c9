// Enters rows that came by COPY in the binary format into a column batch, several times faster than by way of objects. What
// it enters is what the strict decoder would have read; whatever it is not sure of it leaves to that.

import { ASCII, type ColumnBatch, hasRoom, markOf, NO_TEXT, sizeOf, UTF8 } from '../column-batch.ts';
import { type HashKey, hashBytes } from '../hash-bytes.ts';
import type { PlacedField, RowTable } from '../row-table.ts';
import { LONGEST_ID, LONGEST_TEXT } from '../take-fields.ts';
import { codeOfKnown, codeOfWord, createWordCodes, forgetOwnWords } from '../word-codes.ts';
import type { RowWriter } from '../write-row.ts';
import type { CopySlots } from './copy-rows.ts';

/**
 * How a field comes over the wire. `int8`: eight bytes. `digits`: a number as text. `microseconds`: an instant as eight bytes,
 * counted from 2000. `bool`: one byte.
 */
export type Wire = 'int8' | 'digits' | 'microseconds' | 'bool' | 'text';

export interface CopyReader<Row> extends RowWriter<Row> {
  readonly plans: readonly Plan[];
}

interface Plan {
  readonly act: number;
  readonly field: PlacedField;
  /** Fewest and most characters of a text. */
  readonly least: number;
  readonly most: number;
}

const INT8 = 0;
const DIGITS = 1;
const MICROSECONDS = 2;
const BOOL = 3;
const FLAG_TEXT = 4;
const WORD = 5;
const ONE_OF = 6;
const TEXT = 7;
/** Never plain: text where a number or an instant is wanted. */
const STRICT = 8;

/** 2000-01-01T00:00:00Z in milliseconds. */
const EPOCH = 946_684_800_000;
/** The years 1600 to 9999 are plain; what is read of the others the strict decoder says. */
const EARLIEST = Date.UTC(1600, 0, 1);
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const TWO_TO_32 = 2 ** 32;
const MASKS = [0, 0xff, 0xffff, 0xffffff];

/** `wires`: in the order of the fields; null: as in our own tables. `key`: null where nobody asks for hashes. */
export function createCopyReader<Row>(
  table: RowTable<Row>,
  key: HashKey | null,
  wires: readonly Wire[] | null = null,
): CopyReader<Row> {
  const plans = table.fields.map((field, i) => ({
    field,
    act: actOf(field, wires?.[i] ?? wireOf(field)),
    least: field.form === 'id' ? 1 : 0,
    most: field.form === 'id' ? LONGEST_ID : LONGEST_TEXT,
  }));
  return { table, key, codes: createWordCodes(table), plans };
}

/** Of a column of our own tables. */
function wireOf({ form }: PlacedField): Wire {
  if (form === 'flag') return 'bool';
  return form === 'integer' || form === 'instant' ? 'int8' : 'text';
}

function actOf({ form, store }: PlacedField, wire: Wire): number {
  if (store === 'number') {
    if (wire === 'int8') return INT8;
    if (wire === 'digits') return form === 'integer' ? DIGITS : STRICT;
    return wire === 'microseconds' && form === 'instant' ? MICROSECONDS : STRICT;
  }
  if (form === 'flag') return wire === 'bool' ? BOOL : FLAG_TEXT;
  if (form === 'one-of') return ONE_OF;
  return store === 'word' ? WORD : TEXT;
}

/** `full`: the batch has no room for the row. `odd`: the strict decoder has to look at it. Neither enters anything. */
export function enterCopied<Row>(
  reader: CopyReader<Row>,
  batch: ColumnBatch<Row>,
  slots: CopySlots,
  first: number,
): 'entered' | 'full' | 'odd' {
  const { plans } = reader;
  const { starts, lengths } = slots;
  const last = first + plans.length - 1;
  const from = starts[first]!;
  const size = starts[last]! + Math.max(lengths[last]!, 0) - from;
  if (size > sizeOf(batch)) return 'odd';
  if (!hasRoom(batch, size)) return 'full';
  slots.bytes.copy(batch.bytes, batch.used, from, from + size);
  const shift = batch.used - from;
  const { ownWordCount } = batch;
  for (let i = 0; i < plans.length; i += 1) {
    if (enterField(reader, batch, plans[i]!, starts[first + i]! + shift, lengths[first + i]!)) continue;
    // Words that were begun with this row stand in bytes that the next row will take.
    if (batch.ownWordCount !== ownWordCount) forgetOwnWords(reader.codes);
    batch.ownWordCount = ownWordCount;
    return 'odd';
  }
  batch.used += size;
  batch.rows += 1;
  return 'entered';
}

/** False where the value is not plain. */
function enterField<Row>(
  reader: CopyReader<Row>,
  batch: ColumnBatch<Row>,
  plan: Plan,
  start: number,
  length: number,
): boolean {
  const { act, field } = plan;
  const { numbers, words } = reader.table;
  if (length < 0) return enterNull(reader.table, batch, field);
  if (act === TEXT) return enterText(reader, batch, plan, start, length);
  if (act === WORD || act === ONE_OF) {
    const code =
      act === WORD ? wordAt(reader, batch, plan, start, length) : allowedAt(reader, batch, plan, start, length);
    batch.words[batch.rows * words + field.place] = code;
    return code > 0;
  }
  if (act === BOOL || act === FLAG_TEXT) {
    const flag = act === BOOL ? batch.bytes[start]! : flagAt(batch, start, length);
    batch.words[batch.rows * words + field.place] = flag;
    return flag >= 0;
  }
  const number = numberAt(batch, act, start, length);
  batch.numbers[batch.rows * numbers + field.place] = number;
  return !Number.isNaN(number);
}

/** False for a field that must not be null. A flag that is null is false. */
function enterNull<Row>(
  { numbers, words, texts }: RowTable<Row>,
  batch: ColumnBatch<Row>,
  { form, store, place, hashPlace, isOptional }: PlacedField,
): boolean {
  if (!isOptional && form !== 'flag') return false;
  if (store === 'number') batch.numbers[batch.rows * numbers + place] = Number.NaN;
  else if (store === 'word') batch.words[batch.rows * words + place] = 0;
  else batch.texts[2 * (batch.rows * texts + place) + 1] = NO_TEXT;
  if (hashPlace >= 0) batch.numbers[batch.rows * numbers + hashPlace] = Number.NaN;
  return true;
}

function enterText<Row>(
  { table, key }: CopyReader<Row>,
  batch: ColumnBatch<Row>,
  plan: Plan,
  start: number,
  length: number,
): boolean {
  const kind = kindOf(batch, plan, start, length);
  if (kind < 0) return false;
  const { place, hashPlace } = plan.field;
  const at = 2 * (batch.rows * table.texts + place);
  batch.texts[at] = start;
  batch.texts[at + 1] = markOf(length, kind);
  if (hashPlace >= 0) {
    const hash = key === null ? Number.NaN : hashBytes(key, batch.view, start, length);
    batch.numbers[batch.rows * table.numbers + hashPlace] = hash;
  }
  return true;
}

/** Its code, or 0 where the text is not plain. */
function wordAt<Row>(
  { codes }: CopyReader<Row>,
  batch: ColumnBatch<Row>,
  plan: Plan,
  start: number,
  length: number,
): number {
  const known = codeOfKnown(codes, batch.view, start, length);
  if (known !== 0) return known;
  const kind = kindOf(batch, plan, start, length);
  return kind < 0 ? 0 : codeOfWord(batch, codes, start, markOf(length, kind));
}

function allowedAt<Row>(
  { codes }: CopyReader<Row>,
  batch: ColumnBatch<Row>,
  plan: Plan,
  start: number,
  length: number,
): number {
  const code = codeOfKnown(codes, batch.view, start, length);
  return plan.field.allowed[code] === 1 ? code : 0;
}

/** −1 for what is neither `true` nor `false`. */
function flagAt({ bytes }: ColumnBatch<unknown>, start: number, length: number): number {
  const text = length > 5 ? '' : bytes.toString('latin1', start, start + length);
  return text === 'true' ? 1 : text === 'false' ? 0 : -1;
}

/** ASCII or UTF8; −1 where the text is too short, too long or not valid UTF-8. */
function kindOf({ bytes, view }: ColumnBatch<unknown>, { least, most }: Plan, start: number, length: number): number {
  if (length < least) return -1;
  const even = length & ~3;
  let bits = view.getInt32(start + even, true) & MASKS[length & 3]!;
  for (let at = 0; at < even; at += 4) bits |= view.getInt32(start + at, true);
  if ((bits & 0x80808080) === 0) return length <= most ? ASCII : -1;
  // No character takes more than three bytes for each unit that counts.
  if (length > 3 * most) return -1;
  const text = bytes.toString('utf8', start, start + length);
  // What is not valid has become U+FFFD, which may also stand there.
  const isValid = !text.includes('\ufffd') || Buffer.from(text).equals(bytes.subarray(start, start + length));
  return isValid && text.length <= most ? UTF8 : -1;
}

/** NaN where it is not plain. */
function numberAt({ bytes, view }: ColumnBatch<unknown>, act: number, start: number, length: number): number {
  if (act === DIGITS) return digitsAt(bytes, start, length);
  if (act === STRICT || length !== 8) return Number.NaN;
  const value = view.getInt32(start) * TWO_TO_32 + view.getUint32(start + 4);
  if (!Number.isSafeInteger(value)) return Number.NaN;
  if (act === INT8) return value;
  const instant = Math.floor(value / 1_000) + EPOCH;
  return instant >= EARLIEST && instant <= LATEST ? instant : Number.NaN;
}

/** Up to 15 digits, perhaps with a minus. */
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
