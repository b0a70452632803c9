// Every route of the OpenAPI document refuses what it must, in the shape that its prefix promises.
// The routes are taken from the document itself, so that a new one cannot be forgotten.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import Fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  isPermitted,
  PERMISSIONS,
  type Permission,
  ROLES,
} from '../../src/core/domain/operators/role.ts';
import { inboxOf } from '../../src/service/compose/service.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { isDirect } from '../../src/service/http/port/errors.ts';
import { openMinuteCounts } from '../../src/service/http/port/limits.ts';
import { guardOperators } from '../../src/service/http/port/operators.ts';
import { PROBES } from '../../src/service/http/routes/service.ts';
import {
  FINDING_ACTIONS,
  PERMISSION_OF,
} from '../../src/service/workflows/operators/operator-backend.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { entranceTo, OPERATOR, operatorOf } from '../support/operator-books.ts';
import { startTestServer, type TestServer, tokenOf } from '../support/report-server.ts';

const NOW = Date.UTC(2026, 10, 2);
const LONG = 'x'.repeat(4_000);

/** One operator for each role. */
const BY_ROLE = ROLES.map((role) =>
  operatorOf(role, [role], role === 'accountant' ? 'ALPHA' : null),
);

interface Route {
  readonly method: string;
  /** The path as the document has it: `/runs/{id}`. */
  readonly path: string;
  readonly security: 'merchant' | 'operator' | 'none';
  /** Permissions that the route needs. */
  readonly needs: readonly string[];
  readonly query: readonly string[];
  readonly statuses: readonly number[];
  readonly hasBody: boolean;
}

let opened: TestStore;
let server: TestServer;
let routes: readonly Route[];
const name = (route: Route): string => `${route.method} ${route.path}`;

beforeAll(async () => {
  opened = await openTestStore();
  const { store } = opened;
  await store.pool.query(`with entered as (
      insert into merchants (reference) values ('ALPHA'), ('BETA') returning merchant_id
    )
    insert into merchant_heads (merchant_id) select merchant_id from entered`);
  const configuration = await loadConfiguration({}, {});
  const { backend, findOperator } = entranceTo(
    { configuration, store },
    () => NOW,
    () => {},
    BY_ROLE,
  );
  const jobs = { send: async () => {} };
  const inbox = inboxOf(configuration, store, { jobs, clock: () => NOW, log: () => {} });
  server = await startTestServer(store, { server: { backend, findOperator, inbox } });
  const document = (await (await fetch(`${server.origin}/openapi.json`)).json()) as OpenApi;
  routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => routeOf(path, method, described)),
  );
});
afterAll(async () => {
  await server.close();
  await opened.close();
});

