// A table as wide as the terminal: texts are wrapped between words, and never inside a number. What
// does not fit side by side is printed row by row, a line for each cell. Also rows of a head and a
// text, where texts from outside stay on their line.

import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';
import { printable } from '../../../core/domain/printable.ts';
import type { Terminal } from '../stage/terminal.ts';

interface Paper {
  /** In characters; null: lines of any length. */
  readonly width: number | null;
  readonly colour: boolean;
}

export interface TableColumn<Row> {
  readonly head: string;
  readonly align?: 'left' | 'right';
  /**
   * The text is wrapped at so many characters, or at fewer where the terminal is narrow. Absent: it
   * is never wrapped.
   */
  readonly wraps?: number;
  /** Returns the text of a cell, which may have several lines. */
  readonly cell: (row: Row) => string;
}

/**
 * Characters that the frame takes for each column: a bar, and a space on both sides of the cell.
 * The last bar takes one more.
 */
const FRAME = 3;
/** A text is not squeezed into fewer characters than these. */
const LEAST_WRAPPED = 24;

/** Returns the table as text, without a line feed at its end. */
export function tableText<Row>(
  paper: Paper,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const room = roomForTexts(paper, columns, cells);
  if (room === null) return cells.map((row) => blockOf(paper, columns, row)).join('\n\n');
  // Loaded when it is needed: a program that reads JSON does not wait for tables.
  const Table = createRequire(import.meta.url)('cli-table3') as typeof import('cli-table3');
  const table = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    style: { head: [], border: paper.colour ? ['grey'] : [], compact: true },
  });
  for (const row of cells) {
    table.push(
      row.map((text, i) => (columns[i]!.wraps === undefined ? text : wrapText(text, room))),
    );
  }
  return table.toString();
}

/**
 * Returns the characters that are left for the column that may be wrapped; `null` where the other
 * columns leave too few.
 */
function roomForTexts<Row>(
  { width }: Paper,
  columns: readonly TableColumn<Row>[],
  cells: readonly (readonly string[])[],
): number | null {
  const wrapped = columns.find(({ wraps }) => wraps !== undefined);
  const most = wrapped?.wraps ?? 0;
  if (width === null) return most;
  const others = columns.reduce((sum, column, i) => {
    if (column === wrapped) return sum;
    return sum + Math.max(widthOf(column.head), ...cells.map((row) => widthOf(row[i]!)));
  }, 0);
  const left = width - 1 - others - FRAME * columns.length;
  if (wrapped === undefined) return left >= 0 ? most : null;
  const needed = Math.max(
    ...cells.map((row) => widthOf(row[columns.indexOf(wrapped)]!)),
    widthOf(wrapped.head),
  );
  return left >= Math.min(needed, LEAST_WRAPPED)
    ? Math.min(left, Math.max(most, LEAST_WRAPPED))
    : null;
}

/** Returns the characters of the longest line, not counting colours. */
function widthOf(text: string): number {
  return Math.max(
    ...stripVTControlCharacters(text)
      .split('\n')
      .map((line) => [...line].length),
  );
}

/** Matches a plain space that does not group the digits of a number. */
const BETWEEN_WORDS = / (?!(?<=\d )\d{3}(?!\d))/;

/**
 * Returns `text` in lines of at most `width` characters, broken between words. A longer word has a
 * line of its own.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const wrapped = [''];
      for (const word of line.split(BETWEEN_WORDS)) {
        const last = wrapped.at(-1)!;
        const longer = last === '' ? word : `${last} ${word}`;
        if (last !== '' && widthOf(longer) > width) wrapped.push(word);
        else wrapped[wrapped.length - 1] = longer;
      }
      return wrapped;
    })
    .join('\n');
}

/**
 * Returns one row as a block, for where the table is too wide: a line for each cell, with its head
 * to the left.
 */
function blockOf<Row>(
  paper: Paper,
  columns: readonly TableColumn<Row>[],
  row: readonly string[],
): string {
  const indent = Math.max(...columns.map(({ head }) => widthOf(head))) + 2;
  const lines = row.map((text, i) => {
    const joined = columns[i]!.wraps === undefined ? text.replaceAll('\n', ' · ') : text;
    const wrapped = wrapText(joined, Math.max(LEAST_WRAPPED, paper.width! - indent));
    return `${columns[i]!.head.padEnd(indent)}${wrapped.replaceAll('\n', `\n${' '.repeat(indent)}`)}`;
  });
  return lines.join('\n');
}

const HEAD = 13;

export type Print = (head: string, text: string | null) => void;

/**
 * Returns the function that prints a row of a head and a text, which is wrapped beside the head. It
 * prints no row for a text that is `null`.
 */
export function rowsOf(terminal: Terminal): Print {
  return (head, text) => {
    if (text === null) return;
    const room = (terminal.width ?? 120) - 1 - HEAD;
    const wrapped = wrapText(printable(text), Math.max(24, room)).replaceAll(
      '\n',
      `\n${' '.repeat(HEAD)}`,
    );
    terminal.out(`${head.padEnd(HEAD)}${wrapped}\n`);
  };
}
