// A list of merchants is fetched again ten minutes before each night, once, and the merchants that
// it names by then are worked on. The list comes over real HTTP; only the machine's clock is moved.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { workReloading } from '../../src/service/cli/commands/reloading.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { nextInstants } from '../../src/service/compose/plans.ts';

afterEach(() => void vi.useRealTimers());

test('the list is read again ten minutes before a night, once, and its new merchant is worked with', async () => {
  let named = ['M001'];
  const asked: string[] = [];
  const list = createServer((request, response) => {
    asked.push(request.url!);
    response.end(JSON.stringify(named.map((reference) => ({ reference }))));
  }).listen(0, '127.0.0.1');
  await once(list, 'listening');
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-near-'));
  const config = join(scratch, 'config.json');
  const from = {
    url: `http://127.0.0.1:${(list.address() as AddressInfo).port}/`,
    each: { apiKey: 'k', apiSecret: 's' },
  };
  writeFileSync(config, JSON.stringify({ source: 'http://127.0.0.1:1/v1', merchants: { from } }));
  const events: Record<string, unknown>[] = [];
  let now = Date.UTC(2026, 10, 5, 12);
  const progress = () => ({ update: () => {}, stop: () => {} });
  const terminal = { out: () => {}, note: () => {}, colour: false, width: null, progress };
  const stage = {
    ...stageOf(terminal, {}),
    clock: () => now,
    log: (event: object) => void events.push({ ...event }),
  };
  const turns: (readonly string[])[] = [];
  let night = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const halfMinute = async (): Promise<void> => {
    await vi.advanceTimersByTimeAsync(MINUTE / 2);
  };
  const worked = workReloading(stage, { config }, async ({ configuration, left, isUp }) => {
    turns.push(Object.keys(configuration.merchants));
    night = nextInstants(configuration, now).night;
    isUp();
    await left;
  });
  try {
    await vi.waitFor(() => expect(turns).toEqual([['M001']]));
    named = ['M001', 'M002'];
    now = night - 11 * MINUTE;
    await halfMinute();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([asked.length, events]).toEqual([1, []]);
    now = night - 10 * MINUTE;
    await halfMinute();
    await vi.waitFor(() => expect(turns).toEqual([['M001'], ['M001', 'M002']]));
    expect(events).toEqual([
      { event: 'configuration reloaded', why: 'a night is near', merchants: 2 },
    ]);
    now = night - 5 * MINUTE;
    await halfMinute();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(asked).toHaveLength(2);
  } finally {
    process.emit('SIGTERM');
    await worked;
    list.close();
    rmSync(scratch, { recursive: true });
  }
});
