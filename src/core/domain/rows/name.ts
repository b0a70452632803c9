// A text by which rows are joined, as its hash and its bytes in a batch, so that a join does not
// make a text for each row.

import { type ColumnBatch, ESCAPED, lengthOf, NO_TEXT, textIn } from './column-batch.ts';
import { viewOf } from './hash-bytes.ts';
import type { PlacedField } from './row-table.ts';
import { sameBytes } from './word-codes.ts';

/**
 * A buffer for one text at a time, meant to be used again for many. Its bytes are valid until the
 * next `nameIn` or `nameOf`. At least three bytes after the text are readable.
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

/**
 * Points `name` to the text of `field`, which must be a field of texts, in a row of the batch.
 * Returns false, and leaves `name` as it was, when the text is null.
 */
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

/** Copies a text into `name`. */
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

/**
 * True when the bytes from `start` on are those of the name. The caller must have checked that
 * there are as many bytes as `name.length`.
 */
export function isNamedAt(view: DataView, start: number, name: Name): boolean {
  return sameBytes(view, start, name.view, name.start, name.length);
}
