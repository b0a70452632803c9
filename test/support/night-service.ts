// The nightly service over a test service of the direct API, on a database of its own, with what
// its last night left.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../../src/core/domain/instant.ts';
import type { Runtime } from '../../src/service/compose/open-configured.ts';
import { type Service, withService } from '../../src/service/compose/service.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import {
  loadRun,
  type RunRecord,
} from '../../src/service/workflows/operators/runs-and-merchants.ts';
import { credentialsOf, type HttpService } from './http-service.ts';

export interface NightSettings {
  readonly databaseUrl: string;
  readonly worker?: object;
  readonly rest?: object;
  readonly clock?: () => Instant;
  readonly log?: (event: object) => void;
}

/** Returns the configuration that a night over this service needs. */
function nightConfiguration(service: HttpService, settings: NightSettings): object {
  return {
    databaseUrl: settings.databaseUrl,
    source: service.baseUrl,
    merchants: Object.fromEntries(
      Object.keys(service.books).map((name) => [name, credentialsOf(name)]),
    ),
    http: { retries: { attempts: 2, firstDelay: 2, longestDelay: 10, longestRetryAfter: 50 } },
    worker: settings.worker ?? {},
    ...settings.rest,
  };
}

export async function withNightService<T>(
  service: HttpService,
  settings: NightSettings,
  use: (service: Service) => Promise<T>,
): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-night-'));
  try {
    const config = join(scratch, 'pointage.config.json');
    writeFileSync(config, JSON.stringify(nightConfiguration(service, settings)));
    const runtime: Runtime = {
      clock: settings.clock ?? Date.now,
      random: () => 0.5,
      pollSeconds: 0.5,
      log: settings.log ?? (() => {}),
    };
    return await withService(await loadConfiguration({ config }, {}), runtime, use);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Waits until the run has finished, and returns it. */
export async function ended(service: Pick<Service, 'store'>, runId: number): Promise<RunRecord> {
  for (;;) {
    const run = await loadRun(service.store, runId);
    if (run !== null && run.finishedAt !== null) return run;
    await sleep(50);
  }
}
