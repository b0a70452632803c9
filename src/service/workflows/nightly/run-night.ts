// A night: one job begins it, any number of workers settle its merchants, and the worker that
// settles the last merchant ends it. The run and the round in a job only keep its key apart from
// other jobs: a worker works for the newest night that expects the merchant. Merchants with little
// news share a job, so that their queries go out together. A merchant with more news, one that
// fails and one that is locked get a job of their own.

import { type Instant, SECOND } from '../../../core/domain/instant.ts';
import type { Source } from '../../../io/sources/port/source.ts';
import {
  loadExpected,
  loadMember,
  loadUnlisted,
  NOTHING_READ,
  settleMembers,
  takeMember,
  UNLISTED,
  WORK_FAILED,
} from '../../../io/storage/conclusions/run-members.ts';
import { enterMerchant } from '../../../io/storage/merchants/merchants.ts';
import {
  beginNight,
  closeLeftRuns,
  endNight,
  loadOpenNights,
  loadRound,
} from '../../../io/storage/nights/nights.ts';
import { inPieces } from '../../../io/storage/server/ask.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { NOTHING_ANNOUNCED } from '../announcements.ts';
import { type DeadJob, type Job, type JobRequest, type Jobs, PutBack } from '../jobs.ts';
import { leaveIfAborted, limitSource } from './limit-source.ts';
import type { MerchantOutcome, MerchantTask } from './merchant-task.ts';
import { runMerchant, settleUnread } from './run-merchant.ts';
import { settleQuiet } from './settle-quiet.ts';

export interface NightTask extends MerchantTask {
  readonly jobs: Jobs;
  /** The same store, with longer timeouts, for merchants that are worked on at the same time. */
  readonly patientStore: Store;
  /** Limits how many merchants this process reads and replays at the same time. */
  readonly room: Room;
  /** Milliseconds that reading one merchant may take. */
  readonly longest: number;
  readonly secondRound: {
    /** Milliseconds from the beginning of the first round to that of the second. */
    readonly after: number;
    /** Milliseconds from the beginning of the night after which no second round begins. */
    readonly within: number;
  };
  readonly log: (event: object) => void;
  /**
   * Called after merchants were settled and before their night ends. It may be called twice for the
   * same merchants, when a worker dies before it returns.
   */
  readonly afterMerchants: (merchants: readonly string[]) => Promise<void>;
  /**
   * Called after a night has ended. If the worker dies before it returns, its work is left for the
   * call after the next night.
   */
  readonly afterNight?: (runId: number) => Promise<unknown>;
}

export interface Room {
  /** How many pieces of work may run at the same time. */
  readonly places: number;
  /**
   * Runs the work when a place is free. The work must not call `use` again: it could wait for ever.
   */
  use<T>(work: () => Promise<T>): Promise<T>;
}

/** Seconds until a merchant that another process is working on is tried again. */
const LOCKED_SECONDS = 5;
/**
 * Merchants of one job where the source reads several merchants in one request. More would use more
 * memory than they save in time.
 */
const MOST_READ_TOGETHER = 50;
/**
 * Merchants of one job where the source also digests books: most merchants then have nothing new
 * and are not read.
 */
const MOST_SETTLED_TOGETHER = 200;
/**
 * Where each merchant is read by itself, one job has this many merchants for each place in the
 * room.
 */
const TURNS = 4;
/** The number of jobs that even a small night is split into, so that several workers share it. */
const FEWEST_JOBS = 4;

/** Returns how many merchants one job may have. */
export function mostTogether({ source, room }: NightTask): number {
  if (source.openTogether === undefined) return TURNS * room.places;
  return source.digestTogether === undefined ? MOST_READ_TOGETHER : MOST_SETTLED_TOGETHER;
}

/**
 * Begins the night and sends its jobs. When the same job runs again, it sends the jobs that are
 * still to be done. `plannedFor` is the instant at which the night was due; `null` when it was not
 * planned. Returns the id of the run. Throws `SourceFailed` when the merchants cannot be listed:
 * then no night has begun.
 */
