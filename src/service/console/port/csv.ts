// A list of the console as a file: a head, which an empty list has too, and a row each.

import type { FastifyReply } from 'fastify';
import { formatKnown, type Instant } from '../../../core/domain/instant.ts';
import type { Column, Value } from '../../../core/statements/tables/table.ts';
import { csvOf } from '../../../io/formats/text/layout.ts';

/** Rows of one list in it. */
export const MOST_ROWS = 10_000;

/** Fields of rows as columns; instants in UTC. */
export function columnsOf<Row>(keys: readonly (keyof Row & string)[]): readonly Column<Row>[] {
  const cellIn = (key: string, value: unknown): Value => {
    if (typeof value === 'boolean') return String(value);
    return key.endsWith('At') ? formatKnown(value as Instant | null) : (value as Value);
  };
  return keys.map((key) => ({ key, form: 'text', pick: (row) => cellIn(key, row[key]) }));
}

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
