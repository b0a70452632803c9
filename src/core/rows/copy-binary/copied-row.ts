// Makes plain objects of rows in column batches, and of rows that came by COPY where there are few or two stand side by side.

import { allocateBatch, type ColumnBatch, clearBatch, openBatch } from '../column-batch.ts';
import type { RowCursor } from '../row-cursor.ts';
import { forgetOwnWords } from '../word-codes.ts';
import type { CopySlots } from './copy-rows.ts';
import { type CopyReader, enterCopied } from './enter-copied.ts';

export interface RowSeen<Row, Made = Row> {
  readonly cursor: RowCursor<Row>;
  /** Gives an object that holds on to nothing. */
  readonly copy: (row: Row) => Made;
}

/** Longer than any row that the strict decoder accepts. */
export const ROOM_FOR_ROWS = 524_288;

/** Up to `most` rows from row `from` on. */
export function rowsOf<Row, Made>(
  batch: ColumnBatch<Row>,
  { cursor, copy }: RowSeen<Row, Made>,
  from = 0,
  most = batch.rows,
): Made[] {
  const rows: Made[] = [];
  cursor.open(batch);
  for (let row = from; row < Math.min(from + most, batch.rows); row += 1) {
    cursor.moveTo(row);
    rows.push(copy(cursor.row));
  }
  return rows;
}

/** Null for a row that the strict decoder has to look at. `first`: the slot of its first field. */
export function createRowMaker<Row>(reader: CopyReader<Row>, { cursor, copy }: RowSeen<Row>) {
  const batch = openBatch(reader.table, allocateBatch(reader.table, ROOM_FOR_ROWS));
  return (slots: CopySlots, first: number): Row | null => {
    clearBatch(batch);
    forgetOwnWords(reader.codes);
    if (enterCopied(reader, batch, slots, first) !== 'entered') return null;
    cursor.open(batch);
    return copy(cursor.row);
  };
}
