// A notification as a row of columns: its frame, and of the operation that it carries what is compared, and what must be of its
// type beside it. The strict decoder of notifications stays the judge.

import { type NotifiedOperation, TYPES_OF_NOTIFICATIONS, toldBy } from '../../domain/notification.ts';
import {
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type OperationStatus,
  type OperationType,
} from '../../domain/operation.ts';
import type { ColumnBatch } from '../../rows/column-batch.ts';
import type { Decoded } from '../../rows/decoded.ts';
import {
  type Field,
  type FieldsOf,
  flag,
  hashed,
  id,
  instant,
  integer,
  oneOf,
  optional,
  text,
  word,
} from '../../rows/field.ts';
import { createCopy, createCursorType } from '../../rows/row-cursor.ts';
import { createRowTable, fieldNamed } from '../../rows/row-table.ts';
import { decodeToldEvent, type ToldEvent } from './decode-told-event.ts';

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly merchantReference: string;
  readonly createdAt: number;
  /** What is carried; all null where nothing is, which the type says (`toldBy`). */
  readonly reference: string | null;
  readonly operationType: OperationType | null;
  readonly status: OperationStatus | null;
  readonly amount: number | null;
  readonly operationCreatedAt: number | null;
  readonly updatedAt: number | null;
  readonly fees: number | null;
  readonly netAmount: number | null;
  readonly currency: string | null;
  readonly country: string | null;
  readonly operator: string | null;
  readonly externalReference: string | null;
  readonly payerActionUrl: string | null;
  readonly requiresPayerAction: boolean;
  readonly completedAt: number | null;
  readonly expiresAt: number | null;
  readonly failureCode: string | null;
}

const carried = <F extends Field>(name: string, field: F): F => ({ ...field, path: ['data', 'operation', name] });

const FIELDS: FieldsOf<EventRow> = {
  id: hashed(id()),
  type: word(TYPES_OF_NOTIFICATIONS),
  merchantReference: id(),
  createdAt: instant(),
  reference: carried('reference', hashed(optional(id()))),
  operationType: carried('type', optional(oneOf(OPERATION_TYPES))),
  status: carried('status', optional(oneOf(OPERATION_STATUSES))),
  amount: carried('amount', optional(integer())),
  operationCreatedAt: carried('createdAt', optional(instant())),
  updatedAt: carried('updatedAt', optional(instant())),
  fees: carried('fees', optional(integer())),
  netAmount: carried('netAmount', optional(integer())),
  currency: carried('currency', optional(text())),
  country: carried('country', optional(text())),
  operator: carried('operator', optional(text())),
  externalReference: carried('externalReference', optional(text())),
  payerActionUrl: carried('payerActionUrl', optional(text())),
  requiresPayerAction: carried('requiresPayerAction', flag()),
  completedAt: carried('completedAt', optional(instant())),
  expiresAt: carried('expiresAt', optional(instant())),
  failureCode: { ...optional(text()), path: ['data', 'operation', 'failure', 'code'] },
};

export const EVENT_TABLE = createRowTable(FIELDS, true);
export const createEventCursor = createCursorType(EVENT_TABLE);
export const copyEventRow = createCopy(EVENT_TABLE);

const TYPE = fieldNamed(EVENT_TABLE, 'type').place;
const NEEDED_WORDS = [fieldNamed(EVENT_TABLE, 'operationType').place, fieldNamed(EVENT_TABLE, 'status').place];
const REFERENCE = fieldNamed(EVENT_TABLE, 'reference').place;
const AMOUNT = fieldNamed(EVENT_TABLE, 'amount').place;
/** By code: the type tells of an operation. */
const TELLS = EVENT_TABLE.knownWords.map((known) => known !== null && toldBy(known) !== null);

/** Whether a row that was scanned carries an operation where its type says so. */
export function isWholeEvent({ words, texts, numbers }: ColumnBatch<EventRow>, row: number): boolean {
  if (TELLS[words[row * EVENT_TABLE.words + TYPE]!] !== true) return true;
  if (NEEDED_WORDS.some((place) => words[row * EVENT_TABLE.words + place] === 0)) return false;
  if (texts[2 * (row * EVENT_TABLE.texts + REFERENCE) + 1]! < 0) return false;
  return !Number.isNaN(numbers[row * EVENT_TABLE.numbers + AMOUNT]!);
}

export function decodeEventRow(value: unknown): Decoded<EventRow> {
  const decoded = decodeToldEvent(value);
  return decoded.ok ? { ok: true, value: rowOf(decoded.value) } : decoded;
}

function rowOf({ id, type, merchantReference, createdAt, operation }: ToldEvent): EventRow {
  return {
    ...{ id, type, merchantReference, createdAt },
    reference: operation?.reference ?? null,
    operationType: operation?.type ?? null,
    status: operation?.status ?? null,
    amount: operation?.amount ?? null,
    operationCreatedAt: operation?.createdAt ?? null,
    updatedAt: operation?.updatedAt ?? null,
    fees: operation?.fees ?? null,
    netAmount: operation?.netAmount ?? null,
    currency: operation?.currency ?? null,
    externalReference: operation?.externalReference ?? null,
    failureCode: operation?.failureCode ?? null,
    ...{ country: null, operator: null, payerActionUrl: null, requiresPayerAction: false },
    ...{ completedAt: null, expiresAt: null },
  };
}

/** The event as `decodeToldEvent` gives it. */
export function toldEventOf(row: EventRow): ToldEvent {
  const { id, type, merchantReference, createdAt } = row;
  return { id, type, merchantReference, createdAt, operation: toldBy(type) === null ? null : operationOf(row) };
}

function operationOf(row: EventRow): NotifiedOperation {
  const { fees, netAmount, currency, externalReference, failureCode, updatedAt } = row;
  return {
    reference: row.reference!,
    type: row.operationType!,
    status: row.status!,
    amount: row.amount!,
    ...{ fees, netAmount, currency, externalReference, failureCode },
    createdAt: row.operationCreatedAt,
    updatedAt,
  };
}
