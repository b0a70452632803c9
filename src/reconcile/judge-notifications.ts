// Judges notifications as they come, in any order and as often as they come: each against its operation, then the
// operations that none of them tells, then the ids that two contents share. Holds hashes of what it has seen, and no more.

import { judgeNotification } from '../checks/notifications/judge-notification.ts';
import { finalSince } from '../checks/notifications/missing-and-reused.ts';
import type { Instant } from '../domain/instant.ts';
import { isKnownType, isToldOf, type Notification, type NotificationContent, toldBy } from '../domain/notification.ts';
import type { Operation } from '../domain/operation.ts';
import { hashText } from '../domain/text-hash.ts';
import { beginTable, enter, type HashTable, isEntered } from './hash-table.ts';
import { beginNotified, type Notified, noteFault, noteUntold, trimUntold } from './notified.ts';
import { noteStrange } from './strange-names.ts';

export interface NotificationSettings {
  readonly watermark: Instant;
  readonly clockTolerance: number;
  /** Operations that took their final state before this need not have been notified. */
  readonly toldFrom: Instant;
  /** The books hold operations: without them, nothing but the ids is judged. */
  readonly holdsOperations: boolean;
}

export interface NotificationDesk {
  readonly notified: Notified;
  readonly settings: NotificationSettings;
  /** Digest of the first body under each id. */
  readonly bodies: HashTable;
  /** Operation and state, for each state that some notification tells. */
  readonly told: HashTable;
  /** Hashes of ids under which another body came. */
  readonly suspects: Set<number>;
  /** Contents under the suspected ids, in the order of time. */
  readonly contents: Map<string, Map<string, Notification>>;
}

const MOST_CONTENTS = 20;

/** `notified` is added to; what it says of operations that are judged anew must have been taken out. */
export function openNotificationDesk(settings: NotificationSettings, notified = beginNotified()): NotificationDesk {
  const tables = { bodies: beginTable(), told: beginTable() };
  return { notified, settings, ...tables, suspects: new Set(), contents: new Map() };
}

/** `operations`: the newest versions of those that the notifications name. */
export function takeNotifications(
  desk: NotificationDesk,
  notifications: readonly Notification[],
  operations: ReadonlyMap<string, Operation>,
): void {
  for (const notification of notifications) {
    const hash = hashText(notification.id);
    const before = enter(desk.bodies, hash, notification.digest);
    if (before === notification.digest) continue;
    if (before !== null) desk.suspects.add(hash);
    takeOne(desk, notification, operations);
  }
}

function takeOne(
  { notified, settings, told }: NotificationDesk,
  notification: Notification,
  operations: ReadonlyMap<string, Operation>,
): void {
  const { type, operation: carried, at } = notification;
  if (carried !== null) {
    notified.tellsOperations = true;
    for (const status of [carried.status, toldBy(type)!.status]) {
      if (isToldOf(status)) enter(told, hashTold(carried.reference, status), 0);
    }
  }
  if (at > settings.watermark) {
    notified.tooNew += 1;
    return;
  }
  if (!isKnownType(type)) noteStrange(notified.strangeTypes, type);
  if (carried === null || !settings.holdsOperations) return;
  const drafts = judgeNotification(notification, operations.get(carried.reference) ?? null, settings);
  for (const draft of drafts) noteFault(notified, { at, carried, draft });
}

function hashTold(reference: string, status: string): number {
  return hashText(`${status} ${reference}`);
}

/** Call with every operation that is judged, once, after the notifications. */
export function takeFinalOperations({ notified, settings, told }: NotificationDesk, some: readonly Operation[]): void {
  for (const operation of some) {
    const { reference, type, status, amount, createdAt } = operation;
    if (operation.updatedAt > notified.newestOperation) notified.newestOperation = operation.updatedAt;
    if (!isToldOf(status)) continue;
    const since = finalSince(operation);
    if (since < settings.toldFrom || isEntered(told, hashTold(reference, status))) continue;
    noteUntold(notified, { reference, type, status, amount, createdAt, since });
  }
}

/** Whether the id may stand on two contents: then `takeContents` wants all notifications under it. */
export function isSuspected({ suspects }: NotificationDesk, id: string): boolean {
  return suspects.size > 0 && suspects.has(hashText(id));
}

export function takeContents({ contents, settings }: NotificationDesk, some: readonly NotificationContent[]): void {
  for (const { notification, content } of some) {
    if (notification.at > settings.watermark) continue;
    const known = contents.get(notification.id) ?? new Map<string, Notification>();
    const same = known.get(content);
    // The same content may be dated once only; of two receipts the earlier counts.
    if (same === undefined || notification.at < same.at) known.set(content, notification);
    contents.set(notification.id, known);
    if (known.size > 2 * MOST_CONTENTS) trimContents(known);
  }
}

function trimContents(contents: Map<string, Notification>): void {
  for (const [content] of inOrder(contents).slice(MOST_CONTENTS)) contents.delete(content);
}

function inOrder(contents: ReadonlyMap<string, Notification>): readonly (readonly [string, Notification])[] {
  return [...contents].sort(([a, one], [b, other]) => one.createdAt - other.createdAt || (a < b ? -1 : 1));
}

/** Call once, after everything was taken. */
export function finishNotifications(desk: NotificationDesk): Notified {
  const { notified, contents } = desk;
  for (const [id, some] of contents) {
    if (some.size < 2) continue;
    const notifications = inOrder(some).slice(0, MOST_CONTENTS);
    notified.shared.set(id, { id, notifications: notifications.map(([, notification]) => notification) });
  }
  trimUntold(notified);
  return notified;
}
