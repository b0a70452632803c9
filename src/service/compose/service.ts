// Opens what the nightly service is made of: the store, the source, the queue, what announces
// things to others, and what the process reports of itself. Each job and each delivery is a span;
// durations of jobs and attempts to deliver are measured.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryChannel } from '../../core/domain/delivery/delivery-channel.ts';
import {
  type Measures,
  NO_MEASURES,
  NO_TRACING,
  type QueueDepth,
  type Tracing,
} from '../../core/domain/measures.ts';
import type { Source } from '../../io/sources/port/source.ts';
import { knowsMerchant } from '../../io/storage/merchants/merchants.ts';
import { loadServiceFigures } from '../../io/storage/operators/service-figures.ts';
import { grantRoles, type RoleRights } from '../../io/storage/server/grant-roles.ts';
import { storeOfMerchant, storeOfOperators } from '../../io/storage/server/merchant-store.ts';
import { describeMigrations } from '../../io/storage/server/migrate.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { VERSION } from '../engine.ts';
import { openQueue, type QueueTask } from '../queue/open-queue.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Announcements } from '../workflows/announcements.ts';
import type { Published } from '../workflows/audit/compare-published.ts';
import { closedBy } from '../workflows/closable.ts';
import type { OutboxTask } from '../workflows/deliveries/deliver-due.ts';
import {
  type Handler,
  type Handlers,
  type Job,
  type JobData,
  type JobKind,
  type Jobs,
  PutBack,
  type WorkQueue,
} from '../workflows/jobs.ts';
import {
  type NotificationInbox,
  takeSignal,
  takeSigned,
} from '../workflows/notifications/receive-notification.ts';
import { announcementsOf } from './delivering.ts';
import {
  openConfiguredDashboard,
  openConfiguredSources,
  openConfiguredStore,
  type Runtime,
} from './open-configured.ts';

export type { RoleRights };

/** What the service is made of; opened and closed by `withService`. */
export interface Service {
  readonly configuration: Configuration;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly source: Source;
  readonly published: Published | null;
  readonly queue: WorkQueue;
  readonly announcements: Announcements;
  /** `null` where the configuration names no telemetry port. */
  readonly metrics: Metrics | null;
  readonly outbox: OutboxTask;
}

/**
 * Opens everything that the configuration names, and closes it when `use` has ended. Plans nothing,
 * works on nothing.
 */
export async function withService<T>(
  configuration: Configuration,
  runtime: Runtime,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  await using source = await openConfiguredSources(configuration, runtime);
  await using published = await openConfiguredDashboard(
    configuration,
    configuration.source,
    runtime,
  );
  await using store = await openConfiguredStore(configuration);
  await using queue = await openConfiguredQueue(configuration, { ...runtime, store, works: true });
  const announcements = announcementsOf(configuration, true);
  const isAsked = configuration.telemetry.port !== undefined;
  const metrics = isAsked ? await openServiceMetrics({ store, queue, ...runtime }) : null;
  // Loaded when it is needed: no other command should wait for a mail library.
  const { outboxOf } = await import('./outbox.ts');
  const observers = {
    tracing: runtime.tracing ?? NO_TRACING,
    measures: metrics?.measures ?? NO_MEASURES,
  };
  const outbox = observeOutbox(await outboxOf(configuration, store, runtime), observers);
  return await use({
    configuration,
    runtime,
    store,
    source,
    published,
    queue,
    announcements,
    metrics,
    outbox,
  });
}

/** Opens the queue. `works` must be `false` where jobs are only sent. */
export async function openConfiguredQueue(
  { worker: settings }: Configuration,
  task: Omit<QueueTask, 'settings'>,
): Promise<WorkQueue & AsyncDisposable> {
  const queue = await openQueue({ ...task, settings });
  return closedBy(queue, () => queue.stop(0));
}

/**
 * Gives the database roles their rights. Makes the queue's tables first, because the roles may make
 * none. Throws `StoreFailed` (ROLES_REFUSED).
 */
export async function giveRoles(
  configuration: Configuration,
  { store, log }: Pick<QueueTask, 'store' | 'log'>,
): Promise<readonly RoleRights[]> {
  await using _queue = await openConfiguredQueue(configuration, { store, log, works: false });
  return await grantRoles(store);
}

interface MetricsParts extends Pick<Runtime, 'clock' | 'log'> {
  readonly store: Store;
  /** `null` where this process opens no queue. */
  readonly queue: { depths(): Promise<readonly QueueDepth[]> } | null;
}

export async function openServiceMetrics({
  store,
  queue,
  clock,
  log,
}: MetricsParts): Promise<Metrics> {
  const { openMetrics } = await import('../telemetry/metrics.ts');
  const figures = storeOfOperators(store);
  const source = {
    service: () => loadServiceFigures(figures, clock()),
    queue: queue === null ? null : () => queue.depths(),
  };
  return openMetrics({ source, clock, log, version: VERSION });
}

