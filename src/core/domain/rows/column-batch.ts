// Rows as columns, in memory that threads share: numbers, codes of words, and where in a shared
// buffer the bytes of texts stand. Nothing is made for a row but its numbers; a caller that asks
// for a text or a whole row makes it (`row-cursor.ts`).
//
// What code that fills or drains a batch keeps to, whatever the bytes come from (JSON lines, COPY
// binary):
// - Texts stay where they were read: only their offset and mark are written down. The bytes under
//   them must not change until the batch is released. Spare bytes after the buffer let texts be
//   read four bytes at a time.
// - Integers and instants are doubles: a safe integer, or NaN for null (int8 and timestamps in
//   network order become such). −0 is never written.
// - A word is a code: 0 for null, else that of a known word of the table, or FIRST_OWN_WORD + n for
//   the nth word that only this batch has (`codeOfWord`). A flag is 1 or 0.
// - The hash of a text that is hashed is that of its UTF-8 bytes without escapes, NaN where the
//   text is null.
// - Rows hold nothing that the strict decoder would refuse: limits of length, U+0000 and broken
//   UTF-8 are looked at before.

import type { RowTable } from './row-table.ts';

/** Bytes, and the view that reads them four and eight at a time. */
export interface ByteSpan {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Its bytes are what texts stand in. */
export interface ColumnBatch<Row> extends ByteSpan {
  readonly table: RowTable<Row>;
  /** Row after row, each as many as the table says. */
  readonly numbers: Float64Array;
  readonly words: Uint16Array | Uint32Array;
  /** Offset and mark of each text. */
  readonly texts: Int32Array;
  /** Offset and mark of each word that only this batch has. */
  readonly ownWords: Int32Array;
  /** Place of each row in what was read: for a file the offset of its line. */
  readonly places: Float64Array;
  /** Rows, own words and bytes in use so far. */
  rows: number;
  ownWordCount: number;
  used: number;
}

/** What one thread sends another; the counts go beside it. */
export interface SharedBatch {
  readonly bytes: SharedArrayBuffer;
  readonly columns: SharedArrayBuffer;
}

/**
 * Rows that a batch has room for. Each handing over wakes a thread, which costs more than to read a
 * thousand rows.
 */
export const BATCH_ROWS = 4_096;
/** Codes of words from here on are the batch's own: more known words no table has. */
export const FIRST_OWN_WORD = 1_024;
const MOST_OWN_WORDS = 8_192;
/**
 * Bytes after the last text that may be read, so that what is compared at once need not be looked
 * at byte by byte.
 */
export const SPARE = 4_096;

/** A mark is the length in bytes times four, and how the bytes are to be read; −1 for null. */
export const ASCII = 0;
export const UTF8 = 1;
/** JSON text with escapes; the quotes stand around it. */
export const ESCAPED = 2;
export const NO_TEXT = -1;

/** `size`: bytes of texts that there is room for. Pages that are never touched cost nothing. */
export function allocateBatch<Row>(table: RowTable<Row>, size: number): SharedBatch {
  const { numbers, words, texts } = table;
  const row = 8 * (numbers + 1) + 8 * texts + 2 * words;
  return {
    bytes: new SharedArrayBuffer(size + SPARE),
    columns: new SharedArrayBuffer(row * BATCH_ROWS + 8 * MOST_OWN_WORDS),
  };
}

export function openBatch<Row>(
  table: RowTable<Row>,
  { bytes, columns }: SharedBatch,
): ColumnBatch<Row> {
  let at = 0;
  const take = (length: number, width: number): [SharedArrayBuffer, number, number] => {
    const start = at;
    at += length * width;
    return [columns, start, length];
  };
  return {
    table,
    bytes: Buffer.from(bytes),
    view: new DataView(bytes),
    places: new Float64Array(...take(BATCH_ROWS, 8)),
    numbers: new Float64Array(...take(BATCH_ROWS * table.numbers, 8)),
    texts: new Int32Array(...take(BATCH_ROWS * 2 * table.texts, 4)),
    ownWords: new Int32Array(...take(2 * MOST_OWN_WORDS, 4)),
    words: new Uint16Array(...take(BATCH_ROWS * table.words, 2)),
    rows: 0,
    ownWordCount: 0,
    used: 0,
  };
}

/** The bytes that texts may stand in, without the spare ones. */
export function sizeOf({ bytes }: ColumnBatch<unknown>): number {
  return bytes.length - SPARE;
}

/** Whether one more row fits, that brings `length` bytes of its own. */
export function hasRoom(batch: ColumnBatch<unknown>, length: number): boolean {
  const { table, rows, ownWordCount, used } = batch;
  const words = ownWordCount + table.words <= MOST_OWN_WORDS;
  return rows < BATCH_ROWS && words && used + length <= sizeOf(batch);
}

export function clearBatch(batch: ColumnBatch<unknown>): void {
  batch.rows = 0;
  batch.ownWordCount = 0;
  batch.used = 0;
}

export function lengthOf(mark: number): number {
  return mark >> 2;
}

export function markOf(length: number, kind: number): number {
  return (length << 2) | kind;
}

/**
 * What `toString('latin1')` calls, after it has looked up the name: texts are the most of what is
 * made of a batch.
 */
interface Latin1Buffer extends Buffer {
  latin1Slice(start: number, end: number): string;
}

/** The text itself; it does not hold on to the batch. */
export function textIn({ bytes }: ColumnBatch<unknown>, start: number, mark: number): string {
  const end = start + (mark >> 2);
  const kind = mark & 3;
  if (kind === ASCII) return (bytes as Latin1Buffer).latin1Slice(start, end);
  return kind === UTF8
    ? bytes.toString('utf8', start, end)
    : (JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string);
}
