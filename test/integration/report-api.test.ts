// The Report API over real HTTP: the fields, states and errors of the dashboard document. A caller
// sees no other merchant's reports.

import { createHash, createHmac } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR } from '../../src/core/domain/instant.ts';
import { DELTAS } from '../../src/io/formats/deltas.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { migrate } from '../../src/io/storage/server/migrate.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { obstaclesIn } from '../../src/service/compose/service.ts';
import { withEmptyDatabase } from '../support/database-store.ts';
import { openReportBooks, READ_AT, type ReportBooks } from '../support/report-books.ts';
import {
  OPERATOR_TOKEN,
  SECRET,
  startTestServer,
  type TestServer,
  tokenOf,
} from '../support/report-server.ts';

const PATH = '/web-merchant/reports';
const FIELDS = [
  ...[
    'id',
    'period',
    'periodLabel',
    'periodStart',
    'periodEnd',
    'status',
    'filename',
    'fileUrl',
    'fileSize',
  ],
  ...['summary', 'error', 'generatedAt'],
];

/** The formats without the documents for people. */
const IMPORTED = FORMATS.filter(
  ({ name }) => name === 'json' || DELTAS.some(({ of }) => of === name),
);

let books: ReportBooks;
let server: TestServer;
/** A second server, which issues no other documents. */
let light: TestServer;

beforeAll(async () => {
  books = await openReportBooks(['ALPHA', 'BETA', 'GAMMA', 'DELTA', 'TARD']);
  server = await startTestServer(books.store);
  light = await startTestServer(books.store, { task: { formats: IMPORTED } });
});
afterAll(async () => {
  await server.close();
  await light.close();
  await books.close();
});

interface Report extends Record<string, unknown> {
  readonly id: string;
  readonly fileUrl: string;
}

async function call(
  path: string,
  options: RequestInit & { readonly merchant?: string | null; readonly at?: string } = {},
) {
  const { merchant = 'ALPHA', at = server.origin, ...init } = options;
  const headers = new Headers(init.headers);
  if (merchant !== null) headers.set('authenticationtoken', await tokenOf(merchant));
  const answer = await fetch(`${at}${path}`, { ...init, headers });
  return answer;
}

