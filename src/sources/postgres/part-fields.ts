// The fields of each part that the engine reads, as columns: their order on the wire, their kind, and which of them may
// be missing. The decoders have the last word on every value.

export type TablePart = 'merchants' | 'wallets' | 'entries' | 'operations';

export type FieldKind = 'integer' | 'text' | 'instant' | 'flag' | 'texts';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** True where null is a lawful value. */
  readonly isOptional: boolean;
}

const integer = (name: string): Field => ({ name, kind: 'integer', isOptional: false });
const text = (name: string): Field => ({ name, kind: 'text', isOptional: false });
const instant = (name: string): Field => ({ name, kind: 'instant', isOptional: false });
const optional = (field: Field): Field => ({ ...field, isOptional: true });

export const PART_FIELDS: Readonly<Record<TablePart, readonly Field[]>> = {
  merchants: [
    text('reference'),
    text('name'),
    text('country'),
    text('status'),
    { name: 'allowedCountries', kind: 'texts', isOptional: false },
    integer('cashinFeeBps'),
    integer('cashinFeeFlat'),
    integer('cashoutFeeBps'),
    integer('cashoutFeeFlat'),
    integer('minCashinAmount'),
    integer('maxCashinAmount'),
    integer('minCashoutAmount'),
    integer('maxCashoutAmount'),
    integer('dailyCashoutLimit'),
    instant('createdAt'),
  ],
  wallets: [
    text('walletId'),
    text('merchantId'),
    text('currency'),
    integer('balance'),
    integer('reserved'),
    integer('available'),
    text('status'),
    integer('totalCollected'),
    integer('totalDisbursed'),
    integer('totalFees'),
    instant('updatedAt'),
  ],
  entries: [
    text('id'),
    integer('sequence'),
    text('direction'),
    text('kind'),
    integer('amount'),
    text('currency'),
    integer('balanceAfter'),
    integer('reservedAfter'),
    optional(text('operationReference')),
    optional(text('description')),
    instant('createdAt'),
  ],
  operations: [
    text('reference'),
    text('type'),
    text('status'),
    integer('amount'),
    integer('fees'),
    integer('netAmount'),
    text('currency'),
    text('country'),
    text('operator'),
    optional(text('externalReference')),
    optional(text('payerActionUrl')),
    { name: 'requiresPayerAction', kind: 'flag', isOptional: true },
    optional(text('failureCode')),
    instant('createdAt'),
    instant('updatedAt'),
    optional(instant('completedAt')),
    optional(instant('expiresAt')),
  ],
};

/** `balanceAfter` → `balance_after`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
