// Enters rows that are at hand as objects into a column batch: what the strict decoder has read, or a page of answers.

import { ASCII, type ColumnBatch, hasRoom, lengthOf, markOf, NO_TEXT, UTF8 } from './column-batch.ts';
import { type HashKey, hashBytes } from './hash-bytes.ts';
import type { PlacedField, RowTable } from './row-table.ts';
import { codeOfWord, type WordCodes } from './word-codes.ts';

export interface RowWriter<Row> {
  readonly table: RowTable<Row>;
  /** Null: nobody asks for hashes, and NaN stands in their place. */
  readonly key: HashKey | null;
  readonly codes: WordCodes;
}

/** False, and nothing is entered, where there is no room for the row. `place`: where it stands in what was read. */
export function writeRow<Row>(writer: RowWriter<Row>, batch: ColumnBatch<Row>, row: Row, place: number): boolean {
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

/** As `writeRow`, where there is room for the row, and its place does not matter. */
export function enterRow<Row>(writer: RowWriter<Row>, batch: ColumnBatch<Row>, row: Row): void {
  const values = row as Readonly<Record<string, unknown>>;
  for (const field of writer.table.fields) writeField(writer, batch, field, values[field.name]);
  batch.rows += 1;
}

function writeField<Row>(writer: RowWriter<Row>, batch: ColumnBatch<Row>, field: PlacedField, value: unknown): void {
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
    batch.words[rows * words + field.place] = mark === NO_TEXT ? 0 : codeOfWord(batch, writer.codes, start, mark);
    return;
  }
  const at = 2 * (rows * texts + field.place);
  batch.texts[at] = start;
  batch.texts[at + 1] = mark;
  if (field.hashPlace < 0) return;
  const { key } = writer;
  const hash = mark === NO_TEXT || key === null ? Number.NaN : hashBytes(key, batch.view, start, lengthOf(mark));
  batch.numbers[rows * numbers + field.hashPlace] = hash;
}

/** Gives the text's mark. There must be room for it. */
export function writeText(batch: ColumnBatch<unknown>, text: string): number {
  const length = batch.bytes.write(text, batch.used, 'utf8');
  batch.used += length;
  return markOf(length, length === text.length ? ASCII : UTF8);
}
