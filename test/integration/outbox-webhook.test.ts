// Webhooks out of the outbox, to a real server: signed so that the standard's own library verifies
// them, judged by their answer, and never sent to a private address.

import { randomBytes } from 'node:crypto';
import type { lookup } from 'node:dns';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { openWebhookChannel, type WebhookSettings } from '../../src/io/deliveries/webhook.ts';
import { claimDelivery } from '../../src/io/storage/deliveries/outbox.ts';
import { announcementsOf } from '../../src/service/compose/delivering.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { alertTo, announce, emptyOutbox, NOW, outboxTask, stored } from '../support/outbox.ts';
import {
  makeCertificate,
  startReceiver,
  type WebhookReceiverServer,
} from '../support/webhook-receiver.ts';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;
const TARGET = 'https://hooks.example/pointage';
const certificate = makeCertificate();

let opened: TestStore;
let receiver: WebhookReceiverServer;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(async () => {
  receiver = await startReceiver(null);
});
afterEach(async () => {
  await receiver.close();
  await emptyOutbox(opened.store);
});

function taskTo(url: string, changes: Partial<WebhookSettings> = {}) {
  const receivers = [{ target: TARGET, url, secret: SECRET }];
  const settings = { receivers, allowPrivate: true, userAgent: 'pointage/test', ...changes };
  return {
    ...outboxTask(opened.store, [openWebhookChannel(settings)]),
    now: Date.now(),
    clock: Date.now,
  };
}
const here = (path = '/hook') => `http://127.0.0.1:${receiver.port}${path}`;
const written = () => announce(opened.store, [alertTo('webhook', TARGET)]);
const first = async () => (await stored(opened.store))[0]!;

test('a call is JSON, signed, and named by its delivery, so that a receiver can verify it and tell a repeat', async () => {
  await written();
  receiver.answer = (response) =>
    void response.writeHead(receiver.calls.length === 1 ? 503 : 204).end();
  const task = taskTo(here('/hook?team=a'));
  expect(await deliverDue(task)).toMatchObject({ RETRY: 1 });
  expect(await deliverDue({ ...task, clock: () => Date.now() + 3 * SECOND })).toMatchObject({
    SUCCESS: 1,
  });
  const [call, again] = receiver.calls;
  expect(call).toMatchObject({ method: 'POST', path: '/hook?team=a' });
  expect(call!.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'pointage/test',
  });
  for (const one of [call!, again!]) {
    expect(new Webhook(SECRET).verify(one.body, one.headers)).toEqual({
      type: 'run.not_covered',
      timestamp: '2026-11-15T12:00:00.000Z',
      data: {
        night: '2026-11-15T12:00:00.000Z',
        runId: 1,
        expected: 3,
        done: 2,
        missing: [{ merchant: 'M2', reason: 'no answer' }],
      },
    });
    expect(one.headers['webhook-id']).toBe((await first()).id);
  }
  expect(() => new Webhook(SECRET).verify(`${call!.body} `, call!.headers)).toThrow(
    /No matching signature/,
  );
});

test('findings are announced with what a program needs to look further', async () => {
  const found = {
    fingerprint: 'f00d',
    kind: 'BALANCE_DRIFT',
    severity: 'critical',
    message: 'It moved.',
  } as const;
  const findings = {
    merchant: 'M1',
    runId: 3,
    verdict: 'broken',
    findings: [found],
    more: 2,
  } as const;
  const content = { topic: 'findings', ...findings } as const;
  await announce(opened.store, [
    { channel: 'webhook', target: TARGET, announces: 'f', merchant: 'M1', content },
  ]);
  await deliverDue(taskTo(here()));
  expect(JSON.parse(receiver.calls[0]!.body)).toMatchObject({
    type: 'findings.confirmed',
    data: findings,
  });
});

