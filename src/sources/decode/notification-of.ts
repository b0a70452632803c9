// Makes a notification out of a row of events, and condenses what its body says.

import { createHash } from 'node:crypto';
import type { Instant } from '../../domain/instant.ts';
import {
  type HashedNotification,
  type Notification,
  type NotifiedOperation,
  stateNotifiedBy,
} from '../../domain/notification.ts';
import type { ColumnBatch } from '../../rows/column-batch.ts';
import { EVENT_TABLE, type EventRow } from '../../rows/event-fields.ts';
import { inexactTextOf } from '../../rows/json-number.ts';
import type { RowCursor } from '../../rows/row-cursor.ts';
import { fieldNamed } from '../../rows/row-table.ts';
import { fieldsOf, own } from '../../rows/take-fields.ts';
import { parseStrictJson } from './strict-json.ts';

const { numbers: WIDTH, rowHashPlace: BODY_HASH } = EVENT_TABLE;
const ID_HASH = fieldNamed(EVENT_TABLE, 'id').hashPlace;
const REFERENCE_HASH = fieldNamed(EVENT_TABLE, 'operationReference').hashPlace;
const EXTERNAL_HASH = fieldNamed(EVENT_TABLE, 'operationExternalReference').hashPlace;

/** Of a row of the batch that the cursor is open on. `receivedAt`: when it came, where that is known. */
export function notificationAt(
  cursor: RowCursor<EventRow>,
  { numbers }: ColumnBatch<EventRow>,
  row: number,
  receivedAt: Instant = Number.POSITIVE_INFINITY,
): HashedNotification {
  cursor.moveTo(row);
  const first = row * WIDTH;
  return {
    notification: notificationFrom(cursor.row, receivedAt),
    idHash: numbers[first + ID_HASH]!,
    referenceHash: numbers[first + REFERENCE_HASH]!,
    externalHash: numbers[first + EXTERNAL_HASH]!,
    bodyHash: numbers[first + BODY_HASH]!,
  };
}

/** As `notificationAt`. */
export function notificationFrom(row: EventRow, receivedAt: Instant = Number.POSITIVE_INFINITY): Notification {
  const { id, type, createdAt } = row;
  const operation = stateNotifiedBy(type) === null ? null : operationOf(row);
  return { id, type, createdAt, at: Math.min(createdAt, receivedAt), operation };
}

function operationOf(row: EventRow): NotifiedOperation {
  return {
    reference: row.operationReference!,
    type: row.operationType!,
    status: row.operationStatus!,
    amount: row.operationAmount!,
    fees: row.operationFees,
    netAmount: row.operationNetAmount,
    currency: row.operationCurrency,
    externalReference: row.operationExternalReference,
    failureCode: row.operationFailureCode,
    createdAt: row.operationCreatedAt,
    updatedAt: row.operationUpdatedAt,
  };
}

/** Equal for bodies of equal JSON content. `body` was read as a row of events, so that it is JSON. */
export function condensedContent(body: Uint8Array): string {
  const parsed = parseStrictJson(body);
  return createHash('sha256')
    .update(contentOf(parsed.ok ? parsed.value : null))
    .digest('hex');
}

/** The fields of a body that the document names: what a receiver may have written beside them is its own. */
const BODY_FIELDS = ['id', 'type', 'createdAt', 'merchantReference', 'data'];

/** Equal for bodies of equal JSON content, whatever the order of keys, the blanks and the escapes. */
export function contentOf(value: unknown): string {
  const { row } = fieldsOf(value);
  return JSON.stringify(BODY_FIELDS.map((name) => ordered(own(row, name) ?? null)));
}

function ordered(value: unknown): unknown {
  const inexact = inexactTextOf(value);
  if (inexact !== null) return { inexact };
  if (Array.isArray(value)) return [value.map(ordered)];
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([key, inner]) => [key, ordered(inner)]);
}
