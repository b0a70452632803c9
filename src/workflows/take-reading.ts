// Takes a reading in: lines and operations are read side by side in the order of time, so that an operation meets its
// lines while both are at hand.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Batch, OperationVersion, Snapshot } from '../domain/snapshot.ts';
import { type Desk, endEntries, takeEntries, takeOperations, takeRejected } from '../reconcile/desk.ts';

export interface TakeOptions {
  /** Stop after about this many lines; null: read to the end. */
  readonly limit: number | null;
  /** Told the number of lines taken so far, after each batch. */
  readonly onProgress: (entries: number) => void;
}

/** Returns true when both streams were read to their end. */
export async function takeReading(desk: Desk, snapshot: Snapshot, options: TakeOptions): Promise<boolean> {
  const lines = ahead(snapshot.entries());
  const operations = ahead(snapshot.operations(), snapshot.moving ? 'late' : 'now');
  try {
    return await takeBoth(desk, { lines, operations, moving: snapshot.moving }, options);
  } finally {
    await Promise.all([lines.stop(), operations.stop()]);
  }
}

interface Streams {
  readonly lines: Ahead<Batch<LedgerEntry>>;
  readonly operations: Ahead<Batch<OperationVersion>>;
  readonly moving: boolean;
}

async function takeBoth(desk: Desk, { lines, operations, moving }: Streams, options: TakeOptions): Promise<boolean> {
  let taken = 0;
  let operationsUntil = Number.NEGATIVE_INFINITY;
  let batch = await lines.next();
  while (batch !== null && (options.limit === null || taken < options.limit)) {
    takeRejected(desk, batch.rejected);
    takeEntries(desk, batch.rows, batch.idHashes);
    taken += batch.rows.length;
    options.onProgress(taken);
    const until = batch.rows.at(-1)?.createdAt ?? Number.NEGATIVE_INFINITY;
    while (!moving && operationsUntil <= until) operationsUntil = await takeNextOperations(desk, operations);
    batch = await lines.next();
  }
  if (batch !== null) return false;
  endEntries(desk);
  while (operationsUntil < Number.POSITIVE_INFINITY) operationsUntil = await takeNextOperations(desk, operations);
  return true;
}

/** Takes one batch of operations; returns the newest createdAt in it, or infinity at the end. */
async function takeNextOperations(desk: Desk, operations: Ahead<Batch<OperationVersion>>): Promise<number> {
  const batch = await operations.next();
  if (batch === null) return Number.POSITIVE_INFINITY;
  takeRejected(desk, batch.rejected);
  takeOperations(desk, batch.rows);
  return batch.rows.at(-1)?.operation.createdAt ?? Number.NEGATIVE_INFINITY;
}

interface Ahead<T> {
  next(): Promise<T | null>;
  stop(): Promise<void>;
}

/** Reads one batch ahead, so that the source works while the batch at hand is taken in; `late`: from the first ask on. */
function ahead<T>(stream: AsyncIterable<T>, start: 'now' | 'late' = 'now'): Ahead<T> {
  const iterator = stream[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
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
