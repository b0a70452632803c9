// Joins the nightly service: the store, the source, the queue, what each kind of job does, and what runs beside them.

import type { Clock } from '../clock.ts';
import { judgingOf, openConfiguredDashboard, openConfiguredSource, openConfiguredStore } from '../compose.ts';
import { type Configuration, ConfigurationInvalid } from '../config.ts';
import { MINUTE } from '../domain/instant.ts';
import { ENGINE } from '../engine.ts';
import { openQueue } from '../queue/open-queue.ts';
import { lastPlanned } from '../queue/planned-instants.ts';
import type { Source } from '../sources/source.ts';
import type { Store } from '../storage/open-store.ts';
import { type Loop, startWorker, type Worker } from '../worker/start-worker.ts';
import { type Announcements, NOTHING_ANNOUNCED } from '../workflows/announcements.ts';
import type { Published } from '../workflows/compare-published.ts';
import type { Handlers, Plan, WorkQueue } from '../workflows/jobs.ts';
import { giveUpMerchant, type NightTask, runNight, workOnMerchant } from '../workflows/run-night.ts';

export interface ServiceSurroundings {
  readonly clock: Clock;
  readonly random: () => number;
  /** Told what happens, with the ids of runs and merchants; holds no secret. */
  readonly log: (event: object) => void;
}

/** What the service is made of; opened and closed by `withService`. */
export interface Service {
  readonly configuration: Configuration;
  readonly surroundings: ServiceSurroundings;
  readonly store: Store;
  readonly source: Source;
  readonly published: Published | null;
  readonly queue: WorkQueue;
  readonly announcements: Announcements;
}

/** Opens everything that the configuration names, and closes it when `use` has ended. Plans nothing, works on nothing. */
export async function withService<T>(
  configuration: Configuration,
  surroundings: ServiceSurroundings,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const uri = configuration.source;
  if (uri === undefined)
    throw new ConfigurationInvalid(
      'There is nothing to run: give --source, for example --source https://api.example/v1.',
    );
  const source = await openConfiguredSource(configuration, uri, surroundings);
  const published = openConfiguredDashboard(configuration, uri, surroundings);
  try {
    const store = await openConfiguredStore(configuration);
    try {
      const { attempts, takeOverSeconds, longestMinutes } = configuration.worker;
      const settings = { attempts, takeOverSeconds, longestMinutes };
      const queue = await openQueue({ store, settings, works: true, log: surroundings.log });
      try {
        const announcements = NOTHING_ANNOUNCED;
        return await use({ configuration, surroundings, store, source, published, queue, announcements });
      } finally {
        await queue.stop(0);
      }
    } finally {
      await store.close();
    }
  } finally {
    await published?.dashboard.close();
    await source.close();
  }
}

/** Takes on every kind of job. Stop it before the service is closed. */
export function startServiceWorker(service: Service): Promise<Worker> {
  const { queue, configuration, surroundings } = service;
  const night = nightTaskOf(service);
  return startWorker({
    queue,
    handlers: handlersOf(service, night),
    onDeadMerchant: (job) => giveUpMerchant(night, job),
    atOnce: { merchant: configuration.worker.concurrency },
    loops: loopsOf(service),
    log: surroundings.log,
  });
}

export function nightTaskOf(service: Service): NightTask {
  const { configuration, surroundings, store, source, published, queue, announcements } = service;
  return {
    store,
    source,
    published,
    announcements,
    engine: ENGINE,
    clock: surroundings.clock,
    optionsFor: (merchant, asOf) => judgingOf(configuration, merchant, { asOf, stateless: source.stateless }),
    jobs: queue,
    longest: configuration.worker.longestMinutes * MINUTE,
    log: surroundings.log,
    afterMerchant: async () => {},
  };
}

function handlersOf({ configuration, surroundings }: Service, night: NightTask): Handlers {
  const plan = nightPlan(configuration);
  return {
    night: async ({ id }) => {
      await runNight(night, { jobId: id, plannedFor: lastPlanned(plan, surroundings.clock()) });
    },
    merchant: (job) => workOnMerchant(night, job),
  };
}

function loopsOf(_: Service): readonly Loop[] {
  return [];
}

/** When everything is to happen. */
export function plansOf(configuration: Configuration): readonly Plan[] {
  return [nightPlan(configuration)];
}

function nightPlan({ worker }: Configuration): Plan<'night'> {
  return { kind: 'night', data: {}, cron: worker.night.cron, zone: worker.night.zone };
}
