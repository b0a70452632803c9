// The fields of each part that the engine reads, as columns: their order on the wire, their form, and which of them may
// be missing. The decoders have the last word on every value.

import { ENTRY_TABLE } from '../../../core/rows/entry-fields.ts';
import type { Form } from '../../../core/rows/field.ts';
import { DESCRIBED_TABLE, WALLET_TABLE } from '../../../core/rows/operation-fields.ts';

export type TablePart = 'merchants' | 'wallets' | 'entries' | 'operations';

export interface PartField {
  readonly name: string;
  readonly form: Form | 'texts';
  /** True where null is a lawful value. */
  readonly isOptional: boolean;
  /** The keys that lead to it in the service's documents. */
  readonly path: readonly string[];
}

export const PART_FIELDS: Readonly<Record<TablePart, readonly PartField[]>> = {
  merchants: [
    ...fieldsOf('text', ['reference', 'name', 'country', 'status']),
    ...fieldsOf('texts', ['allowedCountries']),
    ...fieldsOf('integer', ['cashinFeeBps', 'cashinFeeFlat', 'cashoutFeeBps', 'cashoutFeeFlat'], 'pricing'),
    ...fieldsOf('integer', ['minCashinAmount', 'maxCashinAmount', 'minCashoutAmount', 'maxCashoutAmount'], 'limits'),
    ...fieldsOf('integer', ['dailyCashoutLimit'], 'limits'),
    ...fieldsOf('instant', ['createdAt']),
    { name: 'legalName', form: 'remark', isOptional: true, path: ['legalName'] },
  ],
  wallets: WALLET_TABLE.fields,
  entries: ENTRY_TABLE.fields,
  // A flag that is null is false.
  operations: DESCRIBED_TABLE.fields.map((field) => ({
    ...field,
    isOptional: field.isOptional || field.form === 'flag',
  })),
};

function fieldsOf(form: PartField['form'], names: readonly string[], object: string | null = null): PartField[] {
  return names.map((name) => ({
    name,
    form,
    isOptional: false,
    path: object === null ? [name] : [object, name],
  }));
}
