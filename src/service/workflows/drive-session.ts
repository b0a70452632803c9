// Drives a session of the core over a snapshot: answers each need that the session yields with rows
// from the snapshot. Both streams (lines and operations) read one batch ahead, so that the source
// works while the session processes the batch before.

import type { LedgerEntry } from '../../core/domain/ledger-entry.ts';
import type { Batch, OperationVersion, Snapshot } from '../../core/domain/snapshot.ts';
import type { ReconcileSettings } from '../../core/kernel/reconcile/books.ts';
import type {
  AwaitedAnswers,
  JudgedNotifications,
  Session,
} from '../../core/kernel/reconcile/drive.ts';

export interface DriveOptions {
  readonly notifications: AwaitedAnswers['notifications'];
  /**
   * Returns the service's list of notifications that it failed to deliver. Absent when the source
   * has no such list.
   */
  readonly deliveries?: AwaitedAnswers['deliveries'];
  /**
   * Called with the number of lines that the session has taken so far: before each batch except the
   * first, and at the end.
   */
  readonly onProgress: (entries: number) => void;
}

export interface NotificationJudge {
  /** The snapshot that the session must read in place of the one that was passed in. */
  readonly snapshot: Snapshot;
  /** Called when the session has taken all operations. */
  readonly judge: () => Promise<JudgedNotifications>;
}

export type JudgeNotified = (snapshot: Snapshot, settings: ReconcileSettings) => NotificationJudge;

/**
 * Returns the result of the session. A failure of a stream is thrown into the session, because the
 * session begins again when rows were merely out of order.
 */
export async function driveSession<Result>(
  session: Session<Result>,
  snapshot: Snapshot,
  { notifications, deliveries = async () => null, onProgress }: DriveOptions,
): Promise<Result> {
  let streams: {
    readonly entries: Ahead<EntryBatch>;
    readonly operations: Ahead<OperationBatch>;
  } | null = null;
  const stop = async (): Promise<void> => {
    await Promise.all([streams?.entries.stop(), streams?.operations.stop()]);
  };
  const answers: AwaitedAnswers = {
    rows: async () => {
      await stop();
      const start = snapshot.moving ? 'late' : 'now';
      streams = {
        entries: ahead(snapshot.entries(), 'now'),
        operations: ahead(snapshot.operations(), start),
      };
      return null;
    },
    entries: async ({ taken }) => {
      if (taken > 0) onProgress(taken);
      return streams!.entries.next();
    },
    operations: () => streams!.operations.next(),
    notifications,
    recall: ({ request }) => snapshot.recall(request),
    closing: () => snapshot.closing(),
    deliveries,
  };
  try {
    return await driveSteps(session, (need) => answers[need.what](need as never));
  } finally {
    await stop();
  }
}

/**
 * Runs a generator to its end and returns its result. When `answer` rejects, its failure is thrown
 * into the generator.
 */
export async function driveSteps<Asked, Answer, Result>(
  steps: Generator<Asked, Result, Answer>,
  answer: (asked: Asked) => Promise<Answer>,
): Promise<Result> {
  let step = steps.next();
  while (step.done !== true) {
    const goOn = await answer(step.value).then(
      (given) => () => steps.next(given),
      (failure) => () => steps.throw(failure),
    );
    step = goOn();
  }
  return step.value;
}

type EntryBatch = Batch<LedgerEntry>;
type OperationBatch = Batch<OperationVersion>;

type Ahead<One> = ReturnType<typeof ahead<One>>;

/**
 * Reads `stream` one item ahead. `start` says when the first item is requested: `now`, or `late`
 * with the first call of `next`.
 */
function ahead<One>(stream: AsyncIterable<One>, start: 'now' | 'late') {
  const iterator = stream[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<One>> => {
    const asked = iterator.next();
    // A failure is thrown when it is awaited; until then it must not count as unhandled.
    asked.catch(() => {});
    return asked;
  };
  let waiting = start === 'now' ? ask() : null;
  return {
    /** Returns the next item, or `null` when the stream has ended. */
    async next(): Promise<One | null> {
      waiting ??= ask();
      const result = await waiting;
      if (result.done === true) return null;
      waiting = ask();
      return result.value;
    },
    async stop(): Promise<void> {
      await waiting?.catch(() => {});
      await iterator.return?.();
    },
  };
}
