// A store and a service with the books of M001, made anew for each test of a file, and nights over
// them.

import { afterEach, beforeEach, expect } from 'vitest';
import type { Store } from '../../src/io/storage/server/store.ts';
import { replayMirror } from '../../src/service/workflows/mirror/replay-mirror.ts';
import type { MerchantOutcome } from '../../src/service/workflows/nightly/merchant-task.ts';
import { openTestStore, type TestStore } from './database-store.ts';
import { type HttpBooks, makeHttpBooks } from './http-books.ts';
import { type HttpService, startHttpService } from './http-service.ts';
import { JUDGED, outcomeOf, RUN_ENGINE, runOver } from './nightly-run.ts';

/**
 * Makes these before each test. `lines` are in the ledger at first. The fields are those of the
 * test that runs.
 */
export function nightlyService(lines: number) {
  let opened: TestStore;
  let service: HttpService;
  beforeEach(async () => {
    opened = await openTestStore();
    service = await startHttpService({ M001: makeHttpBooks('M001', lines) });
  });
  afterEach(async () => {
    await service.close();
    await opened.close();
  });
  return {
    get store(): Store {
      return opened.store;
    },
    get service(): HttpService {
      return service;
    },
    books: (): HttpBooks => service.books.M001!,
    /**
     * Runs a night. Its report, made from the checkpoint, must be what a replay from the first line
     * says.
     */
    night: async (
      settings: Parameters<typeof runOver>[2] = {},
      more: Parameters<typeof runOver>[3] = {},
    ): Promise<MerchantOutcome> => {
      const { store } = opened;
      const outcome = outcomeOf(await runOver(store, service, settings, more), 'M001');
      const options = { ...JUDGED, onProgress: () => {} };
      const task = {
        store,
        merchant: 'M001',
        engine: RUN_ENGINE,
        options,
        snapshot: null,
        full: true,
      };
      const full = await replayMirror(task);
      // A finding about an operation that cannot be judged now stays as it was said; a replay
      // remembers nothing of it.
      const found = new Set(full.report.findings.map(({ fingerprint }) => fingerprint));
      const kept = outcome.report.findings.filter(({ fingerprint }) => !found.has(fingerprint));
      if (full.unjudged.length === 0 || kept.length === 0)
        expect({ ...outcome.report, notChecked: [] }).toEqual({ ...full.report, notChecked: [] });
      else
        expect(outcome.report.findings.filter((one) => !kept.includes(one))).toEqual(
          full.report.findings,
        );
      return outcome;
    },
  };
}
