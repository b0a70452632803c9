// A part of a statement as blocks: headings, sentences, pairs of a name and a value, and declared
// tables with their rows. Each part is put together once; a page and a sheet draw any block. Holds
// figures and words, and no layout.

import type { Column, Form, Table, Value } from '../../../core/statements/tables/table.ts';

/** In which of the two a block is; in both unless given. */
interface Placed {
  readonly on?: 'page' | 'sheet';
  /**
   * Of a heading: on a page, what it is of is to the right of what the heading before it is of,
   * where both are narrow.
   */
  readonly isBeside?: true;
}

export interface TextBlock extends Placed {
  readonly form: 'heading' | 'text' | 'note' | 'alert';
  readonly text: string;
}

/** A value with its name; the key finds its cell for the formulas of other sheets. */
export interface Pair {
  readonly name: string;
  readonly value: Value;
  readonly form?: Form;
  readonly key?: string;
  /** In a workbook, of any cells. */
  readonly formula?: string | null;
}

export interface PairBlock extends Placed {
  readonly form: 'pairs';
  readonly pairs: readonly Pair[];
}

/** The rows of a table, and what is drawn with them. */
export interface TableRows<Row, Key extends string> extends Placed {
  /** By the keys of the columns, and the words for values that are missing. */
  readonly titles: Readonly<Record<Key, string>>;
  readonly rows: readonly Row[];
  /** Only the figures of columns that a total row holds are looked at. */
  readonly total?: Partial<Row> | null;
  /** In a workbook, the total is above the head, where it stays in sight. */
  readonly totalAbove?: boolean;
  /** How many rows there are when not all are shown. */
  readonly count?: number;
  /**
   * So many first rows are of the period, and hold its first and last figures; all unless given.
   * Only they are on a page.
   */
  readonly proper?: number;
  /**
   * In a workbook instead of the column's own formula, of the row with that number; null: the
   * column's own.
   */
  readonly formulaOf?: ((column: Column<Row, Key>, index: number) => string | null) | undefined;
}

export interface TableBlock extends TableRows<unknown, string> {
  readonly form: 'table';
  /** Finds its cells for the formulas of other sheets. */
  readonly name: string;
  readonly table: Table<unknown>;
}

export type Block = TextBlock | PairBlock | TableBlock;

/**
 * Rows and columns of one table fit each other: nothing behind this looks at a row but through its
 * columns.
 */
export function tableOf<Row, Key extends string>(
  name: string,
  table: Table<Row, Key>,
  given: TableRows<Row, Key>,
): TableBlock {
  return { form: 'table', name, table, ...given } as unknown as TableBlock;
}

/** A number without a form is an amount. */
export function pairs(
  ...values: readonly (readonly [name: string, value: Value, form?: Form])[]
): PairBlock {
  const formOf = (value: Value): Form => (typeof value === 'number' ? 'amount' : 'text');
  return {
    form: 'pairs',
    pairs: values.map(([name, value, form = formOf(value)]) => ({ name, value, form })),
  };
}

export const heading = (text: string, on: Placed = {}): TextBlock => ({
  form: 'heading',
  text,
  ...on,
});
export const note = (text: string, on: Placed = {}): TextBlock => ({ form: 'note', text, ...on });
export const sentence = (text: string, isAlert = false): TextBlock => ({
  form: isAlert ? 'alert' : 'text',
  text,
});

export const PAGE: Placed = { on: 'page' };
export const SHEET: Placed = { on: 'sheet' };
