// The queue: jobs in our own PostgreSQL by pg-boss, in the schema `pgboss` beside ours. The only
// importer of pg-boss. Knows nothing of what a job does. Each kind has a policy: how often a job is
// tried, after what pause, for how long, and when it is taken from a worker that is silent. Jobs
// are counted in the table of jobs itself, because the figures that pg-boss keeps are minutes old.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Job as BossJob, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { QueueDepth } from '../../core/domain/measures.ts';
import { inPieces } from '../../io/storage/server/ask.ts';
import { listenTo } from '../../io/storage/server/connections.ts';
import type { Store } from '../../io/storage/server/store.ts';
import {
  type DeadJob,
  type Handler,
  JOB_KINDS,
  type JobKind,
  type JobRequest,
  keyOf,
  type Plan,
  PutBack,
  type WorkOptions,
  type WorkQueue,
} from '../workflows/jobs.ts';

export interface QueueTask {
  readonly store: Store;
  readonly settings: QueueSettings;
  /**
   * False when this process only sends jobs, and neither works on them nor plans or supervises any.
   */
  readonly works: boolean;
  /** Called with failures of the database and with warnings; the events hold no secret. */
  readonly log: (event: object) => void;
  /**
   * Seconds between two looks for due jobs of which no notification comes: retries, jobs put off,
   * and dead jobs. By default 2.
   */
  readonly pollSeconds?: number | undefined;
}

const JOBS_PER_STATEMENT = 2_000;

/** Opens the queue, and makes its tables if there are none. */
export async function openQueue(task: QueueTask): Promise<WorkQueue> {
  const { settings, works, log, pollSeconds = 2 } = task;
  const polling = {
    pollingIntervalSeconds: pollSeconds,
    notifyPollingIntervalSeconds: pollSeconds,
  };
  const boss = new PgBoss({
    ...connectionOf(task.store),
    createSchema:
      (await task.store.pool.query(`select from pg_namespace where nspname = 'pgboss'`))
        .rowCount !== 1,
    max: works ? 4 : 2,
    application_name: 'pointage-queue',
    schedule: works,
    supervise: works,
    superviseIntervalSeconds: superviseSeconds(settings),
    monitorIntervalSeconds: superviseSeconds(settings),
    cronWorkerIntervalSeconds: 1,
    useListenNotify: works,
  });
  // For some errors pg-boss gives no Error but a copy of its fields, which may hold rows: so only
  // the stack or the message is logged.
  boss.on('error', ({ stack, message }) =>
    log({ event: 'queue failed', failure: stack ?? message }),
  );
  // This replaces pg-boss's own `listen`, which removes the error listeners from its connection
  // before it ends it: an error in between would end the process.
  boss.getDb().listen = (name, onHeard, onOpen) => {
    const onLost = () =>
      log({ event: 'queue failed', failure: 'the connection that listens for jobs was lost' });
    return listenTo(task.store, { name, onHeard, onOpen, onLost });
  };
  boss.on('warning', ({ message }) => log({ event: 'queue warned', message }));
  try {
    await boss.start();
    await makeQueues(boss, settings, works);
  } catch (failure) {
    // The parts that have started would keep the process alive for ever.
    await boss.stop({ graceful: false });
    throw failure;
  }
  const leaving = new AbortController();
  const names = new Set<string>();
  return {
    send: (requests) => sendAll(boss, requests),
    work: async (kind, handler, options) => {
      names.add(kind);
      await workOn(boss, { kind, handler, options, polling, leaving: leaving.signal });
      if (options.onDead === undefined) return;
      names.add(DEAD_MERCHANTS);
      await buryDead(boss, options.onDead, polling);
    },
    plan: (plans) => replan(boss, plans),
    plannedSince: async (plan) =>
      (await boss.getSchedule(plan.kind, planKey(plan)))?.updatedOn.getTime() ?? null,
    depths: () => countJobs(task.store),
    stop: (graceSeconds) => stop(boss, { names: [...names], leaving, graceSeconds }),
  };
}

/**
 * Returns the address of the store, field by field, because a pool hides its password from a
 * spread.
 */
function connectionOf({ pool }: Store) {
  const { connectionString, host, port, user, database, ssl, password } = pool.options;
  const given = Object.entries({ connectionString, host, port, user, database, ssl, password });
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    schema: 'pgboss',
  };
}

/** Returns the seconds between two looks for jobs whose worker is silent. */
function superviseSeconds({ takeOverSeconds }: QueueSettings): number {
  return Math.max(1, Math.min(30, Math.floor(takeOverSeconds / 5)));
}

/**
 * Makes the queues that are missing. A process that works also updates the policies of the others;
 * one that only sends leaves them as they are.
 */
