// Traces where the configuration names a collector, and none where it does not: then nothing of them is loaded.

import { NO_TRACING, type Tracing } from '../../core/domain/measures.ts';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ENGINE } from '../engine.ts';

export interface ConfiguredTracing {
  readonly tracing: Tracing;
  /** Sends what is left, for a few seconds at most. Never fails. */
  close(): Promise<void>;
}

export async function openConfiguredTracing(
  configuration: Configuration,
  surroundings: {
    /** `worker`, `serve`, `run`. */
    readonly role: string;
    readonly clock: Clock;
    readonly log: (event: object) => void;
    /** A text without secrets. */
    readonly conceal: (text: string) => string;
  },
): Promise<ConfiguredTracing> {
  const { tracesUrl: url } = configuration.telemetry;
  if (url === undefined) return { tracing: NO_TRACING, close: async () => {} };
  const { openTracing } = await import('../telemetry/open-tracing.ts');
  const { role, clock, log, conceal } = surroundings;
  const tracing = openTracing({ url, role, clock, log, conceal, version: ENGINE.replace(/^\S+ /, '') });
  return { tracing, close: tracing.close };
}
