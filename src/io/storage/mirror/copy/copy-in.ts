// Writes rows with COPY … FROM STDIN, the fastest way into PostgreSQL. Refuses to commit: the caller's transaction does.
// Its SQL is text: Kysely knows no COPY.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { type CopyColumn, copyPieces } from '../../../../core/rows/copy-binary/write-copied.ts';

export interface CopyTarget<Row> {
  readonly table: string;
  /** Of the table's columns those that the rows say. */
  readonly columns: readonly CopyColumn<Row>[];
}

/** `fixed`: columns of whole numbers that are the same in all rows. */
export async function copyIn<Row>(
  client: pg.ClientBase,
  { table, columns }: CopyTarget<Row>,
  { rows, fixed }: { readonly rows: readonly Row[]; readonly fixed: Readonly<Record<string, number>> },
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
