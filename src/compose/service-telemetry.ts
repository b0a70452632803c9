// Joins what a service tells of itself: metrics of the process, the store and the queue, and traces where a collector is
// configured. Loaded only by commands that stay.

import type { Clock } from '../clock.ts';
import type { Configuration } from '../config.ts';
import type { QueueDepth } from '../domain/service-figures.ts';
import { NO_TRACING, type Tracing } from '../domain/tracing.ts';
import { ENGINE } from '../engine.ts';
import type { Store } from '../storage/open-store.ts';
import { loadServiceFigures } from '../storage/service-figures.ts';
import { type Metrics, openMetrics } from '../telemetry/metrics.ts';
import { startTelemetryServer, type TelemetryServer } from '../telemetry/start-telemetry-server.ts';
import { obstaclesIn } from './readiness.ts';

export interface ServiceTelemetry {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Answers probes and scrapes at `telemetry.port`; null where none is configured. */
  listen(isStopping: () => boolean): Promise<TelemetryServer | null>;
  /** Sends what is left of traces, for a few seconds at most. Never fails. */
  close(): Promise<void>;
}

export interface TelemetryParts {
  readonly role: 'worker' | 'serve';
  readonly store: Store;
  /** Null: this process knows of no queue. */
  readonly queue: (() => Promise<readonly QueueDepth[]>) | null;
  readonly clock: Clock;
  readonly log: (event: object) => void;
  /** A text without secrets. */
  readonly conceal: (text: string) => string;
}

const VERSION = ENGINE.replace(/^\S+ /, '');

export async function openServiceTelemetry(
  configuration: Configuration,
  { role, store, queue, clock, log, conceal }: TelemetryParts,
): Promise<ServiceTelemetry> {
  const { tracesUrl, host, port } = configuration.telemetry;
  const service = () => loadServiceFigures(store);
  const metrics = openMetrics({ source: { service, queue }, clock, version: VERSION, log });
  const spans =
    tracesUrl === undefined
      ? null
      : // Loaded where it is wanted: it is ten times the size of all the rest of telemetry.
        (await import('../telemetry/open-tracing.ts')).openTracing({
          ...{ url: tracesUrl, role, version: VERSION },
          ...{ conceal, log, clock },
        });
  return {
    metrics,
    tracing: spans ?? NO_TRACING,
    listen: async (isStopping) => {
      if (port === undefined) return null;
      const obstacles = async () => (isStopping() ? ['it is stopping'] : obstaclesIn(store));
      const server = await startTelemetryServer({ host, port, obstacles, metrics });
      log({ event: 'telemetry', origin: server.origin });
      return server;
    },
    close: async () => {
      metrics.close();
      await spans?.close();
    },
  };
}
