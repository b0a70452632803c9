// What the reader of a file must know of its rows: their fields, how to decode one strictly, and
// the order in which they stand.

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { DescribedOperation, Operation } from '../../../core/domain/operation.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import { type ColumnBatch, lengthOf } from '../../../core/domain/rows/column-batch.ts';
import type { Decoded } from '../../../core/domain/rows/decode-object.ts';
import {
  copyEntry,
  createEntryCursor,
  decodeEntry,
  ENTRY_TABLE,
} from '../../../core/domain/rows/entry-fields.ts';
import {
  copyEvent,
  createEventCursor,
  decodeEvent,
  EVENT_TABLE,
  type EventRow,
  isWholeEvent,
} from '../../../core/domain/rows/event-fields.ts';
import {
  copyDescribed,
  copyOperation,
  createDescribedCursor,
  createOperationCursor,
  DESCRIBED_TABLE,
  decodeDescribed,
  decodeOperation,
  OPERATION_TABLE,
} from '../../../core/domain/rows/operation-fields.ts';
import type { RowCursor } from '../../../core/domain/rows/row-cursor.ts';
import { fieldNamed, numberPlaceOf, type RowTable } from '../../../core/domain/rows/row-table.ts';
import type { BookPart } from '../../../core/domain/snapshot.ts';
import {
  copyPayment,
  createPaymentCursor,
  decodePayment,
  PAYMENT_TABLE,
} from '../decode/decode-payment.ts';
import { refuseOther } from '../decode/decode-row.ts';

export interface RowPlan<Row> {
  readonly part: BookPart;
  readonly table: RowTable<Row>;
  readonly decode: (value: unknown) => Decoded<Row>;
  readonly createCursor: () => RowCursor<Row>;
  readonly copy: (row: Row) => Row;
  /**
   * Place, among the numbers of a row, of the field by which the rows must ascend; −1 when they may
   * stand in any order.
   */
  readonly key: number;
  /**
   * Returns false for a row that the scanner read but that only the strict decoder may judge;
   * `null` when there are no such rows.
   */
  readonly isPlain: ((batch: ColumnBatch<Row>, row: number) => boolean) | null;
}

export const ENTRY_PLAN: RowPlan<LedgerEntry> = {
  part: 'ledger',
  table: ENTRY_TABLE,
  decode: decodeEntry,
  createCursor: createEntryCursor,
  copy: copyEntry,
  key: numberPlaceOf(ENTRY_TABLE, 'sequence'),
  isPlain: null,
};

export const OPERATION_PLAN: RowPlan<Operation> = {
  part: 'operations',
  table: OPERATION_TABLE,
  decode: decodeOperation,
  createCursor: createOperationCursor,
  copy: copyOperation,
  key: numberPlaceOf(OPERATION_TABLE, 'createdAt'),
  isPlain: null,
};

/** Reads operations with their texts. */
export const DESCRIBED_PLAN: RowPlan<Operation> = {
  ...OPERATION_PLAN,
  table: DESCRIBED_TABLE,
  decode: decodeDescribed,
  createCursor: createDescribedCursor,
  copy: (row) => copyDescribed(row as DescribedOperation),
};

export const EVENT_PLAN: RowPlan<EventRow> = {
  part: 'events',
  table: EVENT_TABLE,
  decode: decodeEvent,
  createCursor: createEventCursor,
  copy: copyEvent,
  key: -1,
  isPlain: isWholeEvent,
};

/**
 * Every payment is read by the strict decoder, because only the decoder knows under which names a
 * service gives reference and operator. There are few payments.
 */
export const PAYMENT_PLAN: RowPlan<Payment> = {
  part: 'payments',
  table: PAYMENT_TABLE,
  decode: decodePayment,
  createCursor: createPaymentCursor,
  copy: copyPayment,
  key: -1,
  isPlain: () => false,
};

/**
 * Makes a function that refuses, as `RowReader.refuse` does, the rows of merchants other than this
 * one. `null` when `merchant` is: then no row is refused.
 */
export function refuseOthers<Row>(
  { table, createCursor }: RowPlan<Row>,
  merchant: string | null,
): ((batch: ColumnBatch<Row>) => Refused | null) | null {
  if (merchant === null) return null;
  const { place } = fieldNamed(table, 'merchantReference' as keyof Row & string);
  const wanted = Buffer.from(merchant);
  const cursor = createCursor();
  return (batch) => {
    const at = 2 * ((batch.rows - 1) * table.texts + place);
    const start = batch.texts[at]!;
    const length = lengthOf(batch.texts[at + 1]!);
    if (length === wanted.length && isAt(batch.bytes, start, wanted)) return null;
    cursor.open(batch);
    cursor.moveTo(batch.rows - 1);
    const { merchantReference } = cursor.row as { readonly merchantReference: string };
    if (merchantReference === merchant) return null;
    return refuseOther(merchantReference, merchant);
  };
}

/** A loop, because for a few bytes it is faster than a call of Node. */
function isAt(bytes: Buffer, start: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i += 1) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
