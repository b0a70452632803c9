// Reads the notifications of a merchant: once as the books are opened, for when the wallet was adjusted, and once when they are
// judged; what cannot be read is known after either. Holds none of them.

import type { Instant } from '../../domain/instant.ts';
import type { HashedNotification, NotificationContent } from '../../domain/notification.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import type { ColumnBatch } from '../../rows/column-batch.ts';
import { createEventCursor, type EventRow } from '../../rows/event-fields.ts';
import type { RowCursor } from '../../rows/row-cursor.ts';
import { condensedContent, notificationAt } from '../decode/notification-of.ts';
import { deliverRows, type FileRows, isWorthAThread } from './file-rows.ts';
import { findLines } from './find-lines.ts';
import { createRowFinder, findRow, lineFrom } from './gather-rows.ts';

export interface EventFile {
  readonly rows: FileRows<EventRow>;
  /** Null until all rows have been read once. */
  rejected: readonly RejectedRow[] | null;
}

const ADJUSTED = 'wallet.adjusted';

/** createdAt of the notifications that the wallet was adjusted, in the order of the file. */
export async function readAdjustments(events: EventFile): Promise<readonly Instant[]> {
  const { file, merchant, plan } = events.rows;
  // The rows of a large file are all read only once: when they are judged.
  const places = isWorthAThread(file) ? findLines(file, ADJUSTED) : null;
  if (places !== null) {
    const finder = createRowFinder(file, plan);
    const found = places.map((place) => findRow(finder, place)).filter((row) => row?.type === ADJUSTED);
    return found.flatMap((row) => (merchant === null || row!.merchantReference === merchant ? row!.createdAt : []));
  }
  const adjustedAt: Instant[] = [];
  for await (const { cursor, batch } of readEvents(events)) {
    for (let row = 0; row < batch.rows; row += 1) {
      cursor.moveTo(row);
      if (cursor.row.type === ADJUSTED) adjustedAt.push(cursor.row.createdAt);
    }
  }
  return adjustedAt;
}

/** Reads them all unless that has been done. */
export async function refusedEvents(events: EventFile): Promise<readonly RejectedRow[]> {
  if (events.rejected === null) for await (const _ of readEvents(events));
  return events.rejected!;
}

/** In the order of the file, as often as they stand in it. */
export async function* streamNotifications(events: EventFile): AsyncGenerator<readonly HashedNotification[]> {
  for await (const { cursor, batch } of readEvents(events)) {
    const rows: HashedNotification[] = [];
    for (let row = 0; row < batch.rows; row += 1) rows.push(notificationAt(cursor, batch, row));
    yield rows;
  }
}

/** As `streamNotifications`, of those whose id is wanted. */
export async function* streamContents(
  events: EventFile,
  isWanted: (id: string) => boolean,
): AsyncGenerator<readonly NotificationContent[]> {
  const finder = createRowFinder(events.rows.file, events.rows.plan);
  for await (const { cursor, batch } of readEvents(events)) {
    const rows: NotificationContent[] = [];
    for (let row = 0; row < batch.rows; row += 1) {
      cursor.moveTo(row);
      if (!isWanted(cursor.row.id)) continue;
      const content = condensedContent(lineFrom(finder, batch.places[row]!).subarray(0, -1));
      rows.push({ notification: notificationAt(cursor, batch, row).notification, content });
    }
    yield rows;
  }
}

interface EventBatch {
  /** Open on the batch, which is good until the next one is asked for. */
  readonly cursor: RowCursor<EventRow>;
  readonly batch: ColumnBatch<EventRow>;
}

async function* readEvents(events: EventFile): AsyncGenerator<EventBatch> {
  const cursor = createEventCursor();
  const refused: RejectedRow[] = [];
  for await (const { batch, rejected, release } of deliverRows(events.rows)) {
    for (const row of rejected) refused.push(row);
    cursor.open(batch);
    yield { cursor, batch };
    release();
  }
  events.rejected ??= refused;
}
