// Joins what a process that stays reports of itself: metrics of the process, the store and the queue, and the small port that
// a worker answers probes and scrapes on.

import type { QueueDepth } from '../../core/domain/service-figures.ts';
import { loadServiceFigures } from '../../io/storage/operators/service-figures.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ENGINE } from '../engine.ts';
import { type Metrics, openMetrics } from '../telemetry/metrics.ts';
import { startTelemetryServer } from '../telemetry/start-telemetry-server.ts';
import { obstaclesIn } from './readiness.ts';

export interface MetricsParts {
  readonly store: Store;
  /** Null: this process knows of no queue. */
  readonly queue: { depths(): Promise<readonly QueueDepth[]> } | null;
  readonly clock: Clock;
  readonly log: (event: object) => void;
}

export function openServiceMetrics({ store, queue, clock, log }: MetricsParts): Metrics {
  const source = { service: () => loadServiceFigures(store), queue: queue === null ? null : () => queue.depths() };
  return openMetrics({ source, clock, log, version: ENGINE.replace(/^\S+ /, '') });
}

export interface Listening {
  /** From now on the process is not ready, and says why. */
  leave(): void;
  close(): Promise<void>;
}

/** Answers at `telemetry.port`; where none is configured, nobody listens. Throws when the port cannot be had. */
export async function listenForProbes(
  { telemetry: { host, port } }: Configuration,
  { store, metrics, log }: { readonly store: Store; readonly metrics: Metrics; readonly log: (event: object) => void },
): Promise<Listening> {
  let isLeaving = false;
  const leave = (): void => {
    isLeaving = true;
  };
  if (port === undefined) return { leave, close: async () => {} };
  const obstacles = async () => (isLeaving ? ['it is stopping'] : obstaclesIn(store));
  const server = await startTelemetryServer({ host, port, obstacles, metrics });
  log({ event: 'telemetry', origin: server.origin });
  return { leave, close: server.close };
}
