// Wraps a source so that its calls end early: shortly after the process must stop, and at once when
// a merchant has taken too long. What was read until then stays saved.

import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE } from '../../../core/domain/instant.ts';
import type { ServedLines, Snapshot } from '../../../core/domain/snapshot.ts';
import { type Source, SourceFailed } from '../../../io/sources/port/source.ts';
import { PutBack } from '../jobs.ts';

export interface Limits {
  /** Aborted when the process must stop: the caller then leaves at the next page. */
  readonly signal: AbortSignal;
  /**
   * Milliseconds that all calls to the source may take together, by a monotonic clock, which no
   * change of the system's time affects.
   */
  readonly longest: number;
}

/**
 * Milliseconds that closing a snapshot may take, because a source that hangs may not close either.
 */
const CLOSE_WITHIN = 5_000;

/** Milliseconds that a page already requested may still take once the signal is aborted. */
const LEAVE_WITHIN = 10_000;

/** Throws `PutBack` when the signal is aborted. */
export function leaveIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw leaving();
}

function leaving(): PutBack {
  return new PutBack('the process is stopping, or the job was taken over', 0);
}

/**
 * Returns `source` with limits for the work on one merchant. The time begins to count at once. Its
 * calls throw `PutBack` when the process must stop, and `SourceFailed` (TOOK_TOO_LONG) when the
 * time is used up.
 */
export function limitSource(source: Source, limits: Limits): Source {
  const within = withinTime(limits);
  return {
    ...source,
    merchants: () => within(source.merchants()),
    open: async (merchant, since, detail) =>
      limitSnapshot(await within(source.open(merchant, since, detail)), within),
    ...(source.digestTogether && {
      digestTogether: (...asked) => within(source.digestTogether!(...asked)),
    }),
    askOperation: (merchant, reference) => within(source.askOperation(merchant, reference)),
    ...(source.askDeliveries && {
      askDeliveries: (merchant) => within(source.askDeliveries!(merchant)),
    }),
    close: () => source.close(),
  };
}

type Within = <T>(asked: Promise<T>) => Promise<T>;

/**
 * Returns a function that waits for an answer only as long as the limits allow. An answer that
 * comes later is dropped.
 */
function withinTime({ signal, longest }: Limits): Within {
  const until = performance.now() + longest;
  const message = `The source took longer than the ${longest / MINUTE} minutes that one merchant may take; what was read is kept.`;
  return async (asked) => {
    asked.catch(() => {});
    leaveIfAborted(signal);
    const timers: NodeJS.Timeout[] = [];
    const after = (wait: number, failureOf: () => Error) =>
      new Promise<never>((_, reject) => timers.push(setTimeout(() => reject(failureOf()), wait)));
    const tooLong = after(
      Math.max(0, until - performance.now()),
      () => new SourceFailed('TOOK_TOO_LONG', message),
    );
    const left = Promise.withResolvers<never>();
    const leave = () => void after(LEAVE_WITHIN, leaving).catch(left.reject);
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([asked, tooLong, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      for (const timer of timers) clearTimeout(timer);
    }
  };
}

function limitSnapshot(snapshot: Snapshot, within: Within): Snapshot {
  const { servedLines, operationsOf } = snapshot;
  return {
    ...snapshot,
    ...(servedLines && { servedLines: limitLines(servedLines, within) }),
    ...(operationsOf && { operationsOf: (asked) => limitStream(operationsOf(asked), within) }),
    entries: () => limitStream(snapshot.entries(), within),
    operations: () => limitStream(snapshot.operations(), within),
    closing: () => within(snapshot.closing()),
    recall: (request) => within(snapshot.recall(request)),
    close: () => Promise.race([snapshot.close(), sleep(CLOSE_WITHIN, undefined, { ref: false })]),
  };
}

function limitLines(lines: ServedLines, within: Within): ServedLines {
  const { blocks } = lines;
  return {
    blocks: blocks && {
      digests: (first, last) => within(blocks.digests(first, last)),
      between: (first, last) => within(blocks.between(first, last)),
    },
    positionOf: (sequence, expected) => within(lines.positionOf(sequence, expected)),
    linesAt: (from, count) => within(lines.linesAt(from, count)),
    recount: () => lines.recount(),
  };
}

/**
 * Passes a stream on within the limits. A stream that is left before its end is closed without
 * waiting, because closing may hang too.
 */
async function* limitStream<T>(stream: AsyncIterable<T>, within: Within): AsyncGenerator<T> {
  const iterator = stream[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const step = await within(iterator.next());
      if (step.done === true) {
        ended = true;
        return;
      }
      yield step.value;
    }
  } finally {
    if (!ended) iterator.return?.().catch(() => {});
  }
}
