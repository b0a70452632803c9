// COPY in binary format, the fastest way out of PostgreSQL and into it: reads rows into batches of
// columns, and writes rows into a table. Refuses to run far ahead of its reader. Never commits: the
// caller's transaction does. Its SQL is text, because Kysely knows no COPY.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import {
  type CopyRows,
  createCopyRows,
  feedRows,
  nextRow,
} from '../../../../core/bytes/copy-binary/copy-rows.ts';
import {
  type CopyReader,
  enterPlaced,
  ROOM_FOR_ROWS,
} from '../../../../core/bytes/copy-binary/enter-copied.ts';
import { type CopyColumn, copyPieces } from '../../../../core/bytes/copy-binary/write-copied.ts';
import { invariant } from '../../../../core/domain/invariant.ts';
import {
  allocateBatch,
  type ColumnBatch,
  clearBatch,
  hasRoom,
  openBatch,
  sizeOf,
} from '../../../../core/domain/rows/column-batch.ts';
import type { RowTable } from '../../../../core/domain/rows/row-table.ts';
import { forgetOwnWords } from '../../../../core/domain/rows/word-codes.ts';

/**
 * The rows of the first batch. They are few, because the server waits while a batch is worked on:
 * with large batches server and reader would take turns waiting for each other.
 */
const FEW_ROWS = 256;

export interface Filling<Row> {
  /** Gives an empty batch to fill; `null` when no more rows are wanted. */
  readonly next: () => Promise<ColumnBatch<Row> | null>;
  /** The most rows of a batch. The first batches have fewer, so that their reader need not wait. */
  readonly mostRows: number;
}

/**
 * Yields batches of rows in the query's order. `query` must select the columns of the reader's
 * table. The client is busy until the last batch has been taken; a reader that stops earlier
 * destroys the connection.
 */
export async function* copyOut<Row>(
  client: pg.ClientBase,
  query: string,
  reader: CopyReader<Row>,
  { next, mostRows }: Filling<Row> = fillAgain(reader.table),
): AsyncGenerator<ColumnBatch<Row>> {
  let batch: ColumnBatch<Row> | null = null;
  let most = FEW_ROWS;
  for await (const rows of copySlots(client, query, reader.table.fields.length)) {
    let placed: Placed | null = null;
    while (nextRow(rows)) {
      if (batch !== null) placed ??= place(batch, rows);
      if (batch !== null && (batch.rows >= most || !hasRoom(batch, 0) || rows.at > placed!.until)) {
        most = Math.min(2 * most, mostRows);
        yield batch;
        batch = null;
      }
      if (batch === null) {
        batch = await next();
        if (batch === null) return;
        forgetOwnWords(reader.codes);
        placed = place(batch, rows);
      }
      const isEntered = rows.at <= placed!.until && enterPlaced(reader, batch, rows.slots, placed!);
      invariant(isEntered, 'the mirror holds what the strict decoder accepts');
    }
  }
  if (batch !== null) yield batch;
}

interface Placed {
  readonly first: 0;
  readonly shift: number;
  /** The offset, in the received bytes, after the last byte that the batch had room for. */
  readonly until: number;
}

/**
 * Copies the received bytes into the batch at once, from the row that was found last, because
 * copying row by row takes longer than reading the rows.
 */
function place(batch: ColumnBatch<unknown>, { slots: { bytes, starts } }: CopyRows): Placed {
  const from = starts[0]!;
  const length = Math.min(bytes.length - from, sizeOf(batch) - batch.used);
  bytes.copy(batch.bytes, batch.used, from, from + length);
  const shift = batch.used - from;
  batch.used += length;
  return { first: 0, shift, until: from + length };
}

/** Provides one batch, which each `next` empties for the rows to come. */
function fillAgain<Row>(table: RowTable<Row>): Filling<Row> {
  const batch = openBatch(table, allocateBatch(table, ROOM_FOR_ROWS));
  const next = async () => {
    clearBatch(batch);
    return batch;
  };
  return { next, mostRows: FEW_ROWS };
}

/**
 * As `copyOut`, but yields the rows as they arrived. The caller must read all rows that `nextRow`
 * finds before it asks for more.
 */
export async function* copySlots(
  client: pg.ClientBase,
  query: string,
  fields: number,
): AsyncGenerator<CopyRows> {
  const rows = createCopyRows(fields);
  const copying = client.query(to(`copy (${query}) to stdout (format binary)`));
  // The loop below throws failures of the COPY. A failure after the last row would end the process
  // if there were no listener.
  copying.on('error', () => {});
  let isOver = false;
  try {
    for await (const chunk of copying) {
      feedRows(rows, chunk as Buffer);
      yield rows;
    }
    isOver = true;
  } finally {
    // While a query is under way, this destroys the connection.
    if (!isOver) void (client as pg.Client).end().catch(() => {});
  }
}

export interface CopyTarget<Row> {
  readonly table: string;
  readonly columns: readonly CopyColumn<Row>[];
}

/**
 * Writes rows into a table. `fixed` gives the columns that have the same whole number in all rows.
 */
export async function copyIn<Row>(
  client: pg.ClientBase,
  { table, columns }: CopyTarget<Row>,
  {
    rows,
    fixed,
  }: { readonly rows: readonly Row[]; readonly fixed: Readonly<Record<string, number>> },
): Promise<void> {
  if (rows.length === 0) return;
  const first = Object.entries(fixed).map(
    ([name, value]): CopyColumn<Row> => ({ name, type: 'int8', valueOf: () => value }),
  );
  const all = [...first, ...columns];
  const names = all.map(({ name }) => name).join(', ');
  const copying = client.query(from(`copy ${table} (${names}) from stdin (format binary)`));
  await pipeline(Readable.from(copyPieces(all, rows), { objectMode: false }), copying);
}
