// A service or a network that misbehaves. Requests that may be repeated are repeated, every other
// failure has a code and one sentence, and no credential is ever shown, sent elsewhere or logged.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import { SourceFailed } from '../../src/io/sources/port/source.ts';
import type { WebEvent } from '../../src/io/sources/web/web-settings.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { openSource, readBooks, settingsFor } from '../support/http-reader.ts';
import {
  type HttpService,
  KEY,
  type Misbehaviour,
  SECRET,
  startHttpService,
} from '../support/http-service.ts';

let service: HttpService;
let events: WebEvent[];
beforeEach(async () => {
  service = await startHttpService({ M001: makeHttpBooks('M001', 25) });
  events = [];
});
afterEach(() => service.close());

/** Lets the service misbehave for the first `times` requests to `path`. */
function misbehave(
  misbehaviour: Misbehaviour,
  on: { readonly path: string; readonly times: number },
): void {
  let left = on.times;
  service.before = (request) => {
    if (request.path !== on.path || left <= 0) return null;
    left -= 1;
    return misbehaviour;
  };
}

async function failure(settings: Parameters<typeof openSource>[1] = {}): Promise<SourceFailed> {
  const error = await readBooks(openSource(service, { events, ...settings }), 'M001').then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SourceFailed);
  const failed = error as SourceFailed;
  expect(failed.message).toMatch(/^[A-Z].*\.$/s);
  const said = `${failed.message} ${failed.stack} ${String(failed.cause)} ${JSON.stringify(events)}`;
  expect(said).not.toContain(SECRET);
  expect(said).not.toContain(KEY);
  return failed;
}

const error = (status: number, code: string, headers: object = {}): Misbehaviour => ({
  do: 'error',
  status,
  code,
  headers,
});
const answer = (body: string | Uint8Array, headers: object = {}): Misbehaviour => ({
  do: 'answer',
  status: 200,
  body,
  headers,
});

/**
 * What a failure tells a person to check, by its code: the settings as the configuration names
 * them.
 */
const TO_CHECK: Readonly<Record<string, string>> = {
  UNREACHABLE: 'check source and the network',
  UNREADABLE_ANSWER: 'check source, http.paths, http.envelope',
  VALIDATION_ERROR: 'check http.paths and http.pageSize',
  NOT_FOUND: 'check source and http.paths',
};

describe('a passing fault is got over, and nothing is lost', () => {
  test.each<[string, Misbehaviour]>([
    ['a 500', error(500, 'INTERNAL_ERROR')],
    ['a 502 that is not JSON', { do: 'answer', status: 502, body: '<html>bad gateway</html>' }],
    ['a 503 with Retry-After in seconds', error(503, 'UNAVAILABLE', { 'retry-after': '0' })],
    ['a 429 with Retry-After', error(429, 'TOO_MANY_REQUESTS', { 'retry-after': '0' })],
    ['a 429 without', error(429, 'TOO_MANY_REQUESTS')],
    ['a dropped connection', { do: 'drop' }],
    ['a body that breaks off', { do: 'drop-body', share: 0.6 }],
    ['a body cut short but said to be whole', { do: 'cut-body', share: 0.7 }],
    ['an empty body', answer('')],
    ['a body with broken compression', answer('not gzip', { 'content-encoding': 'gzip' })],
  ])('%s', async (_, misbehaviour) => {
    for (const path of ['/merchants/me', '/ledger', '/operations', '/wallet']) {
      misbehave(misbehaviour, { path, times: 2 });
      const read = await readBooks(openSource(service, { events, pageSize: 10 }), 'M001');
      expect(read.entries).toHaveLength(25);
      expect(read.operations).toHaveLength(25);
      expect(read.closing.wallet?.balance).toBe(25_000);
      expect(events.filter((event) => event.what === 'retry').length).toBe(2);
      events.length = 0;
    }
  });

  test('a request that hangs', async () => {
    misbehave({ do: 'hang' }, { path: '/ledger', times: 1 });
    const read = await readBooks(openSource(service, { events, deadline: 150 }), 'M001');
    expect(read.entries).toHaveLength(25);
    expect(events[0]?.why).toContain('within 150 ms');
  });

  test('a slow body, when it ends in time', async () => {
    misbehave({ do: 'drip', pause: 5 }, { path: '/ledger', times: 9 });
    const read = await readBooks(openSource(service, { events }), 'M001');
    expect(read.entries).toHaveLength(25);
    expect(events).toEqual([]);
  });
});

