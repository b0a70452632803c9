// Judges the notifications of one merchant against its operations, in pieces: streams what the judging asks for.

import type { Operation } from '../domain/operation.ts';
import type { Notifications } from '../domain/snapshot.ts';
import {
  beginJudging,
  doubtfulReferences,
  finishJudging,
  isSuspected,
  type NotificationSettings,
  takeContents,
  takeDoubtful,
  takeNotifications,
  takeOperations,
  takeUntold,
  wantsContents,
  wantsUntold,
} from '../reconcile/notifications/judging.ts';
import type { Notified } from '../reconcile/notifications/notified.ts';

export interface NotificationTask {
  readonly notifications: Notifications;
  readonly settings: NotificationSettings;
  /** The operations whose end must have been told, each once, in its newest version. May be called again. */
  readonly operations: () => AsyncIterable<readonly Operation[]>;
  /** What is known already, and added to. */
  readonly begun?: Notified;
}

export async function judgeNotifications(task: NotificationTask): Promise<Notified> {
  const { notifications, settings, operations, begun } = task;
  const judging = beginJudging(settings, notifications.hashOf, begun);
  const lookUp = async (references: ReadonlySet<string>): Promise<void> => {
    if (references.size > 0) takeDoubtful(judging, await notifications.operations(references));
  };
  if (settings.holdsOperations) for await (const some of operations()) takeOperations(judging, some);
  for await (const some of notifications.stream()) await lookUp(takeNotifications(judging, some));
  await lookUp(doubtfulReferences(judging));
  if (wantsUntold(judging)) for await (const some of operations()) takeUntold(judging, some);
  if (wantsContents(judging)) {
    for await (const some of notifications.contents((id) => isSuspected(judging, id))) takeContents(judging, some);
  }
  return finishJudging(judging);
}
