// Judges the notifications of one merchant against its operations, in pieces: streams what the judging asks for.

import type { Operation } from '../../domain/operation.ts';
import type { Notifications } from '../../domain/snapshot.ts';
import {
  doubtfulReferences,
  finishJudging,
  isSuspected,
  type Judging,
  takeContents,
  takeDoubtful,
  takeNotifications,
  takeUnnotified,
  wantsContents,
  wantsUnnotified,
} from '../../reconcile/notifications/judging.ts';
import type { Notified } from '../../reconcile/notifications/notified.ts';

export interface NotificationTask {
  readonly notifications: Notifications;
  /** It has been given the operations, unless the books hold none. */
  readonly judging: Judging;
  /** The same operations again. */
  readonly operations: () => AsyncIterable<readonly Operation[]>;
}

export async function judgeNotifications({ notifications, judging, operations }: NotificationTask): Promise<Notified> {
  const lookUp = async (references: ReadonlySet<string>): Promise<void> => {
    if (references.size > 0) takeDoubtful(judging, await notifications.operations(references));
  };
  for await (const some of notifications.stream()) await lookUp(takeNotifications(judging, some));
  await lookUp(doubtfulReferences(judging));
  if (wantsUnnotified(judging)) for await (const some of operations()) takeUnnotified(judging, some);
  if (wantsContents(judging)) {
    for await (const some of notifications.contents((id) => isSuspected(judging, id))) takeContents(judging, some);
  }
  return finishJudging(judging);
}
