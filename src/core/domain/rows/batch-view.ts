// A column batch as a snapshot hands it on: checks read its rows without an object for each, and
// row objects are made on demand.

import type { Batch, RejectedRow, RowView } from '../snapshot.ts';
import type { ColumnBatch } from './column-batch.ts';
import type { RowCursor } from './row-cursor.ts';
import { fieldNamed } from './row-table.ts';

/**
 * A batch that may be read until it is released, and the rows that were refused while it was
 * filled.
 */
export interface ReadBatch<Row> {
  readonly batch: ColumnBatch<Row>;
  readonly rejected: readonly RejectedRow[];
  readonly release: () => void;
}

/** How the rows of a batch are handed on: each row itself, or an object that contains it. */
export interface Looks<Read, Row> {
  readonly createCursor: () => RowCursor<Read>;
  /**
   * Returns what is handed on for the cursor's row. Called once, because the cursor reuses one row
   * object.
   */
  readonly seen: (row: Read) => Row;
  /** Makes an object that does not refer to the batch. */
  readonly copy: (row: Read) => Row;
  /** The fields whose hashes are handed on with each row, in the order of `RowView.hash`. */
  readonly hashed: readonly (keyof Read & string)[];
}

/**
 * Number of rows handed on together: so few that the objects made for them are still in the young
 * generation of the garbage collector when the rows have been judged.
 */
const PIECE = 128;

/** A piece of a column batch, of at most `PIECE` rows. */
export class ColumnView<Read, Row> implements RowView<Row> {
  readonly batch: ColumnBatch<Read>;
  readonly count: number;
  readonly #from: number;
  readonly #looks: OpenLooks<Read, Row>;

  constructor(from: number, looks: OpenLooks<Read, Row>) {
    this.batch = looks.batch;
    this.count = Math.min(PIECE, looks.count - from);
    this.#from = from;
    this.#looks = looks;
  }

  rowOf(index: number): number {
    const { chosen } = this.#looks;
    return chosen === null ? this.#from + index : chosen[this.#from + index]!;
  }

  at(index: number): Row {
    this.#looks.cursor.moveTo(this.rowOf(index));
    return this.#looks.row;
  }

  copy(index: number): Row {
    const { cursor, copy } = this.#looks;
    cursor.moveTo(this.rowOf(index));
    return copy(cursor.row);
  }

  hash(index: number, which = 0): number {
    const { numbers, table } = this.batch;
    return numbers[this.rowOf(index) * table.numbers + this.#looks.places[which]!] ?? Number.NaN;
  }

  release(): void {
    this.#looks.releasePiece();
  }
}

/** What all pieces of one batch share. */
interface OpenLooks<Read, Row> {
  readonly batch: ColumnBatch<Read>;
  readonly chosen: Int32Array | null;
  /** Number of rows in all pieces together. */
  readonly count: number;
  readonly cursor: RowCursor<Read>;
  readonly row: Row;
  readonly copy: (row: Read) => Row;
  /** Where the hashes that are handed on stand among the numbers of a row. */
  readonly places: readonly number[];
  readonly releasePiece: () => void;
}

/** Returns the columns of a batch; `null` when its rows already are objects. */
export function columnsOf<Read, Row>({ view }: Batch<Row>): ColumnView<Read, Row> | null {
  return view instanceof ColumnView ? view : null;
}

/**
 * Splits a batch into pieces, and releases it with the last piece. A batch without rows is one
 * empty piece. `chosen` holds the numbers of the rows to hand on; `null`: all rows.
 */
export function* viewBatches<Read, Row>(
  { batch, rejected, release }: ReadBatch<Read>,
  { createCursor, seen, copy, hashed }: Looks<Read, Row>,
  chosen: Int32Array | null = null,
): Generator<Batch<Row>> {
  const { table } = batch;
  const count = chosen === null ? batch.rows : chosen.length;
  const cursor = createCursor();
  cursor.open(batch);
  let left = Math.max(Math.ceil(count / PIECE), 1);
  const looks: OpenLooks<Read, Row> = {
    ...{ batch, chosen, count, cursor, row: seen(cursor.row), copy },
    places: hashed.map((name) => fieldNamed(table, name).hashPlace),
    releasePiece: () => {
      left -= 1;
      if (left === 0) release();
    },
  };
  for (let from = 0; from === 0 || from < count; from += PIECE) {
    yield batchOf(new ColumnView(from, looks), from === 0 ? rejected : []);
  }
}

/**
 * Makes row objects at the first access to `rows`, and releases the piece then, because the objects
 * do not refer to it.
 */
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
