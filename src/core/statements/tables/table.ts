// What a table of a statement is, whatever draws it: its columns, each with its key, the form of
// its figures and how they are had. A page, a workbook, a file for programs draw any table; its
// titles are found by the keys. Holds no word and no layout.

import { formatKnown, type Instant } from '../../domain/instant.ts';

export type Value = string | number | null | undefined;

/**
 * How a value is written. `rate` is of basis points, `percent` a decimal text (`97.4`), `figure` a
 * whole number, which may come as text, `check` a difference that is 0 in sound books, `serial` a
 * number that names something; `day`, `month`, `time` are local texts, `instant` is drawn in the
 * period's zone, `own` is an amount or a text that the reader writes. The rest are codes that have
 * names: of an operation, a ledger line, a finding.
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
  /** Finds the title among the table's words. */
  readonly key: Key;
  readonly form: Form;
  readonly pick: (row: Row) => Value;
  /**
   * In characters: its width in a workbook and, of 100, on a page, which a wider table fills. 14
   * unless given.
   */
  readonly width?: number;
  /** Lines that a text may take on a page; 1 unless given. */
  readonly lines?: number;
  /**
   * In long tables: a text that is never cut. Where it is longer than its cell, the texts to its
   * right give way.
   */
  readonly isWhole?: true;
  /**
   * What the total row holds: the sum, the sum without signs, the first or the last row's figure,
   * or the column's own formula; nothing unless given.
   */
  readonly sum?: 'sum' | 'absolute' | 'first' | 'last' | 'formula';
  /**
   * In a workbook: of cells by their columns' keys, `charged - recomputed`; `^closing` is that of
   * the row above, if there is one.
   */
  readonly formula?: string;
  /** On a page, before the figure: a bar of its length, of what comes in, goes out or is left. */
  readonly bar?: 'in' | 'out' | 'rest';
  /** Key of the word for a value that is null. */
  readonly missing?: string;
  /** Left out on a page: always, or where each row has 0. */
  readonly offPage?: 'always' | 'zero';
  /** Key of another column: left out on a page where each row has the same in both. */
  readonly repeats?: string;
}

export type Tone = 'plain' | 'strong' | 'muted' | 'alert';

export interface Table<Row, Key extends string = string> {
  readonly columns: readonly Column<Row, Key>[];
  readonly toneOf?: (row: Row) => Tone;
  /** The name of a row in the formulas of others. */
  readonly keyOf?: (row: Row) => string;
  /**
   * In a workbook: of a row's figures by the rows' keys, column by column: `recorded - due`,
   * `SUM(opening:last)`.
   */
  readonly formulaOf?: (row: Row) => string | undefined;
}

/**
 * A column of the rows' own field, whose name is its key. Tables of many lines pick by name, which
 * is faster.
 */
export function field<const Key extends string>(
  key: Key,
  form: Form,
  look: Omit<Column<never>, 'key' | 'form' | 'pick'>,
): Column<{ readonly [Name in Key]?: Value }, Key> {
  return { ...look, key, form, pick: (row) => row[key] };
}

/** A figure that comes as text: a number where one can hold it exactly. */
export function figureOf(text: string | null | undefined): number | string | null {
  if (text === null || text === undefined) return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

/** Fields of rows as columns; instants in UTC. */
export function columnsOf<Row>(keys: readonly (keyof Row & string)[]): readonly Column<Row>[] {
  const cellIn = (key: string, value: unknown): Value => {
    if (typeof value === 'boolean') return String(value);
    return /^at$|At$/.test(key) ? formatKnown(value as Instant | null) : (value as Value);
  };
  return keys.map((key) => ({ key, form: 'text', pick: (row) => cellIn(key, row[key]) }));
}
