// Reads the notifications of a merchant twice: once when the books are opened, to find out when the
// wallet was adjusted, and once when they are judged. After either pass the refused rows are known.
// No notification is kept in memory.

import type { Instant } from '../../../core/domain/instant.ts';
import type { HashedNotification, NotificationContent } from '../../../core/domain/notification.ts';
import type { ReadBatch } from '../../../core/domain/rows/batch-view.ts';
import type { EventRow } from '../../../core/domain/rows/event-fields.ts';
import type { RejectedRow, SeenRows } from '../../../core/domain/snapshot.ts';
import { condensedContent, viewNotifications } from '../decode/notifications.ts';
import { type BookFile, markLength, readAt } from './book-file.ts';
import { deliverRows, type FileRows, isWorthAThread } from './file-rows.ts';
import { createLineFinder, createRowFinder, findRow, lineFrom } from './read-rows.ts';

export interface EventFile {
  readonly rows: FileRows<EventRow>;
  /** `null` until all rows have been read once. */
  rejected: readonly RejectedRow[] | null;
}

const ADJUSTED = 'wallet.adjusted';

/**
 * Returns `createdAt` of the notifications which say that the wallet was adjusted, in the order of
 * the file.
 */
export async function readAdjustments(events: EventFile): Promise<readonly Instant[]> {
  const { file, merchant, plan } = events.rows;
  // A large file is searched for the word instead, because all its rows are read once anyway, when
  // they are judged.
  const places = isWorthAThread(file) ? findLines(file, ADJUSTED) : null;
  if (places !== null) {
    const finder = createRowFinder(file, plan);
    const found = places
      .map((place) => findRow(finder, place))
      .filter((row) => row?.type === ADJUSTED);
    return found.flatMap((row) =>
      merchant === null || row!.merchantReference === merchant ? row!.createdAt : [],
    );
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

/** Returns the refused rows, and reads the whole file for them unless that was done before. */
export async function refusedEvents(events: EventFile): Promise<readonly RejectedRow[]> {
  if (events.rejected === null) for await (const { release } of readEvents(events)) release();
  return events.rejected!;
}

/** Streams the notifications in the order of the file, repeated ones too. */
export async function* streamNotifications(
  events: EventFile,
): AsyncGenerator<SeenRows<HashedNotification>> {
  const view = viewNotifications();
  for await (const { batch, release } of readEvents(events)) yield view(batch, release);
}

/** Streams the notifications whose id is wanted, with their content. */
export async function* streamContents(
  events: EventFile,
  isWanted: (id: string) => boolean,
): AsyncGenerator<readonly NotificationContent[]> {
  const finder = createLineFinder(events.rows.file);
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

/** Streams the rows; each batch is valid until it is released. */
async function* readEvents(events: EventFile): AsyncGenerator<ReadBatch<EventRow>> {
  const refused: RejectedRow[] = [];
  for await (const read of deliverRows(events.rows)) {
    for (const row of read.rejected) refused.push(row);
    yield read;
  }
  events.rejected ??= refused;
}

// Finds the lines of a file that contain a text, many times faster than reading the rows would.
// Gives up in a file that has escapes, because they could spell the text in another way.

const READ_SIZE = 1_048_576;
/**
 * Only this many bytes are searched for, because Node's search for a longer text takes three times
 * as long where matches are rare.
 */
const HEAD = 7;
const LINE_FEED = 0x0a;
/** How JSON begins an escape that can stand for any character. */
const ESCAPE = Buffer.from('\\u');

/**
 * Returns the offsets of the lines that contain `text`, ascending; `null` when the file has an
 * escape, because it could stand for a part of the text. `text` must be ASCII.
 */
export function findLines(
  file: BookFile,
  text: string,
  readSize = READ_SIZE,
): readonly number[] | null {
  const wanted = Buffer.from(text);
  const head = wanted.subarray(0, HEAD);
  const bytes = Buffer.alloc(Math.min(readSize + wanted.length, file.size));
  const found: number[] = [];
  let lineStart = startOfLines(file);
  for (let position = 0; position < file.size; ) {
    const end = readAt(file, bytes, position);
    const some = bytes.subarray(0, end);
    if (some.includes(ESCAPE)) return null;
    for (let at = some.indexOf(head); at >= 0; at = some.indexOf(head, at + 1)) {
      if (!some.subarray(at, at + wanted.length).equals(wanted)) continue;
      const before = some.subarray(0, at).lastIndexOf(LINE_FEED);
      const start = before < 0 ? lineStart : position + before + 1;
      if (found.at(-1) !== start) found.push(start);
    }
    if (position + end === file.size) return found;
    // The last bytes may be the beginning of the text, and are searched again with the next ones.
    const next = end - wanted.length;
    const last = some.subarray(0, next).lastIndexOf(LINE_FEED);
    if (last >= 0) lineStart = position + last + 1;
    position += next;
  }
  return found;
}

function startOfLines(file: BookFile): number {
  const first = Buffer.alloc(3);
  readAt(file, first, 0);
  return markLength(first);
}
