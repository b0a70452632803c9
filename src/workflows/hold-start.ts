// Holds the beginning of a reading, which is looked at twice: once for the readings that stand, and once with the rest.
// Refuses to hold a long one: it is read again then.

import type { Batch, Snapshot } from '../domain/snapshot.ts';

/** Rows of one stream. An operation may be older than every line, and so come before them all. */
const MOST_HELD = 50_000;

export interface HeldStart {
  /** What its streams give before they are left is given once more to the next who asks for them, and then what follows. */
  readonly snapshot: Snapshot;
  /** Ends the streams that were left and not asked for again. */
  letGo(): Promise<void>;
}

/** A source that moves is not looked at twice, and comes back as it is. */
export function holdStart(snapshot: Snapshot): HeldStart {
  if (snapshot.moving) return holdNothing(snapshot);
  const entries = heldStream(() => snapshot.entries());
  const operations = heldStream(() => snapshot.operations());
  return {
    snapshot: { ...snapshot, entries: entries.open, operations: operations.open },
    letGo: async () => {
      await Promise.all([entries.letGo(), operations.letGo()]);
    },
  };
}

/** For who looks at a reading once. */
export function holdNothing(snapshot: Snapshot): HeldStart {
  return { snapshot, letGo: async () => {} };
}

interface Held<Row> {
  readonly batches: Batch<Row>[];
  /** What follows them; null: nothing does. */
  rest: AsyncIterator<Batch<Row>> | null;
}

function heldStream<Row>(openStream: () => AsyncIterable<Batch<Row>>) {
  let isFirst = true;
  let held: Held<Row> | null = null;
  async function* first(start: Held<Row>): AsyncGenerator<Batch<Row>> {
    let rows = 0;
    try {
      for await (const batch of rowsAfter(start)) {
        rows += batch.rows.length;
        if (rows <= MOST_HELD) start.batches.push(batch);
        else held = null;
        yield batch;
      }
    } catch (failure) {
      held = null;
      throw failure;
    } finally {
      if (held === null) await start.rest?.return?.();
    }
  }
  return {
    open: (): AsyncIterable<Batch<Row>> => {
      const start = held;
      held = null;
      if (start !== null) return again(start);
      if (!isFirst) return openStream();
      isFirst = false;
      held = { batches: [], rest: openStream()[Symbol.asyncIterator]() };
      return first(held);
    },
    letGo: async (): Promise<void> => {
      await held?.rest?.return?.();
      held = null;
    },
  };
}

async function* again<Row>(start: Held<Row>): AsyncGenerator<Batch<Row>> {
  try {
    for (let batch = start.batches.shift(); batch !== undefined; batch = start.batches.shift()) yield batch;
    yield* rowsAfter(start);
  } finally {
    await start.rest?.return?.();
  }
}

/** Leaves `rest` where it is when it is left. */
async function* rowsAfter<Row>(start: Held<Row>): AsyncGenerator<Batch<Row>> {
  const { rest } = start;
  if (rest === null) return;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  start.rest = null;
}
