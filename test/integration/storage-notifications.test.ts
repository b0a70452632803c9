// Notifications in the store: they are kept byte for byte, the same one once, another body under
// the same id beside it. The number of unsigned ones is bounded.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import {
  loadSignals,
  type NewNotification,
  saveNotification,
} from '../../src/io/storage/notifications/notifications.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

const NOW = Date.UTC(2026, 10, 2);

function notification(changes: Partial<NewNotification>): NewNotification {
  return {
    merchant: 'M001',
    channel: 'direct',
    eventId: 'evt_1',
    type: 'cashin.succeeded',
    operationReference: 'GUI-CI-1',
    createdAt: NOW - MINUTE,
    receivedAt: NOW,
    fault: null,
    body: Buffer.from('{}'),
    ...changes,
  };
}

const save = (changes: Partial<NewNotification>, most = 60) =>
  saveNotification(opened.store, notification(changes), most);

async function stored(merchant: string) {
  const answer = await opened.store.pool.query(
    `select event_id as "eventId", variant, type, operation_reference as "operationReference",
      created_at as "createdAt", received_at as "receivedAt", fault, body
    from notifications natural join merchants
    where reference = $1 and channel = 'direct'
    order by event_id, variant`,
    [merchant],
  );
  return answer.rows as readonly (Omit<NewNotification, 'merchant' | 'channel'> & {
    readonly variant: number;
  })[];
}

test('the same body under the same id is one, another body a variant, and all come back byte for byte in order', async () => {
  const merchant = 'ONE';
  const odd = Buffer.from([0, 255, 10, 13, 92, 0]);
  expect(
    await save({
      merchant,
      eventId: 'evt_b',
      body: odd,
      fault: 'not JSON',
      type: null,
      createdAt: null,
    }),
  ).toBe('new');
  expect(await save({ merchant, eventId: 'evt_a' })).toBe('new');
  expect(await save({ merchant, eventId: 'evt_b', body: odd, receivedAt: NOW + MINUTE })).toBe(
    'known',
  );
  expect(await save({ merchant, eventId: 'evt_b', body: Buffer.from('other') })).toBe('variant');
  expect(await save({ merchant, eventId: 'evt_b', body: Buffer.from('third') })).toBe('variant');
  expect(await save({ merchant, eventId: 'evt_b', body: Buffer.from('other') })).toBe('known');
  const all = await stored(merchant);
  expect(all.map(({ eventId, variant }) => `${eventId}/${variant}`)).toEqual([
    'evt_a/0',
    'evt_b/0',
    'evt_b/1',
    'evt_b/2',
  ]);
  const { body, ...first } = all[1]!;
  expect(Buffer.from(body).equals(odd)).toBe(true);
  expect(first).toEqual({
    eventId: 'evt_b',
    variant: 0,
    type: null,
    operationReference: 'GUI-CI-1',
    createdAt: null,
    receivedAt: NOW,
    fault: 'not JSON',
  });
});

test('many at once under one id: equal bodies are one row, different ones are each kept', async () => {
  const merchant = 'RACE';
  const bodies = Array.from({ length: 12 }, (_, i) => Buffer.from(`body ${i % 4}`));
  const outcomes = await Promise.all(bodies.map((body) => save({ merchant, body })));
  expect(outcomes.filter((outcome) => outcome !== 'known')).toHaveLength(4);
  const all = await stored(merchant);
  expect(all.map(({ variant }) => variant)).toEqual([0, 1, 2, 3]);
  expect(new Set(all.map(({ body }) => Buffer.from(body).toString())).size).toBe(4);
});

test('they come in batches that leave out nothing, and only those of the merchant and of the signed channel', async () => {
  await save({ merchant: 'MANY' });
  await opened.store.pool.query(
    `insert into notifications (merchant_id, event_id, variant, channel, digest, type, received_at, body)
    select m.merchant_id, 'evt_' || n, v, 'direct', n || '/' || v, 'ping', 1, ''
    from merchants m, generate_series(1000, 1600) n, generate_series(0, 1) v
    where m.reference = 'MANY'`,
  );
  await save({
    merchant: 'MANY',
    channel: 'payments',
    eventId: null,
    type: 'SUCCESS',
    operationReference: 'PAY1',
  });
  await save({ merchant: 'OTHER', eventId: 'evt_5' });
  const names = (await stored('MANY')).map(({ eventId, variant }) => `${eventId}/${variant}`);
  expect(names).toHaveLength(1_203);
  expect(names).toEqual([...new Set(names)].toSorted());
  expect(await stored('NOBODY')).toEqual([]);
});

test('unsigned ones are stored up to so many a minute; a known one is never refused, and signed ones do not count', async () => {
  const merchant = 'FLOOD';
  const signal = (number: number, receivedAt = NOW) => {
    const body = Buffer.from(`{"reference":"PAY${number}"}`);
    const named = {
      channel: 'payments',
      eventId: null,
      operationReference: `PAY${number}`,
    } as const;
    return save({ merchant, body, receivedAt, type: 'SUCCESS', ...named }, 3);
  };
  for (const n of [1, 2, 3]) expect(await signal(n)).toBe('new');
  expect(await signal(4)).toBe('refused');
  expect(await signal(2)).toBe('known');
  expect(await save({ merchant })).toBe('new');
  expect(await signal(4, NOW + MINUTE)).toBe('new');
  const bodies = await loadSignals(opened.store, { merchant, reference: 'PAY2' });
  expect(bodies.map((body) => Buffer.from(body).toString())).toEqual(['{"reference":"PAY2"}']);
});

test('nothing that was stored can be changed or removed', async () => {
  await save({ merchant: 'KEPT' });
  for (const statement of ['delete from notifications', "update notifications set type = 'ping'"]) {
    await expect(opened.store.pool.query(statement)).rejects.toThrow('append-only');
  }
});
