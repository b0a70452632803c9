// A night: begun by one job, worked on merchant by merchant by as many workers as there are, and
// ended by the worker that settles the last. A job's run and round only tell it from others: its
// worker works for the newest night that expects the merchant. Merchants with little news are
// worked on together, so that their queries go out together; one with more, one that fails and one
// that is locked get jobs of their own.

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
  /** The same store, for merchants that are worked on at the same time. */
  readonly patientStore: Store;
  /** Has room for as many merchants at a time as this process may read, and replay news of. */
  readonly room: Room;
  /** Milliseconds that one merchant may be read. */
  readonly longest: number;
  readonly secondRound: {
    /** Milliseconds from the first round on. */
    readonly after: number;
    /** Milliseconds from the beginning of the night: later than that none begins. */
    readonly within: number;
  };
  readonly log: (event: object) => void;
  /**
   * Done after merchants were settled, before their night ends; done again when the worker dies
   * before it returns.
   */
  readonly afterMerchants: (merchants: readonly string[]) => Promise<void>;
  /**
   * Done after a night has ended; what is left undone when the worker dies is done after the next
   * one.
   */
  readonly afterNight?: (runId: number) => Promise<unknown>;
}

export interface Room {
  readonly places: number;
  /** Runs the work when a place is free. Nothing that has a place may ask for another. */
  use<T>(work: () => Promise<T>): Promise<T>;
}

/** Seconds until a merchant is tried again that another process is working on. */
const LOCKED_SECONDS = 5;
/**
 * Where a source reads several merchants in one go; more would hold more in memory than they save.
 */
const MOST_READ_TOGETHER = 50;
/** Where those with nothing new are settled by sets: most of them are not read. */
const MOST_SETTLED_TOGETHER = 200;
/** Where each is read by itself: so many times those that there is room for. */
const TURNS = 4;
/** A small night is made into at least so many jobs: several workers share it. */
const FEWEST_JOBS = 4;

/** Merchants of one job, at most. */
export function mostTogether({ source, room }: NightTask): number {
  if (source.openTogether === undefined) return TURNS * room.places;
  return source.digestTogether === undefined ? MOST_READ_TOGETHER : MOST_SETTLED_TOGETHER;
}

/**
 * Begins the night and sends its work; done again by the same job, it sends what is left of it.
 * `plannedFor`: when it was due; null when it was not planned. Throws `SourceFailed` when the
 * merchants cannot be listed: then no night has begun.
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
 * Sends the work that a night still waits for; what is queued already is not queued again. Returns
 * how much that is.
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
    // Also where it is settled already: the worker that settled it may have died, or lost its job,
    // before it came to this.
    await task.afterMerchants([merchant]);
    await (runId === null ? endNights(task) : endIfSettled(task, runId));
  } while (runId !== null);
}

/**
 * The run that expected the merchant, and has it now; null: none does. Throws `PutBack` when it
 * cannot be worked on now.
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
 * Settles a merchant that was given up as failed, so that its night can end without it. A later
 * night has a job of its own for it.
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

/** Ends nights whose every merchant is settled. */
export async function endNights(task: NightTask): Promise<void> {
  for (const runId of await loadOpenNights(task.store)) await endIfSettled(task, runId);
}

/**
 * True when the night is over, or tries a second time what it could not read or judge, by this
 * call.
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

/** This merchant has too much news to be read with others. */
class TooMuch extends Error {}

/**
 * Throws `PutBack` when it is time to leave: the next worker takes the merchants that are not
 * settled. A job that was taken up before has perhaps lost its worker over one of its merchants:
 * give each a job of its own, so that a worker is lost over that one alone.
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

/** Returns those that are still to be worked on. */
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

/** Reads several merchants in one go; throws `TooMuch` for a merchant that cannot be read so. */
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
