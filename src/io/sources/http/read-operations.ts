// Reads the operations of a merchant: all of them, or those that may have changed since an earlier
// reading: new ones, those that were still open, and those that were reversed since, which can
// happen to a final operation.

import { HOUR, type Instant } from '../../../core/domain/instant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type {
  Batch,
  OperationsAsked,
  OperationVersion,
  RejectedRow,
} from '../../../core/domain/snapshot.ts';
import type { Since } from '../port/source.ts';
import { type Asker, listOperations, openList } from './ask.ts';
import { askOpen, type PathProof } from './ask-object.ts';
import { findOrder, type ListMemory, type ListTask, readList } from './read-list.ts';
import { fetchFilled, movedOn } from './served-lines.ts';
import { movedWhileReading, openWindow } from './settling-window.ts';

/**
 * How far below the newest known operation the new ones are read, in milliseconds: the longest
 * lifetime, and an hour for late commits.
 */
export const OVERLAP = 7 * HOUR;

/**
 * How many rows are read on either side of the rows wanted: at first this many, then four times as
 * many.
 */
const MARGIN = 12;
/** How many rows on either side are read at most. */
const FARTHEST = 5_000;

export interface OperationsTask {
  readonly asker: Asker;
  readonly since: Since | null;
  readonly memory: ListMemory;
  readonly proof: PathProof;
  readonly begunAt: Instant;
}

/**
 * Streams operations ascending in createdAt, each once. `previous` is always `null`, because only
 * the mirror knows what was replayed before. An open operation that the service no longer has is
 * left out: the caller notices that it is missing.
 */
export async function* readOperations(
  task: OperationsTask,
): AsyncGenerator<Batch<OperationVersion>> {
  const { since } = task;
  if (since === null) {
    for await (const batch of readServed(task, WHOLE)) yield versionsOf(batch);
    return;
  }
  const { newestOperationCreatedAt: newest, operationCount: hint } = since;
  const floor = newest - OVERLAP;
  // Operations created above the floor are in the list of new ones.
  const open = since.open.filter(({ createdAt }) => createdAt === null || createdAt <= floor);
  const asked = await askOpen(task.asker, { open, proof: task.proof });
  yield* mergeByCreation([
    oneBatch(asked.operations.toSorted(byCreation), asked.rejected),
    readServed(task, { floor, newest, hint, filter: {} }),
    ...((await areReversed(task, since.reversedCount))
      ? []
      : [readServed(task, { ...WHOLE, filter: { status: 'REVERSED' } })]),
  ]);
}

/**
 * Streams the operations created in a span of time, with the rows on either side, which prove that
 * no row between them is missing. They are first looked for where they are expected, then further
 * and further around it.
 */
export async function* readOperationsOf(
  { asker, memory }: OperationsTask,
  { start, end, before, count, known }: OperationsAsked,
): AsyncGenerator<Batch<OperationVersion>> {
  const list = openList(asker, listOperations(asker.settings, {}));
  const isRising = (await findOrder({ list, memory })).order === 'ascending';
  const first = isRising ? before : known - before - count;
  for (let reach = MARGIN; reach < FARTHEST; reach *= 4) {
    const from = Math.max(0, first - reach);
    const wanted = first + count + reach - from;
    const served = await fetchFilled(list, from, wanted);
    const [hasOlder, hasNewer] = [(at: Instant) => at < start, (at: Instant) => at >= end].map(
      (isThere) => served.some(({ at }) => at !== null && isThere(at)),
    );
    const isBegun = from === 0 || (isRising ? hasOlder : hasNewer);
    const isEnded = served.length < wanted || (isRising ? hasNewer : hasOlder);
    if (!isBegun || !isEnded) continue;
    const rows = served.flatMap(({ row }) => row ?? []).toSorted(byCreation);
    const refusals = served.flatMap(({ refused }) => refused ?? []);
    return yield* mergeByCreation([oneBatch(rows, refusals)]);
  }
  throw movedOn(list);
}

interface Part extends Pick<ListTask<Operation>, 'floor' | 'newest' | 'hint'> {
  readonly filter: { readonly status?: 'REVERSED' };
}
const WHOLE: Part = { floor: null, newest: null, hint: 0, filter: {} };

