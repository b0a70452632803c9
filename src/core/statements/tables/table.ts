// What a table of a statement is, whatever draws it: its columns, each with its key, the form of
// its figures and how to get them from a row. A page, a workbook and a file for programs can each
// draw any table. Its titles are found by the keys; this file has no words and no layout.

import { formatKnown, type Instant } from '../../domain/instant.ts';

export type Value = string | number | null | undefined;

/**
 * How a value is written:
 * - `rate`: basis points
 * - `percent`: a decimal text (`97.4`)
 * - `figure`: a whole number, which may come as text
 * - `check`: a difference that is 0 in sound books
 * - `serial`: a number that names something
 * - `day`, `month`, `time`: local texts
 * - `instant`: an instant, drawn in the period's zone
 * - `own`: an amount or a text that the reader fills in
 * - `type` to `when`: codes that have names, of an operation, a ledger line or a finding
 */
export type Form =
  | 'text'
  | 'count'
  | 'amount'
  | 'serial'
  | 'figure'
  | 'rate'
  | 'percent'
  | 'check'
  | 'day'
  | 'month'
  | 'time'
  | 'instant'
  | 'own'
  | 'type'
  | 'state'
  | 'status'
  | 'kind'
  | 'finding'
  | 'severity'
  | 'when';

export interface Column<Row, Key extends string = string> {
  /** Key of the column's title among the table's words. */
  readonly key: Key;
  readonly form: Form;
  readonly pick: (row: Row) => Value;
  /**
   * Width in characters in a workbook, and in hundredths of the width of a page, which a wider
   * table fills. 14 unless given.
   */
  readonly width?: number;
  /** Most lines that a text may take on a page; 1 unless given. */
  readonly lines?: number;
  /**
   * True for a text that is never cut in long tables. Where it is longer than its cell, the texts
   * to its right are cut instead.
   */
  readonly isWhole?: true;
  /**
   * What the total row shows: the sum, the sum without signs, the first or the last row's figure,
   * or the column's own formula. Nothing unless given.
   */
  readonly sum?: 'sum' | 'absolute' | 'first' | 'last' | 'formula';
  /**
   * Formula of the cell in a workbook, by the keys of columns: `charged - recomputed`. `^closing`
   * is the cell of the row above, if there is one.
   */
  readonly formula?: string;
  /**
   * Draws a bar before the figure on a page, as long as the figure is large, for an amount that
   * comes in, goes out or is left.
   */
  readonly bar?: 'in' | 'out' | 'rest';
  /** Key of the word that is shown for `null`. */
  readonly missing?: string;
  /** When the column is left out on a page: always, or where each row has 0. */
  readonly offPage?: 'always' | 'zero';
  /**
   * Key of another column. This column is left out on a page where each row has the same value in
   * both.
   */
  readonly repeats?: string;
}

export type Tone = 'plain' | 'strong' | 'muted' | 'alert';

export interface Table<Row, Key extends string = string> {
  readonly columns: readonly Column<Row, Key>[];
  readonly toneOf?: (row: Row) => Tone;
  /** Returns the name of a row in the formulas of other rows. */
  readonly keyOf?: (row: Row) => string;
  /**
   * Returns the formula of a row's figures in a workbook, by the keys of rows and the same for each
   * column: `recorded - due`, `SUM(opening:last)`.
   */
  readonly formulaOf?: (row: Row) => string | undefined;
}

/**
 * Makes a column that shows the rows' field of the same name as its key. Tables of many lines write
 * `pick` out, because that is faster.
 */
export function field<const Key extends string>(
  key: Key,
  form: Form,
  look: Omit<Column<never>, 'key' | 'form' | 'pick'>,
): Column<{ readonly [Name in Key]?: Value }, Key> {
  return { ...look, key, form, pick: (row) => row[key] };
}

/** Returns a figure that comes as text as a number, where a number can hold it exactly. */
export function figureOf(text: string | null | undefined): number | string | null {
  if (text === null || text === undefined) return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/** Makes a column of each field; instants are shown in UTC. */
export function columnsOf<Row>(keys: readonly (keyof Row & string)[]): readonly Column<Row>[] {
  const cellIn = (key: string, value: unknown): Value => {
    if (typeof value === 'boolean') return String(value);
    return /^at$|At$/.test(key) ? formatKnown(value as Instant | null) : (value as Value);
  };
  return keys.map((key) => ({ key, form: 'text', pick: (row) => cellIn(key, row[key]) }));
}
