// The simulated service over real HTTP, compared with the direct API document.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATION_STATUSES } from '../../src/core/domain/operation.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxMerchant,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 7, 31, 12);
const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 20 };

const FIELDS = {
  operation:
    'reference type status amount fees netAmount currency country operator counterparty externalReference description payerActionUrl requiresPayerAction failure metadata createdAt updatedAt completedAt expiresAt',
  wallet:
    'walletId merchantId currency balance reserved available status totalCollected totalDisbursed totalFees updatedAt',
  entry:
    'id sequence direction kind amount currency balanceAfter reservedAfter operationReference description createdAt',
  merchant:
    'reference name legalName email phoneNumber country status allowedCountries webhookUrl webhookSecretHint pricing limits metadata createdAt',
  pricing: 'cashinFeeBps cashinFeeFlat cashoutFeeBps cashoutFeeFlat',
  limits: 'minCashinAmount maxCashinAmount minCashoutAmount maxCashoutAmount dailyCashoutLimit',
};

const plans = [
  planMerchant({ reference: 'OPEN', traffic }),
  planMerchant({ reference: 'SHUT', traffic, status: 'SUSPENDED' }),
  planMerchant({ reference: 'FENCED', traffic, allowedAddresses: ['192.0.2.1'] }),
  planMerchant({ reference: 'NEW', traffic, status: 'PENDING' }),
];

const sandboxes: Sandbox[] = [];
let sandbox: Sandbox;
let open: SandboxMerchant;

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const started = await startSandbox({
    seed: 'api',
    merchants: plans.slice(0, 1),
    start: START,
    port: 0,
    ...options,
  });
  sandboxes.push(started);
  return started;
}

beforeAll(async () => {
  sandbox = await start({ merchants: plans });
  open = sandbox.merchants[0]!;
});
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  readonly body: any;
}