async function makeQueues(boss: PgBoss, settings: QueueSettings, works: boolean): Promise<void> {
  const known = new Set((await boss.getQueues()).map(({ name }) => name));
  for (const [name, options] of policiesOf(settings)) {
    const { policy: _, ...changeable } = options;
    if (!known.has(name)) await boss.createQueue(name, options);
    else if (works) await boss.updateQueue(name, changeable);
  }
}

async function sendAll(boss: PgBoss, requests: readonly JobRequest[]): Promise<void> {
  const kinds = Map.groupBy(requests, ({ kind }) => kind);
  for (const [kind, ofKind] of kinds) {
    for (const part of inPieces(ofKind, JOBS_PER_STATEMENT)) {
      await boss.insert(
        kind,
        part.map((request) => ({
          data: request.data,
          singletonKey: keyOf(request),
          ...(request.inSeconds === undefined ? {} : { startAfter: request.inSeconds }),
        })),
      );
    }
  }
}

type Polling = Readonly<Record<'pollingIntervalSeconds' | 'notifyPollingIntervalSeconds', number>>;

interface Post<Kind extends JobKind> {
  readonly kind: Kind;
  readonly handler: Handler<Kind>;
  readonly options: WorkOptions<Kind>;
  readonly polling: Polling;
  readonly leaving: AbortSignal;
}

/**
 * Works on jobs at `atOnce` places at the same time. Each place takes one job after the other, and
 * looks for the next as soon as it is done with one.
 */
async function workOn<Kind extends JobKind>(boss: PgBoss, post: Post<Kind>): Promise<void> {
  for (let place = 0; place < post.options.atOnce; place++) {
    let placeId = '';
    placeId = await boss.work<object>(post.kind, post.polling, async ([job]) => {
      try {
        await handle(boss, post, job!);
      } finally {
        boss.notifyWorker(placeId);
      }
    });
  }
}

/**
 * A field in the data of a job that was requeued: the id of the first job, by which its handler
 * knows it.
 */
interface WentBack {
  readonly firstId?: string;
}

async function handle<Kind extends JobKind>(
  boss: PgBoss,
  post: Post<Kind>,
  job: BossJob<object>,
): Promise<void> {
  const { kind, handler, leaving } = post;
  const signal = AbortSignal.any([leaving, job.signal]);
  const { firstId = job.id, ...data } = job.data as WentBack;
  try {
    await handler({ id: firstId, data: data as never, attempt: job.retryCount + 1, signal });
  } catch (failure) {
    if (!(failure instanceof PutBack)) throw failure;
    await putBack(boss, { kind, job, seconds: failure.seconds });
  }
}

/**
 * Requeues a job, as if it had not been tried. Does nothing when another worker has taken the job
 * over. The job gets a new id, because another place may begin the new job before this attempt is
 * recorded: pg-boss records by id and number of attempts, and the record must not go to the new
 * job.
 */
async function putBack(
  boss: PgBoss,
  {
    kind,
    job,
    seconds,
  }: { readonly kind: JobKind; readonly job: BossJob<object>; readonly seconds: number },
): Promise<void> {
  const transaction = await boss.getDb().beginTransaction!();
  const { db } = transaction;
  try {
    const deleted = await boss.deleteJob(kind, { id: job.id, retryCount: job.retryCount }, { db });
    const isOurs = (deleted as { readonly affected?: number }).affected !== 0;
    const data: WentBack = { firstId: job.id, ...job.data };
    const again = { data, startAfter: seconds, singletonKey: keyOf({ kind, data: data as never }) };
    if (isOurs) await boss.insert(kind, [again], { db });
    await transaction.commit();
  } catch (failure) {
    await transaction.rollback();
    throw failure;
  }
}

async function buryDead<Kind extends JobKind>(
  boss: PgBoss,
  onDead: (job: DeadJob<Kind>) => Promise<void>,
  polling: Polling,
): Promise<void> {
  const options = { ...polling, includeMetadata: true } as const;
  await boss.work<object, void, typeof options>(DEAD_MERCHANTS, options, async ([job]) => {
    const { firstId: _, ...data } = job!.data as WentBack;
    await onDead({
      data: data as never,
      attempts: (job!.sourceRetryCount ?? 0) + 1,
      reason: reasonIn(job!.sourceOutput),
    });
  });
}

/**
 * Returns the first line of the failure that pg-boss has stored: the handler's error as an object,
 * or its own message when the worker was lost. Returns `null` when there is no message.
 */
