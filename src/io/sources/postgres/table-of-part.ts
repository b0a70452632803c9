// One part of the books as it was found in the operator's database: for each field what to select, and how it comes.

import type { Wire } from '../../../core/rows/copy-binary/enter-copied.ts';
import type { PartField, TablePart } from './part-fields.ts';

export interface TableColumn {
  readonly field: PartField;
  readonly form: Wire;
  /** SQL that gives the wire form. */
  readonly selected: string;
  /** SQL of the value itself, to compare and to sort by. */
  readonly value: string;
  /** True when the value is of a text type: comparing it with text then needs no cast. */
  readonly isText: boolean;
}

export interface TableOfPart {
  readonly part: TablePart;
  /** The relation's name for places and messages. */
  readonly label: string;
  /** What stands after `from`; the alias is `books`. */
  readonly from: string;
  /** SQL of the column with the merchant's reference. */
  readonly merchant: string;
  /** In the order of `PART_FIELDS`. */
  readonly columns: readonly TableColumn[];
}

export function columnFor(table: TableOfPart, field: string): TableColumn {
  return table.columns.find((column) => column.field.name === field)!;
}
