// A row's columns, out of the table of its fields, in queries that Kysely builds; a COPY takes them as text (`selectList`).

import { type AliasedRawBuilder, sql } from 'kysely';
import type { RowTable } from '../../../../core/rows/row-table.ts';

/** Names that Kysely's types do not know: what is selected by them is read by `createRecordReader`. */
type Columns = readonly AliasedRawBuilder<unknown, never>[];

/** To select from `alias`; `prefix` before the names under which they come back, so that two rows fit in one record. */
export function columnsOf<Row>({ fields }: RowTable<Row>, alias: string, prefix = ''): Columns {
  return fields.map(({ column }) => sql.ref(`${alias}.${column}`).as(`${prefix}${column}` as never));
}

/** To insert. */
export function recordOf<Row>({ fields }: RowTable<Row>, row: Row): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map(({ name, column }) => [column, row[name as keyof Row]]));
}
