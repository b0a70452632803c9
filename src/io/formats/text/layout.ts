// Writes files of rows for programs. A layout gives the columns, the line of a row, and the
// encoding; one writer writes them all. A text that a spreadsheet would take for a formula is
// disarmed; numbers are plain and unquoted.

import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Column } from '../../../core/statements/tables/table.ts';
import { flat } from '../port/one-line.ts';

export type Cell = string | number | null;

export interface Layout<Row> {
  /** Text before all rows, with its line ends. */
  readonly head: string;
  readonly columns: readonly ((row: Row) => Cell)[];
  /** Joins the cells of a row, without the line end. */
  readonly line: (cells: readonly Cell[]) => string;
  readonly encode: (text: string) => Uint8Array;
}

/** Writes the rows and ends `out`. */
export function writeRows<Row>(
  layout: Layout<Row>,
  batches: AsyncIterable<readonly Row[]>,
  out: Writable,
): Promise<void> {
  return pipeline(drawRows(layout, batches), out);
}

async function* drawRows<Row>(
  { head, columns, line, encode }: Layout<Row>,
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  yield encode(head);
  for await (const batch of batches) {
    let text = '';
    for (const row of batch) text += `${line(columns.map((column) => column(row)))}\r\n`;
    yield encode(text);
  }
}

export const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');

export function separated(separator: ';' | ','): Layout<never>['line'] {
  return (cells) => cells.map((cell) => writeCell(cell, separator)).join(separator);
}

/** Returns a row of cells with its line end, as French Excel opens it. */
export function rowOf(cells: readonly Cell[]): string {
  return `${separated(';')(cells)}\r\n`;
}

/** Returns a file with a byte order mark, and the keys of the columns as its head. */
export function csvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => rowOf(columns.map(({ pick }) => pick(row) ?? null)));
  return `\uFEFF${rowOf(columns.map(({ key }) => key))}${cells.join('')}`;
}

/**
 * Writes a number as its digits, a text in quotes where RFC 4180 requires them, and `null` as
 * nothing.
 */
export function writeCell(cell: Cell, separator: ';' | ',' = ';'): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = disarm(flat(cell));
  return safe.includes(separator) || /["\r\n]|^\s|\s$/.test(safe)
    ? `"${safe.replaceAll('"', '""')}"`
    : safe;
}

/**
 * Puts an apostrophe before a text that begins like a formula. It does so also with full-width
 * signs, and after spaces or invisible characters, because some programs skip these.
 */
export function disarm(text: string): string {
  return /^[\s\p{Cf}]*[=+\-@＝＋－＠]/u.test(text) ? `'${text}` : text;
}
