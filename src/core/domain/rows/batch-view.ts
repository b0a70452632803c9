// A column batch as a snapshot hands it on: checks look at its rows without an object for each, and
// rows are made on demand.

import type { Batch, RejectedRow, RowView } from '../snapshot.ts';
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

/**
 * Rows handed on together: so few that what is made of them is still young when they have been
 * judged.
 */
const PIECE = 128;

/** A piece of a column batch. */
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

/** What the pieces of a batch have in common. */
interface OpenLooks<Read, Row> {
  readonly batch: ColumnBatch<Read>;
  readonly chosen: Int32Array | null;
  /** Rows of all pieces. */
  readonly count: number;
  readonly cursor: RowCursor<Read>;
  readonly row: Row;
  readonly copy: (row: Read) => Row;
  /** Of the hashes that are handed on, among the numbers of a row. */
  readonly places: readonly number[];
  readonly releasePiece: () => void;
}

/** The columns that the rows of a batch stand in; null where they are at hand as objects. */
export function columnsOf<Read, Row>({ view }: Batch<Row>): ColumnView<Read, Row> | null {
  return view instanceof ColumnView ? view : null;
}

/**
 * In pieces; what was read is released with the last of them. No rows are one piece. `chosen`: rows
 * of the batch; null: all.
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

/** Makes its rows on demand, and then releases the bytes that they were read from. */
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
