// A list of the console as a file: a column for each field of its rows, instants in UTC.

import type { FastifyReply } from 'fastify';
import { formatKnown, type Instant } from '../../../core/domain/instant.ts';
import { type Cell, rowOf } from '../../../io/formats/text/layout.ts';

/** Rows of one list in it. */
export const MOST_ROWS = 10_000;

export async function sendCsv(reply: FastifyReply, name: string, rows: readonly object[]): Promise<null> {
  const keys = Object.keys(rows[0] ?? {});
  const cellOf = (key: string, value: unknown): Cell => {
    if (typeof value === 'boolean') return String(value);
    return key.endsWith('At') ? formatKnown(value as Instant | null) : (value as Cell);
  };
  const lines = rows.map((row) => rowOf(Object.entries(row).map(([key, value]) => cellOf(key, value))));
  const disposition = `attachment; filename="${name}.csv"`;
  reply.headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition });
  await reply.send(`\uFEFF${rowOf(keys)}${lines.join('')}`);
  return null;
}
