// An engine that misses known faults judges no merchant: its night does not begin, its run fails,
// and the doctor and the metrics say so.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runOnce } from '../../src/service/cli/commands/run-command.ts';
import type { Stage } from '../../src/service/cli/stage/stage.ts';
import { diagnose } from '../../src/service/compose/doctor/diagnose.ts';
import { startServiceWorker } from '../../src/service/compose/service-worker.ts';
import { withTestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { startHttpService } from '../support/http-service.ts';
import { withNightService } from '../support/night-service.ts';

/**
 * Minutes of grace with which nothing in the engine's own books is certain yet, so that it finds
 * nothing in them.
 */
const BLIND = 100 * 1_440;

test.each([
  [10, '1'],
  [BLIND, '0'],
])('with a grace of %d minutes pointage_canary_found is %s', async (graceMinutes, found) => {
  await using http = closing(await startHttpService({ M001: makeHttpBooks('M001', 40) }));
  const events: Record<string, unknown>[] = [];
  const log = (event: object) => void events.push(event as Record<string, unknown>);
  await withTestStore((_, databaseUrl) =>
    withNightService(
      http,
      { databaseUrl, log, rest: { telemetry: { port: 0 } } },
      async (opened) => {
        const configuration = { ...opened.configuration, graceMinutes };
        const service = { ...opened, configuration };
        const worker = await startServiceWorker(service, 'nights');
        await service.queue.send([{ kind: 'night', data: {} }]);
        const isOver = () =>
          events.some(({ event }) => event === 'night ended' || event === 'job failed');
        while (!isOver()) await sleep(20);
        await worker.stop(5);
        const { text } = await service.metrics!.render();
        expect(text).toMatch(
          new RegExp(`^pointage_canary_found\\{version="[\\d.]+"\\} ${found}$`, 'm'),
        );
        const { rows } = await service.store.pool.query('select count(*)::int as runs from runs');
        expect(rows).toEqual([{ runs: Number(found) }]);
        if (found === '1') return;
        expect(events.find(({ event }) => event === 'job failed')).toMatchObject({
          job: 'night',
          failure: {
            code: 'CANARY_MISSED',
            message: expect.stringContaining('no merchant was judged'),
          },
        });
        const stage = { ...service.runtime, clock: Date.now } as unknown as Stage;
        const run = runOnce(stage, configuration, { merchants: [], source: null });
        await expect(run).rejects.toMatchObject({ name: 'CanaryMissed' });
        const conceal = (said: string) => said;
        const rowsOf = await diagnose({
          configuration,
          runtime: service.runtime,
          conceal,
          patience: 5_000,
        });
        expect(rowsOf.find(({ what }) => what === 'engine')).toMatchObject({
          condition: 'broken',
          todo: 'install the version that ran before',
        });
      },
    ),
  );
});

function closing<T extends { close(): Promise<unknown> }>(opened: T): T & AsyncDisposable {
  return Object.assign(opened, { [Symbol.asyncDispose]: async () => void (await opened.close()) });
}