interface Described {
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: unknown;
  readonly tags?: readonly string[];
  readonly summary?: string;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

function routeOf(path: string, method: string, described: Described): Route {
  const [asked] = described.security ?? [];
  const security = asked === undefined ? 'none' : 'operator' in asked ? 'operator' : 'merchant';
  expect(described.tags?.length, path).toBe(1);
  expect(described.summary?.length, path).toBeGreaterThan(5);
  return {
    method: method.toUpperCase(),
    path,
    security,
    needs: asked?.operator ?? [],
    query: (described.parameters ?? []).filter((one) => one.in === 'query').map((one) => one.name),
    statuses: Object.keys(described.responses).map(Number),
    hasBody: described.requestBody !== undefined,
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

interface Call {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Calls a route. The call is right in every respect, unless told otherwise, and asks for what is
 * not there.
 */
async function call(route: Route, { path, headers = {}, body }: Call = {}): Promise<Response> {
  const sound: Record<string, string> = await credentials(route.security);
  const init: RequestInit = { method: route.method, headers: { ...sound, ...headers } };
  if (route.method === 'POST') {
    init.body = body ?? JSON.stringify(bodyFor(route));
    init.headers = { 'content-type': 'application/json', ...sound, ...headers };
  }
  return fetch(`${server.origin}${path ?? placed(route)}`, init);
}

async function credentials(who: Route['security']): Promise<Record<string, string>> {
  if (who === 'merchant') return { authenticationtoken: await tokenOf('ALPHA') };
  return who === 'operator' ? { authorization: `Bearer ${OPERATOR.token}` } : {};
}

const PLACES: Readonly<Record<string, string>> = {
  fingerprint: '0123456789abcdef',
  reference: 'ALPHA',
  merchant: 'ALPHA',
  period: '2026-10',
  format: 'pdf',
};

function placed({ path }: Route, otherwise: Readonly<Record<string, string>> = {}): string {
  const asked = `${path}${ASKED[path] ?? ''}`;
  return asked.replace(/\{(\w+)\}/g, (_, place: string) => {
    const given =
      otherwise[place] ?? PLACES[place] ?? (path.startsWith('/runs') ? '7' : randomUUID());
    return encodeURIComponent(given);
  });
}

/** The queries that some routes need; they name a merchant that is not there. */
const ASKED: Readonly<Record<string, string>> = {
  '/search': '?q=ALPHA',
  '/findings/decisions': '?merchant=NOBODY',
};

const BODIES: Readonly<Record<string, object>> = {
  '/web-merchant/reports/generate': { merchant_reference: 'ALPHA', period: '2026-09' },
  '/findings/{fingerprint}/decisions': { action: 'acknowledge', reason: 'why' },
  '/findings/decisions': { action: 'acknowledge', reason: 'why', expect: 1, seen: 'x' },
  '/audits': { merchant: 'ALPHA' },
  '/merchants/{reference}/months/{period}/release': { reason: 'why' },
  '/merchants/{reference}/months/{period}/send': { to: 'audit@example.com' },
  '/merchants/{reference}/months/{period}/close': { reason: 'why' },
  '/deliveries/{id}/retry': { state: 'FAILED' },
};

function bodyFor({ path }: Route): object {
  return BODIES[path] ?? {};
}

const CODES: Readonly<Record<number, string>> = {
  400: 'VALIDATION_ERROR',
  401: 'INVALID_CREDENTIALS',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/**
 * Checks that a refusal has the documented shape of the prefix and nothing beside it, with the
 * call's own name in header and body. Returns its status.
 */
async function refused(answer: Response, path: string, about: string): Promise<number> {
  const { status } = answer;
  const id = answer.headers.get('x-request-id');
  expect(id?.length, about).toBeGreaterThan(0);
  expect([answer.headers.get('content-type'), answer.headers.get('cache-control')], about).toEqual([
    'application/json; charset=utf-8',
    'no-store',
  ]);
  const body = (await answer.json()) as Record<string, unknown>;
  if (isDirect(path)) {
    expect(body, about).toEqual({
      success: false,
      error: {
        code: CODES[status],
        message: expect.any(String),
        details: status === 400 ? expect.any(Object) : null,
      },
      requestId: id,
      timestamp: '2026-11-02T00:00:00.000Z',
    });
    const { details } = body.error as { details: { fields?: readonly unknown[] } | null };
    if (status === 400) {
      expect(Object.keys(details!), about).toEqual(['fields']);
      expect(details!.fields!.length, about).toBeGreaterThan(0);
      expect(
        details!.fields!.every((field) => typeof field === 'string'),
        about,
      ).toBe(true);
    }
  } else {
    expect(Object.keys(body).toSorted(), about).toEqual(['error', 'message', 'statusCode']);
    expect([body.statusCode, typeof body.message, typeof body.error], about).toEqual([
      status,
      'string',
      'string',
    ]);
  }
  return status;
}

async function statusOf(route: Route, made: Call): Promise<number> {
  const path = made.path ?? route.path;
  const answer = await call(route, made);
  const status = await refused(answer, path, name(route));
  expect(route.statuses, `${name(route)} describes ${status}`).toContain(status);
  return status;
}

const guarded = (): readonly Route[] => routes.filter(({ security }) => security !== 'none');
const posts = (): readonly Route[] => routes.filter(({ method }) => method === 'POST');

describe('the OpenAPI document', () => {
  test('has every route, and says of each who may call it', () => {
    expect(routes.map((route) => `${name(route)} (${route.security})`).toSorted()).toEqual([
      'GET /audits (operator)',
      'GET /audits/{id} (operator)',
      'GET /audits/{id}/report.pdf (operator)',
      'GET /corrections (operator)',
      'GET /deliveries (operator)',
      'GET /exposure (operator)',
      'GET /findings (operator)',
      'GET /findings/{fingerprint} (operator)',
      'GET /findings/{fingerprint}/letter (operator)',
      'GET /health (none)',
      'GET /merchants (operator)',
      'GET /merchants/{reference} (operator)',
      'GET /merchants/{reference}/entries (operator)',
      'GET /merchants/{reference}/months/{period}/files (operator)',
      'GET /merchants/{reference}/months/{period}/files/{format} (operator)',
      'GET /metrics (operator)',
      'GET /months (operator)',
      'GET /openapi.json (none)',
      'GET /operations/{reference} (operator)',
      'GET /proposals (operator)',
      'GET /ready (none)',
      'GET /runs (operator)',
      'GET /runs/{id} (operator)',
      'GET /runs/{id}/changes (operator)',
      'GET /search (operator)',
      'GET /trail (operator)',
      'GET /web-merchant/reports (merchant)',
      'GET /web-merchant/reports/{id}/download (merchant)',
      'POST /audits (operator)',
      'POST /deliveries/{id}/retry (operator)',
      'POST /findings/decisions (operator)',
      'POST /findings/{fingerprint}/decisions (operator)',
      'POST /merchants/{reference}/months/{period}/close (operator)',
      'POST /merchants/{reference}/months/{period}/release (operator)',
      'POST /merchants/{reference}/months/{period}/send (operator)',
      'POST /notifications/direct/{merchant} (none)',
      'POST /notifications/payments/{merchant} (none)',
      'POST /proposals/{id}/confirm (operator)',
      'POST /proposals/{id}/withdraw (operator)',
      'POST /web-merchant/reports/generate (merchant)',
    ]);
  });

  test('has what docs/OPERATORS.md shows, and that shows every route of operators', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/OPERATORS.md'), 'utf8');
    const calls = [...text.matchAll(/^curl (.*?)"\$POINTAGE([^"?]+)/gms)].map(
      ([, options, path]) => {
        const method = options!.includes(' -d ') ? 'POST' : 'GET';
        const route = routes.find(
          (one) => one.method === method && patternOf(one.path).test(path!),
        );
        return route === undefined ? `${method} ${path} is no route` : name(route);
      },
    );
    const ours = routes.filter(({ security }) => security === 'operator').map(name);
    expect([...new Set(calls)].toSorted()).toEqual(ours.toSorted());
  });

  test('and every guarded route lets in who may call it', async () => {
    for (const route of guarded()) {
      const { status } = await call(route);
      expect([200, 201, 202, 400, 404], name(route)).toContain(status);
      expect(status === 400 ? name(route) : 'POST /web-merchant/reports/generate').toBe(
        'POST /web-merchant/reports/generate',
      );
    }
  });
});

describe('every guarded route refuses', () => {
  test('no token, a wrong one, half of one, and another kind of caller: 401', async () => {
    const merchant = await tokenOf('ALPHA');
    const operator = OPERATOR.token;
    const wrong: readonly Readonly<Record<string, string>>[] = [
      {},
      { authenticationtoken: '', authorization: '' },
      { authenticationtoken: 'wrong', authorization: 'Bearer wrong' },
      {
        authorization: `Bearer ${operator.slice(0, -1)}`,
        authenticationtoken: merchant.slice(0, -1),
      },
      { authorization: `Bearer ${operator} x`, authenticationtoken: `Bearer ${merchant}` },
      { authorization: `Basic ${operator}` },
      { authorization: operator },
    ];
    for (const route of guarded()) {
      const exchanged =
        route.security === 'operator'
          ? [{ authenticationtoken: merchant }, { authorization: `Bearer ${merchant}` }]
          : [{ authorization: `Bearer ${operator}` }, { authenticationtoken: operator }];
      for (const headers of [...wrong, ...exchanged]) {
        const bare: Route = { ...route, security: 'none' };
        const answer = await call(bare, { headers });
        expect(await refused(answer, route.path, name(route)), JSON.stringify(headers)).toBe(401);
        expect(route.statuses).toContain(401);
      }
      // The body is not looked at before the token is checked.
      if (route.method === 'POST') {
        expect(await statusOf({ ...route, security: 'none' }, { body: LONG })).toBe(401);
      }
    }
  });

  test('a merchant that is not the caller, or not there: 404', async () => {
    const merchants = routes.filter(({ security }) => security === 'merchant');
    expect(merchants.length).toBe(3);
    for (const route of merchants) {
      for (const other of ['BETA', 'NOBODY']) {
        const body = JSON.stringify({ merchant_reference: other, period: '2026-09' });
        const path =
          route.method === 'POST' ? placed(route) : `${placed(route)}?merchant_reference=${other}`;
        expect(await statusOf(route, { path, body }), name(route)).toBe(404);
      }
    }
  });
});

describe('every route refuses', () => {
  test('a limit, an offset or another parameter that is none: 400', async () => {
    const paged = routes.filter(({ query }) => query.includes('limit'));
    expect(paged.length).toBeGreaterThanOrEqual(6);
    for (const route of paged) {
      for (const limit of ['0', '201', '-1', '1.5', 'many', '', '1e2', '0x10', '1&limit=2']) {
        expect(await statusOf(route, { path: `${placed(route)}?limit=${limit}` }), limit).toBe(400);
      }
      for (const offset of ['-1', '0.5', 'x', '99999999999']) {
        expect(await statusOf(route, { path: `${placed(route)}?offset=${offset}` }), offset).toBe(
          400,
        );
      }
      expect(await statusOf(route, { path: `${placed(route)}?nonsense=1` })).toBe(400);
    }
    const [findings] = routes.filter((route) => name(route) === 'GET /findings');
    for (const query of [
      'severity=grave',
      'state=new',
      'status=sure',
      'since=yesterday',
      'since=2026-11-32',
      'kind=a%20b',
    ]) {
      expect(await statusOf(findings!, { path: `/findings?${query}` }), query).toBe(400);
    }
    for (const query of [
      'causedBy=some',
      `merchant=${LONG}`,
      'merchant=',
      'since=2026-02-30T00:00:00Z',
    ]) {
      expect(await statusOf(findings!, { path: `/findings?${query}` }), query).toBe(400);
    }
  });

  test('a place that cannot be one: 400, or 404 where nothing tells them apart', async () => {
    const places = guarded().filter(({ path }) => path.includes('{'));
    expect(places.length).toBeGreaterThanOrEqual(7);
    for (const route of places) {
      for (const bad of [
        'x',
        '-1',
        '../../etc/passwd',
        '0',
        "' or 1=1",
        'NaN',
        '\u0000',
        '9'.repeat(40),
      ]) {
        const path = placed(route, { id: bad, fingerprint: bad, reference: `${bad}?` });
        expect([400, 404], `${name(route)} ${bad}`).toContain(await statusOf(route, { path }));
      }
      const there = await statusOf(route, { path: placed(route, { reference: 'NOBODY' }) });
      expect(there, name(route)).toBe(404);
    }
  });

  test('a period that is none, has not ended or is to come, and an instant that is none: 400', async () => {
    const periods = [
      '2026-13',
      '2026-10-01',
      '26-10',
      'october',
      '',
      '2026-11',
      '2031-01',
      '1969-12',
      202_610,
      null,
      ['2026-10'],
    ];
    const named = posts().filter(({ path }) =>
      ['/audits', '/web-merchant/reports/generate'].includes(path),
    );
    expect(named.length).toBe(2);
    for (const route of named) {
      for (const period of periods) {
        const body = JSON.stringify({ ...bodyFor(route), period });
        expect(await statusOf(route, { body }), `${name(route)} ${JSON.stringify(period)}`).toBe(
          400,
        );
      }
    }
    const audits = named.find(({ path }) => path === '/audits')!;
    const made = [
      { asOf: '2026-10-01' },
      { asOf: 'now' },
      { asOf: 1_790_000_000_000 },
      { asOf: '2026-11-02T00:00:01Z' },
      { asOf: '2026-10-01T00:00:00Z', period: '2026-09' },
      { source: 'files' },
      { merchant: '' },
      { merchant: 7 },
      { source: 'service' },
      { nonsense: true },
    ];
    for (const one of made) {
      const body = JSON.stringify({ merchant: 'ALPHA', ...one });
      expect(await statusOf(audits, { body }), body).toBe(400);
    }
    expect(await statusOf(audits, { body: '{"merchant": "NOBODY"}' })).toBe(404);
  });

  test('a body that is too long: 413; of another type, or of none: 415', async () => {
    for (const route of posts()) {
      const long = route.path.startsWith('/notifications') ? 'x'.repeat(2_000_000) : LONG;
      expect(await statusOf(route, { body: JSON.stringify({ long }) }), name(route)).toBe(413);
      for (const type of [
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'application/jsonx',
        'x',
      ]) {
        expect(
          await statusOf(route, { headers: { 'content-type': type } }),
          `${name(route)} ${type}`,
        ).toBe(415);
      }
    }
  });

  test('a body that is not JSON, or another object: 400', async () => {
    for (const route of posts().filter(({ security }) => security !== 'none')) {
      const bodies = [
        '{',
        '{"a":',
        'null',
        '[]',
        '7',
        '"text"',
        '{"__proto__": {"a": 1}}',
        '\u0000',
        '{}',
      ];
      const wrong = bodies.filter((body) => body !== JSON.stringify(bodyFor(route)));
      for (const body of wrong)
        expect(await statusOf(route, { body }), `${name(route)} ${body}`).toBe(400);
      const empty = await call(route, { body: '' });
      expect(await refused(empty, route.path, name(route))).toBe(400);
    }
    for (const decisions of posts().filter(({ path }) => path.endsWith('/decisions'))) {
      for (const body of [
        { action: 'forget', reason: 'x' },
        { action: 'resolve', reason: 'x' },
        { action: 'accept', reason: ' ' },
        { action: 'accept', reason: undefined },
      ]) {
        expect(
          await statusOf(decisions, { body: JSON.stringify({ ...bodyFor(decisions), ...body }) }),
        ).toBe(400);
      }
    }
    const together = posts().find(({ path }) => path === '/findings/decisions')!;
    for (const part of [
      { expect: 0 },
      { expect: '1' },
      { expect: null },
      { seen: null },
      { lines: ['1'] },
      { limit: '1' },
    ])
      expect(
        await statusOf(together, { body: JSON.stringify({ ...bodyFor(together), ...part }) }),
      ).toBe(400);
    for (const query of ['state=new', 'limit=1', 'causedBy=all', 'maximum=10', 'merchant='])
      expect(await statusOf(together, { path: `/findings/decisions?${query}` }), query).toBe(400);
  });
});

describe('a path that is none', () => {
  test('is 404 in the shape of its prefix, also with another method or an address that cannot be read', async () => {
    const paths = [
      '/runs/7/members/x',
      '/findings/x/y',
      '/merchants/ALPHA/books',
      '/audits/x/report.xlsx',
      '/notifications',
    ];
    for (const path of [
      ...paths,
      '/web-merchant',
      '/web-merchant/reports/x',
      '/nowhere',
      '/runsx',
      '/audits.json',
    ]) {
      expect(await refused(await fetch(`${server.origin}${path}`), path, path), path).toBe(404);
    }
    for (const route of routes) {
      const answer = await fetch(`${server.origin}${placed(route)}`, { method: 'DELETE' });
      expect(await refused(answer, route.path, name(route)), name(route)).toBe(404);
    }
    for (const path of ['/merchants/%zz', '/runs/%', '/web-merchant/%zz']) {
      expect([400, 404]).toContain(await refused(await raw(path), path, path));
    }
  });
});

/** Sends the path as it stands, which `fetch` would not do. */
function raw(path: string): Promise<Response> {
  const { hostname, port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, agent: false }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      const headers = new Headers(answer.headers as Record<string, string>);
      resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode!, headers }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('the name of a call', () => {
  test("is the caller's own in header, body and log, up to 200 characters; else a new one", async () => {
    for (const route of routes) {
      const mine = `mine-${randomUUID()}`;
      const answer = await call(route, { headers: { 'x-request-id': mine } });
      expect(answer.headers.get('x-request-id'), name(route)).toBe(mine);
      // Successful probes are counted, and not logged.
      const isLogged = !(PROBES.has(route.path) && answer.ok);
      expect(JSON.stringify(server.events).includes(mine), name(route)).toBe(isLogged);
      for (const bad of ['x'.repeat(201), '']) {
        const other = (await call(route, { headers: { 'x-request-id': bad } })).headers.get(
          'x-request-id',
        )!;
        expect(other, name(route)).toMatch(/^[0-9a-f-]{36}$/);
      }
    }
    const answer = await fetch(`${server.origin}/runs`, {
      headers: { 'x-request-id': 'y'.repeat(200) },
    });
    expect(await answer.json()).toMatchObject({ requestId: 'y'.repeat(200) });
  });

  test('is in the log with its caller, without tokens or queries', () => {
    const text = JSON.stringify(server.events);
    expect(text).toContain('"operator":"controle"');
    expect(text).not.toContain(OPERATOR.token.slice(0, 20));
    expect(text).not.toContain('merchant_reference=');
    expect(text).not.toContain('nonsense');
  });
});

describe('roles', () => {
  const ofOperators = () => routes.filter(({ security }) => security === 'operator');
  const bearer = ({ token }: { readonly token: string }) => ({
    headers: { authorization: `Bearer ${token}` },
  });
  const refusalOf = async (route: Route, options: Call) => {
    const answer = await call(route, options);
    return answer.status === 403
      ? ((await answer.json()) as { error: unknown }).error
      : answer.status;
  };

  test('every route of operators needs one permission, and a role without it is refused with 403 and its name', async () => {
    expect(ofOperators().length).toBeGreaterThan(8);
    for (const route of ofOperators()) {
      const [needed, ...more] = route.needs;
      expect([PERMISSIONS.includes(needed as Permission), more], name(route)).toEqual([true, []]);
      for (const operator of BY_ROLE.filter(({ merchant }) => merchant === null)) {
        const refused = await refusalOf(route, bearer(operator));
        const what = `${operator.name}: ${name(route)}`;
        if (isPermitted(operator, needed as Permission))
          expect([200, 201, 202, 404], what).toContain(refused);
        else
          expect(refused, what).toEqual({
            code: 'FORBIDDEN',
            message: expect.stringContaining(
              `${operator.name} has no role with the permission ${needed} (`,
            ),
            details: null,
          });
      }
    }
  });

  test('readers, auditors and accountants change nothing, and one who reads metrics reads nothing else', async () => {
    for (const route of ofOperators()) {
      for (const role of ['reader', 'auditor', 'accountant', 'metrics']) {
        if (route.method === 'GET' && (role !== 'metrics' || route.path === '/metrics')) continue;
        const [operator] = BY_ROLE.filter((one) => one.name === role);
        expect(await refusalOf(route, bearer(operator!)), `${role}: ${name(route)}`).toMatchObject({
          code: 'FORBIDDEN',
        });
      }
    }
  });

  test('an investigator acknowledges and notes, and does not decide', async () => {
    const [investigator] = BY_ROLE.filter((one) => one.name === 'investigator');
    for (const decisions of routes.filter(({ path }) => path.endsWith('/decisions'))) {
      for (const action of FINDING_ACTIONS) {
        const body = JSON.stringify({ ...bodyFor(decisions), action, reason: 'seen' });
        const refused = await refusalOf(decisions, { ...bearer(investigator!), body });
        const message = 'investigator has no role with the permission decide (decider).';
        const isOpen = PERMISSION_OF[action] === 'investigate';
        expect(refused, action).toEqual(
          isOpen ? 404 : { code: 'FORBIDDEN', message, details: null },
        );
      }
    }
  });

  test('phone numbers are whole for those alone who may investigate', async () => {
    for (const operator of BY_ROLE.filter(
      ({ name: role, merchant }) => merchant === null && role !== 'metrics',
    )) {
      const path = '/merchants/ALPHA/entries?phoneNumbers=whole&reason=ticket';
      const { status } = await fetch(`${server.origin}${path}`, bearer(operator));
      expect([operator.name, status]).toEqual([
        operator.name,
        isPermitted(operator, 'investigate') ? 200 : 403,
      ]);
    }
  });

  test('an accountant sees the own merchant, and nothing across merchants', async () => {
    const [accountant] = BY_ROLE.filter((one) => one.name === 'accountant');
    const seen = async (path: string) =>
      (await fetch(`${server.origin}${path}`, bearer(accountant!))).status;
    expect(await seen('/merchants/ALPHA')).toBe(200);
    expect(await seen('/findings?merchant=ALPHA')).toBe(200);
    expect(await seen('/findings/0123456789abcdef?merchant=ALPHA')).toBe(404);
    for (const route of ofOperators().filter(({ method }) => method === 'GET')) {
      const beta = placed(route, { reference: 'BETA', merchant: 'BETA' });
      for (const path of [
        beta,
        ...(route.query.includes('merchant')
          ? [`${beta}${beta.includes('?') ? '&' : '?'}merchant=BETA`]
          : []),
      ])
        expect(await seen(path), path).toBe(403);
    }
  });

  test('a route that declares no permission is not served', async () => {
    const room = Fastify().withTypeProvider<ZodTypeProvider>();
    guardOperators(room, { findOperator: async () => null, wrong: openMinuteCounts(1, () => NOW) });
    expect(() => room.get('/bare', async () => 'read by anybody')).toThrow(
      'GET /bare declares the permission',
    );
  });
});
