// The queue: jobs in our own PostgreSQL by pg-boss, in a schema of its own beside ours. The only
// importer of pg-boss. Knows nothing of what a job does; each kind has a policy: how often it is
// tried, how soon again, for how long, and when it is taken over. What is queued is counted in the
// table of jobs itself: the figures that pg-boss keeps aside are minutes old.

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
  /** False: only jobs are sent; nothing is worked on, planned or looked after. */
  readonly works: boolean;
  /** Called with trouble with the database and of warnings; holds no secret. */
  readonly log: (event: object) => void;
  /**
   * How soon work that became due is seen without a notification: retries, jobs put off, those
   * given up. By default 2.
   */
  readonly pollSeconds?: number | undefined;
}

const JOBS_PER_STATEMENT = 2_000;

/** Makes the queue's own tables where there are none. */
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
  // Of some errors pg-boss gives a copy of the fields, which may hold rows, and no Error.
  boss.on('error', ({ stack, message }) =>
    log({ event: 'queue failed', failure: stack ?? message }),
  );
  // pg-boss's own way takes the listeners off its connection before it ends it: an error that came
  // in between would end the process.
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
    // What had started of it would keep the process alive for ever.
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

/** The store's own address: a pool hides its password from being spread. */
function connectionOf({ pool }: Store) {
  const { connectionString, host, port, user, database, ssl, password } = pool.options;
  const given = Object.entries({ connectionString, host, port, user, database, ssl, password });
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    schema: 'pgboss',
  };
}

/** How often jobs without a sign of life are looked for. */
function superviseSeconds({ takeOverSeconds }: QueueSettings): number {
  return Math.max(1, Math.min(30, Math.floor(takeOverSeconds / 5)));
}

/** A process that only sends leaves the policies as the workers have them. */
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
 * Each place takes one job after the other, and looks for the next as soon as it is done with one.
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

/** What is kept of a job that went back: the id that it is known by to its handler. */
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
 * The same job, as if it had not been tried. Adds nothing when another worker has taken it over. It
 * goes back under another id: another place may have taken it before this one is through with it,
 * and what is then written of this attempt, by id and number of attempts, must not be written of
 * that one.
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
 * What pg-boss keeps of a failure: the error as an object, or a message of its own when the worker
 * was lost.
 */
function reasonIn(output: JobWithMetadata['sourceOutput']): string | null {
  const { message } = (output ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? message.split('\n')[0]! : null;
}

/** A plan that has not changed is left as it is: its own row says since when it holds. */
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

/** A zone's name may hold a `+`, which a key may not. */
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
  // What is still at work is failed by this, and so tried again elsewhere at once.
  await boss.stop({ graceful: false });
}

/** Every kind, also those that have none. */
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
    // A handler that hangs while its process lives is given up only then.
    expireInSeconds: 6 * HOUR,
    deleteAfterSeconds: 2 * DAY,
    retentionSeconds: 14 * DAY,
  };
  switch (kind) {
    case 'merchant':
      // Reading is cut off by the handler itself; replaying what was read may take longer.
      return {
        ...common,
        expireInSeconds: Math.min(DAY, Math.ceil(3 * longestMinutes * MINUTE) + HOUR),
        deadLetter: DEAD_MERCHANTS,
      };
    // Taken up again it hands out single merchants alone, and must not be given up before it could.
    case 'merchants':
      return { ...common, retryLimit: 30, retryDelayMax: 5 * MINUTE, expireInSeconds: DAY };
    // A source that is away for an hour delays the night, and does not cancel it.
    case 'night':
      return { ...common, retryLimit: 30, retryDelay: 5, retryDelayMax: 5 * MINUTE };
    // They come again by themselves.
    case 'overdue':
    case 'watchdog':
      return { ...common, retryLimit: 0, retentionSeconds: HOUR };
    default:
      return common;
  }
}

/** Every queue by name with its policy, those first that others name. */
function policiesOf(settings: QueueSettings): ReadonlyMap<string, JobPolicy> {
  const { deadLetter: _, ...dead } = policyOf('merchant', settings);
  return new Map([
    [DEAD_MERCHANTS, { ...dead, retryLimit: 30, retryDelayMax: 5 * MINUTE }],
    ...JOB_KINDS.map((kind) => [kind, policyOf(kind, settings)] as const),
  ]);
}