function generate(body: unknown, options: Parameters<typeof call>[1] = {}) {
  const headers = {
    'content-type': 'application/json',
    ...(options.headers as Record<string, string>),
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return call(`${PATH}/generate`, { method: 'POST', body: text, ...options, headers });
}

const october = (merchant: string) => ({ merchant_reference: merchant, period: '2026-10' });

/** Checks that an error has the documented shape and nothing beside it. */
async function refusal(answer: Response) {
  const body = (await answer.json()) as Record<string, unknown>;
  expect(Object.keys(body).toSorted()).toEqual(['error', 'message', 'statusCode']);
  expect([body.statusCode, typeof body.message, answer.headers.get('content-type')]).toEqual([
    answer.status,
    'string',
    'application/json; charset=utf-8',
  ]);
  return [answer.status, body.error, body.message];
}

describe('a report over HTTP', () => {
  test('is generated with 201 and exactly the documented fields', async () => {
    const answer = await generate(october('ALPHA'));
    const report = (await answer.json()) as Report;
    expect(answer.status).toBe(201);
    expect(Object.keys(report)).toEqual(FIELDS);
    expect(report).toMatchObject({
      period: '2026-10',
      periodLabel: 'octobre 2026',
      periodStart: '2026-10-01T00:00:00.000Z',
      periodEnd: '2026-11-01T00:00:00.000Z',
      status: 'READY',
      error: null,
      generatedAt: '2026-11-02T00:00:00.000Z',
      fileUrl: `${PATH}/${report.id}/download`,
      summary: {
        ...{ currency: 'XOF', revision: 1, control: { openingPlusMovementsMinusClosing: 0 } },
        chain: { lines: expect.any(Number), head: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
    const again = await generate(october('ALPHA'));
    expect([again.status, await again.json()]).toEqual([201, report]);
    const list = await call(`${PATH}?merchant_reference=ALPHA`);
    expect([list.status, await list.json()]).toEqual([200, [report]]);
    expect(await (await call(PATH)).json()).toEqual([report]);
  });

  test('gives out what a revision changes in the journal, for each program that imports it', async () => {
    const at = light.origin;
    await generate(october('TARD'), { merchant: 'TARD', at });
    books.addLateLine('TARD', 12_345);
    await books.run(READ_AT + HOUR, ['TARD']);
    const report = (await (
      await generate(october('TARD'), { merchant: 'TARD', at })
    ).json()) as Report;
    for (const { name, extension, mediaType } of DELTAS) {
      const answer = await call(`${report.fileUrl}?format=${name}`, { merchant: 'TARD' });
      expect([answer.status, answer.headers.get('content-type')], name).toEqual([200, mediaType]);
      expect(answer.headers.get('content-disposition')).toContain(
        `RELEVE_TARD_2026-10_r2.${extension}"`,
      );
      expect(await answer.text()).toMatch(/12345/);
    }
  });

  test('lists newest first, and downloads each format with its type, name and bytes', async () => {
    await generate({ ...october('ALPHA'), period: '2026-09' }, { at: light.origin });
    const list = (await (await call(PATH)).json()) as Report[];
    expect(list.map(({ period }) => period)).toEqual(['2026-10', '2026-09']);
    const [report] = list;
    for (const { name, extension, mediaType } of FORMATS) {
      const answer = await call(`${report!.fileUrl}?format=${name}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(mediaType);
      // The name of a FEC follows a rule of its own.
      const file = name === 'fec' ? 'ALPHAFEC20261031.txt' : `RELEVE_ALPHA_2026-10_r1.${extension}`;
      expect(answer.headers.get('content-disposition')).toContain(`attachment; filename="${file}"`);
      expect(answer.headers.get('content-length')).toBe(String(bytes.length));
      expect(answer.headers.get('etag')).toBe(
        `"${createHash('sha256').update(bytes).digest('hex')}"`,
      );
      expect(bytes.length).toBeGreaterThan(1_000);
    }
    for (const { name } of DELTAS)
      expect((await call(`${report!.fileUrl}?format=${name}`)).status).toBe(404);
    const plain = await call(report!.fileUrl);
    const first = FORMATS.find(({ name }) => name === 'pdf') ?? FORMATS[0]!;
    expect(plain.headers.get('content-type')).toBe(first.mediaType);
    expect((await plain.arrayBuffer()).byteLength).toBe(report!.fileSize);
    expect(report!.filename).toBe(`RELEVE_ALPHA_2026-10_r1.${first.extension}`);
  });

  test('that could not be issued is FAILED with its reason, and has no file', async () => {
    const broken = { ...FORMATS[0]!, write: () => Promise.reject(new Error('secret detail')) };
    const other = await startTestServer(books.store, { task: { formats: [broken] } });
    const answer = await generate(october('DELTA'), { merchant: 'DELTA', at: other.origin });
    const report = (await answer.json()) as Report;
    expect([answer.status, Object.keys(report)]).toEqual([201, FIELDS]);
    expect(report).toMatchObject({
      status: 'FAILED',
      summary: null,
      fileUrl: null,
      fileSize: null,
      generatedAt: null,
    });
    expect(report.error).toMatch(/^The report could not be made/);
    const download = await call(`${PATH}/${report.id}/download`, { merchant: 'DELTA' });
    expect(await refusal(download)).toEqual([404, 'Not Found', 'Report not found']);
    await other.close();
  });

  test('that takes long is PENDING first; two who ask at once get one', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = IMPORTED.map((format) => ({
      ...format,
      write: async (...to: Parameters<typeof format.write>) => {
        await gate.promise;
        return format.write(...to);
      },
    }));
    const other = await startTestServer(books.store, {
      task: { formats: slow },
      server: { answerWithin: 10 },
    });
    const ask = () => generate(october('GAMMA'), { merchant: 'GAMMA', at: other.origin });
    const both = await Promise.all([ask(), ask()]);
    const [one, two] = (await Promise.all(both.map((answer) => answer.json()))) as Report[];
    expect(one).toMatchObject({ status: 'PENDING', summary: null, fileUrl: null, filename: null });
    expect(two).toEqual(one);
    const closed = other.close();
    gate.resolve();
    await closed;
    const list = (await (await call(PATH, { merchant: 'GAMMA' })).json()) as Report[];
    expect(list.map(({ id, status }) => [id, status])).toEqual([[one!.id, 'READY']]);
  });
});

describe('what is refused, in the documented shape', () => {
  test.each([
    ['the running month', { ...october('ALPHA'), period: '2026-11' }, 'has not ended'],
    ['a month to come', { ...october('ALPHA'), period: '2031-01' }, 'has not ended'],
    ['a month that is none', { ...october('ALPHA'), period: '2026-13' }, 'body.period'],
    ['a day', { ...october('ALPHA'), period: '2026-10-01' }, 'body.period'],
    ['a month before there were any', { ...october('ALPHA'), period: '1969-12' }, 'body.period'],
    ['a number for a month', { ...october('ALPHA'), period: 202_610 }, 'body.period'],
    ['no month', { merchant_reference: 'ALPHA' }, 'body.period'],
    ['no merchant', { period: '2026-10' }, 'body.merchant_reference'],
    ['a list', [], 'body: '],
    ['text that is not JSON', '{"period":', 'JSON'],
    ['a poisoned object', '{"__proto__": {}, "period": "2026-10"}', ''],
    ['nothing', '', 'empty'],
  ])('400: %s', async (_, body, said) => {
    const [status, error, message] = await refusal(await generate(body));
    expect([status, error]).toEqual([400, 'Bad Request']);
    expect(message).toContain(said);
  });

  test('413 and 415: a body that is too long, or not JSON', async () => {
    const long = await generate({ ...october('ALPHA'), more: 'x'.repeat(4_000) });
    expect((await refusal(long)).slice(0, 2)).toEqual([413, 'Payload Too Large']);
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x']) {
      const answer = await generate(october('ALPHA'), { headers: { 'content-type': type } });
      expect((await refusal(answer)).slice(0, 2), type).toEqual([415, 'Unsupported Media Type']);
    }
  });

  test('404: another merchant, an unknown one, a report of another, a path that is none', async () => {
    const merchant = 'BETA';
    await generate(october(merchant), { merchant });
    const [foreign] = (await (await call(PATH, { merchant })).json()) as Report[];
    const notFound = [404, 'Not Found', 'Merchant not found'];
    expect(await refusal(await generate(october('BETA')))).toEqual(notFound);
    expect(await refusal(await call(`${PATH}?merchant_reference=BETA`))).toEqual(notFound);
    expect(await refusal(await call(`${foreign!.fileUrl}?merchant_reference=BETA`))).toEqual(
      notFound,
    );
    expect(await refusal(await generate(october('NOBODY'), { merchant: 'NOBODY' }))).toEqual(
      notFound,
    );
    expect(await refusal(await call(PATH, { merchant: 'NOBODY' }))).toEqual(notFound);
    const missing = [404, 'Not Found', 'Report not found'];
    for (const path of [
      foreign!.fileUrl,
      `${PATH}/${crypto.randomUUID()}/download`,
      `${PATH}/1/download`,
    ]) {
      expect(await refusal(await call(path)), path).toEqual(missing);
    }
    expect((await call(foreign!.fileUrl, { merchant })).status).toBe(200);
    for (const path of [
      `${PATH}/..%2f..%2fetc%2fpasswd/download`,
      '/web-merchant',
      `${PATH}/generate`,
      '/web-merchant/%zz',
    ]) {
      const [status] = await refusal(await call(path));
      expect([400, 404], path).toContain(status);
    }
  });

  test('400: a format that there is not', async () => {
    const [report] = (await (await call(PATH)).json()) as Report[];
    expect((await refusal(await call(`${report!.fileUrl}?format=doc`))).slice(0, 2)).toEqual([
      400,
      'Bad Request',
    ]);
  });
});

describe('tokens', () => {
  const invalid = [401, 'Unauthorized', 'Invalid API credentials'];
  const at = (seconds: number) => Date.UTC(2026, 10, 2) / 1_000 + seconds;
  const unsigned = (claims: object) =>
    `${[{ alg: 'none', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

  async function withToken(token: string | null, origin = server.origin) {
    const headers: Record<string, string> = token === null ? {} : { authenticationtoken: token };
    return fetch(`${origin}${PATH}`, { headers });
  }

  test('that are absent, garbage, expired, unsigned or signed otherwise are refused alike, at every route', async () => {
    const other = new TextEncoder().encode('x'.repeat(64));
    const { privateKey } = await generateKeyPair('RS256');
    const good = await tokenOf('ALPHA');
    const tokens: readonly (readonly [string, string | null])[] = [
      ['none', null],
      ['empty', ''],
      ['garbage', 'garbage'],
      ['with Bearer before it', `Bearer ${good}`],
      ['cut', good.slice(0, -4)],
      ['very long', 'a'.repeat(9_000)],
      ['expired', await tokenOf('ALPHA', { claims: { exp: at(-31) } })],
      ['without expiry', await tokenOf('ALPHA', { claims: { exp: undefined } })],
      ['not valid yet', await tokenOf('ALPHA', { claims: { nbf: at(3_600) } })],
      ['without merchant', await tokenOf(undefined)],
      ['of a merchant that is no text', await tokenOf(['ALPHA'])],
      ['of an empty merchant', await tokenOf('')],
      ['of another secret', await tokenOf('ALPHA', { key: other })],
      ['of another hash', await tokenOf('ALPHA', { algorithm: 'HS512' })],
      ['of a key pair', await tokenOf('ALPHA', { algorithm: 'RS256', key: privateKey })],
      ['unsigned', unsigned({ merchant_reference: 'ALPHA', exp: at(3_600) })],
    ];
    const signed = (claims: string) => {
      const parts = ['{"alg":"HS256"}', claims]
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.');
      return `${parts}.${createHmac('sha256', SECRET).update(parts).digest('base64url')}`;
    };
    expect((await withToken(signed(`{"merchant_reference":"ALPHA","exp":${at(60)}}`))).status).toBe(
      200,
    );
    const odd = [
      ['that never expires', signed('{"merchant_reference":"ALPHA","exp":1e400}')],
      ['with padding', `${good}=`],
      ['with a NUL in its merchant', await tokenOf('ALPHA\0')],
    ] as const;
    for (const [what, token] of [...tokens, ...odd])
      expect(await refusal(await withToken(token)), what).toEqual(invalid);
    const long = await generate('x'.repeat(5_000), { merchant: null });
    expect(await refusal(long)).toEqual(invalid);
    expect(
      await refusal(await call(`${PATH}/${crypto.randomUUID()}/download`, { merchant: null })),
    ).toEqual(invalid);
    expect((await withToken(await tokenOf('ALPHA', { claims: { exp: at(-29) } }))).status).toBe(
      200,
    );
  });

  test('may be signed with a private key: then the secret way in is closed, and issuer and audience are checked', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] };
    const tokens = { jwks, algorithms: ['ES256'], issuer: 'https://issuer', audience: 'pointage' };
    const other = await startTestServer(books.store, { tokens });
    const claims = { iss: 'https://issuer', aud: 'pointage' };
    const sign = (changed: object) =>
      tokenOf('ALPHA', { algorithm: 'ES256', key: privateKey, claims: { ...claims, ...changed } });
    expect((await withToken(await sign({}), other.origin)).status).toBe(200);
    for (const token of [
      await sign({ iss: 'other' }),
      await sign({ aud: 'other' }),
      await tokenOf('ALPHA', { claims }),
    ]) {
      expect(await refusal(await withToken(token, other.origin))).toEqual(invalid);
    }
    await other.close();
  });

  test('whose keys cannot be had are not called wrong: 503', async () => {
    const tokens = { jwksUrl: 'http://127.0.0.1:9/jwks.json', algorithms: ['ES256'] };
    const other = await startTestServer(books.store, { tokens });
    const { privateKey } = await generateKeyPair('ES256');
    const token = await tokenOf('ALPHA', { algorithm: 'ES256', key: privateKey });
    expect((await refusal(await withToken(token, other.origin)))[0]).toBe(503);
    await other.close();
  });

  test('and secrets are nowhere in the log', async () => {
    const text = JSON.stringify(server.events);
    expect(server.events.length).toBeGreaterThan(10);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain((await tokenOf('ALPHA')).slice(0, 30));
    expect(text).not.toContain('merchant_reference=');
  });
});

describe('what needs no token', () => {
  test('health is that of the process, readiness that of the database and its schema', async () => {
    const ask = async (path: string) => {
      const answer = await fetch(`${server.origin}${path}`);
      return [answer.status, await answer.json()];
    };
    expect(await ask('/health')).toEqual([200, { status: 'ok' }]);
    expect(await ask('/ready')).toEqual([200, { status: 'ready' }]);
    const stopped = await openStore({ databaseUrl: books.databaseUrl, dataDirectory: '' });
    await stopped.close();
    const down = await startTestServer(books.store, {
      server: { obstacles: () => obstaclesIn(stopped) },
    });
    expect((await fetch(`${down.origin}/health`)).status).toBe(200);
    const [status, , message] = await refusal(await fetch(`${down.origin}/ready`));
    expect([status, message]).toEqual([503, 'Not ready: the database does not answer']);
    // Calls that come every few seconds fill no log while all is well.
    const logged = ({ events }: TestServer) =>
      events.filter((one) => 'route' in one && /^\/(?:health|ready)$/.test(String(one.route)));
    expect([logged(server), logged(down)]).toEqual([
      [],
      [expect.objectContaining({ route: '/ready', status: 503 })],
    ]);
    await down.close();
  });

  test('a database whose schema is older is not ready for this server, one without any schema neither', async () => {
    await withEmptyDatabase(async (databaseUrl) => {
      const store = await openStore({ databaseUrl, dataDirectory: '' });
      const told = ['the schema of the database is not up to date'];
      expect(await obstaclesIn(store)).toEqual(told);
      await migrate(store);
      expect(await obstaclesIn(store)).toEqual([]);
      await store.pool.query("delete from kysely_migration where name like '0001%'");
      expect(await obstaclesIn(store)).toEqual(told);
      await store.close();
    });
  });

  test('metrics are for operators: no token, a wrong one or a merchant’s opens nothing', async () => {
    const ask = (authorization?: string) =>
      fetch(`${server.origin}/metrics`, {
        headers: authorization === undefined ? {} : { authorization },
      });
    for (const wrong of [
      undefined,
      '',
      OPERATOR_TOKEN,
      `Bearer ${OPERATOR_TOKEN}x`,
      `Bearer ${await tokenOf('ALPHA')}`,
    ]) {
      expect((await ask(wrong)).status, wrong ?? 'none').toBe(401);
    }
    const answer = await ask(`Bearer ${OPERATOR_TOKEN}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4',
    ]);
    expect(await answer.text()).toBe('a_metric 1\n');
  });

  test('the OpenAPI document lists every route, with its errors and its key', async () => {
    const answer = await fetch(`${server.origin}/openapi.json`);
    type Call = {
      readonly responses: object;
      readonly operationId: string;
      readonly security: readonly object[];
    };
    const document = (await answer.json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Call>>>>;
      readonly servers: readonly object[];
    };
    const calls = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(document.servers).toHaveLength(1);
    expect(new Set(calls.map(({ operationId }) => operationId)).size).toBe(calls.length);
    expect(calls.filter(({ operationId }) => !/^[a-z]+[A-Z][A-Za-z]+$/.test(operationId))).toEqual(
      [],
    );
    const open = calls
      .filter(({ security }) => security.length === 0)
      .map(({ operationId }) => operationId);
    expect(open).toEqual(['readHealth', 'readReadiness', 'readDescription']);
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.toSorted()).toEqual([
      'GET /health',
      'GET /metrics',
      'GET /openapi.json',
      'GET /ready',
      `GET ${PATH}`,
      `GET ${PATH}/{id}/download`,
      `POST ${PATH}/generate`,
    ]);
    const post = document.paths[`${PATH}/generate`]!.post!;
    expect(Object.keys(post.responses)).toEqual(['201', '400', '401', '404', '413', '415', '503']);
    expect(JSON.stringify(post)).toContain('"security":[{"authenticationtoken":[]}]');
    for (const field of FIELDS) expect(JSON.stringify(post.responses)).toContain(`"${field}"`);
  });
});
