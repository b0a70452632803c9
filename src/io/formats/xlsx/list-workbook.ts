// A list as a workbook of one sheet that can be filtered: a head for each column, a row each.
// Numbers are numbers.

import type { Writable } from 'node:stream';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Column } from '../../../core/statements/tables/table.ts';
import { amount, type Cell, count, headers, serial, wrapped } from './sheet/cell.ts';
import { planOf, startSheet } from './sheet/sheet.ts';
import { openStyles } from './sheet/styles.ts';
import { writeWorkbook } from './write-workbook.ts';

export interface ListWorkbook<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly engine: string;
  readonly madeAt: Instant;
}

const LEAST_WIDTH = 8;
const MOST_WIDTH = 60;
/** Width of the filter's button in a head. */
const BUTTON = 3;

export async function writeListWorkbook<Row>(
  list: ListWorkbook<Row>,
  out: Writable,
): Promise<void> {
  const { default: library } = await import('exceljs');
  const { title, columns, engine, madeAt } = list;
  const sheet = startSheet(title);
  sheet.add(headers(columns.map(({ key }) => key)));
  const { last } = sheet.addAll(
    list.rows.map((row) => columns.map((column) => cellOf(column, row))),
  );
  const table = { headerRow: 1, columns: columns.length, lastRow: last };
  const widths = columns.map((column) => widthOf(column, list.rows));
  const sheets = [planOf(sheet, { widths, frozenRows: 1, table })];
  const frame = { footer: '&R&8 &P/&N', title, engine, madeAt: new Date(madeAt) };
  await writeWorkbook(library, { sheets, styleOf: openStyles('en'), ...frame }, out);
}

function cellOf<Row>({ form, pick }: Column<Row>, row: Row): Cell | null {
  const value = pick(row) ?? null;
  if (typeof value !== 'number') return wrapped(value);
  return { text: serial, serial, amount, count }[form as 'count'](value);
}

function widthOf<Row>({ key, pick }: Column<Row>, rows: readonly Row[]): number {
  const longest = rows.reduce(
    (most, row) => Math.max(most, String(pick(row) ?? '').length),
    key.length + BUTTON,
  );
  return Math.min(Math.max(longest + 1, LEAST_WIDTH), MOST_WIDTH);
}