/** Answers at `telemetry.port`, where it is configured. Throws when the port cannot be had. */
export async function listenForProbes(
  { telemetry: { host, port } }: Configuration,
  { store, metrics, log }: Pick<Service, 'store' | 'metrics'> & Pick<Runtime, 'log'>,
) {
  let isLeaving = false;
  /** From now on the process is not ready, and says why. */
  const leave = (): void => {
    isLeaving = true;
  };
  if (port === undefined || metrics === null) return { leave, close: async () => {} };
  const obstacles = async () => (isLeaving ? ['it is stopping'] : obstaclesIn(store));
  const { startTelemetryServer } = await import('../telemetry/start-telemetry-server.ts');
  const server = await startTelemetryServer({ host, port, obstacles, metrics });
  log({ event: 'telemetry', origin: server.origin });
  return { leave, close: server.close };
}

/** Milliseconds; a probe that is not answered by then counts as failed anyway. */
const PATIENCE = 3_000;

/**
 * Returns what keeps the process from being ready, each obstacle in a few words; empty if nothing
 * does. Never fails.
 */
export async function obstaclesIn(store: Store): Promise<readonly string[]> {
  const late = sleep(PATIENCE, ['the database does not answer in time'], { ref: false });
  const asked = describeMigrations(store).then(
    ({ pending }) => (pending.length === 0 ? [] : ['the schema of the database is not up to date']),
    () => ['the database does not answer'],
  );
  return Promise.race([asked, late]);
}

interface Observers {
  readonly tracing: Tracing;
  readonly measures: Measures;
}

export function observeHandlers(handlers: Handlers, observers: Observers): Handlers {
  const kinds = Object.keys(handlers) as JobKind[];
  return Object.fromEntries(
    kinds.map((kind) => [kind, observe(kind, handlers[kind] as Handler<JobKind>, observers)]),
  );
}

function observe(
  kind: JobKind,
  handler: Handler<JobKind>,
  { tracing, measures }: Observers,
): Handler<JobKind> {
  return async (job: Job<JobKind>) => {
    const begun = performance.now();
    const end = (outcome: 'done' | 'failed'): void =>
      measures.jobEnded({ kind, outcome, milliseconds: performance.now() - begun });
    try {
      await tracing.span(
        `job ${kind}`,
        { jobId: job.id, attempt: job.attempt, ...countedIn(job.data) },
        () => handler(job),
      );
      end('done');
    } catch (failure) {
      // A job that is put back (requeued) has neither been done nor failed.
      if (!(failure instanceof PutBack)) end('failed');
      throw failure;
    }
  };
}

/** Returns the data of a job for a span: texts as they are, and of each list its length. */
function countedIn(data: JobData[JobKind]): Readonly<Record<string, string | number>> {
  const named = Object.entries(data) as [string, string | readonly string[]][];
  return Object.fromEntries(
    named.map(([name, value]) => [name, typeof value === 'string' ? value : value.length]),
  );
}

function observeOutbox(outbox: OutboxTask, { tracing, measures }: Observers): OutboxTask {
  return {
    ...outbox,
    channels: outbox.channels.map((channel) => observeChannel(channel, tracing)),
    onAttempt: (attempt) => {
      if (attempt.count > 0) measures.deliveryTried(attempt);
      outbox.onAttempt(attempt);
    },
  };
}

/**
 * Traces each delivery. The span does not say to whom it goes, because addresses stay in the store.
 */
function observeChannel(channel: DeliveryChannel, tracing: Tracing): DeliveryChannel {
  const { name } = channel;
  return {
    ...channel,
    open: async () => {
      const session = await channel.open();
      return {
        ...session,
        send: (parcel) => {
          const about = { channel: name, deliveryId: parcel.id, topic: parcel.content.topic };
          return tracing.span('delivery', about, async (note) => {
            const sent = await session.send(parcel);
            note({ outcome: sent.outcome });
            return sent;
          });
        },
      };
    },
  };
}

/**
 * Returns the inbox of notifications. A merchant is known if it has settings or a mirror. Its
 * secret is in its settings, so that it is found without the database.
 */
export function inboxOf(
  configuration: Configuration,
  store: Store,
  { jobs, clock, log }: Pick<Runtime, 'clock' | 'log'> & { readonly jobs: Jobs },
): NotificationInbox {
  const { merchants, server } = configuration;
  // A name like `constructor` is no setting.
  const settingsOf = (merchant: string) =>
    Object.hasOwn(merchants, merchant) ? merchants[merchant] : undefined;
  const isKnown = async (merchant: string) =>
    settingsOf(merchant) !== undefined ||
    (await knowsMerchant(storeOfMerchant(store, merchant), merchant));
  return {
    secretsOf: async (merchant) => {
      const secrets = settingsOf(merchant)?.notifications;
      return secrets ?? ((await isKnown(merchant)) ? 'no secret' : 'unknown merchant');
    },
    takeSigned: (notification) => takeSigned({ store, jobs }, notification),
    takeSignal: (signal) => takeSignal({ store, jobs, isKnown }, signal),
    clock,
    log,
    maxSignedBytes: server.maxNotificationBytes,
    maxUnsignedBytes: server.maxBodyBytes,
  };
}