function reasonIn(output: JobWithMetadata['sourceOutput']): string | null {
  const { message } = (output ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? message.split('\n')[0]! : null;
}

/**
 * Makes these plans the only ones. A plan that has not changed is not written again, because its
 * row says since when it holds.
 */
async function replan(boss: PgBoss, plans: readonly Plan[]): Promise<void> {
  const standing = new Map(
    (await boss.getSchedules()).map((one) => [`${one.name} ${one.key}`, one]),
  );
  for (const { kind, data, cron, zone } of plans) {
    const key = planKey({ kind, data });
    const known = standing.get(`${kind} ${key}`);
    standing.delete(`${kind} ${key}`);
    if (known?.cron === cron && known.timezone === zone) continue;
    await boss.schedule(kind, cron, data, {
      tz: zone,
      key,
      missed: 'once',
      singletonKey: keyOf({ kind, data }),
    });
  }
  for (const { name, key } of standing.values()) await boss.unschedule(name, key);
}

/** Returns the key of a plan. A zone's name may hold a `+`, which a key may not. */
function planKey(request: JobRequest): string {
  return keyOf(request).replaceAll(/[^\w.\-/]/g, '.');
}

async function stop(
  boss: PgBoss,
  task: {
    readonly names: readonly string[];
    readonly leaving: AbortController;
    readonly graceSeconds: number;
  },
): Promise<void> {
  task.leaving.abort();
  const left = Promise.all(task.names.map((name) => boss.offWork(name, { wait: true })));
  await Promise.race([left, sleep(task.graceSeconds * 1_000, undefined, { ref: false })]);
  // This fails the jobs that are still at work, so that they are tried again elsewhere at once.
  await boss.stop({ graceful: false });
}

/** Counts the jobs of every kind, also of kinds without jobs. */
async function countJobs(store: Store): Promise<readonly QueueDepth<JobKind>[]> {
  const answer = await store.pool.query<QueueDepth<JobKind> & { readonly name: string }>(
    `select name,
      count(*) filter (where state in ('created', 'retry')) as waiting,
      count(*) filter (where state = 'active') as active,
      count(*) filter (where state = 'failed') as failed
    from pgboss.job
    where name = any ($1)
    group by name`,
    [JOB_KINDS],
  );
  const counted = new Map(answer.rows.map((row) => [row.name, row]));
  return JOB_KINDS.map((kind) => {
    const { waiting = 0, active = 0, failed = 0 } = counted.get(kind) ?? {};
    return { kind, waiting, active, failed };
  });
}

interface QueueSettings {
  /** Attempts of a job whose worker dies or whose handler throws. */
  readonly attempts: number;
  /** Seconds without a sign of life after which a job is taken from its worker; at least 10. */
  readonly takeOverSeconds: number;
  /** The longest that one merchant is read. */
  readonly longestMinutes: number;
}

type JobPolicy = NonNullable<Parameters<PgBoss['createQueue']>[1]>;

const DEAD_MERCHANTS = 'merchant-dead';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function policyOf(
  kind: JobKind,
  { attempts, takeOverSeconds, longestMinutes }: QueueSettings,
): JobPolicy {
  const common: JobPolicy = {
    policy: 'exclusive',
    notify: true,
    heartbeatSeconds: takeOverSeconds,
    retryLimit: attempts - 1,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: MINUTE,
    // Only this limit ends a handler that hangs while its process lives.
    expireInSeconds: 6 * HOUR,
    deleteAfterSeconds: 2 * DAY,
    retentionSeconds: 14 * DAY,
  };
  switch (kind) {
    case 'merchant':
      // The handler itself ends a reading that takes too long, but replaying the rows may take
      // longer.
      return {
        ...common,
        expireInSeconds: Math.min(DAY, Math.ceil(3 * longestMinutes * MINUTE) + HOUR),
        deadLetter: DEAD_MERCHANTS,
      };
    // When it is tried again, it only sends a job for each single merchant, and must not be given
    // up before it could.
    case 'merchants':
      return { ...common, retryLimit: 30, retryDelayMax: 5 * MINUTE, expireInSeconds: DAY };
    // A source that does not answer for an hour must delay the night and not cancel it.
    case 'night':
      return { ...common, retryLimit: 30, retryDelay: 5, retryDelayMax: 5 * MINUTE };
    // These jobs need no retry, because their plans send them again.
    case 'overdue':
    case 'watchdog':
      return { ...common, retryLimit: 0, retentionSeconds: HOUR };
    default:
      return common;
  }
}

/**
 * Returns the policy of every queue, by name. A queue that others name as their dead letter comes
 * first.
 */
function policiesOf(settings: QueueSettings): ReadonlyMap<string, JobPolicy> {
  const { deadLetter: _, ...dead } = policyOf('merchant', settings);
  return new Map([
    [DEAD_MERCHANTS, { ...dead, retryLimit: 30, retryDelayMax: 5 * MINUTE }],
    ...JOB_KINDS.map((kind) => [kind, policyOf(kind, settings)] as const),
  ]);
}
