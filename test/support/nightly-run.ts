// A nightly run over a test service, on a store, as the command makes it. It is always as of the
// same evening.

import { type Instant, MINUTE, parseInstant } from '../../src/core/domain/instant.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import type { MerchantOutcome } from '../../src/service/workflows/nightly/merchant-task.ts';
import {
  type RunOutcome,
  type RunTask,
  runMerchants,
} from '../../src/service/workflows/nightly/run-merchants.ts';
import { openSource } from './http-reader.ts';
import type { HttpService } from './http-service.ts';

export const EVENING: Instant = parseInstant('2026-11-02T22:00:00.000Z')!;
export const RUN_ENGINE = 'pointage 0.0.0-test';
export const JUDGED = {
  asOf: EVENING,
  grace: 10 * MINUTE,
  clockTolerance: 5 * MINUTE,
  pinned: {},
  opening: null,
};

export async function runOver(
  store: Store,
  service: HttpService,
  settings: Parameters<typeof openSource>[1] = {},
  more: Partial<RunTask> = {},
): Promise<RunOutcome> {
  service.clockOffset = EVENING - Date.now();
  const source = openSource(service, settings);
  try {
    return await runSource(store, source, more);
  } finally {
    await source.close();
  }
}

export function runSource(
  store: Store,
  source: Source,
  more: Partial<RunTask> = {},
): Promise<RunOutcome> {
  return runMerchants({
    store,
    source,
    engine: RUN_ENGINE,
    clock: () => EVENING,
    merchants: [],
    optionsFor: (_, asOf) => ({ ...JUDGED, asOf }),
    onMerchant: () => () => {},
    ...more,
  });
}

export function outcomeOf(run: RunOutcome, merchant: string): MerchantOutcome {
  const found = run.merchants.find(({ report }) => report.merchant === merchant);
  if (found === undefined) throw new Error(`the run did not reach ${merchant}`);
  return found;
}

/** Returns the kinds of findings, in the report's order. */
export function kindsIn({ report }: MerchantOutcome): readonly string[] {
  return report.findings.map((finding) => finding.kind);
}
