// A part of a statement as blocks: headings, sentences, pairs of a name and a value, and declared
// tables with their rows. Each part is put together once, and both a page and a sheet can draw any
// block. Blocks hold figures and words, and no layout.

import type { Column, Form, Table, Value } from '../../../core/statements/tables/table.ts';

/** Says whether a block is only on a page or only on a sheet; in both unless given. */
interface Placed {
  readonly on?: 'page' | 'sheet';
  /**
   * True for a heading whose content is drawn, on a page, to the right of the content of the
   * heading before it, where both are narrow.
   */
  readonly isBeside?: true;
}

export interface TextBlock extends Placed {
  readonly form: 'heading' | 'text' | 'note' | 'alert';
  readonly text: string;
}

/** A value with its name. The formulas of other sheets find its cell by `key`. */
export interface Pair {
  readonly name: string;
  readonly value: Value;
  readonly form?: Form;
  readonly key?: string;
  /** Formula of its cell in a workbook, which may name any cells. */
  readonly formula?: string | null;
}

export interface PairBlock extends Placed {
  readonly form: 'pairs';
  readonly pairs: readonly Pair[];
}

/** The rows of a table, and what is drawn with them. */
export interface TableRows<Row, Key extends string> extends Placed {
  /** Titles by the keys of the columns, and words for values that are missing. */
  readonly titles: Readonly<Record<Key, string>>;
  readonly rows: readonly Row[];
  /** The total row. Only the figures of columns with `sum` are read. */
  readonly total?: Partial<Row> | null;
  /** Puts the total above the head in a workbook, where it stays in sight. */
  readonly totalAbove?: boolean;
  /** How many rows there are, when not all are given. */
  readonly count?: number;
  /**
   * How many of the first rows belong to the period, whose first and last figures they hold; all
   * unless given. Only these rows are drawn on a page.
   */
  readonly proper?: number;
  /**
   * Returns the formula of a column in the row with that number, from 0, in a workbook; `null` for
   * the column's own formula.
   */
  readonly formulaOf?: ((column: Column<Row, Key>, index: number) => string | null) | undefined;
}

export interface TableBlock extends TableRows<unknown, string> {
  readonly form: 'table';
  /** Name by which the formulas of other sheets find the table's cells. */
  readonly name: string;
  readonly table: Table<unknown>;
}

export type Block = TextBlock | PairBlock | TableBlock;

/**
 * Makes the block of a table. Its rows fit its columns, so the types of both are dropped: from here
 * on rows are read only through the columns.
 */
export function tableOf<Row, Key extends string>(
  name: string,
  table: Table<Row, Key>,
  given: TableRows<Row, Key>,
): TableBlock {
  return { form: 'table', name, table, ...given } as unknown as TableBlock;
}

/** Makes the block of some pairs. A number without a form is an amount. */
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
