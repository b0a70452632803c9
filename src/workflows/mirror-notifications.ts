// Holds what was notified against a merchant's mirror: everything, or what came since the last time together with the
// operations that changed. Either way the same is said of each operation, from all notifications that name it.

import { HOUR, type Instant } from '../domain/instant.ts';
import type { Notification, NotificationContent } from '../domain/notification.ts';
import type { Operation } from '../domain/operation.ts';
import type { NotChecked, Notifications, RejectedRow } from '../domain/snapshot.ts';
import type { NotificationSettings } from '../reconcile/notifications/judging.ts';
import { beginNotified, type Notified } from '../reconcile/notifications/notified.ts';
import { decodeToldEvent } from '../sources/decode/decode-told-event.ts';
import { condensedContent, notificationOf } from '../sources/decode/notification-of.ts';
import { rejectRow } from '../sources/decode/reject-row.ts';
import { parseStrictJson } from '../sources/decode/strict-json.ts';
import { hashOf } from '../sources/hash-key.ts';
import { loadSince } from '../storage/load-since.ts';
import { openMirrorSnapshot } from '../storage/mirror-snapshot.ts';
import {
  loadEventsOf,
  loadEventsUnder,
  loadNotifiedMerchant,
  loadOperations,
  readAllEvents,
  readEventsSince,
  type StoredEvent,
} from '../storage/read-notifications.ts';
import type { Store } from '../storage/store.ts';
import { judgeNotifications } from './judge-notifications.ts';

export interface MirrorNotificationTask {
  readonly store: Store;
  readonly merchant: string;
  readonly watermark: Instant;
  readonly clockTolerance: number;
  /** What an earlier judgement left, which is changed and given back; null: everything is judged. */
  readonly before: Notified | null;
  /** References of the operations that changed since then. */
  readonly changed: () => AsyncIterable<readonly string[]>;
}

export const NEVER_NOTIFIED: NotChecked = {
  what: 'events',
  why: 'no notification was ever received',
  incomplete: false,
};

/** A notification may have been stored a little after others that came after it. */
const OVERLAP = HOUR;
const REJECTED_KEPT = 1_000;
const REFERENCES_AT_ONCE = 200;

/** Null when nothing was ever notified. */
export async function judgeMirrored(task: MirrorNotificationTask): Promise<Notified | null> {
  const { store, merchant, watermark, clockTolerance, before } = task;
  const found = await loadNotifiedMerchant(store, merchant);
  if (found === null) return null;
  const toldFrom = found.since ?? Number.POSITIVE_INFINITY;
  const settings = { watermark, clockTolerance, toldFrom, holdsOperations: true };
  const work = { ...task, merchantId: found.merchantId, settings };
  const notified = (before === null ? null : await judgeNew(work, before)) ?? (await judgeAll(work));
  notified.judgedUntil = watermark;
  const extent = await loadSince(store, merchant);
  notified.newestOperation = Math.max(notified.newestOperation, extent?.newestOperationUpdatedAt ?? 0);
  return notified;
}

interface Work extends MirrorNotificationTask {
  readonly merchantId: number;
  readonly settings: NotificationSettings;
}

async function judgeAll(work: Work): Promise<Notified> {
  const { store, merchant, merchantId, settings } = work;
  const begun = beginNotified();
  const read = () => readAllEvents(store, merchantId);
  const snapshot = await openMirrorSnapshot(store, { merchant, after: null, watermark: null });
  const operations = async function* () {
    for await (const { rows } of snapshot.operations()) yield rows.map(({ operation }) => operation);
  };
  try {
    const notifications = notificationsFrom(work, read, begun);
    return await judgeNotifications({ notifications, settings, operations, begun });
  } finally {
    await snapshot.close();
  }
}

