// Compares notifications with a merchant's mirror: all of them, or those that came since the last
// time together with the operations that changed. In both cases an operation is judged from all
// notifications that name it.

import { HOUR, type Instant } from '../../../core/domain/instant.ts';
import type { DeliveryList } from '../../../core/domain/published/failed-delivery.ts';
import {
  type Batch,
  type Note,
  type Notifications,
  type OperationVersion,
  seenOf,
  viewOf,
} from '../../../core/domain/snapshot.ts';
import {
  beginJudging,
  judgeNotifications,
  type NotificationSettings,
  takeOperations,
} from '../../../core/kernel/reconcile/notifications/judge-notifications.ts';
import {
  beginNotified,
  type Notified,
} from '../../../core/kernel/reconcile/notifications/notified.ts';
import { rejectRow } from '../../../io/sources/decode/decode-row.ts';
import {
  type BodyReader,
  condensedContent,
  createBodyReader,
  type RefusedBody,
  readBody,
} from '../../../io/sources/decode/notifications.ts';
import { type Source, SourceFailed } from '../../../io/sources/port/source.ts';
import { openMirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import { loadStoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import {
  loadEvents,
  loadNotifiedMerchant,
  loadOperations,
  readEvents,
  type StoredEvent,
} from '../../../io/storage/notifications/notifications.ts';
import { inPieces } from '../../../io/storage/server/ask.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { closable } from '../closable.ts';
import { driveSteps } from '../drive-session.ts';

export interface MirrorNotificationTask {
  readonly store: Store;
  readonly merchant: string;
  readonly watermark: Instant;
  readonly clockTolerance: number;
  /**
   * The result of an earlier judgement, which is changed in place and returned; `null` when
   * everything must be judged.
   */
  readonly before: Notified | null;
  /** Streams the references of operations that changed since then. */
  readonly changed: () => AsyncIterable<readonly string[]>;
}

export const NEVER_NOTIFIED: Note = { what: 'events', code: 'EVENTS_NEVER' };

/**
 * How far back received notifications are read again, because one may be stored a little after
 * others that came after it.
 */
const OVERLAP = HOUR;
const receivedAfter = ({ judgedUntil }: Pick<Notified, 'judgedUntil'>) => judgedUntil - OVERLAP;
const REJECTED_KEPT = 1_000;
const REFERENCES_AT_ONCE = 200;

/** Returns the judgement; `null` when nothing was ever notified. */
export async function judgeMirrored(task: MirrorNotificationTask): Promise<Notified | null> {
  const { store, merchant, watermark, clockTolerance, before } = task;
  const found = await loadNotifiedMerchant(store, merchant);
  if (found === null) return null;
  const notifiedFrom = found.since ?? Number.POSITIVE_INFINITY;
  const settings = { watermark, clockTolerance, notifiedFrom, holdsOperations: true };
  const work = {
    ...task,
    merchantId: found.merchantId,
    settings,
    reader: createBodyReader(merchant),
  };
  const notified =
    (before === null ? null : await judgeNew(work, before)) ?? (await judgeAll(work));
  notified.judgedUntil = watermark;
  const extent = await loadStoredExtent(store, merchant);
  notified.newestOperation = Math.max(
    notified.newestOperation,
    extent?.newestOperationUpdatedAt ?? 0,
  );
  return notified;
}

/**
 * Tells whether the next judgement would read a notification: one that came after this judgement,
 * or shortly before it.
 */
export async function isNotifiedSince(
  store: Store,
  merchant: string,
  judged: Pick<Notified, 'judgedUntil'>,
): Promise<boolean> {
  const found = await loadNotifiedMerchant(store, merchant);
  return found !== null && found.newest > receivedAfter(judged);
}

interface Work extends MirrorNotificationTask {
  readonly merchantId: number;
  readonly settings: NotificationSettings;
  readonly reader: BodyReader;
}

async function judgeAll(work: Work): Promise<Notified> {
  const { store, merchant, merchantId } = work;
  const begun = beginNotified();
  const read = () => readEvents(store, merchantId, null);
  await using snapshot = closable(
    await openMirrorSnapshot(store, { merchant, after: null, watermark: null }),
  );
  const notifications = notificationsFrom(work, read, begun);
  return await judgeRead(work, { notifications, operations: () => snapshot.operations(), begun });
}

async function judgeRead(
  { settings, reader }: Work,
  given: {
    readonly notifications: Notifications;
    readonly operations: () => AsyncIterable<Batch<OperationVersion>>;
    readonly begun: Notified;
  },
): Promise<Notified> {
  const { notifications, operations, begun } = given;
  const judging = beginJudging(settings, reader.hashOf, begun);
  for await (const batch of operations()) {
    const view = viewOf(batch);
    takeOperations(judging, view);
    view.release();
  }
  const steps = judgeNotifications(judging, { ...notifications, allOperations: operations });
  return driveSteps(steps, async (asked) => asked);
}

/**
 * Judges what is new. Returns `null` when operations left out before may count now; the caller must
 * then judge everything.
 */
async function judgeNew(work: Work, before: Notified): Promise<Notified | null> {
  const { store, merchantId } = work;
  const after = receivedAfter(before);
  const { touched, ids } = await findTouched(work, after);
  const unnotified = [...touched].filter((reference) => before.unnotified.has(reference));
  for (const reference of touched) {
    before.faults.delete(reference);
    before.unnotified.delete(reference);
  }
  before.tooNew = 0;
  const read = async function* () {
    yield* readEvents(store, merchantId, after);
    for (const some of inPieces([...ids], REFERENCES_AT_ONCE))
      yield await loadEvents(store, merchantId, { ids: some });
    for (const some of inPieces([...touched], REFERENCES_AT_ONCE))
      yield await loadEvents(store, merchantId, { references: some });
  };
  const operations = async function* (): AsyncGenerator<Batch<OperationVersion>> {
    for (const some of inPieces([...touched], REFERENCES_AT_ONCE)) {
      const found = await loadOperations(store, merchantId, some);
      yield { rows: found.map((operation) => ({ operation, previous: null })), rejected: [] };
    }
  };
  const notifications = notificationsFrom(work, read, before);
  const notified = await judgeRead(work, { notifications, operations, begun: before });
  const isFewer =
    before.hasMoreUnnotified && unnotified.some((reference) => !notified.unnotified.has(reference));
  return isFewer ? null : notified;
}

/** Returns the operations that must be judged again, and the ids under which a second body came. */
async function findTouched(
  { store, merchantId, changed }: Work,
  receivedAfter: Instant,
): Promise<{ readonly touched: ReadonlySet<string>; readonly ids: ReadonlySet<string> }> {
  const touched = new Set<string>();
  const ids = new Set<string>();
  for await (const references of changed())
    for (const reference of references) touched.add(reference);
  for await (const rows of readEvents(store, merchantId, receivedAfter)) {
    for (const { eventId, variant, operationReference } of rows) {
      if (operationReference !== null) touched.add(operationReference);
      if (variant > 0) ids.add(eventId);
    }
  }
  return { touched, ids };
}

/**
 * Returns the notifications as the judgement reads them. Bodies that cannot be read are noted in
 * `notified`.
 */
function notificationsFrom(
  { store, merchantId, reader }: Work,
  read: () => AsyncIterable<readonly StoredEvent[]>,
  notified: Notified,
): Notifications {
  const hashed = async function* () {
    for await (const events of read()) {
      yield events.flatMap((event) => {
        const answer = readBody(reader, event);
        if (!('refused' in answer)) return [{ ...answer, body: event.body }];
        noteRefused(notified, event, answer.refused);
        return [];
      });
    }
  };
  return {
    stream: async function* () {
      for await (const some of hashed()) yield seenOf(some);
    },
    contents: async function* (isWanted) {
      for await (const some of hashed()) {
        const wanted = some.filter(({ notification }) => isWanted(notification.id));
        yield wanted.map(({ notification, body }) => ({
          notification,
          content: condensedContent(body),
        }));
      }
    },
    operations: (references) => loadOperations(store, merchantId, [...references]),
  };
}

function noteRefused(
  notified: Notified,
  { eventId, variant, body }: StoredEvent,
  refused: RefusedBody,
): void {
  const place = `notification ${eventId.slice(0, 200)}${variant === 0 ? '' : `, body ${variant + 1}`}`;
  if (notified.rejected.has(place)) return;
  notified.rejectedCount += 1;
  if (notified.rejected.size === REJECTED_KEPT) return;
  notified.rejected.set(
    place,
    rejectRow({ part: 'events', place, raw: body, refused, value: refused.value }),
  );
}

/**
 * Returns a function that requests the service's list of failed deliveries, once; it resolves to
 * `null` when the source has no such list.
 */
export function askUndelivered(
  source: Source,
  merchant: string,
): () => Promise<DeliveryList | null> {
  let asked: Promise<DeliveryList | null> | null = null;
  return () => {
    asked ??= askDeliveries(source, merchant);
    return asked;
  };
}

async function askDeliveries(source: Source, merchant: string): Promise<DeliveryList | null> {
  try {
    return (await source.askDeliveries?.(merchant)) ?? null;
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const reason = `${failure.code}: ${failure.message}`;
    const about = {
      what: 'failed deliveries',
      why: reason,
      incomplete: false,
      figures: { reason },
    } as const;
    return {
      deliveries: [],
      rejected: [],
      isWhole: false,
      absent: { ...about, code: 'DELIVERIES_NOT_ANSWERED' },
    };
  }
}
