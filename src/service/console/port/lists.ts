// Sends a list as a file: CSV, or a workbook where the address ends in .xlsx. Where there are more
// rows than a file has, its last row says so.

import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Column } from '../../../core/statements/tables/table.ts';
import { attach, type CsvFile, MOST_ROWS, sendCsv } from '../../http/port/csv.ts';
import { worded } from './cells.ts';
import type { Draw, Pages, Visiting } from './layout.ts';

/**
 * Rows of a workbook at most, because it is written in one piece, and the server answers nothing
 * else meanwhile.
 */
const MOST_OF_WORKBOOK = 2_000;
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Adds both files of the list at `address`. */
export function addFiles(page: Pages['page'], address: string, draw: Draw): void {
  for (const ending of ['csv', 'xlsx']) page(`${address}.${ending}`, draw);
}

export async function sendList<Row>(
  visit: Visiting,
  reply: FastifyReply,
  { name, columns, rows, now }: Omit<CsvFile<Row>, 'cut'> & { readonly now: Instant },
): Promise<null> {
  const isWorkbook = visit.path.endsWith('.xlsx');
  const most = isWorkbook ? MOST_OF_WORKBOOK : MOST_ROWS;
  const cut = worded(visit, visit.words.fileCut, { most });
  if (!isWorkbook) return sendCsv(reply, { name, columns, rows, cut });
  const { writeListWorkbook } = await import('../../../io/formats/xlsx/list-workbook.ts');
  const ending = (column: Column<Row>, i: number): Column<Row | null> => ({
    ...column,
    pick: (row) => (row !== null ? column.pick(row) : i === 0 ? cut : null),
  });
  const shown = rows.length > most ? [...rows.slice(0, most), null] : rows;
  const out = new PassThrough();
  const list = {
    title: name,
    rows: shown,
    columns: columns.map(ending),
    engine: 'pointage',
    madeAt: now,
  };
  const written = writeListWorkbook(list, out);
  await Promise.all([attach(reply, WORKBOOK, `${name}.xlsx`).send(out), written]);
  return null;
}
