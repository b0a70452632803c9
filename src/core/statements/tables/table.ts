// What a table of a statement is, whatever draws it: its columns, each with its key, the form of its figures and how they are
// had. A page, a workbook, a file for programs draw any table; its titles are found by the keys. Holds no word and no layout.

export type Value = string | number | null | undefined;

/**
 * How a value is written. `rate` is of basis points, `percent` a decimal text (`97.4`), `figure` a whole number as text, `serial`
 * a number that names something; `day`, `month`, `time` are local texts, `instant` is drawn in the period's zone. The rest are codes that
 * have names: of an operation, a ledger line or a finding.
 */
export type Form =
  | 'text'
  | 'count'
  | 'amount'
  | 'serial'
  | 'figure'
  | 'rate'
  | 'percent'
  | 'day'
  | 'month'
  | 'time'
  | 'instant'
  | 'type'
  | 'state'
  | 'status'
  | 'kind'
  | 'finding'
  | 'severity';

export interface Column<Row, Key extends string = string> {
  /** Finds the title among the table's words. */
  readonly key: Key;
  readonly form: Form;
  readonly pick: (row: Row) => Value;
  /** In characters: its share of a page's width, its width in a workbook. */
  readonly width?: number;
  /** Lines that a text may take on a page; 1 unless given. */
  readonly lines?: number;
  /** What the total row holds: the sum, the first or the last row's figure, or the column's own formula; nothing unless given. */
  readonly sum?: 'sum' | 'first' | 'last' | 'formula';
  /** In a workbook: of cells by their columns' keys, `charged - recomputed`; `^closing` is that of the row above, if there is one. */
  readonly formula?: string;
  /** Key of the word for a value that is null. */
  readonly missing?: string;
  /** Left out on a page: always, or where its total is 0. */
  readonly offPage?: 'always' | 'zero';
}

export type Tone = 'plain' | 'strong' | 'muted' | 'alert';

export interface Table<Row, Key extends string = string> {
  readonly columns: readonly Column<Row, Key>[];
  readonly toneOf?: (row: Row) => Tone;
}