export async function runNight(
  task: NightTask,
  night: { readonly jobId: string; readonly plannedFor: Instant | null },
): Promise<number> {
  const { store, source, engine, log, announcements = NOTHING_ANNOUNCED } = task;
  const startedAt = task.clock();
  const listed = await source.merchants();
  const unlisted = await loadUnlisted(store, { source: source.name, listed });
  const merchants = [...listed, ...unlisted];
  const begun = await beginNight(
    store,
    { ...night, startedAt, source: source.name, engine, merchants },
    announcements,
  );
  await closeLeftRuns(store, startedAt);
  const { runId, closed } = begun;
  for (const merchant of unlisted) await settleUnread(task, { runId, merchant }, UNLISTED);
  for (const earlier of closed)
    log({ event: 'night closed', runId: earlier, why: 'the next night began' });
  const expected = await sendExpected(task, runId);
  log({ event: 'night begun', runId, merchants: expected });
  await endIfSettled(task, runId);
  return runId;
}

/**
 * Sends jobs for the merchants that a night still waits for; jobs that are queued already are not
 * queued again. Returns the number of those merchants.
 */
export async function sendExpected(task: NightTask, runId: number): Promise<number> {
  const expected = await loadExpected(task.store, runId);
  const round = await loadRound(task.store, runId);
  const later = round === 1 ? {} : { inSeconds: Math.ceil(task.secondRound.after / SECOND) };
  const size = Math.min(mostTogether(task), Math.ceil(expected.length / FEWEST_JOBS));
  await task.jobs.send(
    inPieces(expected, size).map(
      (merchants): JobRequest<'merchants'> => ({
        kind: 'merchants',
        data: { runId, round, merchants },
        ...later,
      }),
    ),
  );
  return expected.length;
}

/** Throws `PutBack` when the merchant cannot be worked on now. */
export async function workOnMerchant(task: NightTask, job: Job<'merchant'>): Promise<void> {
  const { merchant } = job.data;
  let runId: number | null;
  do {
    runId = await settleNext(task, job.signal, merchant, task.room);
    // Called also when the merchant was settled before, because the worker that settled it may have
    // died, or lost its job, before it called this.
    await task.afterMerchants([merchant]);
    await (runId === null ? endNights(task) : endIfSettled(task, runId));
  } while (runId !== null);
}

/**
 * Settles the merchant for the newest run that expects it and returns the id of that run; `null`
 * when no run expects it. Throws `PutBack` when the merchant cannot be worked on now.
 */
async function settleNext(
  task: NightTask,
  signal: AbortSignal,
  merchant: string,
  room: Pick<Room, 'use'> = { use: (work) => work() },
): Promise<number | null> {
  leaveIfAborted(signal);
  const begunAt = task.clock();
  const runId = await takeMember(task.store, {
    merchantId: await enterMerchant(task.store, merchant),
    at: begunAt,
  });
  if (runId === null) return null;
  const member = { runId, merchant, onProgress: () => leaveIfAborted(signal) };
  const outcome = await room.use(() => {
    const source = limitSource(task.source, { signal, longest: task.longest });
    return runMerchant({ ...task, source }, member);
  });
  if (outcome === null)
    throw new PutBack('another process is working on this merchant', LOCKED_SECONDS);
  task.log({
    event: 'merchant settled',
    runId,
    merchant,
    ...summaryOf(outcome),
    ms: task.clock() - begunAt,
  });
  return runId;
}

function summaryOf({
  report,
  entriesAdded,
  operationsChanged,
  changes,
  watermark,
  isAltered,
}: MerchantOutcome) {
  return {
    verdict: report.verdict,
    ...(isAltered ? { checkpoint: 'changed from outside; replayed from the first line' } : {}),
    ...(watermark === null ? { reason: report.notChecked[0]?.why } : {}),
    entriesAdded,
    operationsChanged,
    findingsAdded: changes.added.length,
    findingsResolved: changes.resolved.length,
    findingsReopened: changes.reopened.length,
  };
}

/**
 * Settles a merchant as `failed` because its job was given up, so that its night can end. A later
 * night sends a new job for it.
 */
