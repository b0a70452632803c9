// Starts the worker of the nightly service: each kind of job with its handler, and the outbox that
// is sent beside them.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { DAY, MINUTE } from '../../core/domain/instant.ts';
import { NO_MEASURES, NO_TRACING } from '../../core/domain/measures.ts';
import { parsePeriod } from '../../core/domain/period.ts';
import { HTTP_DEFAULTS } from '../../io/sources/http/http-settings.ts';
import { isConnectionFailure } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { toleranceOf, zoneFor } from '../config/for-merchant.ts';
import { ENGINE } from '../engine.ts';
import { lastPlanned, plannedBetween } from '../queue/planned-instants.ts';
import { startWorker, type Worker } from '../worker/start-worker.ts';
import { runOutbox } from '../workflows/deliveries/deliver-due.ts';
import { recordRun, recordStatement } from '../workflows/evidence/record-evidence.ts';
import {
  type Handlers,
  type Job,
  type JobKind,
  type Purpose,
  purposeOf,
  type WorkQueue,
} from '../workflows/jobs.ts';
import {
  askForMonthsIn,
  askForMonthsOf,
  type EndedMonthsTask,
} from '../workflows/month/ended-months.ts';
import { publishStatements } from '../workflows/month/publish-statement.ts';
import type { ReportRecord } from '../workflows/month/read-reports.ts';
import { repositoryOfMirror } from '../workflows/month/write-statements.ts';
import {
  giveUpMerchant,
  mostTogether,
  type NightTask,
  type Room,
  runNight,
  workOnMerchant,
  workOnMerchants,
} from '../workflows/nightly/run-night.ts';
import { watchNights } from '../workflows/nightly/watch-nights.ts';
import { sendUnfinishedAudits } from '../workflows/operators/run-audit.ts';
import { loadRun, type RunRecord } from '../workflows/operators/runs-and-merchants.ts';
import { requireCanary } from './canary.ts';
import { evidenceOf } from './evidence.ts';
import { judgingOf } from './open-configured.ts';
import { nightPlan, overdueHandler, refreshHandler } from './plans.ts';
import { comparingOf, publishingOf, rereadingOf } from './publishing.ts';
import { listenForProbes, observeHandlers, type Service } from './service.ts';

/**
 * Starts a worker for every kind of job, or for those of `purpose` alone. The caller must stop it
 * before the service is closed.
 */
export async function startServiceWorker(
  service: Service,
  purpose: Purpose | null = null,
): Promise<Worker> {
  const { queue, configuration, runtime, metrics } = service;
  const night = nightTaskOf(service);
  const probes = await listenForProbes(configuration, { ...service, ...runtime });
  const started = await startWorker({
    queue,
    handlers: observeHandlers(handlersFor(purpose, handlersOf(service, night)), {
      tracing: night.tracing ?? NO_TRACING,
      measures: metrics?.measures ?? NO_MEASURES,
    }),
    onDeadMerchant: (job) => giveUpMerchant(night, job),
    atOnce: {
      merchant: configuration.worker.concurrency,
      refresh: configuration.worker.concurrency,
      merchants:
        service.source.openTogether === undefined
          ? configuration.worker.concurrency
          : GROUPS_AT_ONCE,
    },
    loops: [(signal) => runOutbox(service.outbox, signal)],
    log: runtime.log,
  }).catch(async (failure: unknown) => {
    await probes.close();
    throw failure;
  });
  return {
    stop: async (graceSeconds) => {
      probes.leave();
      await started.stop(graceSeconds);
      await probes.close();
    },
  };
}

export function nightTaskOf(service: Service): NightTask {
  const { configuration, runtime, store, source, published, queue, announcements, metrics } =
    service;
  return {
    tracing: runtime.tracing ?? NO_TRACING,
    measures: metrics?.measures ?? NO_MEASURES,
    store,
    patientStore: { ...store, patience: PATIENCE },
    source,
    published,
    announcements,
    compareIssued: comparingOf(configuration, store, { ...runtime, published }),
    engine: ENGINE,
    clock: runtime.clock,
    optionsFor: (merchant, asOf) =>
      judgingOf(configuration, merchant, { asOf, stateless: source.isStateless(merchant) }),
    rotation: { nights: configuration.history.nights, random: runtime.random },
    jobs: queue,
    room: roomFor(configuration.worker.concurrency),
    longest: configuration.worker.longestMinutes * MINUTE,
    secondRound: {
      after: pauseOf(configuration),
      within: configuration.worker.watchdog.longestMinutes * MINUTE,
    },
    log: runtime.log,
    afterMerchants: (merchants) => askForMonthsOf(endedMonthsOf(service), merchants),
    afterNight: (runId) => recordRun(evidenceOf(configuration, store, runtime), runId),
  };
}

/**
 * Returns the milliseconds after which a place that is down is tried again: a minute, or less where
 * the configured retries take less.
 */
function pauseOf({ http }: Configuration): number {
  const { attempts, longestDelay } = { ...HTTP_DEFAULTS.retries, ...http.retries };
  return Math.min((attempts ?? 0) * (longestDelay ?? 0), MINUTE);
}

function endedMonthsOf({ configuration, runtime, store, queue, source }: Service): EndedMonthsTask {
  return {
    store,
    jobs: queue,
    zoneFor: (merchant) => zoneFor(configuration, merchant),
    graceFor: (merchant) => (source.isStateless(merchant) ? 0 : toleranceOf(configuration).grace),
    now: runtime.clock(),
  };
}

