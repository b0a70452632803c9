// Sends a list as a CSV file: a head, which an empty list has too, and a row for each item. Where
// there are more items than a file has, the last row says so.

import type { FastifyReply } from 'fastify';
import { safeFileName } from '../../../core/domain/naming/names.ts';
import type { Column } from '../../../core/statements/tables/table.ts';
import { csvOf, rowOf } from '../../../io/formats/text/layout.ts';

export const MOST_ROWS = 10_000;
/** Rows to ask for: one more than a file has. */
export const ROWS_ASKED = MOST_ROWS + 1;

export interface CsvFile<Row> {
  /** File name without its ending. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  /** At most `ROWS_ASKED` rows. A row beyond `MOST_ROWS` only tells that there are more. */
  readonly rows: readonly Row[];
  /**
   * The sentence in the last row of a file that is cut: that there are more rows, and how to have
   * them.
   */
  readonly cut: string;
}

export function attach(reply: FastifyReply, type: string, name: string): FastifyReply {
  return reply.headers({ 'content-type': type, 'content-disposition': dispositionOf(name) });
}

/**
 * Returns the header `content-disposition`: the name in ASCII for every client and, where the name
 * has other characters, also as it is (RFC 6266).
 */
export function dispositionOf(name: string): string {
  const plain = safeFileName(name, /[^\w.-]/g);
  const whole = plain === name ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`;
  return `attachment; filename="${plain}"${whole}`;
}

export async function sendCsv<Row>(
  reply: FastifyReply,
  { name, columns, rows, cut }: CsvFile<Row>,
): Promise<null> {
  attach(reply, 'text/csv; charset=utf-8', `${name}.csv`);
  const end = rows.length > MOST_ROWS ? rowOf([cut]) : '';
  await reply.send(csvOf(columns, rows.slice(0, MOST_ROWS)) + end);
  return null;
}
