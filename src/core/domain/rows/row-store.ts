// Rows that stay in memory as columns: a column batch that grows. Rows are copied in from batches
// or from objects, and cannot be removed one by one: to drop some, copy the others into another
// store.

import {
  ASCII,
  type ColumnBatch,
  ESCAPED,
  FIRST_OWN_WORD,
  hasRoom,
  lengthOf,
  markOf,
  NO_TEXT,
  SPARE,
  textIn,
  UTF8,
} from './column-batch.ts';
import { type HashKey, hashBytes, viewOf } from './hash-bytes.ts';
import type { PlacedField, RowTable } from './row-table.ts';
import { codeOfWord, createWordCodes, type WordCodes } from './word-codes.ts';

/**
 * A store of rows. When it has grown, cursors on it must be opened again, because they still read
 * the older memory.
 */
export interface RowStore<Row> extends Grown<ColumnBatch<Row>> {
  readonly codes: WordCodes;
  room: number;
}

type Grown<Batch> = { -readonly [Part in keyof Batch]: Batch[Part] };

const FEWEST = 64;
const BYTES_A_ROW = 96;

export function createRowStore<Row>(table: RowTable<Row>): RowStore<Row> {
  const bytes = Buffer.alloc(FEWEST * BYTES_A_ROW + SPARE);
  return {
    table,
    codes: createWordCodes(table),
    bytes,
    view: viewOf(bytes),
    places: new Float64Array(0),
    numbers: new Float64Array(FEWEST * table.numbers),
    // A store may have more words of its own than sixteen bits can count.
    words: new Uint32Array(FEWEST * table.words),
    texts: new Int32Array(2 * FEWEST * table.texts),
    ownWords: new Int32Array(2 * FEWEST),
    ...{ rows: 0, ownWordCount: 0, used: 0, room: FEWEST },
  };
}

export function clearStore(store: RowStore<unknown>): void {
  store.rows = 0;
  store.used = 0;
  store.ownWordCount = 0;
  store.codes.own.fill(0);
}

/** Copies a row object into the store, and returns its number there. */
export function storeRow<Row>(store: RowStore<Row>, row: Row): number {
  const values = row as Readonly<Record<string, unknown>>;
  const units = store.table.fields.reduce((sum, { name, store: kind }) => {
    const value = values[name];
    return kind !== 'number' && typeof value === 'string' ? sum + value.length : sum;
  }, 0);
  makeRoom(store, 3 * units);
  enterRow({ table: store.table, key: null, codes: store.codes }, store, row);
  return store.rows - 1;
}

/**
 * Copies row `row` of a batch into the store, and returns its number there. The first columns of
 * the batch must be those of the store. Hashes in a store mean nothing and must not be read.
 */
export function storeFrom<Row>(store: RowStore<Row>, from: ColumnBatch<Row>, row: number): number {
  const { numbers, words, texts } = store.table;
  const given = from.table;
  const firstText = 2 * row * given.texts;
  let length = 0;
  for (let at = firstText + 1; at < firstText + 2 * texts; at += 2)
    length += Math.max(lengthOf(from.texts[at]!), 0);
  makeRoom(store, length);
  const to = store.rows;
  for (let at = 0; at < numbers; at += 1)
    store.numbers[to * numbers + at] = from.numbers[row * given.numbers + at]!;
  for (let at = 0; at < words; at += 1) {
    const code = from.words[row * given.words + at]!;
    store.words[to * words + at] =
      code < FIRST_OWN_WORD ? code : codeOfOwn(store, from, code - FIRST_OWN_WORD);
  }
  for (let at = 0; at < 2 * texts; at += 2) {
    const start = from.texts[firstText + at]!;
    const mark = from.texts[firstText + at + 1]!;
    const place = 2 * to * texts + at;
    store.texts[place] = store.used;
    store.texts[place + 1] = mark === NO_TEXT ? NO_TEXT : copyText(store, from, start, mark);
  }
  store.rows += 1;
  return to;
}

/** Copies a text, and returns the mark of the copy. */
function copyText(
  store: RowStore<unknown>,
  from: ColumnBatch<unknown>,
  start: number,
  mark: number,
): number {
  if ((mark & 3) === ESCAPED) {
    const text = textIn(from, start, mark);
    makeRoom(store, 3 * text.length);
    return writeText(store, text);
  }
  const length = lengthOf(mark);
  copyBytes(from.view, start, store.view, store.used, length);
  store.used += length;
  return mark;
}

/**
 * Copies bytes, four at a time, so that up to three bytes more are written: `to` must have room for
 * them, and they have no meaning.
 */
