// Notifications over real HTTP into a real database. A signed one is kept and its operation
// refreshed. One that is not signed is refused with a code after which the service tries again, and
// a trouble of ours never makes it give up.

import { request } from 'node:http';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { inboxOf } from '../../src/service/compose/service.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { MOST_FROM_ONE } from '../../src/service/http/routes/notifications.ts';
import type { ServerOptions } from '../../src/service/http/start-server.ts';
import { withStack } from '../../src/service/log.ts';
import type { JobRequest, Jobs } from '../../src/service/workflows/jobs.ts';
import { MOST_SIGNALS } from '../../src/service/workflows/notifications/receive-notification.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { READ_AT } from '../support/report-books.ts';
import { startTestServer, type TestServer } from '../support/report-server.ts';
import { notificationBody, signatureOf } from '../support/signed-notification.ts';

const CURRENT = 'whsec_current_0123456789';
const PREVIOUS = 'whsec_previous_012345678';
const RETIRED = 'whsec_retired_0123456789';
const ODD = 'Épicerie №1/rue "A"\\..%2f?#&=😀';
const LIMIT = 2_048;

/** A queue that notes what is asked for. When told to, it fails or takes its time. */
const sent: JobRequest[] = [];
let trouble: (() => Promise<void>) | null = null;
const jobs: Jobs = {
  send: async (requests) => {
    await trouble?.();
    sent.push(...requests);
  },
};

const configuration = {
  ...(await loadConfiguration({}, {})),
  merchants: {
    ALPHA: { accountants: [], notifications: { current: CURRENT, previous: PREVIOUS } },
    BETA: { accountants: [], notifications: { current: RETIRED } },
    SILENT: { accountants: [] },
    [ODD]: { accountants: [], notifications: { current: CURRENT } },
  },
};
const limited = {
  ...configuration,
  server: { ...configuration.server, maxNotificationBytes: LIMIT, maxBodyBytes: LIMIT },
};

let opened: TestStore;
let server: TestServer;
let now = READ_AT;

function startOn(
  store: TestStore['store'],
  options: Partial<ServerOptions> = {},
): Promise<TestServer> {
  const events: object[] = [];
  const log = (event: object) => void events.push(withStack(event));
  const inbox = inboxOf(limited, store, { jobs, clock: () => now, log });
  return startTestServer(store, { server: { inbox, log, ...options } }).then((started) => ({
    ...started,
    events,
  }));
}

beforeAll(async () => {
  opened = await openTestStore();
  server = await startOn(opened.store);
});
afterEach(() => {
  trouble = null;
  sent.length = 0;
  now = READ_AT;
});
afterAll(async () => {
  await server.close();
  await opened.close();
});

interface Delivery {
  readonly merchant?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly at?: string;
  readonly channel?: 'direct' | 'payments';
}

/**
 * Sends a body signed as ALPHA's are, with the given differences. A header set to undefined is left
 * out.
 */
function deliver(
  body: string,
  { merchant = 'ALPHA', headers = {}, at = server.origin, channel }: Delivery = {},
) {
  const all = {
    'content-type': 'application/json',
    'service-signature': signatureOf(body, now, CURRENT),
    ...headers,
  };
  const given = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined);
  const url = `${at}/notifications/${channel ?? 'direct'}/${encodeURIComponent(merchant)}`;
  return fetch(url, { method: 'POST', headers: given, body });
}

/** Returns status and code of a refusal, whose shape must be the document's. */
async function refusal(answer: Response): Promise<readonly [number, string]> {
  const body = (await answer.json()) as Record<string, unknown> & {
    error: Record<string, unknown>;
  };
  expect(Object.keys(body)).toEqual(['success', 'error', 'requestId', 'timestamp']);
  expect(Object.keys(body.error)).toEqual(['code', 'message', 'details']);
  expect([body.success, body.requestId, body.timestamp]).toEqual([
    false,
    answer.headers.get('x-request-id'),
    new Date(READ_AT).toISOString(),
  ]);
  expect(answer.headers.has('retry-after')).toBe(answer.status === 503);
  return [answer.status, String(body.error.code)];
}

