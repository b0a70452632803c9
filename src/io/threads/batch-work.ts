// The reading thread: takes tasks, and hands batches over when they are full. Also the messages
// between it and the thread that processes the batches.

import { EventEmitter, once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import {
  type ColumnBatch,
  clearBatch,
  openBatch,
  type SharedBatch,
} from '../../core/domain/rows/column-batch.ts';
import type { RowTable } from '../../core/domain/rows/row-table.ts';

export interface BatchStream<Note> {
  readonly number: number;
  readonly batches: readonly ColumnBatch<unknown>[];
  readonly free: number[];
  /** True when the receiver takes no more batches. */
  isStopped: boolean;
  readonly post: (answer: Answer<Note, never>) => void;
}

export interface Done<Result> {
  readonly result: Result;
  /** Memory of the result that moves to the other thread. */
  readonly moved: ArrayBuffer[];
}

export interface BatchWork<Task, Note, Result> {
  readonly tableOf: (task: Task) => RowTable<unknown>;
  /** Does the task. Must end early when the stream is stopped; its result is then dropped. */
  readonly work: (task: Task, stream: BatchStream<Note>) => Promise<Done<Result>>;
}

/**
 * Lowers the priority of this thread. With few processors, the thread that judges should run first,
 * because everything waits for it, and the reading thread then wakes less often with more to do.
 */
const NICENESS = 5;
/** Emits the number of a stream that may continue, or that must stop. */
const turns = new EventEmitter();

/** Works on tasks until the thread is stopped. */
export function workOnBatches<Task, Note, Result>(doing: BatchWork<Task, Note, Result>): void {
  const port = parentPort!;
  // Linux has a priority for each thread; elsewhere the whole process would get it.
  if (process.platform === 'linux') setPriority(NICENESS);
  const streams = new Map<number, BatchStream<Note>>();
  const begin = async ({
    stream: number,
    batches,
    task,
  }: Extract<Order<Task>, { readonly kind: 'begin' }>) => {
    const table = doing.tableOf(task);
    const stream: BatchStream<Note> = {
      number,
      batches: batches.map((shared) => openBatch(table, shared)),
      free: batches.map((_, batch) => batch),
      isStopped: false,
      post: (answer) => port.postMessage(answer),
    };
    streams.set(number, stream);
    try {
      const { result, moved } = await doing.work(task, stream);
      port.postMessage(
        { kind: 'end', stream: number, result } satisfies Answer<Note, Result>,
        moved,
      );
    } catch (failure) {
      stream.post({ kind: 'failed', stream: number, failure: describeFailure(failure as Error) });
    } finally {
      streams.delete(number);
    }
  };
  port.on('message', (order: Order<Task>) => {
    if (order.kind === 'begin') {
      void begin(order);
      return;
    }
    const stream = streams.get(order.stream);
    if (stream === undefined) return;
    if (order.kind === 'free') stream.free.push(order.batch);
    else stream.isStopped = true;
    turns.emit(String(order.stream));
  });
}

function describeFailure(failure: Error & { readonly code?: unknown }): FailureOfTask {
  const { name, code, message } = failure;
  return { name, code: typeof code === 'string' ? code : null, message };
}

/** Waits for a free batch, and returns it empty; `null` when the stream is stopped. */
export async function batchToFill<Row>(
  stream: Omit<BatchStream<unknown>, 'post'>,
): Promise<ColumnBatch<Row> | null> {
  while (!stream.isStopped) {
    const free = stream.free.pop();
    if (free !== undefined) {
      const batch = stream.batches[free]!;
      clearBatch(batch);
      return batch as ColumnBatch<Row>;
    }
    await once(turns, String(stream.number));
  }
  return null;
}

/** Hands a filled batch to the other thread. This thread must not touch it afterwards. */
export function handOver<Note>(
  stream: BatchStream<Note>,
  batch: ColumnBatch<never>,
  note: Note,
): void {
  const { rows, ownWordCount } = batch;
  const number = stream.batches.indexOf(batch);
  stream.post({ kind: 'rows', stream: stream.number, batch: number, rows, ownWordCount, note });
}

export type Order<Task> =
  /** Start the task: read its rows into the batches, as long as some are free. */
  | {
      readonly kind: 'begin';
      readonly stream: number;
      readonly batches: readonly SharedBatch[];
      readonly task: Task;
    }
  /** The batch has been processed, and may be filled again. */
  | { readonly kind: 'free'; readonly stream: number; readonly batch: number }
  | { readonly kind: 'stop'; readonly stream: number };

export type Answer<Note, Result> =
  | {
      readonly kind: 'rows';
      readonly stream: number;
      readonly batch: number;
      readonly rows: number;
      readonly ownWordCount: number;
      /** Further facts about the rows of the batch. */
      readonly note: Note;
    }
  | { readonly kind: 'end'; readonly stream: number; readonly result: Result }
  | { readonly kind: 'failed'; readonly stream: number; readonly failure: FailureOfTask };

/** An error in the form in which it is sent between threads. */
export interface FailureOfTask {
  readonly name: string;
  /** `null` when the error had no code. */
  readonly code: string | null;
  readonly message: string;
}