function handlersOf(service: Service, night: NightTask): Handlers {
  const { configuration, runtime } = service;
  const plan = nightPlan(configuration);
  const { log } = runtime;
  return {
    night: async ({ id }) => {
      requireCanary(configuration, night.measures);
      await runNight(night, { jobId: id, plannedFor: lastPlanned(plan, runtime.clock()) });
    },
    merchants: (job) => workOnMerchants(night, job),
    merchant: (job) => workOnMerchant(night, job),
    'month-start': async ({ data: { zone } }) => {
      const merchants = await askForMonthsIn(endedMonthsOf(service), zone);
      log({ event: 'month started', zone, merchants });
    },
    statement: statementHandler(service),
    audit: async (job) => (await import('./auditing.ts')).auditHandler(service)(job),
    refresh: refreshHandler(service),
    overdue: overdueHandler(service),
    watchdog: watchdogHandler(service, night),
  };
}

function handlersFor(purpose: Purpose | null, handlers: Handlers): Handlers {
  if (purpose === null) return handlers;
  return Object.fromEntries(
    Object.entries(handlers).filter(([kind]) => purposeOf(kind as JobKind) === purpose),
  );
}

function statementHandler({
  configuration,
  runtime,
  store,
  source,
  published,
  announcements,
}: Service) {
  const onIssued = (report: ReportRecord) =>
    recordStatement(evidenceOf(configuration, store, runtime), report);
  const taskFor = publishingOf(configuration, store, {
    ...runtime,
    published,
    announcements,
    onIssued,
  });
  const reread = rereadingOf(configuration, { store, source, clock: runtime.clock });
  return async ({ data: { merchant, period } }: Job<'statement'>): Promise<void> => {
    const month = parsePeriod(period)!;
    const unread = await reread(merchant, month);
    // A refusal does not fail the job: the month is tried again after the next night, not at once.
    // A database out of reach does, because the queue tries it again within minutes.
    let lost: unknown = null;
    const stating = taskFor(month);
    const onFailure = (whose: string, failure: unknown): void => {
      if (isConnectionFailure(failure)) lost = failure;
      stating.onFailure(whose, failure);
    };
    const task = { ...stating, onFailure, repository: repositoryOfMirror(store, unread) };
    const [outcome] = await publishStatements(task, [merchant]);
    if (lost !== null) throw lost;
    const stated =
      'refused' in outcome!
        ? { status: 'REFUSED', why: outcome.refused }
        : {
            status: outcome!.report.status,
            revision: outcome!.report.revision,
            why: outcome!.report.error,
          };
    runtime.log({ event: 'month stated', merchant, period, ...stated });
  };
}

/** Logs each problem once per process. Whether a problem was announced is known to the outbox. */
function watchdogHandler({ configuration, runtime, queue }: Service, night: NightTask) {
  const logged = new Set<string>();
  const plan = nightPlan(configuration);
  const { lateMinutes, longestMinutes } = configuration.worker.watchdog;
  const settings = {
    late: lateMinutes * MINUTE,
    longest: longestMinutes * MINUTE,
    lookBack: 2 * DAY,
  };
  return async (): Promise<void> => {
    await sendUnfinishedAudits(night.store, queue);
    const problems = await watchNights({
      ...night,
      settings,
      dueBetween: (bounds) => plannedBetween(plan, bounds),
      plannedSince: await queue.plannedSince(plan),
      queued: await countQueued(night, queue),
    });
    for (const problem of problems) {
      const key = `${problem.kind}/${problem.night}`;
      if (!logged.has(key)) runtime.log({ event: 'night problem', ...problem });
      logged.add(key);
    }
  };
}

/**
 * Milliseconds for which a joined query waits for late merchants, because replays that begin
 * together do not end together.
 */
const PATIENCE = 10;
/**
 * Groups of merchants that are worked on at once. While one waits for its answers, the other is
 * worked on.
 */
const GROUPS_AT_ONCE = 2;

function roomFor(places: number): Room {
  const limit = pLimit(places);
  return { places, use: (work) => limit(work) };
}

/** Returns how many merchants are queued or at work, at most. */
async function countQueued(night: NightTask, queue: WorkQueue): Promise<number> {
  const counts = new Map(
    (await queue.depths()).map(({ kind, waiting, active }) => [kind, waiting + active]),
  );
  return (counts.get('merchant') ?? 0) + (counts.get('merchants') ?? 0) * mostTogether(night);
}

/** Milliseconds between two questions whether a night has ended. */
const POLL_EVERY = 100;

/** The kinds of job that a night is made of: its merchants, and the months that it asks for. */
export const OF_NIGHTS: ReadonlySet<JobKind> = new Set([
  'night',
  'merchants',
  'merchant',
  'statement',
]);

export async function isIdle({ queue }: Service, kinds: ReadonlySet<JobKind>): Promise<boolean> {
  const depths = await queue.depths();
  return depths.every(({ kind, waiting, active }) => !kinds.has(kind) || waiting + active === 0);
}

/** Begins a night, and waits until a worker has ended it. */
export async function workNight(service: Service): Promise<RunRecord> {
  const runId = await runNight(nightTaskOf(service), { jobId: randomUUID(), plannedFor: null });
  for (;;) {
    const run = await loadRun(service.store, runId);
    if (run !== null && run.finishedAt !== null) return run;
    await sleep(POLL_EVERY);
  }
}
