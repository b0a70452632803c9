// Reads the bodies of notifications one at a time, as they were stored: the quick way where a body
// is of a shape met before, else the strict way. Both give the same; only the strict one refuses.

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  createLineScanner,
  type LineScanner,
  learnLine,
  scanLine,
} from '../../../core/bytes/json-lines/scan-line.ts';
import { asDecimal, decimalText } from '../../../core/domain/decimal.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import {
  type HashedNotification,
  type Notification,
  stateNotifiedBy,
} from '../../../core/domain/notification.ts';
import { PAYMENT_RESULTS, type PaymentClaim } from '../../../core/domain/payment.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import {
  allocateBatch,
  type ColumnBatch,
  clearBatch,
  openBatch,
} from '../../../core/domain/rows/column-batch.ts';
import {
  type Decoded,
  decodedFrom,
  fieldsOf,
  inexactTextOf,
  isNothing,
  own,
  refuse,
  takeId,
  takeInteger,
  takeOneOf,
  takeOptionalInstant,
} from '../../../core/domain/rows/decode-object.ts';
import {
  copyCarried,
  createCarriedCursor,
  createEventCursor,
  decodeEvent,
  decodeEventFrame,
  EVENT_TABLE,
  type EventFrame,
  type EventRow,
  isWholeEvent,
} from '../../../core/domain/rows/event-fields.ts';
import { hashAlone } from '../../../core/domain/rows/hash-bytes.ts';
import type { RowCursor } from '../../../core/domain/rows/row-cursor.ts';
import { writeRow } from '../../../core/domain/rows/row-store.ts';
import { fieldNamed } from '../../../core/domain/rows/row-table.ts';
import { forgetOwnWords } from '../../../core/domain/rows/word-codes.ts';
import type { SeenRows } from '../../../core/domain/snapshot.ts';
import { HASH_KEY, hashOf } from '../../threads/hash-key.ts';
import { refuseOther } from './decode-row.ts';
import { parseStrictJson } from './strict-json.ts';

export interface StoredBody {
  readonly body: Uint8Array;
  readonly receivedAt: Instant;
}

/** `value`: what was parsed, where the body is JSON. */
export interface RefusedBody extends Refused {
  readonly value: unknown;
}

/** For the notifications of one merchant. */
export interface BodyReader {
  readonly merchant: string;
  readonly scanner: LineScanner<EventRow>;
  readonly cursor: RowCursor<EventRow>;
  /** By which what is read is hashed. */
  readonly hashOf: (text: string) => number;
  /** Of one row. */
  readonly batch: ColumnBatch<EventRow>;
  readonly view: (batch: ColumnBatch<EventRow>) => Pick<SeenRows<HashedNotification>, 'copy'>;
}

const LINE_FEED = 0x0a;
/**
 * Longer bodies are read the strict way. What that writes anew has room too: every text has its
 * limit.
 */
const BATCH_SIZE = 1_048_576;
const LONGEST_QUICK = 65_536;

export function createBodyReader(merchant: string): BodyReader {
  const batch = openBatch(EVENT_TABLE, allocateBatch(EVENT_TABLE, BATCH_SIZE));
  const scanner = createLineScanner(EVENT_TABLE, HASH_KEY);
  return {
    merchant,
    scanner,
    cursor: createEventCursor(),
    hashOf,
    batch,
    view: viewNotifications(),
  };
}

export function readBody(
  reader: BodyReader,
  { body, receivedAt }: StoredBody,
): HashedNotification | { readonly refused: RefusedBody } {
  const { batch, cursor, scanner, merchant, view } = reader;
  clearBatch(batch);
  forgetOwnWords(scanner.codes);
  const unread = isScanned(reader, body) ? null : readStrictly(reader, body);
  if (unread !== null) return { refused: unread };
  batch.numbers[EVENT_TABLE.rowHashPlace] = hashAlone(HASH_KEY, body);
  cursor.open(batch);
  const { merchantReference } = cursor.row;
  if (merchantReference === merchant) {
    const { notification, ...hashes } = view(batch).copy(0);
    return {
      ...hashes,
      notification: { ...notification, at: Math.min(notification.createdAt, receivedAt) },
    };
  }
  const parsed = parseStrictJson(body);
  const refused = refuseOther(merchantReference, merchant);
  return { refused: { ...refused, value: parsed.ok ? parsed.value : undefined } };
}

