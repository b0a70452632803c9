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
   * A text that may be wrapped, at most so many characters wide where the terminal has no width.
   */
  readonly wraps?: number;
  /** Perhaps of several lines. */
  readonly cell: (row: Row) => string;
}

/** What a frame costs: a bar and a space on both sides of a cell, and the last bar. */
const FRAME = 3;
/** A text is not squeezed below it. */
const LEAST_WRAPPED = 24;

/** Without the last line's end. */
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

/** Characters for the one column that may be wrapped; null: the rest leaves too few. */
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

/** Of the longest line. */
function widthOf(text: string): number {
  return Math.max(
    ...stripVTControlCharacters(text)
      .split('\n')
      .map((line) => [...line].length),
  );
}

/** Plain spaces, but for those that group the digits of a number. */
const BETWEEN_WORDS = / (?!(?<=\d )\d{3}(?!\d))/;

/**
 * Lines of at most so many characters where words allow it: a word that is longer has a line of its
 * own.
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

/** A row of its own: heads to the left, the lines of a cell behind each other. */
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

/** Rows of a head and a text, wrapped beside it; null: none. */
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
