// Rows as columns, in memory that threads share: numbers, codes of words, and the positions of
// texts in a shared buffer of bytes. Filling a batch makes no object for a row; a caller that needs
// a text or a whole row makes it (`row-cursor.ts`).
//
// What code that fills or reads a batch must keep to, whatever the bytes come from (JSON lines,
// COPY binary):
// - Texts stay where they were read: only their offset and mark are stored. The bytes under
//   them must not change until the batch is released. Spare bytes after the buffer let texts be
//   read four bytes at a time.
// - Integers and instants are doubles: a safe integer, or NaN for null, also where the source has
//   int8 or timestamps in network order. −0 is never stored.
// - A word is a code: 0 for null, the code of a known word of the table, or FIRST_OWN_WORD + n for
//   the nth word that only this batch has (`codeOfWord`). A flag is 1 or 0.
// - The hash of a text is over its UTF-8 bytes without escapes, and NaN where the text is null.
// - A batch holds no row that the strict decoder would refuse: limits of length, U+0000 and broken
//   UTF-8 are checked before a row is counted.

import type { RowTable } from './row-table.ts';

/** Bytes, with a view that reads four or eight of them at a time. */
export interface ByteSpan {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** A batch of rows. The texts stand in `bytes`. */
export interface ColumnBatch<Row> extends ByteSpan {
  readonly table: RowTable<Row>;
  /** The numbers of each row, row after row; a row has `table.numbers`. */
  readonly numbers: Float64Array;
  /** The codes of words of each row, row after row; a row has `table.words`. */
  readonly words: Uint16Array | Uint32Array;
  /** Offset and mark of each text, row after row; a row has `table.texts` such pairs. */
  readonly texts: Int32Array;
  /** Offset and mark of each word that only this batch has. */
  readonly ownWords: Int32Array;
  /** Where each row stood in its source: for a file the offset of its line in bytes. */
  readonly places: Float64Array;
  /** Number of rows in the batch so far. */
  rows: number;
  /** Number of words so far that only this batch has. */
  ownWordCount: number;
  /** Number of bytes in use so far. */
  used: number;
}

/** The memory of a batch, as one thread sends it to another. The counts are sent beside it. */
export interface SharedBatch {
  readonly bytes: SharedArrayBuffer;
  readonly columns: SharedArrayBuffer;
}

/**
 * The most rows of one batch. Handing a batch over wakes a thread, which costs more than reading a
 * thousand rows.
 */
export const BATCH_ROWS = 4_096;
/** Codes from here on are words that only the batch has; no table has as many known words. */
export const FIRST_OWN_WORD = 1_024;
const MOST_OWN_WORDS = 8_192;
/**
 * Bytes that may be read after the last text, so that bytes can be compared four at a time without
 * a check at the end.
 */
export const SPARE = 4_096;

/**
 * A mark is 4 × the length of a text in bytes + how its bytes are to be read: ASCII, UTF8 or
 * ESCAPED. A null text has the mark −1 (NO_TEXT).
 */
export const ASCII = 0;
export const UTF8 = 1;
/** JSON text with escapes, without the quotes around it. */
export const ESCAPED = 2;
export const NO_TEXT = -1;

/**
 * Allocates the memory of a batch with room for `size` bytes of texts. Memory pages that are never
 * written take no physical memory.
 */
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

/** Returns how many bytes of texts the batch has room for, without the spare ones. */
export function sizeOf({ bytes }: ColumnBatch<unknown>): number {
  return bytes.length - SPARE;
}

/** True when the batch has room for one more row that brings `length` bytes of texts. */
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
 * What `toString('latin1')` calls inside, after looking up the name of the encoding. Called
 * directly, because most of the time spent on reading a batch goes into texts.
 */
interface Latin1Buffer extends Buffer {
  latin1Slice(start: number, end: number): string;
}

/** Makes the text, which does not refer to the memory of the batch. */
export function textIn({ bytes }: ColumnBatch<unknown>, start: number, mark: number): string {
  const end = start + (mark >> 2);
  const kind = mark & 3;
  if (kind === ASCII) return (bytes as Latin1Buffer).latin1Slice(start, end);
  return kind === UTF8
    ? bytes.toString('utf8', start, end)
    : (JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string);
}
