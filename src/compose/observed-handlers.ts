// Handlers of jobs that are followed and counted: each job is a span, and its duration is measured by kind and outcome.

import type { Measures } from '../domain/measures.ts';
import type { Tracing } from '../domain/tracing.ts';
import { type Handler, type Handlers, type Job, type JobKind, PutBack } from '../workflows/jobs.ts';

export interface Observers {
  readonly tracing: Tracing;
  readonly measures: Measures;
}

export function observeHandlers(handlers: Handlers, observers: Observers): Handlers {
  const kinds = Object.keys(handlers) as JobKind[];
  return Object.fromEntries(kinds.map((kind) => [kind, observe(kind, handlers[kind] as Handler<JobKind>, observers)]));
}

function observe(kind: JobKind, handler: Handler<JobKind>, { tracing, measures }: Observers): Handler<JobKind> {
  return async (job: Job<JobKind>) => {
    const begun = performance.now();
    const end = (outcome: 'done' | 'failed'): void =>
      measures.jobEnded({ kind, outcome, milliseconds: performance.now() - begun });
    try {
      await tracing.span(`job ${kind}`, { jobId: job.id, attempt: job.attempt, ...job.data }, () => handler(job));
      end('done');
    } catch (failure) {
      // What is put back has not been done, and has not failed.
      if (!(failure instanceof PutBack)) end('failed');
      throw failure;
    }
  };
}
