// Drives a session over a snapshot: waits for what it needs, and gives it. The streams read one batch ahead, so that the
// source works while the batch at hand is taken in.

import { invariant } from '../domain/invariant.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { AwaitedAnswers, Session } from '../reconcile/drive.ts';

export interface DriveOptions {
  readonly notifications: AwaitedAnswers['notifications'];
  /** Told the number of lines taken so far, before each batch but the first and at the end. */
  readonly onProgress: (entries: number) => void;
}

/** What a stream throws is thrown into the session, which begins again where rows were merely out of order. */
export async function driveSession<Result>(
  session: Session<Result>,
  snapshot: Snapshot,
  options: DriveOptions,
): Promise<Result> {
  const streams = streamsOf(snapshot);
  const answers: AwaitedAnswers = {
    rows: streams.open,
    entries: async ({ taken }) => {
      if (taken > 0) options.onProgress(taken);
      return streams.entries();
    },
    operations: streams.operations,
    notifications: options.notifications,
    recall: ({ request }) => snapshot.recall(request),
    closing: () => snapshot.closing(),
  };
  try {
    let step = session.next();
    while (step.done !== true) {
      const asked = answers[step.value.what](step.value as never);
      const resume = await asked.then(
        (answer) => () => session.next(answer),
        (failure) => () => session.throw(failure),
      );
      step = resume();
    }
    return step.value;
  } finally {
    await streams.stop();
  }
}

function streamsOf(snapshot: Snapshot) {
  let lines: Ahead<Streamed<Snapshot['entries']>> | null = null;
  let operations: Ahead<Streamed<Snapshot['operations']>> | null = null;
  const stop = async (): Promise<void> => {
    await Promise.all([lines?.stop(), operations?.stop()]);
  };
  const next = <Row>(stream: Ahead<Row> | null): Promise<Row | null> => {
    invariant(stream !== null, 'a session asks for rows before it asks for the first of them');
    return stream.next();
  };
  return {
    stop,
    async open(): Promise<null> {
      await stop();
      lines = ahead(snapshot.entries());
      operations = ahead(snapshot.operations(), snapshot.moving ? 'late' : 'now');
      return null;
    },
    entries: () => next(lines),
    operations: () => next(operations),
  };
}

type Streamed<Open extends () => AsyncIterable<unknown>> =
  ReturnType<Open> extends AsyncIterable<infer Row> ? Row : never;

interface Ahead<Row> {
  /** Null once there are no more. */
  next(): Promise<Row | null>;
  stop(): Promise<void>;
}

/** `late`: from the first ask on. */
function ahead<Row>(stream: AsyncIterable<Row>, start: 'now' | 'late' = 'now'): Ahead<Row> {
  const iterator = stream[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<Row>> => {
    const asked = iterator.next();
    // A failure is thrown when it is awaited; until then it must not count as unhandled.
    asked.catch(() => {});
    return asked;
  };
  let waiting = start === 'now' ? ask() : null;
  return {
    async next() {
      waiting ??= ask();
      const result = await waiting;
      if (result.done === true) return null;
      waiting = ask();
      return result.value;
    },
    async stop() {
      await waiting?.catch(() => {});
      await iterator.return?.();
    },
  };
}
