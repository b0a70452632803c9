// Writes rows with COPY … FROM STDIN, the fastest way into PostgreSQL. Refuses to commit: the caller's transaction does.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';

const ROWS_PER_CHUNK = 1_000;

/** `line` gives one row in COPY's text format, its fields separated by tabs, without the line feed. */
export async function copyIn<Row>(
  client: pg.ClientBase,
  target: { readonly table: string; readonly columns: string; readonly line: (row: Row) => string },
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const copying = client.query(from(`copy ${target.table} (${target.columns}) from stdin`));
  await pipeline(Readable.from(chunksOf(rows, target.line), { objectMode: false }), copying);
}

function* chunksOf<Row>(rows: readonly Row[], line: (row: Row) => string): Generator<Buffer> {
  for (let start = 0; start < rows.length; start += ROWS_PER_CHUNK) {
    let text = '';
    const end = Math.min(start + ROWS_PER_CHUNK, rows.length);
    for (let i = start; i < end; i += 1) text += `${line(rows[i]!)}\n`;
    yield Buffer.from(text, 'utf8');
  }
}
