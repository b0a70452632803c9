// Many operations that were notified at about the same time. Those of several merchants are asked
// for at once, those of one merchant in turn.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refreshHandler } from '../../src/service/compose/plans.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks, makeOperation, referenceOf } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { runOver } from '../support/nightly-run.ts';
import { READ_AT } from '../support/report-books.ts';

let opened: TestStore;
let service: HttpService;
let refreshed: Record<string, unknown>[];
let refreshAll: (
  asked: readonly (readonly [merchant: string, number: number])[],
) => Promise<readonly string[]>;

beforeEach(async () => {
  opened = await openTestStore();
  service = await startHttpService({
    M001: makeHttpBooks('M001', 20),
    M002: makeHttpBooks('M002', 20),
  });
  const { store } = opened;
  await runOver(store, service);
  refreshed = [];
  const runtime = {
    clock: () => READ_AT,
    random: () => 0.5,
    log: (event: object) => void refreshed.push({ ...event }),
  };
  const handle = refreshHandler({ runtime, store, published: null, source: openSource(service) });
  const { signal } = new AbortController();
  refreshAll = async (asked) => {
    const jobs = asked.map(([merchant, number], i) => ({
      id: `job ${i}`,
      attempt: 1,
      signal,
      data: { merchant, reference: referenceOf(number) },
    }));
    return (await Promise.allSettled(jobs.map(handle))).map(({ status }) => status);
  };
  for (const books of Object.values(service.books))
    books.operations.push(makeOperation(21), makeOperation(22));
  service.before = () => ({ do: 'drip', pause: 30 });
  service.mostOpen = 0;
});
afterEach(async () => {
  await service.close();
  await opened.close();
});

test('those of one merchant do not contend for its lock', async () => {
  const [found, changed] = ['fulfilled', 'changed'];
  expect(
    await refreshAll([
      ['M001', 21],
      ['M001', 22],
      ['M001', 20],
    ]),
  ).toEqual([found, found, found]);
  expect(refreshed.map(({ outcome }) => outcome)).toEqual([changed, changed, 'unchanged']);
  expect(service.mostOpen).toBe(1);
});

test('those of several merchants are requested together, and one that fails holds up no other', async () => {
  const [together, waiting] = [Promise.withResolvers<void>(), new Set<unknown>()];
  // The first answer waits for the second request, but not for ever.
  const until = Promise.race([together.promise, sleep(10_000, null, { ref: false })]);
  service.before = ({ path, headers }) => {
    if (path.endsWith(referenceOf(22)))
      return { do: 'error', status: 404, code: 'ROUTE_NOT_FOUND' };
    waiting.add(headers['x-api-key']);
    if (waiting.size === 2) together.resolve();
    return { do: 'hold', until };
  };
  const ended = await refreshAll([
    ['M001', 22],
    ['M001', 21],
    ['M002', 21],
  ]);
  expect(service.mostOpen).toBe(2);
  expect(ended.slice(1)).toEqual(['fulfilled', 'fulfilled']);
  expect(
    refreshed
      .filter(({ outcome }) => outcome === 'changed')
      .map(({ merchant }) => merchant)
      .sort(),
  ).toEqual(['M001', 'M002']);
});
