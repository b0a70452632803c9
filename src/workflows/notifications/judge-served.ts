// Judges the notifications that a snapshot itself has. They are judged by the operations as these pass for the session, so that
// no operation is read a second time for them.

import type { Batch, OperationVersion } from '../../domain/snapshot.ts';
import { beginJudging, type Judging, takeOperations } from '../../reconcile/notifications/judging.ts';
import type { JudgeNotified } from '../drive-session.ts';
import { judgeNotifications } from './judge-notifications.ts';

export const judgeServed: JudgeNotified = (snapshot, { watermark, clockTolerance, holds }) => {
  const { notifications } = snapshot;
  if (notifications === null) return { snapshot, judge: async () => ({ notified: null, why: null }) };
  const notifiedFrom = Number.NEGATIVE_INFINITY;
  const settings = { watermark, clockTolerance, notifiedFrom, holdsOperations: holds.operations };
  const begin = (): Judging => beginJudging(settings, snapshot.hashOf);
  let judging: Judging | null = begin();
  const watched = async function* (): AsyncGenerator<Batch<OperationVersion>> {
    // From the first one again: what was taken of them does not count.
    if (judging !== null) judging = begin();
    for await (const batch of snapshot.operations()) {
      if (judging !== null) takeOperations(judging, operationsIn(batch));
      yield batch;
    }
  };
  const operations = async function* () {
    for await (const batch of snapshot.operations()) yield operationsIn(batch);
  };
  return {
    snapshot: { ...snapshot, operations: watched },
    judge: async () => {
      const taken = judging ?? begin();
      judging = null;
      return { notified: await judgeNotifications({ notifications, judging: taken, operations }), why: null };
    },
  };
};

function operationsIn({ rows }: Batch<OperationVersion>) {
  return rows.map(({ operation }) => operation);
}
