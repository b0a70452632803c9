// Work that is followed and counted: each job and each delivery is a span; durations of jobs are measured by kind and
// outcome, attempts to deliver counted by channel and outcome.

import type { DeliveryChannel } from '../../core/domain/delivery/delivery-channel.ts';
import type { Measures, Tracing } from '../../core/domain/measures.ts';
import type { OutboxTask } from '../workflows/deliveries/deliver-due.ts';
import { type Handler, type Handlers, type Job, type JobData, type JobKind, PutBack } from '../workflows/jobs.ts';

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
      await tracing.span(`job ${kind}`, { jobId: job.id, attempt: job.attempt, ...countedIn(job.data) }, () =>
        handler(job),
      );
      end('done');
    } catch (failure) {
      // What is put back has not been done, and has not failed.
      if (!(failure instanceof PutBack)) end('failed');
      throw failure;
    }
  };
}

/** Of a list, how many there are. */
function countedIn(data: JobData[JobKind]): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]: [string, string | readonly string[]]) => [
      name,
      typeof value === 'string' ? value : value.length,
    ]),
  );
}

export function observeOutbox(outbox: OutboxTask, { tracing, measures }: Observers): OutboxTask {
  return {
    ...outbox,
    channels: outbox.channels.map((channel) => observeChannel(channel, tracing)),
    onAttempt: (attempt) => {
      if (attempt.count > 0) measures.deliveryTried(attempt);
      outbox.onAttempt(attempt);
    },
  };
}

/** To whom a delivery goes is in the store, and in no span. */
function observeChannel(channel: DeliveryChannel, tracing: Tracing): DeliveryChannel {
  const { name } = channel;
  return {
    ...channel,
    open: async () => {
      const session = await channel.open();
      return {
        ...session,
        send: (parcel) =>
          tracing.span(
            'delivery',
            { channel: name, deliveryId: parcel.id, topic: parcel.content.topic },
            async (note) => {
              const sent = await session.send(parcel);
              note({ outcome: sent.outcome });
              return sent;
            },
          ),
      };
    },
  };
}
