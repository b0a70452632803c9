// What a person finds who comes without knowing the way: the description at /docs, to be read
// without a network, and refusals in one shape. Also what becomes of a caller who guesses tokens.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ServerOptions } from '../../src/service/http/start-server.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  OPERATOR_TOKEN,
  startTestServer,
  type TestServer,
  tokenOf,
} from '../support/report-server.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

let server: TestServer;
const start = async (otherwise: Partial<ServerOptions> = {}) => {
  server = await startTestServer(opened.store, { server: otherwise });
};
afterEach(() => server.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${server.origin}${path}`, { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe('a browser', () => {
  beforeEach(() => start());

  test('reads the description at /docs, all of whose parts come from the server itself', async () => {
    const { status, text } = await get('/docs');
    expect([status, text]).toEqual([200, expect.stringContaining('swagger-ui')]);
    const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part!);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      expect(part).not.toMatch(/^(?:https?:)?\/\//);
      const at = new URL(part, `${server.origin}/docs/`).pathname;
      expect([at, (await get(at)).status]).toEqual([at, 200]);
    }
    expect(JSON.parse((await get('/docs/json')).text)).toEqual(
      JSON.parse((await get('/openapi.json')).text),
    );
    expect(
      Object.keys((JSON.parse((await get('/openapi.json')).text) as { paths: object }).paths),
    ).not.toContain('/docs');
  });

  test.each(['/nothing', '/runs/nothing/at/all', '/metrics/x'])(
    'is answered at %s in the shape of operators',
    async (path) => {
      const { status, text } = await get(path);
      expect([status, JSON.parse(text)]).toMatchObject([
        404,
        { success: false, error: { code: 'NOT_FOUND' } },
      ]);
    },
  );

  test('is answered below /web-merchant in the shape of the dashboard', async () => {
    const { status, text } = await get('/web-merchant/nothing');
    expect([status, JSON.parse(text)]).toMatchObject([404, { statusCode: 404 }]);
  });
});

describe('an address that guesses tokens', () => {
  const wrong = (n: number) => ({ authorization: `Bearer ${String(n).padStart(36, '0')}` });

  test.each([
    ['an operator’s', '/metrics', wrong, { authorization: `Bearer ${OPERATOR_TOKEN}` }],
    [
      'a merchant’s',
      '/web-merchant/reports',
      (n: number) => ({ authenticationtoken: `guess-${n}` }),
      null,
    ],
  ] as const)(
    '%s is answered 429 after so many, for the rest of the minute, and the right one is taken all the same',
    async (_, path, guess, right) => {
      await start({ mostWrongTokens: 3 });
      for (let n = 0; n < 3; n += 1) expect((await get(path, guess(n))).status).toBe(401);
      const { status, headers } = await get(path, guess(3));
      expect([status, Number(headers.get('retry-after'))]).toEqual([429, 60]);
      const token = right ?? { authenticationtoken: await tokenOf('M001') };
      for (let n = 4; n < 40; n += 1) expect((await get(path, guess(n))).status).toBe(429);
      expect((await get(path, token)).status, 'the merchant is not in this mirror').toBe(
        right === null ? 404 : 200,
      );
      expect((await get('/health')).status).toBe(200);
    },
  );

  test('is forgotten after the minute, and a call without a token, or with the right one, never counts', async () => {
    let now = Date.UTC(2026, 10, 1);
    await start({ mostWrongTokens: 2, clock: () => now });
    for (let n = 0; n < 5; n += 1) expect((await get('/metrics')).status).toBe(401);
    const right = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    for (let n = 0; n < 5; n += 1) expect((await get('/metrics', right)).status).toBe(200);
    for (const status of [401, 401, 429])
      expect((await get('/metrics', wrong(1))).status).toBe(status);
    now += 61_000;
    expect((await get('/metrics', right)).status).toBe(200);
  });

  test('behind a trusted proxy is counted apart from the others there', async () => {
    await start({ mostWrongTokens: 1, trustedProxies: ['127.0.0.1'] });
    const from = (address: string, n: number) => ({ ...wrong(n), 'x-forwarded-for': address });
    expect((await get('/metrics', from('10.0.0.1', 1))).status).toBe(401);
    expect((await get('/metrics', from('10.0.0.1', 2))).status).toBe(429);
    expect((await get('/metrics', from('10.0.0.2', 3))).status).toBe(401);
  });

  test('has the whole of an IPv6 network of 64 bits to call from, and is one all the same', async () => {
    await start({ mostWrongTokens: 1, trustedProxies: ['127.0.0.1'] });
    const from = async (address: string, n: number) =>
      (await get('/metrics', { ...wrong(n), 'x-forwarded-for': address })).status;
    expect(await from('2001:db8:0:7::1', 1)).toBe(401);
    expect(await from('2001:db8:0000:7:a:b:c:d', 2)).toBe(429);
    expect(await from('2001:db8:0:8::1', 3)).toBe(401);
    expect(await from('2001:db8::8:0:0:1', 4), 'another network of that beginning').toBe(401);
    expect([await from('::ffff:10.0.0.1', 5), await from('10.0.0.1', 6)]).toEqual([401, 429]);
    expect(await from('::ffff:10.0.0.2', 7)).toBe(401);
  });

  test('cannot call himself another where no proxy is trusted', async () => {
    await start({ mostWrongTokens: 1 });
    const from = (address: string, n: number) => ({ ...wrong(n), 'x-forwarded-for': address });
    expect((await get('/metrics', from('10.0.0.1', 1))).status).toBe(401);
    expect((await get('/metrics', from('10.0.0.2', 2))).status).toBe(429);
  });
});

test('a connection that never sends anything does not hold up the end of the server', async () => {
  await start();
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.origin).port) });
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  const since = performance.now();
  await server.close();
  await ended;
  expect(performance.now() - since).toBeLessThan(10_000);
});
