// The figures that metrics are made of, from a store that holds nights, deliveries and findings.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadServiceFigures } from '../../src/io/storage/operators/service-figures.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

let opened: TestStore;
let store: Store;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());

const add = (text: string): Promise<unknown> => store.pool.query(text);

const MEMBER = `insert into run_members
  (merchant_id, run_id, state, verdict, reason, started_at, finished_at, watermark, entries_added) values`;

test('of a store in which nothing has happened yet, everything is none', async () => {
  expect(await loadServiceFigures(store, 0)).toEqual({
    runs: [],
    newestNight: null,
    lastNightFinishedAt: null,
    verdicts: [],
    watched: 0,
    oldestWatermark: null,
    neverRead: 0,
    findings: [],
    exposure: [],
    entries: 0,
    deliveries: [],
    log: null,
  });
});

test('before the first night, runs by hand have the verdicts and the lag of every merchant', async () => {
  await add(`insert into merchants (reference) values ('A'), ('B'), ('C'), ('D')`);
  await add(
    `insert into merchant_heads (merchant_id, entry_count) values (1, 40), (2, 2), (3, 0), (4, 0)`,
  );
  await add(
    `insert into runs (started_at, finished_at, source, engine) values (1000, 1100, 's', 'e'), (2000, null, 's', 'e')`,
  );
  await add(`${MEMBER} (1, 1, 'done', 'clean', null, 1000, 1100, 1010, 0), (2, 1, 'done', 'broken', null, 1000, 1100, 1020, 0),
    (3, 1, 'done', 'incomplete', 'no answer', 1000, 1100, null, 0), (1, 2, 'done', 'clean', null, 2000, 2100, 2010, 0)`);
  expect(await loadServiceFigures(store, 0)).toMatchObject({
    runs: [
      { kind: 'manual', outcome: 'complete', count: 1 },
      { kind: 'manual', outcome: 'running', count: 1 },
    ],
    verdicts: [
      { verdict: 'broken', merchants: 1 },
      { verdict: 'clean', merchants: 1 },
      { verdict: 'incomplete', merchants: 1 },
    ],
    watched: 4,
    oldestWatermark: 1020,
    neverRead: 2,
    entries: 42,
  });
});

test('a night tells of its own merchants: the verdicts when it is over, who is left while it goes on', async () => {
  await add(`insert into runs (kind, started_at, finished_at, closed, source, engine) values
    ('night', 10000, 14000, 'one merchant could not be read', 's', 'e'), ('night', 20000, null, null, 's', 'e')`);
  await add(`${MEMBER} (1, 3, 'done', 'clean', null, 10000, 11000, 10500, 5), (2, 3, 'done', 'incomplete', null, 10000, 11000, 10400, 7),
    (3, 3, 'failed', null, 'no answer', 10000, 13000, null, 0)`);
  await add(
    `${MEMBER} (1, 4, 'done', 'clean', null, 20000, 21000, 20500, 9), (3, 4, 'expected', null, null, 20000, null, null, 0)`,
  );
  const figures = await loadServiceFigures(store, 0);
  expect(figures).toMatchObject({
    newestNight: {
      startedAt: 20000,
      finishedAt: null,
      entriesAdded: 9,
      members: [
        { state: 'done', merchants: 1 },
        { state: 'waiting', merchants: 1 },
      ],
    },
    lastNightFinishedAt: 14000,
    verdicts: [
      { verdict: 'clean', merchants: 1 },
      { verdict: 'failed', merchants: 1 },
      { verdict: 'incomplete', merchants: 1 },
    ],
  });
  expect(figures.runs).toContainEqual({ kind: 'night', outcome: 'closed', count: 1 });
  // Merchant B is no longer run: its mirror stands still, and no merchant is late.
  expect([figures.watched, figures.oldestWatermark, figures.neverRead]).toEqual([2, 20500, 1]);
});

test('counts what has not gone out, and what is not resolved', async () => {
  await add(`insert into findings (merchant_id, fingerprint, kind, severity, state, first_seen_run, last_seen_run, content) values
    (1, 'a', 'K', 'critical', 'open', 1, 1, '{}'), (2, 'a', 'K', 'critical', 'acknowledged', 1, 1, '{}'),
    (2, 'b', 'K', 'critical', 'open', 1, 1, '{}'), (2, 'c', 'K', 'critical', 'resolved', 1, 1, '{}'),
    (2, 'd', 'K', 'critical', 'settled', 1, 1, '{}'), (2, 'e', 'K', 'error', 'accepted', 1, 1, '{}')`);
  const delivery = (state: string, next: string, claimed = 'null') =>
    `(gen_random_uuid(), 'mail', 'run', gen_random_uuid()::text, 't', '{}', '${state}', 0, ${next}, ${claimed}, ${claimed})`;
  await add(`insert into deliveries
    (delivery_id, channel, topic, announces, target, content, state, created_at, next_attempt_at, claimed_at, claimed_until) values
    ${delivery('PENDING', '1')}, ${delivery('PENDING', '2')}, ${delivery('SUCCESS', 'null')}, ${delivery('SENDING', 'null', '9')},
    ${delivery('IN_DOUBT', 'null')}, ${delivery('GATHERED', 'null')}, ${delivery('HELD', 'null')}`);
  const figures = await loadServiceFigures(store, 0);
  expect(figures.findings).toEqual([
    { severity: 'critical', state: 'acknowledged', count: 1 },
    { severity: 'critical', state: 'open', count: 2 },
    { severity: 'critical', state: 'settled', count: 1 },
    { severity: 'error', state: 'accepted', count: 1 },
  ]);
  // GATHERED went out with the mail of its night.
  expect(figures.deliveries).toEqual([
    { channel: 'mail', state: 'HELD', count: 1 },
    { channel: 'mail', state: 'IN_DOUBT', count: 1 },
    { channel: 'mail', state: 'PENDING', count: 2 },
    { channel: 'mail', state: 'SENDING', count: 1 },
  ]);
});