test('the end of a night says what it covered, and no finding twice; a held report waits, a released one is announced', async () => {
  const night = {
    ...{ night: NOW, runId: 3, expected: 3, done: 2, missing: [], entriesAdded: 7 },
    ...{
      verdicts: { clean: 1, broken: 1, incomplete: 0 },
      down: [{ place: 'https://a.example', why: 'X', merchants: 1 }],
    },
  };
  const news = [{ merchant: 'M1', verdict: 'broken', findings: [], more: 1 }] as const;
  const url = here();
  const secret = SECRET;
  const given = await loadConfiguration({}, {});
  const alerts = { ...given.alerts, webhooks: [{ url, secret }], allowPrivate: true };
  const say = announcementsOf({ ...given, alerts }, true);
  await announce(opened.store, say.night({ ...night, news }));
  const settings = {
    receivers: [{ target: url, url, secret }],
    allowPrivate: true,
    userAgent: 'pointage/test',
  };
  const task = {
    ...outboxTask(opened.store, [openWebhookChannel(settings)]),
    now: Date.now(),
    clock: Date.now,
  };
  expect(await deliverDue(task)).toMatchObject({ SUCCESS: 1 });
  const data = { ...night, night: '2026-11-15T12:00:00.000Z' };
  expect(
    new Webhook(SECRET).verify(receiver.calls[0]!.body, receiver.calls[0]!.headers),
  ).toMatchObject({
    type: 'night.ended',
    data,
  });
  expect(JSON.parse(receiver.calls[0]!.body).data).toEqual(data);
  const report = { id: 'r1', merchant: 'M1', period: '2026-10' };
  const states = (isHeld: boolean) =>
    say.statement({ ...report, isHeld }).map(({ announces, ...one }) => [announces, one.isHeld]);
  expect([states(true), states(false)]).toEqual([[['issued/r1', true]], [['issued/r1', false]]]);
});

describe('the answer decides', () => {
  test.each([
    [200, 'SUCCESS'],
    [202, 'SUCCESS'],
    [400, 'ABANDONED'],
    [401, 'ABANDONED'],
    [404, 'ABANDONED'],
    [410, 'ABANDONED'],
    [422, 'ABANDONED'],
    [403, 'FAILED'],
    [409, 'FAILED'],
    [429, 'FAILED'],
    [500, 'FAILED'],
    [302, 'FAILED'],
  ])('%i makes it %s', async (status, state) => {
    await written();
    receiver.answer = (response) =>
      void response.writeHead(status, { location: here('/elsewhere') }).end('words');
    await deliverDue(taskTo(here()));
    expect(await first()).toMatchObject({
      state,
      lastDetail: expect.stringContaining(`HTTP ${status}`),
    });
    expect(
      receiver.calls.map(({ path }) => path),
      'no redirect is followed',
    ).toEqual(['/hook']);
  });

  test('and little of it is kept', async () => {
    await written();
    receiver.answer = (response) =>
      void response.writeHead(500).end(`no\n${'long '.repeat(200_000)}`);
    await deliverDue(taskTo(here()));
    expect((await first()).lastDetail).toMatch(/^HTTP 500 no long .{100,200}$/);
  });

  test('within its time: a receiver that is silent, or breaks off, is tried again', async () => {
    await written();
    receiver.answer = () => {};
    await deliverDue(taskTo(here(), { deadline: 200 }));
    expect(await first()).toMatchObject({ state: 'FAILED', lastDetail: 'No answer within 0.2 s.' });
    receiver.answer = (response) => void response.socket!.destroy();
    await deliverDue({ ...taskTo(here()), clock: () => Date.now() + 3 * SECOND });
    expect(await first()).toMatchObject({ state: 'FAILED', attempts: 2 });
  });
});

test('a silent receiver holds up no other', async () => {
  const other = await startReceiver(null);
  const OTHER = 'https://other.example/';
  receiver.answer = () => {};
  try {
    await announce(opened.store, [alertTo('webhook', TARGET), alertTo('webhook', OTHER)]);
    const receivers = [
      { target: TARGET, url: here(), secret: SECRET },
      { target: OTHER, url: `http://127.0.0.1:${other.port}/`, secret: SECRET },
    ];
    const begun = Date.now();
    other.answer = (response) => {
      expect(Date.now() - begun).toBeLessThan(900);
      response.writeHead(204).end();
    };
    expect(await deliverDue(taskTo(here(), { receivers, deadline: 1_000 }))).toMatchObject({
      SUCCESS: 1,
      RETRY: 1,
    });
  } finally {
    await other.close();
  }
});