describe('a lasting fault fails by name', () => {
  test.each<[string, Misbehaviour, string, number]>([
    ['a 500', error(500, 'INTERNAL_ERROR'), 'SERVICE_UNAVAILABLE', 4],
    ['a 429', error(429, 'SLOW_DOWN', { 'retry-after': '0' }), 'RATE_LIMITED', 4],
    ['wrong credentials', error(401, 'INVALID_CREDENTIALS'), 'INVALID_CREDENTIALS', 1],
    ['a suspended account', error(403, 'ACCOUNT_SUSPENDED'), 'ACCOUNT_SUSPENDED', 1],
    ['an address not declared', error(403, 'IP_NOT_ALLOWED'), 'IP_NOT_ALLOWED', 1],
    ['a frozen wallet', error(403, 'WALLET_FROZEN'), 'WALLET_FROZEN', 1],
    ['a 403 of a firewall', { do: 'answer', status: 403, body: '<html>' }, 'FORBIDDEN', 1],
    ['parameters refused', error(400, 'VALIDATION_ERROR'), 'VALIDATION_ERROR', 1],
    ['a wrong path', error(404, 'NOT_FOUND'), 'NOT_FOUND', 1],
    [
      'a wrong path, not in the documented shape',
      { do: 'answer', status: 404, body: '{}' },
      'NOT_FOUND',
      1,
    ],
    ['an error under status 200', error(200, 'ACCOUNT_SUSPENDED'), 'ACCOUNT_SUSPENDED', 1],
    ['no content', { do: 'answer', status: 204, body: '' }, 'REFUSED', 1],
    ['a dropped connection', { do: 'drop' }, 'UNREACHABLE', 4],
    ['a body that breaks off', { do: 'drop-body', share: 0.5 }, 'UNREACHABLE', 4],
    ['a body cut short', { do: 'cut-body', share: 0.5 }, 'UNREADABLE_ANSWER', 4],
    [
      'a page of a captive portal',
      answer('<html><body>log in</body></html>'),
      'UNREADABLE_ANSWER',
      4,
    ],
    ['an envelope that is not known', answer('{"stuff":[{"a":1}]}'), 'UNREADABLE_ANSWER', 1],
    ['a list in two places', answer('{"data":[],"items":[]}'), 'UNREADABLE_ANSWER', 1],
    ['a field given twice', answer('{"data":[],"data":[]}'), 'UNREADABLE_ANSWER', 4],
    ['a bare number', answer('17'), 'UNREADABLE_ANSWER', 1],
  ])('%s', async (_, misbehaviour, code, requests) => {
    misbehave(misbehaviour, { path: '/ledger', times: 1_000 });
    const failed = await failure();
    expect(failed.code).toBe(code);
    expect(failed.message).toContain('GET /ledger of M001');
    if (code in TO_CHECK) expect(failed.message).toContain(TO_CHECK[code]!);
    expect(service.asked.filter((request) => request.path === '/ledger')).toHaveLength(requests);
  });

  test('names the request by its id, as the service knows it', async () => {
    misbehave(error(401, 'INVALID_CREDENTIALS'), { path: '/merchants/me', times: 1 });
    const failed = await failure();
    const sent = service.asked[0]!.headers['x-request-id'];
    expect(sent).toMatch(/^[0-9a-f-]{36}$/);
    expect(failed.message).toContain(`request ${sent}`);
  });

  test('a hanging service is given up after the deadline of each attempt', async () => {
    misbehave({ do: 'hang' }, { path: '/merchants/me', times: 1_000 });
    const failed = await failure({ deadline: 60 });
    expect(failed.code).toBe('TIMEOUT');
    expect(failed.message).toContain('or raise http.deadline');
    expect(service.asked).toHaveLength(4);
  });

  test('the deadline covers the body too', async () => {
    misbehave({ do: 'drip', pause: 40 }, { path: '/ledger', times: 1_000 });
    expect((await failure({ deadline: 120 })).code).toBe('TIMEOUT');
  });

  test('a service that is not there', async () => {
    await service.close();
    const failed = await failure();
    expect(failed.code).toBe('UNREACHABLE');
    expect(failed.message).toContain('ECONNREFUSED');
    service = await startHttpService({});
  });

  test('a service that is away is called for two merchants of a hundred, and is one sentence for all', async () => {
    await service.close();
    const names = Array.from({ length: 100 }, (_, i) => `M${i}`);
    const merchants = Object.fromEntries(
      names.map((name) => [name, { apiKey: KEY, apiSecret: SECRET }]),
    );
    const source = openHttpSource({ ...settingsFor(service, { events }), merchants });
    const said = new Set<string>();
    for (const name of names)
      await source.open(name, null).catch((failed: SourceFailed) => said.add(failed.message));
    expect([...said]).toEqual([
      `No answer from ${service.baseUrl} (ECONNREFUSED): check source and the network.`,
    ]);
    expect(new Set(events.map(({ merchant }) => merchant))).toEqual(new Set(['M0', 'M1']));
    expect(events.length).toBeLessThanOrEqual(6);
    service = await startHttpService({});
  });

  test('an outage that is over within our patience costs no merchant its night', async () => {
    const { port } = new URL(service.baseUrl);
    await service.close();
    const names = ['A', 'B', 'C', 'D', 'E', 'F'];
    const retries = { attempts: 3, firstDelay: 10, longestDelay: 10_000, longestRetryAfter: 50 };
    const books = Object.fromEntries(names.map((name) => [name, makeHttpBooks(name, 5)]));
    service = { ...service, books };
    const source = openSource(service, { retries, events });
    const readings = names.map((name) => readBooks(source, name));
    const outcomes = Promise.allSettled(readings);
    await new Promise((resolve) => setTimeout(resolve, 900));
    service = await startHttpService(books, Number(port));
    expect((await outcomes).map(({ status }) => status)).toEqual(names.map(() => 'fulfilled'));
  });

  test('an endless body is not read on, compressed or not', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
    misbehave(answer(bomb, { 'content-encoding': 'gzip' }), { path: '/wallet', times: 1 });
    const failed = await failure({ maxResponseBytes: 100_000 });
    expect(failed.code).toBe('ANSWER_TOO_LARGE');
    expect(service.asked.filter((request) => request.path === '/wallet')).toHaveLength(1);
  });

  test('a page that stays over the cap however small', async () => {
    expect((await failure({ maxResponseBytes: 1_500 })).code).toBe('ANSWER_TOO_LARGE');
  });

  test('the account of another merchant', async () => {
    service.books.M001 = makeHttpBooks('M999', 3);
    const failed = await failure();
    expect(failed.code).toBe('WRONG_MERCHANT');
    expect(failed.message).toContain('M999');
  });

  test('a merchant without credentials', async () => {
    await expect(openSource(service).open('M404', null)).rejects.toMatchObject({
      code: 'UNKNOWN_MERCHANT',
    });
    await expect(openSource(service).askOperation('toString', 'x')).rejects.toMatchObject({
      code: 'UNKNOWN_MERCHANT',
    });
    expect(service.asked).toEqual([]);
  });
});

