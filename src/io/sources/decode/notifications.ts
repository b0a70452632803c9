// Reads the stored bodies of notifications one at a time: by the scanner when a body has a known
// shape, else by the strict decoder. Both give the same notification; only the strict decoder
// refuses.

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

/** A body that was refused. `value` is the parsed body, when it is JSON. */
export interface RefusedBody extends Refused {
  readonly value: unknown;
}

/** Reads the notifications of one merchant. */
export interface BodyReader {
  readonly merchant: string;
  readonly scanner: LineScanner<EventRow>;
  readonly cursor: RowCursor<EventRow>;
  /** Hashes texts under the key by which ids and references of notifications are hashed. */
  readonly hashOf: (text: string) => number;
  /** Holds the row of the body that is being read. */
  readonly batch: ColumnBatch<EventRow>;
  readonly view: (batch: ColumnBatch<EventRow>) => Pick<SeenRows<HashedNotification>, 'copy'>;
}

const LINE_FEED = 0x0a;
/**
 * Bytes of the batch: room for a body that the scanner reads, and for all texts of a row that the
 * strict decoder writes, each of which has a limit.
 */
const BATCH_SIZE = 1_048_576;
/** Bytes: longer bodies are read by the strict decoder. */
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

/**
 * Reads a body with the scanner; false when the strict decoder must read it. A body with line feeds
 * inside is not a line, so that the scanner cannot read it.
 */
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

// Shows rows of events as notifications, and condenses their bodies to texts that can be compared.

const { numbers: WIDTH, rowHashPlace: BODY_HASH } = EVENT_TABLE;
const ID_HASH = fieldNamed(EVENT_TABLE, 'id').hashPlace;
const REFERENCE_HASH = fieldNamed(EVENT_TABLE, 'operationReference').hashPlace;
const EXTERNAL_HASH = fieldNamed(EVENT_TABLE, 'operationExternalReference').hashPlace;

/**
 * Makes a function that views a batch as notifications. A view is valid until the next batch is
 * viewed.
 */
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

/** Copies field by field, because spreading an object that has getters takes ten times as long. */
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
 * Returns a text that is equal for bodies of equal JSON content. `body` must have been read as a
 * row of events, so that it is JSON.
 */
export function condensedContent(body: Uint8Array): string {
  const parsed = parseStrictJson(body);
  return createHash('sha256')
    .update(contentOf(parsed.ok ? parsed.value : null))
    .digest('hex');
}

/**
 * The fields of a body that the document names. Other fields are ignored, because the receiver that
 * stored the body may have added them.
 */
const BODY_FIELDS = ['id', 'type', 'createdAt', 'merchantReference', 'data'];

/**
 * Returns a text that is equal for bodies of equal JSON content, whatever their order of keys,
 * white space and escapes.
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

// Decodes the body of a notification as far as it must be understood on arrival. Of a signed one
// (direct API), that is its id, its type and its operation; of an unsigned one (dashboard API), its
// payment. Judges nothing.

interface Notified {
  readonly event: EventFrame;
  /** Reference in `data.operation`; `null` when there is none that can be read. */
  readonly operationReference: string | null;
}

/** Decodes the body of a signed notification, or says in one clause why it cannot be read. */
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

/**
 * Returns the fees as decimal text; `null` for a value that is not an amount of money, because the
 * notification is a hint even without fees.
 */
function feesIn(value: unknown): string | null {
  const fees = asDecimal(value);
  return fees === null || fees.isNegative() ? null : decimalText(fees);
}
