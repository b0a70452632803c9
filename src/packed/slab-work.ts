// The side of the thread that packs: takes tasks, and hands slabs over as they are full.

import { EventEmitter, once } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { beginSlab, createPacker, type Packer } from './pack.ts';
import { openSlab, type RowForm, SLAB_ROWS, type Slab } from './slab.ts';
import type { FailureOfTask, SlabAnswer, SlabOrder } from './slab-messages.ts';

export interface SlabStream<Note> {
  readonly number: number;
  readonly packer: Packer;
  readonly slabs: readonly Slab[];
  readonly free: number[];
  /** Rows that are handed over together: few at first, so that nobody waits long for the first of them. */
  most: number;
  /** The slab that is being filled; null: none is. */
  filling: number | null;
  /** Nobody takes in what is packed any more. */
  isStopped: boolean;
  readonly post: (answer: SlabAnswer<Note, never>) => void;
}

export interface Done<Result> {
  readonly result: Result;
  /** Memory of the result that goes over with it. */
  readonly moved: ArrayBuffer[];
}

export interface SlabWork<Task, Note, Result> {
  readonly formOf: (task: Task) => RowForm;
  /** Ends early when the stream is stopped; what it gives then goes nowhere. */
  readonly work: (task: Task, stream: SlabStream<Note>) => Promise<Done<Result>>;
}

const FEW_ROWS = 256;
/**
 * Where processors are few, whoever judges goes first: it is what everything waits for, and whoever packs then wakes less
 * often and finds more to do.
 */
const NICENESS = 5;
/** Emits the number of a stream that may go on, or has to stop. */
const turns = new EventEmitter();

/** Works on whatever tasks come, until the thread is stopped. */
export function workOnSlabs<Task, Note, Result>(doing: SlabWork<Task, Note, Result>): void {
  const port = parentPort!;
  // Linux keeps a priority for each thread; elsewhere this would be the whole process's.
  if (process.platform === 'linux') setPriority(NICENESS);
  const streams = new Map<number, SlabStream<Note>>();
  const begin = async ({ stream: number, slabs, task }: Extract<SlabOrder<Task>, { readonly kind: 'begin' }>) => {
    const opened = slabs.map(openSlab);
    const stream: SlabStream<Note> = {
      number,
      packer: createPacker(doing.formOf(task), opened[0]!),
      slabs: opened,
      free: slabs.map((_, slab) => slab),
      most: FEW_ROWS,
      filling: null,
      isStopped: false,
      post: (answer) => port.postMessage(answer),
    };
    streams.set(number, stream);
    try {
      const { result, moved } = await doing.work(task, stream);
      handOver(stream);
      port.postMessage({ kind: 'end', stream: number, result } satisfies SlabAnswer<Note, Result>, moved);
    } catch (failure) {
      stream.post({ kind: 'failed', stream: number, failure: told(failure as Error) });
    } finally {
      streams.delete(number);
    }
  };
  port.on('message', (order: SlabOrder<Task>) => {
    if (order.kind === 'begin') {
      void begin(order);
      return;
    }
    const stream = streams.get(order.stream);
    if (stream === undefined) return;
    if (order.kind === 'free') stream.free.push(order.slab);
    else stream.isStopped = true;
    turns.emit(String(order.stream));
  });
}

function told(failure: Error & { readonly code?: unknown }): FailureOfTask {
  const { name, code, message } = failure;
  return { name, code: typeof code === 'string' ? code : null, message };
}

/** Waits until a slab is being filled; false when the stream is stopped. */
export async function slabToFill<Note>(stream: SlabStream<Note>): Promise<boolean> {
  while (stream.filling === null) {
    if (stream.isStopped) return false;
    const free = stream.free.pop();
    if (free === undefined) await once(turns, String(stream.number));
    else {
      stream.filling = free;
      beginSlab(stream.packer, stream.slabs[free]!);
    }
  }
  return !stream.isStopped;
}

/** Hands over what has been packed so far, if anything has. */
export function handOver<Note>(stream: SlabStream<Note>): void {
  if (stream.filling === null) return;
  stream.post({ kind: 'rows', stream: stream.number, slab: stream.filling, rows: stream.packer.rows });
  stream.filling = null;
  stream.most = Math.min(2 * stream.most, SLAB_ROWS);
}