/**
 * True when exactly as many operations are REVERSED as are known to be, because no operation leaves
 * that state. It misses a reversal when another reversed operation has vanished; the lines of that
 * reversal show it.
 */
async function areReversed({ asker }: OperationsTask, count: number | null): Promise<boolean> {
  if (count === null) return false;
  const list = openList(asker, listOperations(asker.settings, { status: 'REVERSED' }));
  const page = await list.fetch(() => Math.max(0, count - 1), 2);
  return page.rows.length === Math.min(1, count);
}

function readServed(
  task: OperationsTask,
  { filter, ...part }: Part,
): AsyncGenerator<Batch<Operation>> {
  const kind = listOperations(task.asker.settings, filter);
  const list = openList(task.asker, kind);
  const window = openWindow<Operation>({
    kind,
    isNewer: (candidate, buffered) => candidate.updatedAt >= buffered.updatedAt,
    onLate: (createdAt) => {
      throw movedWhileReading(list, createdAt);
    },
  });
  return readList({
    ...part,
    list,
    window,
    memory: task.memory,
    begunAt: task.begunAt,
    onEnd: () => {},
  });
}

interface Stream {
  readonly batches: AsyncGenerator<Batch<Operation>>;
  rows: readonly Operation[];
  at: number;
  isDone: boolean;
}

/**
 * Merges streams that each ascend in createdAt. Of two versions of one operation, the one updated
 * later is kept.
 */
async function* mergeByCreation(
  sources: readonly AsyncGenerator<Batch<Operation>>[],
): AsyncGenerator<Batch<OperationVersion>> {
  const streams: Stream[] = sources.map((batches) => ({ batches, rows: [], at: 0, isDone: false }));
  let ripe = new Map<string, Operation>();
  let createdAt = Number.NEGATIVE_INFINITY;
  let rows: Operation[] = [];
  const rejected: RejectedRow[] = [];
  for (;;) {
    for (const stream of streams) {
      if (!stream.isDone && stream.at >= stream.rows.length) {
        if (rows.length > 0 || rejected.length > 0) {
          yield versionsOf({ rows, rejected: rejected.splice(0) });
          rows = [];
        }
        rejected.push(...(await refill(stream)));
      }
    }
    const oldest = streams
      .filter((stream) => stream.at < stream.rows.length)
      .sort((a, b) => a.rows[a.at]!.createdAt - b.rows[b.at]!.createdAt)[0];
    const operation = oldest?.rows[oldest.at];
    if (operation === undefined || operation.createdAt > createdAt) {
      rows.push(...ripe.values());
      ripe = new Map();
    }
    if (operation === undefined) break;
    oldest!.at += 1;
    createdAt = operation.createdAt;
    const other = ripe.get(operation.reference);
    if (other === undefined || operation.updatedAt >= other.updatedAt)
      ripe.set(operation.reference, operation);
  }
  if (rows.length > 0 || rejected.length > 0) yield versionsOf({ rows, rejected });
}

const byCreation = (a: Operation, b: Operation): number => a.createdAt - b.createdAt;

/**
 * Takes the next rows of the stream that are not an empty batch. Returns the rows refused on the
 * way.
 */
async function refill(stream: Stream): Promise<readonly RejectedRow[]> {
  const rejected: RejectedRow[] = [];
  for (;;) {
    const next = await stream.batches.next();
    if (next.done) {
      stream.isDone = true;
      return rejected;
    }
    rejected.push(...next.value.rejected);
    if (next.value.rows.length === 0) continue;
    stream.rows = next.value.rows;
    stream.at = 0;
    return rejected;
  }
}

async function* oneBatch(
  rows: readonly Operation[],
  rejected: readonly RejectedRow[],
): AsyncGenerator<Batch<Operation>> {
  yield { rows, rejected };
}

function versionsOf(batch: Batch<Operation>): Batch<OperationVersion> {
  return {
    rows: batch.rows.map((operation) => ({ operation, previous: null })),
    rejected: batch.rejected,
  };
}