export async function giveUpMerchant(task: NightTask, job: DeadJob<'merchant'>): Promise<void> {
  const { runId, merchant } = job.data;
  const member = await loadMember(task.store, { runId, merchant });
  if (member?.state !== 'expected' || member.attempts === 0) return;
  const times = `${job.attempts} ${job.attempts === 1 ? 'time' : 'times'}`;
  const reason =
    job.reason === null
      ? `the worker that had this merchant was lost ${times}`
      : `${WORK_FAILED} ${times}, at last with: ${job.reason}`;
  const merchantId = await enterMerchant(task.store, merchant);
  const given = {
    ...NOTHING_READ,
    state: 'failed',
    verdict: null,
    reason,
    finishedAt: task.clock(),
  } as const;
  await settleMembers(task.store.pool, runId, [{ merchantId, ...given }]);
  task.log({ event: 'merchant given up', runId, merchant, reason });
  await endIfSettled(task, runId);
}

/** Ends every night whose merchants are all settled. */
export async function endNights(task: NightTask): Promise<void> {
  for (const runId of await loadOpenNights(task.store)) await endIfSettled(task, runId);
}

/**
 * Ends the night when all its merchants are settled, or begins its second round over the merchants
 * that could not be read or judged. Returns true when this call did either.
 */
export async function endIfSettled(task: NightTask, runId: number): Promise<boolean> {
  const { announcements: announce = NOTHING_ANNOUNCED, secondRound } = task;
  const ended = await endNight(task.store, {
    runId,
    at: task.clock(),
    announce,
    triesAgainWithin: secondRound.within,
  });
  if (ended === 'ended') {
    task.log({ event: 'night ended', runId });
    await task.afterNight?.(runId);
  }
  if (ended === 'again')
    task.log({ event: 'night tries again', runId, merchants: await sendExpected(task, runId) });
  return ended !== null;
}

/** Thrown for a merchant that has too much news to be read together with others. */
class TooMuch extends Error {}

/**
 * Works on the merchants of one job. Throws `PutBack` when the process must stop: the next worker
 * takes the merchants that are not settled. A second attempt gives each merchant a job of its own,
 * because the first worker may have died over one of them.
 */
export async function workOnMerchants(task: NightTask, job: Job<'merchants'>): Promise<void> {
  const { merchants, ...sentBy } = job.data;
  const alone = job.attempt > 1 ? merchants : await workTogether(task, job);
  leaveIfAborted(job.signal);
  await task.jobs.send(
    alone.map(
      (merchant): JobRequest<'merchant'> => ({ kind: 'merchant', data: { ...sentBy, merchant } }),
    ),
  );
  await task.afterMerchants(merchants);
  await endNights(task);
}

/** Returns the merchants that still need a job of their own. */
async function workTogether(
  task: NightTask,
  { data: { merchants }, signal }: Job<'merchants'>,
): Promise<readonly string[]> {
  const { source, room, patientStore, log } = task;
  const isTogether = source.openTogether !== undefined;
  const grouped = isTogether
    ? { ...task, store: patientStore, source: readTogether(source), whenThereIsRoom: room.use }
    : task;
  leaveIfAborted(signal);
  const limited = { ...task, source: limitSource(source, { signal, longest: task.longest }) };
  const take = (merchantId: number) => takeMember(task.store, { merchantId, at: task.clock() });
  const left = (await settleQuiet(limited, merchants, take)).filter(({ isDone }) => !isDone);
  const quiet = merchants.length - left.length;
  if (quiet > 0) log({ event: 'quiet merchants settled', merchants: quiet });
  const alone: string[] = [];
  const work = async ({ merchant, books }: (typeof left)[number]): Promise<void> => {
    try {
      await settleNext({ ...grouped, books }, signal, merchant);
    } catch (failure) {
      if (!(failure instanceof TooMuch || failure instanceof PutBack))
        log({ event: 'merchant to be tried alone', merchant, failure });
      alone.push(merchant);
    }
  };
  for (const some of inPieces(left, MOST_READ_TOGETHER))
    await Promise.all(some.map((one) => (isTogether ? work(one) : room.use(() => work(one)))));
  return alone;
}

/**
 * Returns `source` so that `open` reads several merchants in one request. `open` throws `TooMuch`
 * for a merchant that cannot be read that way.
 */
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