async function stored(id: string) {
  const answer = await opened.store.pool.query<{
    variant: number;
    body: Buffer;
    fault: string | null;
  }>('select variant, body, fault from notifications where event_id = $1 order by variant', [id]);
  return answer.rows.map(({ variant, body, fault }) => ({ variant, body: body.toString(), fault }));
}

async function rows(): Promise<number> {
  return (await opened.store.pool.query('select 1 from notifications')).rowCount!;
}

const forged = [403, 'INVALID_SIGNATURE'];

describe('a signed notification', () => {
  test('is stored byte for byte, and the operation that it names is refreshed', async () => {
    const body = `  ${notificationBody({ id: 'evt_first', extra: 'é € \u2028' })}\n`;
    const answer = await deliver(body, { headers: { 'service-event': 'cashin.succeeded' } });
    expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
    expect(await stored('evt_first')).toEqual([{ variant: 0, body, fault: null }]);
    expect(sent).toEqual([
      { kind: 'refresh', data: { merchant: 'ALPHA', reference: 'GUI-CI-00000001' } },
    ]);
  });

  test('delivered again adds nothing and is refreshed again; another body under its id is kept beside it', async () => {
    const [first, other] = [
      notificationBody({ id: 'evt_twice' }),
      notificationBody({ id: 'evt_twice', more: 1 }),
    ];
    for (const body of [first, first, other, first, other])
      expect((await deliver(body)).status).toBe(200);
    expect((await stored('evt_twice')).map(({ variant, body }) => [variant, body])).toEqual([
      [0, first],
      [1, other],
    ]);
    expect(sent).toHaveLength(5);
  });

  test('that comes many times at once is stored once, and each is answered', async () => {
    const body = notificationBody({ id: 'evt_crowd' });
    const answers = await Promise.all(Array.from({ length: 30 }, () => deliver(body)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await stored('evt_crowd')).toHaveLength(1);
  });

  test('is good with the former secret while that is configured, or with one of two, and with no other', async () => {
    const body = notificationBody({ id: 'evt_rotation' });
    const signedBy = async (...secrets: string[]) =>
      deliver(body, { headers: { 'service-signature': signatureOf(body, now, ...secrets) } });
    for (const secrets of [[CURRENT], [PREVIOUS], [RETIRED, CURRENT], [PREVIOUS, RETIRED]]) {
      expect((await signedBy(...secrets)).status, secrets.join()).toBe(200);
    }
    expect(await refusal(await signedBy(RETIRED))).toEqual(forged);
    expect(server.events).toContainEqual(
      expect.objectContaining({ merchant: 'ALPHA', signedWith: 'previous' }),
    );
  });

  test('that is a ping, a wallet adjustment or of an unknown type is taken, and nothing is refreshed', async () => {
    for (const type of ['ping', 'wallet.adjusted', 'cashin.sung']) {
      expect(
        (await deliver(notificationBody({ id: `evt_${type}`, type, data: {} }))).status,
        type,
      ).toBe(200);
      expect(await stored(`evt_${type}`), type).toHaveLength(1);
    }
    expect(
      (await deliver(notificationBody({ id: 'evt_none', type: 'ping', data: undefined }))).status,
    ).toBe(200);
    expect(sent).toEqual([]);
  });

  test.each([
    ['no JSON', '{"id":', 'not JSON'],
    ['nothing', '', 'not JSON'],
    ['no id', notificationBody({ id: undefined }), 'id is missing'],
    ['an id twice', '{"id":"a","id":"b"}', 'id'],
    ['no instant', notificationBody({ createdAt: 'yesterday' }), 'createdAt is "yesterday"'],
    ['a NUL in its text', notificationBody({ id: 'evt_\u0000' }), 'id'],
  ])('with %s is taken all the same, and kept with what is wrong', async (_, body, fault) => {
    expect((await deliver(body)).status).toBe(200);
    expect((await deliver(body)).status).toBe(200);
    const kept = await opened.store.pool.query<{
      event_id: string;
      type: string | null;
      fault: string;
    }>('select event_id, type, fault from notifications where body = $1', [Buffer.from(body)]);
    expect(kept.rows).toHaveLength(1);
    expect(kept.rows[0]).toMatchObject({
      event_id: expect.stringMatching(/^unreadable:[0-9a-f]{64}$/),
      type: null,
    });
    expect(kept.rows[0]!.fault).toContain(fault);
    expect(sent).toEqual([]);
  });

  test('that names another merchant is kept with that, under the merchant whose secret it bears', async () => {
    const body = notificationBody({ id: 'evt_foreign', merchantReference: 'BETA' });
    expect((await deliver(body)).status).toBe(200);
    const [kept] = await stored('evt_foreign');
    expect(kept!.fault).toBe('merchantReference is not that of this merchant');
    expect(sent).toEqual([]);
  });

  test('of a merchant with odd characters in its name finds it', async () => {
    const body = notificationBody({ id: 'evt_odd', merchantReference: ODD });
    expect((await deliver(body, { merchant: ODD })).status).toBe(200);
    expect(sent).toEqual([
      { kind: 'refresh', data: { merchant: ODD, reference: 'GUI-CI-00000001' } },
    ]);
  });
});

describe('what is refused so that the service tries again, and is stored nowhere', () => {
  const body = notificationBody({ id: 'evt_refused' });
  const signedAt = (seconds: number) => signatureOf(body, READ_AT + seconds * 1_000, CURRENT);

  test.each([
    ['without a signature', { 'service-signature': undefined }],
    ['with garbage for one', { 'service-signature': 't=now,v1=yes' }],
    ['signed too long ago', { 'service-signature': signedAt(-301) }],
    ['signed in the future', { 'service-signature': signedAt(301) }],
    ['signed for another body', { 'service-signature': signatureOf(`${body} `, READ_AT, CURRENT) }],
    ['signed with a retired secret', { 'service-signature': signatureOf(body, READ_AT, RETIRED) }],
    ['signed with no secret', { 'service-signature': signatureOf(body, READ_AT, '') }],
  ])('403: %s', async (_, headers) => {
    const before = await rows();
    expect(await refusal(await deliver(body, { headers }))).toEqual(forged);
    expect([await rows(), sent]).toEqual([before, []]);
  });

  test('403: tampered with, written anew, or sent to another merchant', async () => {
    const headers = { 'service-signature': signatureOf(body, now, CURRENT) };
    expect(await refusal(await deliver(body.replace('1000', '9000'), { headers }))).toEqual(forged);
    expect(
      await refusal(await deliver(JSON.stringify(JSON.parse(body), null, 2), { headers })),
    ).toEqual(forged);
    expect(await refusal(await deliver(body, { headers, merchant: 'BETA' }))).toEqual(forged);
    expect(await stored('evt_refused')).toEqual([]);
  });

  test('403: announced as another type than it is', async () => {
    const answer = await deliver(body, { headers: { 'service-event': 'cashin.failed' } });
    expect(await refusal(answer)).toEqual([403, 'EVENT_MISMATCH']);
    expect(await stored('evt_refused')).toEqual([]);
  });

  test('403: a merchant whose secret is not configured yet, and one that is not known, which the answer does not tell', async () => {
    await opened.store.pool.query("insert into merchants (reference) values ('MIRRORED')");
    const texts = new Set<string>();
    for (const merchant of [
      'SILENT',
      'MIRRORED',
      'NOBODY',
      'constructor',
      '__proto__',
      'ALPHA ',
      'alpha',
    ]) {
      const answer = await deliver(body, { merchant, headers: { 'x-request-id': 'the-same' } });
      texts.add(await answer.clone().text());
      expect(await refusal(answer), merchant).toEqual(forged);
    }
    const headers = {
      'service-signature': signatureOf(body, now, RETIRED),
      'x-request-id': 'the-same',
    };
    texts.add(await (await deliver(body, { headers })).text());
    expect([...texts]).toHaveLength(1);
    expect(JSON.stringify(server.events)).toContain(
      'merchants.SILENT.notifications.current is not set',
    );
    expect(server.events).toContainEqual({
      event: 'notification refused',
      merchant: 'NOBODY',
      why: 'unknown merchant',
    });
    expect(
      server.events.filter((event) => (event as { event: string }).event === 'call failed'),
    ).toEqual([]);
  });
});

describe('what is refused for good', () => {
  test('404: what can be the name of no merchant, and a path that is none', async () => {
    const long = 'M'.repeat(201);
    for (const merchant of ['A\0', long]) {
      expect(await refusal(await deliver(notificationBody(), { merchant })), merchant).toEqual([
        404,
        'NOT_FOUND',
      ]);
    }
    for (const path of ['direct', 'direct/', 'direct/ALPHA/x', 'other/ALPHA']) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${server.origin}/notifications/${path}`, {
        method: 'POST',
        headers,
        body: '{}',
      });
      expect((await refusal(answer))[0], path).toBe(404);
    }
    expect(await refusal(await fetch(`${server.origin}/notifications/direct/ALPHA`))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect(
      (
        await refusal(await fetch(`${server.origin}/notifications/direct/%zz`, { method: 'POST' }))
      )[0],
    ).toBe(400);
  });

  test('413 and 415: a body that is too long, or of another type', async () => {
    const just = notificationBody({ id: 'evt_just', pad: '' });
    const fitting = notificationBody({ id: 'evt_just', pad: 'x'.repeat(LIMIT - just.length) });
    expect(fitting).toHaveLength(LIMIT);
    expect((await deliver(fitting)).status).toBe(200);
    expect(await refusal(await deliver(`${fitting} `))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'json',
      '',
    ]) {
      const answer = await deliver(notificationBody({ id: 'evt_type' }), {
        headers: { 'content-type': type },
      });
      expect(await refusal(answer), type).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/cloudevents+json',
    ]) {
      const answer = await deliver(notificationBody({ id: 'evt_type' }), {
        headers: { 'content-type': type },
      });
      expect(answer.status, type).toBe(200);
    }
  });

  test('a sender that names no type is taken', async () => {
    const body = notificationBody({ id: 'evt_untyped' });
    const headers = {
      'service-signature': signatureOf(body, now, CURRENT),
      'content-length': Buffer.byteLength(body),
    };
    const status = await new Promise((resolve) => {
      const url = `${server.origin}/notifications/direct/ALPHA`;
      request(url, { method: 'POST', headers }, (answer) =>
        resolve(answer.resume().statusCode),
      ).end(body);
    });
    expect([status, (await stored('evt_untyped')).length]).toEqual([200, 1]);
  });

  test('the call keeps the name that it was given, where that is one', async () => {
    const named = (name: string) =>
      deliver('{}', { merchant: 'NOBODY', headers: { 'x-request-id': name } });
    expect((await named('their-call/1')).headers.get('x-request-id')).toBe('their-call/1');
    expect((await named('r'.repeat(200))).headers.get('x-request-id')).toBe('r'.repeat(200));
    for (const name of ['r'.repeat(201), 'with blank', '']) {
      const answer = await named(name);
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      await refusal(answer);
    }
  });
});

describe('a trouble of ours is 503, and what was stored is refreshed when it is sent again', () => {
  const away = [503, 'SERVICE_UNAVAILABLE'];

  test('the queue refuses', async () => {
    const body = notificationBody({ id: 'evt_queue' });
    trouble = () => Promise.reject(new Error('the queue is away'));
    expect(await refusal(await deliver(body))).toEqual(away);
    expect(sent).toEqual([]);
    trouble = null;
    expect((await deliver(body)).status).toBe(200);
    expect([sent.length, (await stored('evt_queue')).length]).toEqual([1, 1]);
    expect(JSON.stringify(server.events)).toContain('the queue is away');
  });

  test('the database is gone, and comes back', async () => {
    const other = await openTestStore();
    const store = await openStore({ databaseUrl: other.databaseUrl, dataDirectory: '' });
    const at = await startOn(store);
    const name = new URL(other.databaseUrl).pathname.slice(1);
    const admin = new pg.Client({ connectionString: opened.databaseUrl });
    await admin.connect();
    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]);
    const body = notificationBody({ id: 'evt_gone' });
    expect(await refusal(await deliver(body, { at: at.origin }))).toEqual(away);
    expect(await refusal(await deliver(body, { at: at.origin, merchant: 'NOBODY' }))).toEqual(away);
    const payment = deliver('{"status":"SUCCESS","reference":"PAY1"}', {
      at: at.origin,
      channel: 'payments',
    });
    expect(await refusal(await payment)).toEqual(away);
    const forgery = {
      headers: { 'service-signature': signatureOf(body, now, RETIRED) },
      at: at.origin,
    };
    expect(await refusal(await deliver(body, forgery))).toEqual(forged);
    await admin.query(`alter database ${name} with allow_connections true`);
    await admin.end();
    expect((await deliver(body, { at: at.origin })).status).toBe(200);
    await at.close();
    await store.close();
    await other.close();
  });

  test('too many at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    trouble = () => promise;
    const bodies = Array.from({ length: 120 }, (_, i) => notificationBody({ id: `evt_load_${i}` }));
    const statuses: number[] = [];
    const answers = bodies.map(async (body) => void statuses.push((await deliver(body)).status));
    await expect.poll(() => statuses).toEqual(Array.from({ length: 20 }, () => 503));
    resolve();
    await Promise.all(answers);
    expect(statuses.slice(20)).toEqual(Array.from({ length: 100 }, () => 200));
    expect((await deliver(bodies.at(-1)!)).status).toBe(200);
  });

  test('none of it under load: each is answered within the time that the sender grants', async () => {
    const slowest = { milliseconds: 0 };
    const bodies = Array.from({ length: 200 }, (_, i) => notificationBody({ id: `evt_many_${i}` }));
    const send = async (): Promise<void> => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        const began = performance.now();
        expect((await deliver(body)).status).toBe(200);
        slowest.milliseconds = Math.max(slowest.milliseconds, performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: 40 }, send));
    expect(slowest.milliseconds).toBeLessThan(10_000);
    expect(sent).toHaveLength(200);
  });
});

describe('the unsigned notification of a payment', () => {
  const signal = (changes: object = {}, delivery: Delivery = {}) => {
    const body = {
      status: 'SUCCESS',
      amount: 5_000,
      fees: 75.5,
      reference: 'PAY1',
      provider: 'Wave',
      ...changes,
    };
    const text = JSON.stringify({
      ...body,
      country_code: 'CI',
      created_date: '2026-11-01T21:00:00.000Z',
    });
    return deliver(text, {
      channel: 'payments',
      headers: { 'service-signature': undefined },
      ...delivery,
    });
  };

  test('is stored as a signal, once, and the payment is requested', async () => {
    for (let time = 0; time < 2; time += 1) expect((await signal()).status).toBe(200);
    const refresh = { kind: 'refresh', data: { merchant: 'ALPHA', reference: 'PAY1' } };
    expect(sent).toEqual([refresh, refresh]);
    const kept = await opened.store.pool.query(
      "select type, operation_reference as reference, fault from notifications where channel = 'payments'",
    );
    expect(kept.rows).toEqual([{ type: 'SUCCESS', reference: 'PAY1', fault: null }]);
  });

  test('needs no secret, but the form of a payment; of a merchant that is not known nothing is stored, and the answer is the same', async () => {
    const before = await rows();
    const answers = [];
    for (const merchant of ['SILENT', 'NOBODY']) {
      const answer = await signal({ reference: 'PAY-KNOWN' }, { merchant });
      answers.push([answer.status, await answer.json()]);
      expect(await refusal(await signal({ status: 'PENDING' }, { merchant }))).toEqual([
        400,
        'VALIDATION_ERROR',
      ]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect([await rows(), sent.length]).toEqual([before + 1, 1]);
    for (const changes of [
      { reference: 'GUI-CI-1' },
      { reference: 7 },
      { status: 'PENDING' },
      { amount: 'much' },
    ]) {
      const answer = await signal(changes);
      expect(await refusal(answer), JSON.stringify(changes)).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect(await refusal(await signal({ pad: 'x'.repeat(LIMIT) }))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
  });

  test('is taken so many times a minute from one address, without a stack in the log; other senders go on', async () => {
    const logged = server.events.length;
    const many = Array.from({ length: MOST_FROM_ONE }, (_, i) => `PAY-FLOOD-${i}`);
    for (const reference of many)
      expect((await signal({ reference }, { merchant: ODD })).status).toBe(200);
    for (let n = 0; n < 5; n += 1) {
      const more = await signal({ reference: 'PAY-MORE' }, { merchant: ODD });
      expect([more.headers.get('retry-after'), ...(await refusal(more))]).toEqual([
        '60',
        503,
        'SERVICE_UNAVAILABLE',
      ]);
    }
    const body = notificationBody({ id: 'evt_beside', merchantReference: ODD });
    expect((await deliver(body, { merchant: ODD })).status).toBe(200);
    const behind = await startOn(opened.store, { trustedProxies: ['127.0.0.1'] });
    const from = (address: string, reference: string) =>
      signal(
        { reference },
        { merchant: ODD, at: behind.origin, headers: { 'x-forwarded-for': address } },
      );
    for (let n = 0; n < MOST_FROM_ONE; n += 1) await from('10.0.0.1', `PAY-OTHER-${n}`);
    expect((await from('10.0.0.1', 'PAY-OTHER-LAST')).status).toBe(503);
    expect((await from('10.0.0.2', 'PAY-REAL')).status, 'the real sender').toBe(200);
    await behind.close();
    expect(JSON.stringify(server.events.slice(logged))).not.toContain('failed');
    now = READ_AT + 2 * MINUTE;
    expect((await signal({ reference: 'PAY-MORE' }, { merchant: ODD })).status).toBe(200);
  });

  test('is stored so many times a minute for one merchant, from however many addresses', async () => {
    await opened.store.pool.query(
      `insert into notifications (merchant_id, event_id, variant, channel, digest, type, operation_reference, received_at, body)
      select merchant_id, 'flood-' || n, 0, 'payments', 'flood', 'SUCCESS', 'PAY-' || n, $1, ''
      from merchants, generate_series(1, $2::int) as n where reference = 'SILENT'`,
      [READ_AT, MOST_SIGNALS],
    );
    const more = await signal({ reference: 'PAY-MORE' }, { merchant: 'SILENT' });
    expect([more.headers.get('retry-after'), ...(await refusal(more))]).toEqual([
      '60',
      503,
      'SERVICE_UNAVAILABLE',
    ]);
  });
});

describe('the server', () => {
  test('describes both routes with their refusals', async () => {
    const answer = await fetch(`${server.origin}/openapi.json`);
    const { paths } = (await answer.json()) as {
      paths: Record<string, { post: Record<string, object> }>;
    };
    const [direct, payments] = ['direct', 'payments'].map(
      (name) => paths[`/notifications/${name}/{merchant}`]!.post,
    );
    expect(Object.keys(direct!.responses!)).toEqual(['200', '403', '404', '413', '415', '503']);
    expect(Object.keys(payments!.responses!)).toEqual(['200', '400', '404', '413', '415', '503']);
    for (const word of [
      'service-signature',
      'service-event',
      'merchantReference',
      '"name":"merchant"',
    ]) {
      expect(JSON.stringify(direct), word).toContain(word);
    }
    expect(JSON.stringify(payments)).toContain('created_date');
  });

  test('logs no secret and no body', () => {
    const said = JSON.stringify(server.events);
    expect(server.events.length).toBeGreaterThan(100);
    for (const secret of [CURRENT, PREVIOUS, RETIRED, 'GUI-CI-00000001', 'v1='])
      expect(said).not.toContain(secret);
  });
});
