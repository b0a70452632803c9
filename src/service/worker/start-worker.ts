// The entrance of the nightly service: takes jobs from the queue until it is stopped. It is given
// everything it needs, and knows no kind of work itself.

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeadJob,
  type Handlers,
  JOB_KINDS,
  type Job,
  type JobKind,
  PutBack,
  type WorkQueue,
} from '../workflows/jobs.ts';

export interface WorkerTask {
  readonly queue: WorkQueue;
  /** Jobs of a kind without a handler are left to other workers. */
  readonly handlers: Handlers;
  /** Called for a merchant's job whose attempts are used up. */
  readonly onDeadMerchant: (job: DeadJob<'merchant'>) => Promise<void>;
  /** How many jobs of a kind are worked on at the same time; 1 where none is given. */
  readonly atOnce: { readonly [Kind in JobKind]?: number };
  /** Run beside the queue until the signal is aborted. A loop that fails is begun again. */
  readonly loops: readonly Loop[];
  readonly log: (event: object) => void;
}

export type Loop = (signal: AbortSignal) => Promise<void>;

export interface Worker {
  /**
   * Takes no more jobs, lets each job at work come to its next page, and waits for that at most
   * `graceSeconds`.
   */
  stop(graceSeconds: number): Promise<void>;
}

/** Milliseconds before a loop that failed is begun again. */
const LOOP_PAUSE = 5_000;

export async function startWorker(task: WorkerTask): Promise<Worker> {
  const leaving = new AbortController();
  const loops = task.loops.map((loop) => runLoop(task, loop, leaving.signal));
  for (const kind of JOB_KINDS) await takeOn(task, kind);
  return {
    async stop(graceSeconds) {
      leaving.abort();
      await task.queue.stop(graceSeconds);
      await Promise.all(loops);
    },
  };
}

async function takeOn<Kind extends JobKind>(task: WorkerTask, kind: Kind): Promise<void> {
  const handler = task.handlers[kind];
  if (handler === undefined) return;
  const reporting = async (job: Job<Kind>): Promise<void> => {
    try {
      await handler(job);
    } catch (failure) {
      const what = { job: kind, jobId: job.id, ...job.data, attempt: job.attempt };
      if (failure instanceof PutBack)
        task.log({ event: 'job put back', ...what, why: failure.message });
      else task.log({ event: 'job failed', ...what, failure });
      throw failure;
    }
  };
  const atOnce = task.atOnce[kind] ?? 1;
  const onDead = kind === 'merchant' ? { onDead: task.onDeadMerchant as never } : {};
  await task.queue.work(kind, reporting, { atOnce, ...onDead });
}

async function runLoop(task: WorkerTask, loop: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await loop(signal);
      return;
    } catch (failure) {
      task.log({ event: 'loop failed', failure });
      await sleep(LOOP_PAUSE, undefined, { signal }).catch(() => {});
    }
  }
}
