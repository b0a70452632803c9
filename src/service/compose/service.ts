// Opens what the nightly service is made of: the store, the source, the queue, and what announces things to others.

import { NO_TRACING, type Tracing } from '../../core/domain/measures.ts';
import type { Source } from '../../io/sources/source.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { openQueue } from '../queue/open-queue.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Announcements } from '../workflows/announcements.ts';
import type { Published } from '../workflows/audit/compare-published.ts';
import type { OutboxTask } from '../workflows/deliveries/deliver-due.ts';
import type { WorkQueue } from '../workflows/jobs.ts';
import { announcementsOf } from './delivering.ts';
import { observeOutbox } from './observed-work.ts';
import { openConfiguredDashboard, openConfiguredStore } from './open-configured.ts';
import { openServiceMetrics } from './service-telemetry.ts';
import { requireConfiguredSources } from './sources.ts';

export interface ServiceSurroundings {
  readonly clock: Clock;
  readonly random: () => number;
  /** Called with what happens, with the ids of runs and merchants; holds no secret. */
  readonly log: (event: object) => void;
  /** See `QueueTask`. */
  readonly pollSeconds?: number;
  /** Absent: nobody follows the work. */
  readonly tracing?: Tracing;
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
  readonly metrics: Metrics;
  readonly outbox: OutboxTask;
}

/** Opens everything that the configuration names, and closes it when `use` has ended. Plans nothing, works on nothing. */
export async function withService<T>(
  configuration: Configuration,
  surroundings: ServiceSurroundings,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const source = await requireConfiguredSources(configuration, surroundings);
  const published = await openConfiguredDashboard(configuration, configuration.source, surroundings);
  try {
    const store = await openConfiguredStore(configuration);
    try {
      const { attempts, takeOverSeconds, longestMinutes } = configuration.worker;
      const settings = { attempts, takeOverSeconds, longestMinutes };
      const { log, pollSeconds } = surroundings;
      const queue = await openQueue({ store, settings, works: true, log, pollSeconds });
      try {
        const announcements = announcementsOf(configuration, true);
        const metrics = openServiceMetrics({ store, queue, ...surroundings });
        // Loaded when it is needed: no other command should wait for a mail library.
        const { outboxOf } = await import('./outbox.ts');
        const observers = { tracing: surroundings.tracing ?? NO_TRACING, measures: metrics.measures };
        const outbox = observeOutbox(outboxOf(configuration, store, surroundings), observers);
        const opened = { store, source, published, queue, announcements, metrics, outbox };
        return await use({ configuration, surroundings, ...opened });
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
