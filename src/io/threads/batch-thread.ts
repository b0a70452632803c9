// A second thread that reads rows into column batches, as the thread that processes the batches
// sees it. Each task is a stream of its own; several may run side by side.

import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { allocateBatch, type ColumnBatch, openBatch } from '../../core/domain/rows/column-batch.ts';
import type { RowTable } from '../../core/domain/rows/row-table.ts';
import type { Answer, FailureOfTask, Order } from './batch-work.ts';

/**
 * Batches of a stream. One is filled while another is processed; the others let either thread work
 * on for a while before it must wait for the other.
 */
const BATCHES = 6;

/** Milliseconds that an idle thread is kept. */
const KEPT_FOR = 30_000;

/** A thread that belongs to the caller alone until `putBatchThread`. */
export interface BatchThread {
  readonly host: Host;
  isPut: boolean;
}

interface Host {
  readonly module: string;
  readonly worker: Worker;
  streams: number;
  /** Number of streams at work, including abandoned ones. */
  running: number;
  /**
   * Emits the number of a stream that has an answer, or that can expect none because the thread has
   * ended.
   */
  readonly turns: EventEmitter;
  failure: Error | null;
  /** The timer that ends an idle thread; `null` while the thread is in use. */
  idle: NodeJS.Timeout | null;
}

/**
 * Idle threads by module, one of each. They are kept, because a new thread must load and compile
 * everything again.
 */
const kept = new Map<string, Host>();

/** Returns a thread that runs `module`, which must call `workOnBatches`. */
export function takeBatchThread(module: URL): BatchThread {
  const known = kept.get(module.href);
  if (known === undefined) return { host: startHost(module), isPut: false };
  forget(known);
  known.worker.ref();
  return { host: known, isPut: false };
}

function startHost(module: URL): Host {
  const worker = new Worker(module);
  const turns = new EventEmitter();
  const host: Host = {
    module: module.href,
    worker,
    streams: 0,
    running: 0,
    turns,
    failure: null,
    idle: null,
  };
  const end = (failure: Error) => {
    host.failure ??= failure;
    forget(host);
    for (const stream of turns.eventNames()) turns.emit(stream);
  };
  worker.setMaxListeners(0);
  worker.on('message', ({ kind }: Answer<unknown, unknown>) => {
    if (kind === 'end' || kind === 'failed') host.running -= 1;
  });
  worker.on('error', end);
  worker.on('exit', () => end(new Error('the thread has ended')));
  return host;
}

/**
 * Returns once the thread no longer uses the caller's files and memory. An idle thread is kept for
 * a while, but keeps no process alive.
 */
export async function putBatchThread(thread: BatchThread): Promise<void> {
  if (thread.isPut) return;
  thread.isPut = true;
  const { host } = thread;
  if (host.running > 0 || host.failure !== null || kept.has(host.module)) {
    await host.worker.terminate();
    return;
  }
  host.worker.unref();
  const end = () => {
    forget(host);
    void host.worker.terminate();
  };
  host.idle = setTimeout(end, KEPT_FOR).unref();
  kept.set(host.module, host);
}

function forget(host: Host): void {
  if (host.idle === null) return;
  clearTimeout(host.idle);
  host.idle = null;
  kept.delete(host.module);
}

/** The failure of a task on its thread. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  readonly failure: FailureOfTask;
  constructor(failure: FailureOfTask) {
    super(failure.message);
    this.failure = failure;
  }
}

export type Received<Row, Note, Result> =
  | {
      readonly kind: 'rows';
      /** Valid until `release`, which must be called, because the thread waits for free batches. */
      readonly batch: ColumnBatch<Row>;
      readonly note: Note;
      readonly release: () => void;
    }
  | { readonly kind: 'end'; readonly result: Result };

export interface BatchTask<Row, Task> {
  readonly table: RowTable<Row>;
  /** Bytes of texts that each batch has room for. */
  readonly size: number;
  readonly task: Task;
}

/**
 * Runs a task on the thread: yields its batches, and last its result. Throws `TaskFailed`, or the
 * failure that ended the thread.
 */
export async function* receiveBatches<Row, Task, Note, Result>(
  { host }: BatchThread,
  { table, size, task }: BatchTask<Row, Task>,
): AsyncGenerator<Received<Row, Note, Result>> {
  const { worker, turns } = host;
  const stream = host.streams++;
  const shared = Array.from({ length: BATCHES }, () => allocateBatch(table, size));
  const batches = shared.map((one) => openBatch(table, one));
  const waiting: Answer<Note, Result>[] = [];
  const take = (answer: Answer<Note, Result>) => {
    if (answer.stream !== stream) return;
    waiting.push(answer);
    turns.emit(String(stream));
  };
  const send = (order: Order<Task>) => worker.postMessage(order);
  worker.on('message', take);
  send({ kind: 'begin', stream, batches: shared, task });
  host.running += 1;
  try {
    for (;;) {
      while (waiting.length === 0 && host.failure === null) await once(turns, String(stream));
      if (host.failure !== null) throw host.failure;
      const answer = waiting.shift()!;
      if (answer.kind === 'failed') throw new TaskFailed(answer.failure);
      if (answer.kind === 'end') {
        yield { kind: 'end', result: answer.result };
        return;
      }
      const { rows, ownWordCount, note } = answer;
      const batch = Object.assign(batches[answer.batch]!, { rows, ownWordCount });
      yield {
        kind: 'rows',
        batch,
        note,
        release: () => send({ kind: 'free', stream, batch: answer.batch }),
      };
    }
  } finally {
    worker.off('message', take);
    send({ kind: 'stop', stream });
  }
}
