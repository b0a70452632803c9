// Drives a session over a snapshot: waits for what it needs, and gives it. The streams read one
// batch ahead, so that the source works while the batch at hand is taken in.

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
  /** Absent: the place has no such list. */
  readonly deliveries?: AwaitedAnswers['deliveries'];
  /**
   * Called with the number of lines taken so far, before each batch but the first and at the end.
   */
  readonly onProgress: (entries: number) => void;
}

export interface NotificationJudge {
  /** What the session is to read. */
  readonly snapshot: Snapshot;
  /** Called when the operations have passed. */
  readonly judge: () => Promise<JudgedNotifications>;
}

export type JudgeNotified = (snapshot: Snapshot, settings: ReconcileSettings) => NotificationJudge;

/**
 * What a stream throws is thrown into the session, which begins again where rows were merely out of
 * order.
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

/** What fails while it is waited for is thrown into the steps. */
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

/** `late`: from the first ask on. */
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
    /** Null once there are no more. */
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
