// Sees rows of events as notifications, and condenses what their bodies say.

import { createHash } from 'node:crypto';
import { type HashedNotification, type Notification, stateNotifiedBy } from '../../../core/domain/notification.ts';
import type { SeenRows } from '../../../core/domain/snapshot.ts';
import type { ColumnBatch } from '../../../core/rows/column-batch.ts';
import { fieldsOf, inexactTextOf, own } from '../../../core/rows/decode-object.ts';
import {
  copyCarried,
  createCarriedCursor,
  createEventCursor,
  EVENT_TABLE,
  type EventRow,
} from '../../../core/rows/event-fields.ts';
import { fieldNamed } from '../../../core/rows/row-table.ts';
import { parseStrictJson } from './strict-json.ts';

const { numbers: WIDTH, rowHashPlace: BODY_HASH } = EVENT_TABLE;
const ID_HASH = fieldNamed(EVENT_TABLE, 'id').hashPlace;
const REFERENCE_HASH = fieldNamed(EVENT_TABLE, 'operationReference').hashPlace;
const EXTERNAL_HASH = fieldNamed(EVENT_TABLE, 'operationExternalReference').hashPlace;

/** Gives views of batches: each is good until the next one is asked for. */
export function viewNotifications(): (
  batch: ColumnBatch<EventRow>,
  release?: () => void,
) => SeenRows<HashedNotification> {
  const frame = createEventCursor();
  const carried = createCarriedCursor();
  const { row } = frame;
  let numbers: Float64Array = new Float64Array(WIDTH);
  let first = 0;
  const notification: Notification = {
    get id() {
      return row.id;
    },
    get type() {
      return row.type;
    },
    get createdAt() {
      return row.createdAt;
    },
    get at() {
      return row.createdAt;
    },
    get operation() {
      return stateNotifiedBy(row.type) === null ? null : carried.row;
    },
  };
  const seen: HashedNotification = {
    notification,
    get idHash() {
      return numbers[first + ID_HASH]!;
    },
    get referenceHash() {
      return numbers[first + REFERENCE_HASH]!;
    },
    get externalHash() {
      return numbers[first + EXTERNAL_HASH]!;
    },
    get bodyHash() {
      return numbers[first + BODY_HASH]!;
    },
  };
  const at = (index: number): HashedNotification => {
    frame.moveTo(index);
    carried.moveTo(index);
    first = index * WIDTH;
    return seen;
  };
  return (batch, release = () => {}) => {
    frame.open(batch);
    carried.open(batch as ColumnBatch<never>);
    numbers = batch.numbers;
    return { count: batch.rows, at, copy: (index) => copyOf(at(index)), release };
  };
}

/** Field by field: to spread what has getters takes ten times as long. */
function copyOf({ notification, idHash, referenceHash, externalHash, bodyHash }: HashedNotification) {
  const { id, type, createdAt, at, operation } = notification;
  const copied = { id, type, createdAt, at, operation: operation === null ? null : copyCarried(operation) };
  return { notification: copied, idHash, referenceHash, externalHash, bodyHash };
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