export function copyBytes(
  from: DataView,
  start: number,
  to: DataView,
  at: number,
  length: number,
): void {
  for (let i = 0; i < length; i += 4) to.setInt32(at + i, from.getInt32(start + i, true), true);
}

function codeOfOwn(store: RowStore<unknown>, from: ColumnBatch<unknown>, own: number): number {
  const text = textIn(from, from.ownWords[2 * own]!, from.ownWords[2 * own + 1]!);
  makeRoom(store, 3 * text.length);
  const start = store.used;
  return codeOfWord(store, store.codes, start, writeText(store, text));
}

/** Makes room for one more row, and for `length` bytes of texts. */
function makeRoom(store: RowStore<unknown>, length: number): void {
  const { table } = store;
  if (store.rows === store.room) {
    store.room *= 2;
    store.numbers = grown(store.numbers, new Float64Array(store.room * table.numbers));
    store.words = grown(store.words, new Uint32Array(store.room * table.words));
    store.texts = grown(store.texts, new Int32Array(2 * store.room * table.texts));
  }
  if (2 * (store.ownWordCount + table.words) > store.ownWords.length) {
    store.ownWords = grown(
      store.ownWords,
      new Int32Array(2 * (store.ownWords.length + table.words)),
    );
  }
  if (store.used + length + SPARE <= store.bytes.length) return;
  const bytes = Buffer.alloc(2 * store.bytes.length + length);
  store.bytes.copy(bytes, 0, 0, store.used);
  store.bytes = bytes;
  store.view = viewOf(bytes);
}

export function grown<Numbers extends Float64Array | Uint32Array | Int32Array | Uint16Array>(
  from: Numbers | Uint16Array,
  to: Numbers,
): Numbers {
  to.set(from);
  return to;
}

// Writes rows that are objects into a column batch: rows that the strict decoder has read, or rows
// of a page of an API.

export interface RowWriter<Row> {
  readonly table: RowTable<Row>;
  /** The key of hashes; `null`: NaN is written in place of each hash. */
  readonly key: HashKey | null;
  readonly codes: WordCodes;
}

/**
 * Writes a row into the batch, with its place in the source. Returns false, and writes nothing,
 * when the batch has no room for the row.
 */
export function writeRow<Row>(
  writer: RowWriter<Row>,
  batch: ColumnBatch<Row>,
  row: Row,
  place: number,
): boolean {
  const { fields } = writer.table;
  const values = row as Readonly<Record<string, unknown>>;
  let most = 0;
  for (const { name, store } of fields) {
    const value = values[name];
    if (store !== 'number' && typeof value === 'string') most += 3 * value.length;
  }
  if (!hasRoom(batch, most)) return false;
  batch.places[batch.rows] = place;
  enterRow(writer, batch, row);
  return true;
}

/** Writes a row for which there is room, without its place in the source. */
function enterRow<Row>(writer: RowWriter<Row>, batch: ColumnBatch<Row>, row: Row): void {
  const values = row as Readonly<Record<string, unknown>>;
  for (const field of writer.table.fields) writeField(writer, batch, field, values[field.name]);
  batch.rows += 1;
}

function writeField<Row>(
  writer: RowWriter<Row>,
  batch: ColumnBatch<Row>,
  field: PlacedField,
  value: unknown,
): void {
  const { numbers, words, texts } = writer.table;
  const { rows } = batch;
  if (field.store === 'number') {
    batch.numbers[rows * numbers + field.place] = value === null ? Number.NaN : (value as number);
    return;
  }
  if (field.form === 'flag') {
    batch.words[rows * words + field.place] = value === true ? 1 : 0;
    return;
  }
  const start = batch.used;
  const mark = value === null ? NO_TEXT : writeText(batch, value as string);
  if (field.store === 'word') {
    batch.words[rows * words + field.place] =
      mark === NO_TEXT ? 0 : codeOfWord(batch, writer.codes, start, mark);
    return;
  }
  const at = 2 * (rows * texts + field.place);
  batch.texts[at] = start;
  batch.texts[at + 1] = mark;
  if (field.hashPlace < 0) return;
  const { key } = writer;
  const hash =
    mark === NO_TEXT || key === null
      ? Number.NaN
      : hashBytes(key, batch.view, start, lengthOf(mark));
  batch.numbers[rows * numbers + field.hashPlace] = hash;
}

/** Writes a text for which there is room, and returns its mark. */
function writeText(batch: ColumnBatch<unknown>, text: string): number {
  const length = batch.bytes.write(text, batch.used, 'utf8');
  batch.used += length;
  return markOf(length, length === text.length ? ASCII : UTF8);
}