/** A body of several lines has no place among lines. */
function isScanned({ batch, scanner }: BodyReader, body: Uint8Array): boolean {
  const { length } = body;
  if (length > LONGEST_QUICK || body.includes(LINE_FEED) || !isUtf8(body)) return false;
  batch.bytes.set(body);
  batch.bytes[length] = LINE_FEED;
  batch.used = length + 1;
  if (scanLine(scanner, batch, 0) === length + 1 && isWholeEvent(batch, 0)) return true;
  clearBatch(batch);
  return false;
}

function readStrictly({ batch, scanner }: BodyReader, body: Uint8Array): RefusedBody | null {
  const parsed = parseStrictJson(body);
  const decoded = parsed.ok ? decodeEvent(parsed.value) : parsed;
  if (!decoded.ok) {
    const { reason, refusal } = decoded;
    return { reason, refusal, value: parsed.ok ? parsed.value : undefined };
  }
  writeRow(scanner, batch, decoded.value, 0);
  if (!body.includes(LINE_FEED)) learnLine(scanner, body);
  return null;
}

// Sees rows of events as notifications, and condenses what their bodies say.

const { numbers: WIDTH, rowHashPlace: BODY_HASH } = EVENT_TABLE;
const ID_HASH = fieldNamed(EVENT_TABLE, 'id').hashPlace;
const REFERENCE_HASH = fieldNamed(EVENT_TABLE, 'operationReference').hashPlace;
const EXTERNAL_HASH = fieldNamed(EVENT_TABLE, 'operationExternalReference').hashPlace;

/** Views of batches: each is good until the next one is opened. */
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
function copyOf({
  notification,
  idHash,
  referenceHash,
  externalHash,
  bodyHash,
}: HashedNotification) {
  const { id, type, createdAt, at, operation } = notification;
  const copied = {
    id,
    type,
    createdAt,
    at,
    operation: operation === null ? null : copyCarried(operation),
  };
  return { notification: copied, idHash, referenceHash, externalHash, bodyHash };
}

/**
 * Equal for bodies of equal JSON content. `body` was read as a row of events, so that it is JSON.
 */
export function condensedContent(body: Uint8Array): string {
  const parsed = parseStrictJson(body);
  return createHash('sha256')
    .update(contentOf(parsed.ok ? parsed.value : null))
    .digest('hex');
}

/**
 * The fields of a body that the document names: what a receiver may have written beside them is its
 * own.
 */
const BODY_FIELDS = ['id', 'type', 'createdAt', 'merchantReference', 'data'];

/**
 * Equal for bodies of equal JSON content, whatever the order of keys, the blanks and the escapes.
 */
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

// Decodes the body of a notification as far as it has to be understood on arrival: a signed one of
// the direct API (what it is called and which operation it is about), an unsigned one of the
// dashboard API (which payment). Judges nothing.

interface Notified {
  readonly event: EventFrame;
  /** Of `data.operation`; null where there is none, or none that can be read. */
  readonly operationReference: string | null;
}

/** One clause says what is wrong with a body that cannot be read. */
export function decodeNotification(body: Uint8Array): Decoded<Notified> {
  const json = parseStrictJson(body);
  if (!json.ok) return json;
  const event = decodeEventFrame(json.value);
  if (!event.ok) return event;
  return { ok: true, value: { event: event.value, operationReference: referenceIn(json.value) } };
}

function referenceIn(value: unknown): string | null {
  const data = fieldsOf(own(fieldsOf(value).row, 'data'));
  const operation = fieldsOf(own(data.row, 'operation'));
  const reference = takeId(operation, 'reference');
  return operation.fault === null ? reference : null;
}

export function decodePaymentClaim(body: Uint8Array): Decoded<PaymentClaim> {
  const json = parseStrictJson(body);
  if (!json.ok) return json;
  const fields = fieldsOf(json.value);
  const reference = takeId(fields, 'reference');
  return decodedFrom(fields, {
    reference: reference.startsWith('PAY')
      ? reference
      : refuse(fields, 'reference', 'payment_reference', ''),
    status: takeOneOf(fields, 'status', PAYMENT_RESULTS),
    amount: isNothing(own(fields.row, 'amount')) ? null : takeInteger(fields, 'amount'),
    fees: feesIn(own(fields.row, 'fees')),
    createdAt: takeOptionalInstant(fields, 'created_date'),
  });
}

/** Null for anything that is no amount of money: the notification is a signal all the same. */
function feesIn(value: unknown): string | null {
  const fees = asDecimal(value);
  return fees === null || fees.isNegative() ? null : decimalText(fees);
}
