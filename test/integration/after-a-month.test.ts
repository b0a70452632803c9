// What an issued month makes of later events: roots of the next month, decisions, and a source that
// is away.

import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { databaseAt } from '../support/database-address.ts';
import { addTraffic, plant, plantAgain } from '../support/play/books.ts';
import { openWorld, type World } from '../support/play/world.ts';

const PERIOD = '2025-03';

let world: World;
beforeEach(async () => {
  const { url, template } = inject('testServer');
  world = await openWorld(
    { url: (name) => databaseAt(url, name), template },
    Date.UTC(2025, 2, 28, 12),
  );
});
afterEach(() => world.close());

const run = async (...words: string[]) => (await world.run(words, 'ama')).status;
const month = async () =>
  (await world.call('ama', `/months?merchant=M1&period=${PERIOD}`)).body.items[0];
const onlyRoot = async () => (await world.call('ama', '/findings')).body.items[0].fingerprint;

test('what an operation of the month after lacks does not keep it open', async () => {
  world.pass(6 * DAY);
  addTraffic(world.books.M1!, world.now(), [7, 60, 9, 33]);
  plant(world.books.M1!, 'CREDIT_MISSING', world.now(), 40_000);
  expect(await run('run')).toBe(1);
  expect(await run('statement', 'issue', 'M1', PERIOD)).toBe(0);
  expect(await month()).toMatchObject({ verdict: 'clean', openRoots: 0 });
  expect(await run('statement', 'close', 'M1', PERIOD)).toBe(0);
  expect(await month()).toMatchObject({ closedBy: 'ama' });
});

test('what is settled before a month is issued is not open in it, and still breaks it', async () => {
  plant(world.books.M1!, 'CREDIT_MISSING', world.now(), 40_000);
  world.pass(HOUR);
  expect(await run('run')).toBe(1);
  world.pass(5 * DAY);
  expect(await run('findings', 'settle', await onlyRoot(), '--reason', 'paid by transfer')).toBe(0);
  expect(await run('run')).toBe(0);
  expect(await run('statement', 'issue', 'M1', PERIOD)).toBe(0);
  expect(await month()).toMatchObject({ verdict: 'broken', held: 'broken', openRoots: 0 });
});

test('what ends a settlement after a month is no matter of the month that ended while it held', async () => {
  const fault = plant(world.books.M1!, 'CREDIT_DUPLICATED', world.now(), 10_000);
  world.pass(HOUR);
  expect(await run('run')).toBe(1);
  const root = await onlyRoot();
  expect(await run('findings', 'settle', root, '--reason', 'paid by transfer')).toBe(0);
  world.pass(6 * DAY);
  plantAgain(world.books.M1!, fault, world.now());
  expect(await run('run')).toBe(1);
  expect(await run('statement', 'issue', 'M1', PERIOD)).toBe(0);
  expect(await month()).toMatchObject({ revision: 1, verdict: 'clean', held: null });
  expect(await run('findings', 'reopen', root, '--reason', 'it was never paid')).toBe(0);
  expect(await run('statement', 'issue', 'M1', PERIOD)).toBe(0);
  expect(await month()).toMatchObject({ revision: 2, verdict: 'broken', held: 'broken' });
});

test('an issued month stays as it is while its source is away, also after a decision', async () => {
  world.pass(6 * DAY);
  addTraffic(world.books.M1!, world.now(), [7, 60, 9, 33]);
  plant(world.books.M1!, 'FEE_MISSING', world.now(), 9_000);
  expect(await run('run')).toBe(1);
  expect(await run('statement', 'issue', 'M1', PERIOD)).toBe(0);
  expect(await run('findings', 'settle', await onlyRoot(), '--reason', 'paid by transfer')).toBe(0);
  world.away.add('M1');
  expect(await run('statement', 'issue', 'M1', PERIOD)).toBe(0);
  expect(await month()).toMatchObject({ revision: 1, verdict: 'clean' });
});
