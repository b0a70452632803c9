// A text by which rows are joined, as its bytes and hash, so that joining makes no text for each.

import { type ColumnBatch, ESCAPED, lengthOf, NO_TEXT, textIn } from './column-batch.ts';
import { viewOf } from './hash-bytes.ts';
import type { PlacedField } from './row-table.ts';
import { sameBytes } from './word-codes.ts';

/**
 * One for many texts, one after the other: good until another is put in. A few bytes more than the
 * text's can be read.
 */
export interface Name {
  hash: number;
  view: DataView;
  start: number;
  /** In bytes of UTF-8. */
  length: number;
}

export type HashOf = (text: string) => number;

const SPARE = 4;
let room = Buffer.alloc(1_024);
let roomView = viewOf(room);

export function createName(): Name {
  return { hash: Number.NaN, view: roomView, start: 0, length: 0 };
}

/** False where the text is null. `field`: that of a text. */
export function nameIn(
  name: Name,
  batch: ColumnBatch<unknown>,
  row: number,
  { field, hashOf }: { readonly field: PlacedField; readonly hashOf: HashOf },
): boolean {
  const { table, texts, numbers } = batch;
  const at = 2 * (row * table.texts + field.place);
  const mark = texts[at + 1]!;
  if (mark === NO_TEXT) return false;
  const hash = field.hashPlace < 0 ? Number.NaN : numbers[row * table.numbers + field.hashPlace]!;
  if ((mark & 3) === ESCAPED || Number.isNaN(hash)) {
    nameOf(name, textIn(batch, texts[at]!, mark), hashOf);
    return true;
  }
  name.hash = hash;
  name.view = batch.view;
  name.start = texts[at]!;
  name.length = lengthOf(mark);
  return true;
}

/** Puts a text in that is at hand. */
export function nameOf(name: Name, text: string, hashOf: HashOf): void {
  name.hash = hashOf(text);
  if (3 * text.length + SPARE > room.length) {
    room = Buffer.alloc(3 * text.length + SPARE);
    roomView = viewOf(room);
  }
  name.view = roomView;
  name.start = 0;
  name.length = room.write(text, 'utf8');
}

/** Whether the bytes at `start` are those of the name, which has as many. */
export function isNamedAt(view: DataView, start: number, name: Name): boolean {
  return sameBytes(view, start, name.view, name.start, name.length);
}
