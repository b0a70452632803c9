// Judges notifications that a snapshot itself contains. They are judged by the operations while
// these pass to the session, so that operations are read only once.

import { type Batch, type OperationVersion, viewOf } from '../../../core/domain/snapshot.ts';
import {
  beginJudging,
  type Judging,
  judgeNotifications,
  takeOperations,
} from '../../../core/kernel/reconcile/notifications/judge-notifications.ts';
import { driveSteps, type JudgeNotified } from '../drive-session.ts';

export const judgeServed: JudgeNotified = (snapshot, { watermark, clockTolerance, present }) => {
  const { notifications } = snapshot;
  if (notifications === null)
    return { snapshot, judge: async () => ({ notified: null, why: null }) };
  const notifiedFrom = Number.NEGATIVE_INFINITY;
  const settings = { watermark, clockTolerance, notifiedFrom, holdsOperations: present.operations };
  const begin = (): Judging => beginJudging(settings, snapshot.hashOf);
  let judging: Judging | null = begin();
  const watched = async function* (): AsyncGenerator<Batch<OperationVersion>> {
    // The stream begins again with the first operation, so operations taken before do not count.
    if (judging !== null) judging = begin();
    for await (const batch of snapshot.operations()) {
      if (judging !== null) takeOperations(judging, viewOf(batch));
      yield batch;
    }
  };
  return {
    snapshot: { ...snapshot, operations: watched },
    judge: async () => {
      const taken = judging ?? begin();
      judging = null;
      const steps = judgeNotifications(taken, {
        ...notifications,
        allOperations: () => snapshot.operations(),
      });
      return { notified: await driveSteps(steps, async (asked) => asked), why: null };
    },
  };
};
