// Operations as rows of `operation_versions`, in both directions. The one place that knows which column is which field.

import type { Operation, OperationStatus, OperationType } from '../domain/operation.ts';
import type { ByteSpan } from '../packed/byte-span.ts';
import type { Packer } from '../packed/pack.ts';
import { OPERATION_FORM, OPERATION_NUMBER, OPERATION_WORD } from '../packed/packed-operation.ts';
import type { RowForm } from '../packed/slab.ts';
import {
  type Cursor,
  numberField,
  phraseReader,
  readBoolean,
  readInteger,
  readNullableInteger,
  readText,
  textField,
} from './copy-text.ts';
import { packColumn, readBigint, readFlag, readNullableBigint, shareColumn } from './pack-columns.ts';

/** An operation on its way into the mirror, with the number of its version, 1 for the first seen. */
export interface OperationRow {
  readonly operation: Operation;
  readonly version: number;
}

const COLUMNS = [
  'amount',
  'fees',
  'net_amount',
  'created_at',
  'updated_at',
  'completed_at',
  'expires_at',
  'requires_payer_action',
  'reference',
  'type',
  'status',
  'currency',
  'country',
  'operator',
  'external_reference',
  'payer_action_url',
  'failure_code',
] as const;

/** The columns of an operation, from `alias`, in the order in which an operation reader reads them. */
export function operationColumns(alias: string): string {
  return COLUMNS.map((column) => `${alias}.${column}`).join(', ');
}

/** The same columns under other names, so that two operations fit in one row. */
export function renamedColumns(alias: string, prefix: string): string {
  return COLUMNS.map((column) => `${alias}.${column} as ${prefix}${column}`).join(', ');
}

export type ReadOperation = (buffer: Buffer, cursor: Cursor, end: number) => Operation;

/** Reads the columns of one operation at the cursor. Keeps words between rows: one for each place in a row. */
export function operationReader(): ReadOperation {
  const readNature = phraseReader(3, [5, 8, 9]);
  const readPlace = phraseReader(2, [0, 1, 3, 4]);
  const readOutcome = phraseReader(2, [0, 1]);
  return (buffer, cursor, end) => {
    const amount = readInteger(buffer, cursor);
    const fees = readInteger(buffer, cursor);
    const netAmount = readInteger(buffer, cursor);
    const createdAt = readInteger(buffer, cursor);
    const updatedAt = readInteger(buffer, cursor);
    const completedAt = readNullableInteger(buffer, cursor);
    const expiresAt = readNullableInteger(buffer, cursor);
    const requiresPayerAction = readBoolean(buffer, cursor);
    const reference = readText(buffer, cursor, end)!;
    const nature = readNature(buffer, cursor, end);
    const place = readPlace(buffer, cursor, end);
    const externalReference = readText(buffer, cursor, end);
    const outcome = readOutcome(buffer, cursor, end);
    return {
      reference,
      type: nature[0] as OperationType,
      status: nature[1] as OperationStatus,
      amount,
      fees,
      netAmount,
      currency: nature[2]!,
      country: place[0]!,
      operator: place[1]!,
      externalReference,
      payerActionUrl: outcome[0]!,
      requiresPayerAction,
      failureCode: outcome[1]!,
      createdAt,
      updatedAt,
      completedAt,
      expiresAt,
    };
  };
}

/** As `OPERATION_FORM`, with a word more: 1 where the version has moved (`operation-stream.ts`). */
export const VERSION_FORM: RowForm = { ...OPERATION_FORM, words: OPERATION_FORM.words + 1 };
export const MOVED_WORD = OPERATION_FORM.words;

/** Packs a row of one operation and, behind it, whether its version has moved: binary, the columns begin at `start`. */
export function packVersionRow(packer: Packer, span: ByteSpan, start: number): void {
  const { words, numbers } = packer.slab;
  const word = packer.rows * VERSION_FORM.words;
  const number = packer.rows * VERSION_FORM.numbers;
  const cursor: Cursor = { at: start };
  numbers[number + OPERATION_NUMBER.amount] = readBigint(span, cursor);
  numbers[number + OPERATION_NUMBER.fees] = readBigint(span, cursor);
  numbers[number + OPERATION_NUMBER.netAmount] = readBigint(span, cursor);
  numbers[number + OPERATION_NUMBER.createdAt] = readBigint(span, cursor);
  numbers[number + OPERATION_NUMBER.updatedAt] = readBigint(span, cursor);
  numbers[number + OPERATION_NUMBER.completedAt] = readNullableBigint(span, cursor);
  numbers[number + OPERATION_NUMBER.expiresAt] = readNullableBigint(span, cursor);
  words[word + OPERATION_WORD.requiresPayerAction] = readFlag(span, cursor) ? 1 : 0;
  words[word + OPERATION_WORD.reference] = packColumn(packer, span, cursor);
  words[word + OPERATION_WORD.type] = shareColumn(packer, span, cursor);
  words[word + OPERATION_WORD.status] = shareColumn(packer, span, cursor);
  words[word + OPERATION_WORD.currency] = shareColumn(packer, span, cursor);
  words[word + OPERATION_WORD.country] = shareColumn(packer, span, cursor);
  words[word + OPERATION_WORD.operator] = shareColumn(packer, span, cursor);
  words[word + OPERATION_WORD.externalReference] = packColumn(packer, span, cursor);
  words[word + OPERATION_WORD.payerActionUrl] = packColumn(packer, span, cursor);
  words[word + OPERATION_WORD.failureCode] = shareColumn(packer, span, cursor);
  words[word + MOVED_WORD] = readFlag(span, cursor) ? 1 : 0;
  packer.rows += 1;
}

/** An operation from a row of a query with parameters; `prefix` as given to `renamedColumns`. */
export function operationOf(record: Readonly<Record<string, unknown>>, prefix = ''): Operation {
  const field = <T>(column: (typeof COLUMNS)[number]) => record[`${prefix}${column}`] as T;
  return {
    reference: field('reference'),
    type: field('type'),
    status: field('status'),
    amount: field('amount'),
    fees: field('fees'),
    netAmount: field('net_amount'),
    currency: field('currency'),
    country: field('country'),
    operator: field('operator'),
    externalReference: field('external_reference'),
    payerActionUrl: field('payer_action_url'),
    requiresPayerAction: field('requires_payer_action'),
    failureCode: field('failure_code'),
    createdAt: field('created_at'),
    updatedAt: field('updated_at'),
    completedAt: field('completed_at'),
    expiresAt: field('expires_at'),
  };
}

/** Where and how operations are copied in, for one page of one merchant. */
export function operationTarget(page: { readonly merchantId: number; readonly intake: number }) {
  const key = `${page.merchantId}\t${page.intake}`;
  const columns = `merchant_id, intake, version, ${COLUMNS.join(', ')}`;
  const line = ({ operation, version }: OperationRow): string =>
    [
      key,
      version,
      operation.amount,
      operation.fees,
      operation.netAmount,
      operation.createdAt,
      operation.updatedAt,
      numberField(operation.completedAt),
      numberField(operation.expiresAt),
      operation.requiresPayerAction ? 't' : 'f',
      textField(operation.reference),
      operation.type,
      operation.status,
      textField(operation.currency),
      textField(operation.country),
      textField(operation.operator),
      textField(operation.externalReference),
      textField(operation.payerActionUrl),
      textField(operation.failureCode),
    ].join('\t');
  return { table: 'operation_versions', columns, line };
}
