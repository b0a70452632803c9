import { expect, test } from 'vitest';
import { DAY, MINUTE } from '../../src/core/domain/instant.ts';
import { HTTP_DEFAULTS } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../../src/sandbox/plans/demo-plans.ts';
import { startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { replayMirror } from '../../src/service/workflows/mirror/replay-mirror.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { withTestStore } from '../support/database-store.ts';

const NIGHTS = 4;
const MERCHANTS = [
  'COOPERATIVE_ESSAI',
  'RESTAURANT_NULLEPART',
  'TELEBOUTIQUE_EXEMPLE',
  'MINES_DE_PAPIER',
];

test('four nights over a living service say the same as one full replay of the mirror', {
  timeout: 120_000,
}, async () => {
  const opensAt = DEMO_START - 30 * DAY;
  const plans = demoPlans().flatMap((plan) =>
    MERCHANTS.includes(plan.reference) ? [{ ...plan, opensAt }] : [],
  );
  const sandbox = await startSandbox({
    seed: DEMO_SEED,
    merchants: plans,
    start: DEMO_START - 2 * DAY,
    port: 0,
  });
  try {
    await withTestStore(async (store) => {
      const merchants = Object.fromEntries(
        sandbox.merchants.map(({ reference, ...credentials }) => [reference, credentials]),
      );
      const clock = () => sandbox.now();
      const source = openHttpSource({
        ...HTTP_DEFAULTS,
        baseUrl: sandbox.url,
        merchants,
        clock,
        random: () => 0.5,
        log: () => {},
      });
      const options = { grace: 10 * MINUTE, clockTolerance: 5 * MINUTE, pinned: {}, opening: null };
      const read: number[] = [];
      for (let night = 0; night < NIGHTS; night++) {
        const run = await runMerchants({
          store,
          source,
          engine: 'test',
          clock,
          merchants: [],
          optionsFor: (_, asOf) => ({ ...options, asOf }),
          onMerchant: () => () => {},
        });
        read.push(run.merchants.reduce((sum, one) => sum + one.entriesAdded, 0));
        for (const { report } of run.merchants) {
          const full = await replayMirror({
            store,
            merchant: report.merchant,
            engine: 'test',
            options: { ...options, asOf: sandbox.now(), onProgress: () => {} },
            snapshot: null,
            full: true,
          });
          expect(report.entries).toBeGreaterThan(200);
          // The mirror by itself cannot say what the API lacks; everything else must be equal.
          expect({ ...report, notChecked: [] }).toEqual({ ...full.report, notChecked: [] });
        }
        await sandbox.advanceTo(sandbox.now() + DAY);
      }
      expect(read[0]).toBeGreaterThan(2_000);
      expect(Math.max(...read.slice(1))).toBeLessThan(200);
    });
  } finally {
    await sandbox.close();
  }
});
