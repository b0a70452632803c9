// Judges the notifications of one merchant against its operations, in pieces: none but the few that share an id are held.

import type { Notification } from '../domain/notification.ts';
import type { Operation } from '../domain/operation.ts';
import type { Notifications } from '../domain/snapshot.ts';
import {
  finishNotifications,
  isSuspected,
  type NotificationDesk,
  type NotificationSettings,
  openNotificationDesk,
  takeContents,
  takeFinalOperations,
  takeNotifications,
} from '../reconcile/judge-notifications.ts';
import type { Notified } from '../reconcile/notified.ts';

export interface NotificationTask {
  readonly notifications: Notifications;
  readonly settings: NotificationSettings;
  /** The operations whose end must have been told, each once, in its newest version. */
  readonly operations: () => AsyncIterable<readonly Operation[]>;
  /** What is known already, and added to. */
  readonly begun?: Notified;
}

/** Few enough that their operations are looked up one by one, and held. */
const MOST_AT_ONCE = 2_000;

export async function judgeNotifications(task: NotificationTask): Promise<Notified> {
  const { notifications, settings, operations, begun } = task;
  const desk = openNotificationDesk(settings, begun);
  for await (const batch of notifications.stream()) {
    for (let from = 0; from < batch.length; from += MOST_AT_ONCE) {
      await takePart(desk, notifications, batch.slice(from, from + MOST_AT_ONCE));
    }
  }
  if (settings.holdsOperations) for await (const some of operations()) takeFinalOperations(desk, some);
  if (desk.suspects.size > 0) {
    for await (const some of notifications.contents((id) => isSuspected(desk, id))) takeContents(desk, some);
  }
  return finishNotifications(desk);
}

async function takePart(
  desk: NotificationDesk,
  notifications: Notifications,
  part: readonly Notification[],
): Promise<void> {
  const named = new Set(part.flatMap(({ operation }) => operation?.reference ?? []));
  const isAsked = desk.settings.holdsOperations && named.size > 0;
  const found = isAsked ? await notifications.operations(named) : [];
  takeNotifications(desk, part, new Map(found.map((operation) => [operation.reference, operation])));
}
