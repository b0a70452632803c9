// Reads the notifications of a merchant: once as the books are opened, for when the wallet was adjusted and for what
// cannot be read, and again whenever they are to be judged. Holds none of them.

import type { Instant } from '../../domain/instant.ts';
import type { Notification, NotificationContent } from '../../domain/notification.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import type { ToldEvent } from '../decode/decode-told-event.ts';
import { condensedContent, notificationOf } from '../decode/notification-of.ts';
import type { BookFile } from './book-file.ts';
import { EVENT_PLAN } from './row-plan.ts';
import { createRowReader } from './row-reader.ts';
import { type RowPlace, streamRows, type TakeRow } from './row-stream.ts';

export interface EventFile {
  readonly file: BookFile;
  /** Null: the profile could not be read, so no notification can be told to be another merchant's. */
  readonly merchant: string | null;
}

export interface Adjustments {
  /** createdAt of the `wallet.adjusted` notifications, in the order of the file. */
  readonly adjustedAt: readonly Instant[];
  readonly rejected: readonly RejectedRow[];
}

export async function readAdjustments(events: EventFile): Promise<Adjustments> {
  const adjustedAt: Instant[] = [];
  const rejected: RejectedRow[] = [];
  const take = (event: ToldEvent): void => {
    if (event.type === 'wallet.adjusted') adjustedAt.push(event.createdAt);
  };
  for await (const refused of rowsOf(events, take)) for (const row of refused) rejected.push(row);
  return { adjustedAt, rejected };
}

/** In the order of the file, as often as they stand in it. */
export async function* streamNotifications(events: EventFile): AsyncGenerator<readonly Notification[]> {
  let rows: Notification[] = [];
  for await (const _ of rowsOf(events, (event, place) => rows.push(notificationAt(event, place)))) {
    if (rows.length > 0) yield rows;
    rows = [];
  }
}

/** As `streamNotifications`, of those whose id is wanted. */
export async function* streamContents(
  events: EventFile,
  isWanted: (id: string) => boolean,
): AsyncGenerator<readonly NotificationContent[]> {
  let rows: NotificationContent[] = [];
  const take = (event: ToldEvent, place: RowPlace): void => {
    if (isWanted(event.id))
      rows.push({ notification: notificationAt(event, place), content: condensedContent(lineAt(place)) });
  };
  for await (const _ of rowsOf(events, take)) {
    if (rows.length > 0) yield rows;
    rows = [];
  }
}

/** Tells each notification of this merchant; yields what is refused. */
function rowsOf({ file, merchant }: EventFile, tell: (event: ToldEvent, place: RowPlace) => void) {
  const take: TakeRow<ToldEvent> = (event, place) => {
    if (merchant !== null && event.merchantReference !== merchant) {
      return `merchantReference is ${JSON.stringify(event.merchantReference)}, not ${JSON.stringify(merchant)}`;
    }
    tell(event, place);
    return null;
  };
  return streamRows({ file, reader: createRowReader(EVENT_PLAN), take });
}

function notificationAt(event: ToldEvent, place: RowPlace): Notification {
  return notificationOf(event, lineAt(place), event.createdAt);
}

/** The line's bytes without its end. */
function lineAt({ span, at, next }: RowPlace): Uint8Array {
  return span.bytes.subarray(at, next - 1);
}
