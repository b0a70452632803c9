// A column of a list that is given to programs: its name, and its value for a row. No room but this one writes it.

export interface ListColumn<Row> {
  readonly key: string;
  /** How a workbook shows it. */
  readonly kind: 'text' | 'amount' | 'count' | 'serial';
  readonly of: (row: Row) => string | number | null;
}

/** A figure that comes as text: a number where one can hold it exactly. */
export function figureOf(text: string | null | undefined): number | string | null {
  if (text === null || text === undefined) return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : text;
}
