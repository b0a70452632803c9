// A list of the console as a file: a head, which an empty list has too, and a row each.

import type { FastifyReply } from 'fastify';
import type { Column } from '../../../core/statements/tables/table.ts';
import { csvOf } from '../../../io/formats/text/layout.ts';

/** Rows of one list in it. */
export const MOST_ROWS = 10_000;

export async function sendCsv<Row>(
  reply: FastifyReply,
  name: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<null> {
  const disposition = `attachment; filename="${name}.csv"`;
  reply.headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition });
  await reply.send(csvOf(columns, rows));
  return null;
}
