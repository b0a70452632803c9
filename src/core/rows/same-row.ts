// Whether two rows say the same thing, field by field.

import type { RowTable } from './row-table.ts';

export function createEquality<Row>({ fields }: RowTable<Row>): (a: Row, b: Row) => boolean {
  const names = fields.map(({ name }) => name as keyof Row);
  return (a, b) => names.every((name) => a[name] === b[name]);
}