describe('waiting', () => {
  test('Retry-After is waited for, in seconds and as a date of the service’s own clock', async () => {
    service.clockOffset = 86_400_000;
    const soon = (): string =>
      new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 86_400_000 + 1_000).toUTCString();
    // The date is computed when its turn comes, because the attempt before takes a second.
    for (const header of [() => '1', soon]) {
      misbehave(error(429, 'SLOW_DOWN', { 'retry-after': header() }), {
        path: '/merchants/me',
        times: 1,
      });
      const retries = { attempts: 2, firstDelay: 0, longestDelay: 0, longestRetryAfter: 5_000 };
      const begun = Date.now();
      await (await openSource(service, { events, retries }).open('M001', null)).close();
      expect(Date.now() - begun).toBeGreaterThanOrEqual(990);
      expect(events.at(-1)!.wait).toBeLessThanOrEqual(2_000);
    }
  });

  test.each([
    ['a Retry-After of a day', '86400'],
    ['a date a year away', new Date(Date.now() + 365 * 86_400_000).toUTCString()],
  ])('%s is cut to the longest wait that was set', async (_, header) => {
    misbehave(error(503, 'BUSY', { 'retry-after': header }), { path: '/ledger', times: 1 });
    const read = await readBooks(openSource(service, { events }), 'M001');
    expect(read.entries).toHaveLength(25);
    expect(events[0]!.wait).toBeLessThanOrEqual(60);
  });

  test.each(['-5', 'soon', '1e9', ''])(
    'a Retry-After that says nothing (%j) is passed over',
    async (header) => {
      misbehave(error(503, 'BUSY', { 'retry-after': header }), { path: '/ledger', times: 1 });
      await readBooks(openSource(service, { events }), 'M001');
      expect(events[0]!.wait).toBeLessThanOrEqual(10);
    },
  );

  test('delays double, with full jitter, up to the longest', async () => {
    misbehave(error(500, 'INTERNAL_ERROR'), { path: '/ledger', times: 1_000 });
    const retries = { attempts: 7, firstDelay: 2, longestDelay: 20, longestRetryAfter: 50 };
    await failure({ retries, random: () => 0.999 });
    expect(events.map((event) => event.wait)).toEqual([1, 3, 7, 15, 19, 19]);
    events.length = 0;
    await failure({ retries, random: () => 0 });
    expect(events.map((event) => event.wait)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('closing the source ends a wait and a request under way', async () => {
    misbehave({ do: 'hang' }, { path: '/ledger', times: 1_000 });
    const source = openSource(service, { deadline: 60_000 });
    const snapshot = await source.open('M001', null);
    const next = snapshot.entries()[Symbol.asyncIterator]().next();
    setTimeout(() => void source.close(), 30);
    await expect(next).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('credentials', () => {
  test('are not carried to where a redirect points', async () => {
    const seen: unknown[] = [];
    const elsewhere = createServer((request, response) => {
      seen.push(request.headers);
      response.end('[]');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1/ledger`;
    for (const status of [301, 302, 303, 307, 308]) {
      misbehave(
        { do: 'answer', status, body: '', headers: { location } },
        { path: '/ledger', times: 1 },
      );
      expect(await failure()).toMatchObject({
        code: 'REDIRECTED',
        message: expect.stringContaining('set source to the final address'),
      });
    }
    expect(seen).toEqual([]);
    elsewhere.close();
  });

  test('are sent in their two headers with every request, and nowhere else', async () => {
    await readBooks(openSource(service), 'M001');
    expect(service.asked.length).toBeGreaterThan(5);
    for (const { headers, path, query } of service.asked) {
      expect(headers['x-api-key']).toBe(`${KEY}-M001`);
      expect(headers['x-api-secret']).toBe(SECRET);
      expect(`${path}?${query}`).not.toMatch(/gk_|gs_/);
    }
    expect(new Set(service.asked.map((request) => request.headers['x-request-id'])).size).toBe(
      service.asked.length,
    );
  });

  test.each<[string, object]>([
    [
      'a line break in the secret',
      { merchants: { M001: { apiKey: 'gk_test_a', apiSecret: `${SECRET}\n` } } },
    ],
    ['an empty key', { merchants: { M001: { apiKey: '', apiSecret: SECRET } } }],
    ['a password in the address', { baseUrl: `http://user:${SECRET}@127.0.0.1:1/v1` }],
    ['an address that is none', { baseUrl: `${SECRET}` }],
    ['another protocol', { baseUrl: 'file:///etc/passwd' }],
  ])('are refused before anything is sent: %s', (_, change) => {
    const open = (): unknown => openHttpSource({ ...settingsFor(service), ...change });
    expect(open).toThrow(SourceFailed);
    expect(open).toThrow(/^(?!.*never_to_be_shown)/s);
    expect(service.asked).toEqual([]);
  });
});

test('what opens shows no secret in its name', () => {
  expect(openSource(service).name).toBe(service.baseUrl);
});
