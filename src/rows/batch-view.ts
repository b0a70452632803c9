// A column batch as what a snapshot hands on: pieces whose rows are looked at without an object for each, and are made only for
// whoever asks for them.

import type { Batch, RejectedRow, RowView } from '../domain/snapshot.ts';
import type { ColumnBatch } from './column-batch.ts';
import type { RowCursor } from './row-cursor.ts';
import { fieldNamed } from './row-table.ts';

/** A batch that is good until it is released, and what was refused on the way. */
export interface ReadBatch<Row> {
  readonly batch: ColumnBatch<Row>;
  readonly rejected: readonly RejectedRow[];
  readonly release: () => void;
}

/** Rows of a batch, and what is handed on of each: the row itself, or something that has it. */
export interface Looks<Read, Row> {
  readonly createCursor: () => RowCursor<Read>;
  /** Of the cursor's row, once for all rows. */
  readonly seen: (row: Read) => Row;
  /** Gives an object that holds on to nothing. */
  readonly copy: (row: Read) => Row;
  /** The fields whose hashes are handed on with each row. */
  readonly hashed: readonly (keyof Read & string)[];
}

/** Rows handed on together: so few that what is made of them is still young when they have been judged. */
export const PIECE = 128;

/** In pieces; what was read is released with the last of them. An empty batch is one piece. */
export function* viewBatches<Read, Row>(
  { batch, rejected, release }: ReadBatch<Read>,
  { createCursor, seen, copy, hashed }: Looks<Read, Row>,
): Generator<Batch<Row>> {
  const { table, numbers, rows } = batch;
  const places = hashed.map((name) => fieldNamed(table, name).hashPlace);
  const cursor = createCursor();
  cursor.open(batch);
  const row = seen(cursor.row);
  let left = Math.max(Math.ceil(rows / PIECE), 1);
  const releasePiece = (): void => {
    left -= 1;
    if (left === 0) release();
  };
  for (let from = 0; from === 0 || from < rows; from += PIECE) {
    const view: RowView<Row> = {
      count: Math.min(PIECE, rows - from),
      at: (index) => {
        cursor.moveTo(from + index);
        return row;
      },
      copy: (index) => {
        cursor.moveTo(from + index);
        return copy(cursor.row);
      },
      hash: (index, which = 0) => numbers[(from + index) * table.numbers + places[which]!] ?? Number.NaN,
      release: releasePiece,
    };
    yield batchOf(view, from === 0 ? rejected : []);
  }
}

/** Its rows are made when they are asked for, and what they were read from is then released. */
function batchOf<Row>(view: RowView<Row>, rejected: readonly RejectedRow[]): Batch<Row> {
  let made: readonly Row[] | null = null;
  return {
    rejected,
    get view() {
      return made === null ? view : null;
    },
    get rows() {
      if (made === null) {
        const rows: Row[] = [];
        for (let index = 0; index < view.count; index += 1) rows.push(view.copy(index));
        made = rows;
        view.release();
      }
      return made;
    },
  };
}
