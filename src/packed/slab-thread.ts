// A second thread that packs rows, seen from the thread that takes them in. Each task is a stream of its own; several may
// run side by side.

import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { allocateSlab, openSlab, type RowForm, type Slab } from './slab.ts';
import type { FailureOfTask, SlabAnswer, SlabOrder } from './slab-messages.ts';

/** One to be filled, one to be read, one between them. */
const SLABS = 3;

export interface SlabThread {
  readonly worker: Worker;
  streams: number;
  /** Emits the number of a stream that has an answer, or none to hope for. */
  readonly turns: EventEmitter;
  failure: Error | null;
}

/** `module` calls `workOnSlabs`. */
export function startSlabThread(module: URL): SlabThread {
  const worker = new Worker(module);
  const thread: SlabThread = { worker, streams: 0, turns: new EventEmitter(), failure: null };
  worker.setMaxListeners(0);
  worker.on('error', (failure: Error) => {
    thread.failure = failure;
    for (const stream of thread.turns.eventNames()) thread.turns.emit(stream);
  });
  return thread;
}

/** Returns when the thread touches nothing any more. */
export async function stopSlabThread({ worker }: SlabThread): Promise<void> {
  await worker.terminate();
}

/** What a task failed of, on its thread. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  readonly failure: FailureOfTask;
  constructor(failure: FailureOfTask) {
    super(failure.message);
    this.failure = failure;
  }
}

export type Received<Note, Result> =
  | { readonly kind: 'rows'; readonly rows: number; readonly slab: Slab }
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'end'; readonly result: Result };

export interface SlabTask<Task> {
  readonly form: RowForm;
  readonly task: Task;
  /** Memory of the task that goes over to the thread with it. */
  readonly moved?: ArrayBuffer[];
}

/** Ends with the result. Rows are good until more is asked for. Throws `TaskFailed`, or what ended the thread. */
export async function* receiveSlabs<Task, Note, Result>(
  thread: SlabThread,
  { form, task, moved }: SlabTask<Task>,
): AsyncGenerator<Received<Note, Result>> {
  const { worker, turns } = thread;
  const stream = thread.streams++;
  const shared = Array.from({ length: SLABS }, () => allocateSlab(form));
  const slabs = shared.map(openSlab);
  const waiting: SlabAnswer<Note, Result>[] = [];
  const take = (answer: SlabAnswer<Note, Result>) => {
    if (answer.stream !== stream) return;
    waiting.push(answer);
    turns.emit(String(stream));
  };
  const tell = (order: SlabOrder<Task>) => worker.postMessage(order, order.kind === 'begin' ? moved : []);
  worker.on('message', take);
  tell({ kind: 'begin', stream, slabs: shared, task });
  try {
    for (;;) {
      while (waiting.length === 0 && thread.failure === null) await once(turns, String(stream));
      if (thread.failure !== null) throw thread.failure;
      const answer = waiting.shift()!;
      if (answer.kind === 'failed') throw new TaskFailed(answer.failure);
      if (answer.kind !== 'rows') yield answer;
      else {
        yield { kind: 'rows', rows: answer.rows, slab: slabs[answer.slab]! };
        tell({ kind: 'free', stream, slab: answer.slab });
      }
      if (answer.kind === 'end') return;
    }
  } finally {
    worker.off('message', take);
    tell({ kind: 'stop', stream });
  }
}