/** Null when what was left out before may count now: then everything is judged. */
async function judgeNew(work: Work, before: Notified): Promise<Notified | null> {
  const { store, merchantId, settings } = work;
  const receivedAfter = before.judgedUntil - OVERLAP;
  const { touched, ids } = await findTouched(work, receivedAfter);
  const untold = [...touched].filter((reference) => before.untold.has(reference));
  for (const reference of touched) {
    before.faults.delete(reference);
    before.untold.delete(reference);
  }
  before.tooNew = 0;
  const read = async function* () {
    yield* readEventsSince(store, merchantId, receivedAfter);
    for (const some of inParts([...ids])) yield await loadEventsUnder(store, merchantId, some);
    for (const some of inParts([...touched])) yield await loadEventsOf(store, merchantId, some);
  };
  const operations = async function* (): AsyncGenerator<readonly Operation[]> {
    for (const some of inParts([...touched])) yield await loadOperations(store, merchantId, some);
  };
  const notifications = notificationsFrom(work, read, before);
  const notified = await judgeNotifications({ notifications, settings, operations, begun: before });
  const isFewer = before.hasMoreUntold && untold.some((reference) => !notified.untold.has(reference));
  return isFewer ? null : notified;
}

/** Operations that are to be judged anew, and the ids of which another body came. */
async function findTouched(
  { store, merchantId, changed }: Work,
  receivedAfter: Instant,
): Promise<{ readonly touched: ReadonlySet<string>; readonly ids: ReadonlySet<string> }> {
  const touched = new Set<string>();
  const ids = new Set<string>();
  for await (const references of changed()) for (const reference of references) touched.add(reference);
  for await (const rows of readEventsSince(store, merchantId, receivedAfter)) {
    for (const { eventId, variant, operationReference } of rows) {
      if (operationReference !== null) touched.add(operationReference);
      if (variant > 0) ids.add(eventId);
    }
  }
  return { touched, ids };
}

function inParts(texts: readonly string[]): readonly (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (let from = 0; from < texts.length; from += REFERENCES_AT_ONCE) {
    parts.push(texts.slice(from, from + REFERENCES_AT_ONCE));
  }
  return parts;
}

/** What cannot be read is noted in `notified`. */
function notificationsFrom(
  { store, merchant, merchantId }: Work,
  read: () => AsyncIterable<readonly StoredEvent[]>,
  notified: Notified,
): Notifications {
  const refuse = (row: RejectedRow): void => {
    if (notified.rejected.has(row.place)) return;
    notified.rejectedCount += 1;
    if (notified.rejected.size < REJECTED_KEPT) notified.rejected.set(row.place, row);
  };
  const decoded = async function* () {
    for await (const rows of read()) yield rows.flatMap((row) => decodeStored(row, merchant, refuse) ?? []);
  };
  return {
    stream: async function* () {
      for await (const some of decoded()) yield some.map(({ notification }) => notification);
    },
    contents: async function* (isWanted) {
      for await (const some of decoded()) {
        const wanted = some.filter(({ notification }) => isWanted(notification.id));
        yield wanted.map(({ notification, body }): NotificationContent => {
          return { notification, content: condensedContent(body) };
        });
      }
    },
    operations: (references) => loadOperations(store, merchantId, [...references]),
    hashOf,
  };
}

interface DecodedEvent {
  readonly notification: Notification;
  readonly body: Uint8Array;
}

function decodeStored(
  { eventId, variant, receivedAt, body }: StoredEvent,
  merchant: string,
  refuse: (row: RejectedRow) => void,
): DecodedEvent | null {
  const parsed = parseStrictJson(body);
  const decoded = parsed.ok ? decodeToldEvent(parsed.value) : parsed;
  const isOurs = decoded.ok && decoded.value.merchantReference === merchant;
  if (decoded.ok && isOurs) {
    const at = Math.min(decoded.value.createdAt, receivedAt);
    return { notification: notificationOf(decoded.value, body, at), body };
  }
  const reason = decoded.ok
    ? `merchantReference is ${JSON.stringify(decoded.value.merchantReference)}, not ${JSON.stringify(merchant)}`
    : decoded.reason;
  const place = `notification ${eventId.slice(0, 200)}${variant === 0 ? '' : `, body ${variant + 1}`}`;
  refuse(rejectRow({ part: 'events', place, reason, raw: body, value: parsed.ok ? parsed.value : undefined }));
  return null;
}
