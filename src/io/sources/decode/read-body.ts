// Reads the bodies of notifications one at a time, as they were stored: the quick way where a body is of a shape met before, else
// the strict way. Both give the same; only the strict one refuses.

import { isUtf8 } from 'node:buffer';
import type { Instant } from '../../../core/domain/instant.ts';
import type { HashedNotification } from '../../../core/domain/notification.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { SeenRows } from '../../../core/domain/snapshot.ts';
import { allocateBatch, type ColumnBatch, clearBatch, openBatch } from '../../../core/rows/column-batch.ts';
import {
  createEventCursor,
  decodeEvent,
  EVENT_TABLE,
  type EventRow,
  isWholeEvent,
} from '../../../core/rows/event-fields.ts';
import { hashAlone } from '../../../core/rows/hash-bytes.ts';
import { createLineScanner, type LineScanner, learnLine, scanLine } from '../../../core/rows/json-lines/scan-line.ts';
import type { RowCursor } from '../../../core/rows/row-cursor.ts';
import { writeRow } from '../../../core/rows/row-store.ts';
import { forgetOwnWords } from '../../../core/rows/word-codes.ts';
import { HASH_KEY, hashOf } from '../../threads/hash-key.ts';
import { viewNotifications } from './notification-of.ts';
import { refuseOther } from './reject-row.ts';
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
/** Longer bodies are read the strict way. What that writes anew has room too: every text has its limit. */
const BATCH_SIZE = 1_048_576;
const LONGEST_QUICK = 65_536;

export function createBodyReader(merchant: string): BodyReader {
  const batch = openBatch(EVENT_TABLE, allocateBatch(EVENT_TABLE, BATCH_SIZE));
  const scanner = createLineScanner(EVENT_TABLE, HASH_KEY);
  return { merchant, scanner, cursor: createEventCursor(), hashOf, batch, view: viewNotifications() };
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
    return { ...hashes, notification: { ...notification, at: Math.min(notification.createdAt, receivedAt) } };
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
