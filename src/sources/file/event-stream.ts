// Reads the notifications of a merchant: once as the books are opened, for when the wallet was adjusted and for what
// cannot be read, and again whenever they are to be judged. Holds none of them.

import type { Instant } from '../../domain/instant.ts';
import type { Notification, NotificationContent } from '../../domain/notification.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import { createEventCursor, EVENT_TABLE, type EventRow, toldEventOf } from '../decode/event-row.ts';
import { condensedContent } from '../decode/notification-of.ts';
import { deliverRows, type FileRows } from './file-rows.ts';
import { createRowFinder, lineFrom } from './gather-rows.ts';

export interface Adjustments {
  /** createdAt of the `wallet.adjusted` notifications, in the order of the file. */
  readonly adjustedAt: readonly Instant[];
  readonly rejected: readonly RejectedRow[];
}

export async function readAdjustments(events: FileRows<EventRow>): Promise<Adjustments> {
  const adjustedAt: Instant[] = [];
  const rejected: RejectedRow[] = [];
  const cursor = createEventCursor();
  for await (const read of deliverRows(events)) {
    cursor.open(read.batch);
    for (let row = 0; row < read.batch.rows; row += 1) {
      cursor.moveTo(row);
      if (cursor.row.type === 'wallet.adjusted') adjustedAt.push(cursor.row.createdAt);
    }
    read.release();
    for (const row of read.rejected) rejected.push(row);
  }
  return { adjustedAt, rejected };
}

/** In the order of the file, as often as they stand in it. */
export async function* streamNotifications(events: FileRows<EventRow>): AsyncGenerator<readonly Notification[]> {
  const { numbers: width, rowHashPlace } = EVENT_TABLE;
  const cursor = createEventCursor();
  for await (const { batch, release } of deliverRows(events)) {
    const rows: Notification[] = [];
    cursor.open(batch);
    for (let row = 0; row < batch.rows; row += 1) {
      cursor.moveTo(row);
      rows.push(notificationOf(cursor.row, batch.numbers[row * width + rowHashPlace]!));
    }
    release();
    if (rows.length > 0) yield rows;
  }
}

/** As `streamNotifications`, of those whose id is wanted. */
export async function* streamContents(
  events: FileRows<EventRow>,
  isWanted: (id: string) => boolean,
): AsyncGenerator<readonly NotificationContent[]> {
  const { numbers: width, rowHashPlace } = EVENT_TABLE;
  const cursor = createEventCursor();
  const finder = createRowFinder(events.file, events.plan);
  for await (const { batch, release } of deliverRows(events)) {
    const rows: NotificationContent[] = [];
    cursor.open(batch);
    for (let row = 0; row < batch.rows; row += 1) {
      cursor.moveTo(row);
      if (!isWanted(cursor.row.id)) continue;
      const notification = notificationOf(cursor.row, batch.numbers[row * width + rowHashPlace]!);
      rows.push({ notification, content: condensedContent(lineFrom(finder, batch.places[row]!).subarray(0, -1)) });
    }
    release();
    if (rows.length > 0) yield rows;
  }
}

function notificationOf(row: EventRow, digest: number): Notification {
  const { id, type, createdAt, operation } = toldEventOf(row);
  return { id, type, createdAt, at: createdAt, operation, digest };
}
