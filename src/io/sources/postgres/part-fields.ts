// The fields of each part that the engine reads, as columns: their order on the wire, their form, and which of them may
// be missing. The decoders have the last word on every value.

import type { Wire } from '../../../core/rows/copy-binary/enter-copied.ts';
import { ENTRY_TABLE } from '../../../core/rows/entry-fields.ts';
import type { NamedField } from '../../../core/rows/field.ts';
import { MERCHANT_FIELDS } from '../../../core/rows/merchant-fields.ts';
import { DESCRIBED_TABLE, WALLET_TABLE } from '../../../core/rows/operation-fields.ts';

export type TablePart = 'merchants' | 'wallets' | 'entries' | 'operations';

export type PartField = Pick<NamedField, 'name' | 'form' | 'isOptional' | 'path'>;

export const PART_FIELDS: Readonly<Record<TablePart, readonly PartField[]>> = {
  merchants: MERCHANT_FIELDS,
  wallets: WALLET_TABLE.fields,
  entries: ENTRY_TABLE.fields,
  // A flag that is null is false.
  operations: DESCRIBED_TABLE.fields.map((field) => ({
    ...field,
    isOptional: field.isOptional || field.form === 'flag',
  })),
};

// One part of the books as it was found in the operator's database: for each field what to select, and how it comes.

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
  /** SQL after `from`; the alias is `books`. */
  readonly from: string;
  /** SQL of the column with the merchant's reference. */
  readonly merchant: string;
  /** In the order of `PART_FIELDS`. */
  readonly columns: readonly TableColumn[];
}

export function columnFor(table: TableOfPart, field: string): TableColumn {
  return table.columns.find((column) => column.field.name === field)!;
}