describe('an address that is private', () => {
  const resolvingTo = (address: string) =>
    ((_name: string, _options: object, done: (failure: null, found: object[]) => void) =>
      done(null, [{ address, family: address.includes(':') ? 6 : 4 }])) as unknown as typeof lookup;

  test.each([
    'https://127.0.0.1',
    'https://10.1.2.3',
    'https://169.254.169.254',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
  ])('%s is refused, and nobody is called', async (origin) => {
    await written();
    expect(
      await deliverDue(taskTo(`${origin}:${receiver.port}/`, { allowPrivate: false })),
    ).toMatchObject({
      REFUSED: 1,
    });
    expect(await first()).toMatchObject({
      state: 'ABANDONED',
      lastDetail: expect.stringContaining('not a public address'),
    });
    expect(receiver.calls).toEqual([]);
  });

  test.skipIf(certificate === null)(
    'is refused behind a name as well, at the moment of connecting',
    async () => {
      const secure = await startReceiver(certificate);
      try {
        for (const resolve of [
          undefined,
          resolvingTo('127.0.0.1'),
          resolvingTo('::ffff:127.0.0.1'),
        ]) {
          await written();
          const changes = { allowPrivate: false, ...(resolve === undefined ? {} : { resolve }) };
          await deliverDue(taskTo(`https://localhost:${secure.port}/`, changes));
          expect((await first()).lastDetail).toMatch(
            /^localhost leads to .+, which is not a public address/,
          );
          await emptyOutbox(opened.store);
        }
        expect(secure.calls).toEqual([]);
      } finally {
        await secure.close();
      }
    },
  );

  test('plain http is refused with it', async () => {
    await written();
    await deliverDue(taskTo('http://8.8.8.8/', { allowPrivate: false }));
    expect(await first()).toMatchObject({
      state: 'ABANDONED',
      lastDetail: 'Webhooks go over https only.',
    });
  });
});

test.skipIf(certificate === null)(
  'over https, a certificate of no authority is tried again; a good one passes',
  async () => {
    const secure = await startReceiver(certificate);
    const known = getCACertificates('default');
    try {
      await written();
      const task = taskTo(`https://localhost:${secure.port}/`);
      await deliverDue(task);
      expect(await first()).toMatchObject({
        state: 'FAILED',
        lastDetail: expect.stringMatching(/self-signed/),
      });
      expect(secure.calls).toEqual([]);
      setDefaultCACertificates([...known, certificate!.cert]);
      expect(await deliverDue({ ...task, clock: () => Date.now() + 3 * SECOND })).toMatchObject({
        SUCCESS: 1,
      });
      expect(() =>
        new Webhook(SECRET).verify(secure.calls[0]!.body, secure.calls[0]!.headers),
      ).not.toThrow();
    } finally {
      setDefaultCACertificates(known);
      await secure.close();
    }
  },
);

test('a call whose process ended goes back to be tried again, for the receiver can tell a repeat', async () => {
  await written();
  const { id } = await first();
  expect(await claimDelivery(opened.store, { id, claimedAt: NOW, until: NOW + MINUTE })).toBe(true);
  expect(await claimDelivery(opened.store, { id, claimedAt: NOW, until: NOW + 2 * MINUTE })).toBe(
    false,
  );
  const task = { ...taskTo(here()), clock: () => NOW + 2 * MINUTE };
  expect(await deliverDue(task)).toMatchObject({ RETRY: 1 });
  expect(await first()).toMatchObject({
    state: 'FAILED',
    attempts: 1,
    nextAttemptAt: NOW + 2 * MINUTE + 2 * SECOND,
  });
  expect(await deliverDue({ ...task, clock: () => NOW + 3 * MINUTE })).toMatchObject({
    SUCCESS: 1,
  });
});

test('a receiver that is not configured any more is refused', async () => {
  await announce(opened.store, [alertTo('webhook', 'https://gone.example/')]);
  expect(await deliverDue(taskTo(here()))).toMatchObject({ REFUSED: 1 });
});