async function get(
  path: string,
  headers: Record<string, string> = credentials(open),
  from = sandbox,
): Promise<Answer> {
  const response = await fetch(`${from.url}${path}`, { headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function credentials(merchant: SandboxMerchant): Record<string, string> {
  return { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret };
}

const keysOf = (value: object) => Object.keys(value).join(' ');

test('every resource has exactly the documented fields, in the documented order', async () => {
  const [merchant, wallet, ledger, operations] = await Promise.all(
    ['/merchants/me', '/wallet', '/ledger?limit=200', '/operations?limit=200'].map((path) =>
      get(path),
    ),
  );
  expect(keysOf(merchant!.body)).toBe(FIELDS.merchant);
  expect(keysOf(merchant!.body.pricing)).toBe(FIELDS.pricing);
  expect(keysOf(merchant!.body.limits)).toBe(FIELDS.limits);
  expect(keysOf(wallet!.body)).toBe(FIELDS.wallet);
  expect(new Set(ledger!.body.data.map(keysOf))).toEqual(new Set([FIELDS.entry]));
  expect(new Set(operations!.body.data.map(keysOf))).toEqual(new Set([FIELDS.operation]));
  expect(
    new Set(operations!.body.data.map((o: { counterparty: object }) => keysOf(o.counterparty))),
  ).toEqual(new Set(['phoneNumber name']));
  const failed = operations!.body.data.filter((o: { status: string }) => o.status === 'FAILED');
  expect(new Set(failed.map((o: { failure: object }) => keysOf(o.failure)))).toEqual(
    new Set(['code message']),
  );
});

test('walking the pages gives the whole books, once each, in order', async () => {
  const books = sandbox.booksOf('OPEN');
  const walk = async (path: string, limit: number) => {
    const rows: unknown[] = [];
    for (;;) {
      const page = (await get(`${path}?limit=${limit}&offset=${rows.length}`)).body.data;
      rows.push(...page);
      if (page.length < limit) return rows;
    }
  };
  expect(await walk('/ledger', 200)).toEqual(books.entries);
  expect(await walk('/operations', 73)).toEqual(books.operations.toReversed());
  expect(books.entries.length).toBeGreaterThan(800);
});

test('lists have 50 rows unless asked, and none beyond the end', async () => {
  expect((await get('/ledger')).body.data.length).toBe(50);
  expect((await get('/operations')).body.data.length).toBe(50);
  expect((await get('/ledger?limit=1')).body.data.length).toBe(1);
  expect((await get('/ledger?offset=99999999')).body.data).toEqual([]);
  expect((await get('/operations?offset=99999999')).body.data).toEqual([]);
});

test('parameters out of bounds are refused, each by name', async () => {
  const wrong = [
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'limit=1&limit=2',
    'limit=1e2',
  ];
  for (const query of [...wrong, 'offset=-1', 'offset=x', 'offset=1.0']) {
    for (const path of ['/ledger', '/operations']) {
      const { status, body } = await get(`${path}?${query}`);
      expect([status, body.error.code], query).toEqual([400, 'VALIDATION_ERROR']);
      expect(body.error.details.fields.join(), query).toContain(query.split('=')[0]);
    }
  }
  expect((await get('/ledger?limit=0&offset=-1')).body.error.details.fields.length).toBe(2);
  expect((await get('/operations?status=DONE')).body.error.code).toBe('VALIDATION_ERROR');
  expect((await get('/operations?limit=200&offset=0')).status).toBe(200);
});

test('operations can be had by status, all of them and no others', async () => {
  const { operations } = sandbox.booksOf('OPEN');
  for (const status of OPERATION_STATUSES) {
    const { body } = await get(`/operations?limit=200&status=${status}`);
    const expected = operations.filter((operation) => operation.status === status).toReversed();
    expect(body.data).toEqual(expected.slice(0, 200));
  }
});

test('one operation comes in its envelope; an unknown one, another merchant’s or an unknown path is 404', async () => {
  const known = sandbox.booksOf('OPEN').operations.at(-7)!;
  expect((await get(`/operations/${known.reference}`)).body).toEqual({ operation: known });
  const others = sandbox.booksOf('FENCED').operations[0]!.reference;
  for (const path of [
    '/operations/GUI-CI-NOWHERE',
    `/operations/${others}`,
    '/nowhere',
    '/operations/a/b',
  ]) {
    const { status, body } = await get(path);
    expect([status, body.success, body.error.details], path).toEqual([404, false, null]);
  }
});

test('errors have the documented shape and carry the request id and the simulated time', async () => {
  const refused = [
    await get('/wallet', {}),
    await get('/ledger?limit=0'),
    await get('/nowhere'),
    await get('/%zz'),
  ];
  for (const { headers, body } of refused) {
    expect(keysOf(body)).toBe('success error requestId timestamp');
    expect(keysOf(body.error)).toBe('code message details');
    expect(body.success).toBe(false);
    expect(body.requestId).toBe(headers.get('x-request-id'));
    expect(body.timestamp).toBe(new Date(START).toISOString());
  }
});

test('every response carries a request id, the caller’s when it fits, and the simulated date', async () => {
  const echo = async (id: string, path = '/wallet') =>
    (await get(path, { ...credentials(open), 'x-request-id': id })).headers.get('x-request-id');
  expect(await echo('abc-1')).toBe('abc-1');
  expect(await echo('abc-2', '/nowhere')).toBe('abc-2');
  expect(await echo('x'.repeat(200))).toBe('x'.repeat(200));
  expect(await echo('x'.repeat(201))).toMatch(/^[0-9a-f-]{36}$/);
  const [one, other] = [await get('/wallet'), await get('/wallet')];
  expect(one.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'));
  expect(Date.parse(one.headers.get('date')!)).toBe(START);
});

test('credentials that are absent, wrong or mixed are refused everywhere, unknown paths included', async () => {
  const other = sandbox.merchants[3]!;
  const { 'x-api-key': key, 'x-api-secret': secret } = credentials(open) as {
    'x-api-key': string;
    'x-api-secret': string;
  };
  expect([key, secret]).toEqual([
    expect.stringMatching(/^gk_test_/),
    expect.stringMatching(/^gs_test_/),
  ]);
  const wrong: Record<string, string>[] = [
    {},
    { 'x-api-key': key },
    { 'x-api-secret': secret },
    { 'x-api-key': key, 'x-api-secret': '' },
    { 'x-api-key': key, 'x-api-secret': `${secret}x` },
    { 'x-api-key': key, 'x-api-secret': other.apiSecret },
    { 'x-api-key': `${key}x`, 'x-api-secret': secret },
  ];
  for (const headers of wrong) {
    for (const path of ['/merchants/me', '/ledger?limit=0', '/operations/x', '/nowhere']) {
      const { status, body } = await get(path, headers);
      expect([status, body.error.code], path).toEqual([401, 'INVALID_CREDENTIALS']);
    }
  }
});

test('a suspended account and an undeclared address are refused by name; a pending account can read', async () => {
  const [, shut, fenced, pending] = sandbox.merchants;
  expect((await get('/wallet', credentials(shut!))).body.error.code).toBe('ACCOUNT_SUSPENDED');
  expect((await get('/wallet', credentials(shut!))).status).toBe(403);
  expect((await get('/wallet', credentials(fenced!))).body.error.code).toBe('IP_NOT_ALLOWED');
  expect((await get('/merchants/me', credentials(pending!))).body.status).toBe('PENDING');
});

test('text with accents, emoji, quotes, markup and line breaks comes through unchanged', async () => {
  const { operations } = sandbox.booksOf('OPEN');
  for (const description of [
    'Dupont & Fils <SARL>',
    '=SUM(A1)',
    'Facture\n2e relance',
    'Merci 🎉🙏🏾',
  ]) {
    const one = operations.find((operation) => operation.description === description)!;
    expect((await get(`/operations/${one.reference}`)).body.operation.description).toBe(
      description,
    );
  }
});

test('list envelope and orders can be chosen', async () => {
  const settings = {
    listEnvelope: 'array',
    ledgerOrder: 'descending',
    operationOrder: 'oldest-first',
  } as const;
  const bare = await start({ settings });
  const { entries, operations } = bare.booksOf('OPEN');
  const ask = async (path: string) => (await get(path, credentials(bare.merchants[0]!), bare)).body;
  expect(await ask('/ledger?limit=3&offset=2')).toEqual(entries.slice(-5, -2).toReversed());
  expect(await ask('/operations?limit=3&offset=1')).toEqual(operations.slice(1, 4));
  expect(
    (await ask(`/ledger?limit=200&offset=${entries.length - 2}`)).map(
      (e: { sequence: number }) => e.sequence,
    ),
  ).toEqual([2, 1]);
  const items = await start({ settings: { listEnvelope: 'items' } });
  const { body } = await get('/ledger?limit=1', credentials(items.merchants[0]!), items);
  expect(keysOf(body)).toBe('items');
});

test('the same seed serves the same bytes and the same credentials; another seed does not', async () => {
  const serve = async (seed: string) => {
    const one = await start({ seed });
    const response = await fetch(`${one.url}/ledger?limit=200`, {
      headers: credentials(one.merchants[0]!),
    });
    return [
      response.headers.get('x-request-id'),
      await response.text(),
      one.merchants[0]!.apiSecret,
    ];
  };
  expect(await serve('same')).toEqual(await serve('same'));
  expect(await serve('other')).not.toEqual(await serve('same'));
});

test('time moves on demand, in process or over the control endpoint, and never back', async () => {
  const lively = await start({ control: true });
  const headers = credentials(lively.merchants[0]!);
  const advance = async (body: unknown) => {
    const json = { 'content-type': 'application/json' };
    const answer = await fetch(`${lively.origin}/sandbox/advance`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { now?: string; error?: { code: string } },
    };
  };
  const head = async () => (await get('/wallet', headers, lively)).body.updatedAt as string;
  const before = await head();
  expect(await head()).toBe(before);
  expect(await advance({ by: DAY })).toEqual({
    status: 200,
    body: { now: '2026-09-01T12:00:00.000Z' },
  });
  expect(Date.parse(await head())).toBeGreaterThan(START);
  expect((await advance({ to: '2026-09-02T00:00:00Z' })).body.now).toBe('2026-09-02T00:00:00.000Z');
  for (const wrong of [
    { to: '2026-09-01T00:00:00Z' },
    { by: -1 },
    { by: 0.5 },
    { by: 401 * DAY },
    { to: '9999-01-01T00:00:00Z' },
    { to: 'tomorrow' },
    {},
    null,
    { to: '2026-09-03T00:00:00Z', by: 1 },
  ]) {
    expect(await advance(wrong)).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR' } },
    });
  }
  await lively.advanceTo(Date.UTC(2026, 8, 2, 1));
  expect(Date.parse((await get('/wallet', headers, lively)).headers.get('date')!)).toBe(
    Date.UTC(2026, 8, 2, 1),
  );
  await expect(lively.advanceTo(START)).rejects.toThrow(RangeError);
  const closed = await fetch(`${sandbox.origin}/sandbox/advance`, { method: 'POST' });
  expect(closed.status).toBe(404);
});

test('refusals for haste and internal errors come when asked for, as the seed has it', async () => {
  const hasty = await start({
    settings: {
      misbehaviour: {
        failureRate: 0,
        rateLimit: { calls: 3, refusals: 2, retryAfterSeconds: 7 },
        latency: null,
      },
    },
  });
  const answers: Answer[] = [];
  for (let i = 0; i < 7; i += 1)
    answers.push(await get('/wallet', credentials(hasty.merchants[0]!), hasty));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 200, 200]);
  expect(answers[3]!.headers.get('retry-after')).toBe('7');
  expect(answers[3]!.body.success).toBe(false);
  const moody = async () => {
    const one = await start({
      settings: {
        misbehaviour: { failureRate: 0.5, rateLimit: null, latency: { from: 1, to: 3 } },
      },
    });
    const statuses: number[] = [];
    for (let i = 0; i < 20; i += 1)
      statuses.push((await get('/wallet', credentials(one.merchants[0]!), one)).status);
    return statuses;
  };
  const statuses = await moody();
  expect(new Set(statuses)).toEqual(new Set([200, 500]));
  expect(await moody()).toEqual(statuses);
});
