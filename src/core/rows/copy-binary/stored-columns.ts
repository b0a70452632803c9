// A row's columns in our tables: the list that a query selects, in the order in which readers of COPY expect it, and the row
// out of a record that a query with parameters gives.

import type { RowTable } from '../row-table.ts';

export interface Selection<Row> {
  /** Of the table that has them. */
  readonly alias?: string;
  /** SQL in place of a column. */
  readonly instead?: { readonly [Name in keyof Row]?: string };
}

export function selectList<Row>({ fields }: RowTable<Row>, { alias, instead = {} }: Selection<Row> = {}): string {
  return fields
    .map(({ name, column }) => instead[name as keyof Row] ?? (alias === undefined ? column : `${alias}.${column}`))
    .join(', ');
}

/** The columns must be of our tables' types, with integers given as numbers. */
export function createRecordReader<Row>({ fields }: RowTable<Row>) {
  return (record: Readonly<Record<string, unknown>>, prefix = ''): Row =>
    Object.fromEntries(fields.map(({ name, column }) => [name, record[prefix + column]])) as Row;
}
