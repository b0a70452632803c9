// Several merchants of a night worked on at the same time, so that what each of them asks for is asked for together. It is for
// those with little news: who has more, who fails and who is locked is worked on alone, as if it had never been here.

import type { Source } from '../../../io/sources/port/source.ts';
import { takeMember } from '../../../io/storage/conclusions/run-members.ts';
import { type Job, type JobRequest, PutBack } from '../jobs.ts';
import { leaveIfAborted } from './limit-source.ts';
import { endNights, logSettled, type NightTask, runWithin } from './run-night.ts';

/** There is more of this merchant than is read together. */
class TooMuch extends Error {}

/**
 * Throws `PutBack` when it is time to leave: who is not settled by then is worked on by whoever takes the job next. A job that
 * was taken up before has perhaps lost its worker over one of its merchants: all of them get jobs of their own, so that a
 * worker is lost over that one alone.
 */
export async function workOnMerchants(task: NightTask, job: Job<'merchants'>): Promise<void> {
  const { merchants, ...sentBy } = job.data;
  const alone = job.attempt > 1 ? merchants : await workTogether(task, job);
  leaveIfAborted(job.signal);
  await task.jobs.send(
    alone.map((merchant): JobRequest<'merchant'> => ({ kind: 'merchant', data: { ...sentBy, merchant } })),
  );
  await task.afterMerchants(merchants);
  await endNights(task);
}

/** Returns those that are still to be worked on. */
async function workTogether(
  task: NightTask,
  { data: { merchants }, signal }: Job<'merchants'>,
): Promise<readonly string[]> {
  const { source, room, patientStore } = task;
  const isTogether = source.openTogether !== undefined;
  const grouped = isTogether
    ? { ...task, store: patientStore, source: readTogether(source), whenThereIsRoom: room.use }
    : task;
  const work = (merchant: string) => workOn(grouped, signal, merchant).catch(toWorkAlone(task, merchant));
  const isDone = await Promise.all(
    merchants.map((merchant) => (isTogether ? work(merchant) : room.use(() => work(merchant)))),
  );
  return merchants.filter((_, i) => !isDone[i]);
}

/** False when another process is working on the merchant. */
async function workOn(task: NightTask, signal: AbortSignal, merchant: string): Promise<boolean> {
  leaveIfAborted(signal);
  const begunAt = task.clock();
  const runId = await takeMember(task.store, { merchant, at: begunAt });
  if (runId === null) return true;
  const outcome = await runWithin(task, signal, { runId, merchant });
  if (outcome === null) return false;
  logSettled(task, { runId, merchant, begunAt, outcome });
  return true;
}

function toWorkAlone({ log }: NightTask, merchant: string): (failure: unknown) => false {
  return (failure) => {
    if (!(failure instanceof TooMuch || failure instanceof PutBack))
      log({ event: 'merchant to be tried alone', merchant, failure });
    return false;
  };
}

/** Reads several merchants in one go, and nobody otherwise. */
function readTogether(source: Source): Source {
  return {
    ...source,
    open: async (merchant, since) => {
      const snapshot = since === null ? null : await source.openTogether!(merchant, since);
      if (snapshot === null) throw new TooMuch();
      return snapshot;
    },
  };
}
