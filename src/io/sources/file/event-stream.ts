// Reads the notifications of a merchant: once as the books are opened, for when the wallet was adjusted, and once when they are
// judged; what cannot be read is known after either. Holds none of them.

import type { Instant } from '../../../core/domain/instant.ts';
import type { HashedNotification, NotificationContent } from '../../../core/domain/notification.ts';
import type { RejectedRow, SeenRows } from '../../../core/domain/snapshot.ts';
import type { ReadBatch } from '../../../core/rows/batch-view.ts';
import type { EventRow } from '../../../core/rows/event-fields.ts';
import { condensedContent, viewNotifications } from '../decode/notification-of.ts';
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
  for await (const seen of streamNotifications(events)) {
    for (let row = 0; row < seen.count; row += 1) {
      const { type, createdAt } = seen.at(row).notification;
      if (type === ADJUSTED) adjustedAt.push(createdAt);
    }
    seen.release();
  }
  return adjustedAt;
}

/** Reads them all unless that has been done. */
export async function refusedEvents(events: EventFile): Promise<readonly RejectedRow[]> {
  if (events.rejected === null) for await (const { release } of readEvents(events)) release();
  return events.rejected!;
}

/** In the order of the file, as often as they stand in it. */
export async function* streamNotifications(events: EventFile): AsyncGenerator<SeenRows<HashedNotification>> {
  const view = viewNotifications();
  for await (const { batch, release } of readEvents(events)) yield view(batch, release);
}

/** As `streamNotifications`, of those whose id is wanted. */
export async function* streamContents(
  events: EventFile,
  isWanted: (id: string) => boolean,
): AsyncGenerator<readonly NotificationContent[]> {
  const finder = createRowFinder(events.rows.file, events.rows.plan);
  const view = viewNotifications();
  for await (const { batch, release } of readEvents(events)) {
    const seen = view(batch);
    const rows: NotificationContent[] = [];
    for (let row = 0; row < seen.count; row += 1) {
      if (!isWanted(seen.at(row).notification.id)) continue;
      const content = condensedContent(lineFrom(finder, batch.places[row]!).subarray(0, -1));
      rows.push({ notification: seen.copy(row).notification, content });
    }
    release();
    yield rows;
  }
}

/** Each batch is good until it is released. */
async function* readEvents(events: EventFile): AsyncGenerator<ReadBatch<EventRow>> {
  const refused: RejectedRow[] = [];
  for await (const read of deliverRows(events.rows)) {
    for (const row of read.rejected) refused.push(row);
    yield read;
  }
  events.rejected ??= refused;
}
