// The simulated dashboard over real HTTP, compared with the dashboard API document.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxMerchant,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 9, 1, 1);

const FIELDS = {
  login: 'access_token refresh_token user',
  user: 'id numero fullname email merchant_id userType',
  payment:
    'id reference amount country provider order_id senderNumber senderOperateur metadata status createdAt',
  report:
    'id period periodLabel periodStart periodEnd status filename fileUrl fileSize summary error generatedAt',
  compliance:
    'id status legalName legalForm activity rccmNumber dfeNumber address managerName managerIdType managerIdNumber documents rejectionReason',
  error: 'statusCode message error',
};

const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 2, paymentsPerDay: 8 };
const plans = [
  planMerchant({
    reference: 'OPEN',
    traffic,
    allowedCountries: ['CI', 'BF', 'ML'],
    failedReports: ['2026-08'],
  }),
  planMerchant({ reference: 'OTHER', traffic, country: 'CM' }),
  planMerchant({ reference: 'NOLINKS', traffic, country: 'SN' }),
];

const sandboxes: Sandbox[] = [];
let sandbox: Sandbox;
let open: SandboxMerchant;
let other: SandboxMerchant;
beforeAll(async () => {
  sandbox = await start();
  [open, other] = sandbox.merchants as [SandboxMerchant, SandboxMerchant];
});
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const started = await startSandbox({
    seed: 'dash',
    merchants: plans,
    start: START,
    port: 0,
    ...options,
  });
  sandboxes.push(started);
  return started;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  readonly body: any;
}

interface Call {
  readonly token?: string;
  readonly body?: unknown;
  readonly at?: Sandbox;
  readonly headers?: Record<string, string>;
}

async function call(
  path: string,
  { token, body, at = sandbox, headers }: Call = {},
): Promise<Answer> {
  const response = await fetch(`${at.dashboardUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authenticationtoken: token }),
      ...headers,
    },
  });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? await response.json() : await response.bytes(),
  };
}

async function login(merchant: SandboxMerchant, at = sandbox): Promise<string> {
  return (await call('/user/login-merchant', { body: merchant.dashboard, at })).body.access_token;
}

const keysOf = (value: object) => Object.keys(value).join(' ');
const reports = (merchant: string) => `/web-merchant/reports?merchant_reference=${merchant}`;
const search = (filters: string) =>
  `/web-merchant/payments/search?merchant_reference=OPEN${filters}`;

test('every resource has exactly the documented fields, in the documented order', async () => {
  const logged = await call('/user/login-merchant', { body: open.dashboard });
  expect(logged.status).toBe(201);
  expect(keysOf(logged.body)).toBe(FIELDS.login);
  expect(keysOf(logged.body.user)).toBe(FIELDS.user);
  expect(logged.body.user.userType).toBe('MERCHANT');
  const token = logged.body.access_token;
  const [listed, found, compliance, counters] = await Promise.all(
    [
      reports('OPEN'),
      search(''),
      '/web-merchant/compliance?merchant_reference=OPEN',
      '/web-merchant/refunds-stats?merchant_reference=OPEN',
    ].map((path) => call(path, { token })),
  );
  expect([listed, found, compliance, counters].map((answer) => answer!.status)).toEqual([
    200, 200, 200, 200,
  ]);
  expect(new Set(listed!.body.map(keysOf))).toEqual(new Set([FIELDS.report]));
  expect(new Set(found!.body.map(keysOf))).toEqual(new Set([FIELDS.payment]));
  expect(keysOf(compliance!.body)).toBe('compliance requiredDocuments limits');
  expect(keysOf(compliance!.body.compliance)).toBe(FIELDS.compliance);
  expect(keysOf(compliance!.body.limits)).toBe('plafond consomme restant');
  expect(compliance!.body.limits.plafond).toBe(
    compliance!.body.limits.consomme + compliance!.body.limits.restant,
  );
  expect(keysOf(counters!.body)).toBe('requestSuccess requestPending requestFailed');
  expect(counters!.body.requestSuccess).toBeGreaterThan(3);
});

test('the token is a JWT of one fixed algorithm, goes bare in its header, opens one merchant, and expires', async () => {
  const moving = await start();
  const token = await login(open, moving);
  expect(JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())).toEqual({
    alg: 'HS256',
    typ: 'JWT',
  });
  const [, claims] = token.split('.');
  const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${claims}.`;
  const status = async (headers: Record<string, string>) =>
    (await call(reports('OPEN'), { headers, at: moving })).status;
  expect(await status({ authenticationtoken: token })).toBe(200);
  for (const wrong of [`Bearer ${token}`, `${token}x`, unsigned, 'nonsense', '']) {
    expect([wrong, await status({ authenticationtoken: wrong })]).toEqual([wrong, 401]);
  }
  expect(await status({})).toBe(401);
  expect(await status({ authorization: `Bearer ${token}` })).toBe(401);
  const foreign = await call(reports('OTHER'), { token, at: moving });
  expect([foreign.status, foreign.body]).toEqual([
    404,
    { statusCode: 404, message: 'Merchant not found', error: 'Not Found' },
  ]);
  await moving.advanceTo(START + HOUR + 1_000);
  const late = await call(reports('OPEN'), { token, at: moving });
  expect([late.status, late.body]).toEqual([
    401,
    { statusCode: 401, message: 'Invalid API credentials', error: 'Unauthorized' },
  ]);
  expect(await status({ authenticationtoken: await login(open, moving) })).toBe(200);
});

test('a login is refused with 404 and never says what was wrong', async () => {
  const { numero, password } = open.dashboard!;
  expect(sandbox.merchants[2]!.dashboard).toBeNull();
  const wrong = [
    { numero, password: 'x' },
    { numero: '+2250', password },
    { numero },
    {},
    [],
    { numero, password: null },
  ];
  const messages = new Set<string>();
  for (const body of wrong) {
    const answer = await call('/user/login-merchant', { body });
    expect([answer.status, keysOf(answer.body)]).toEqual([404, FIELDS.error]);
    messages.add(answer.body.message);
  }
  expect(messages.size).toBe(1);
  const broken = await call('/user/login-merchant', { body: '{"numero":' });
  expect([broken.status, keysOf(broken.body)]).toEqual([400, FIELDS.error]);
});

test('a report is PENDING, then READY or FAILED; a failed one is generated again; the running month is refused', async () => {
  const moving = await start({ start: Date.UTC(2026, 8, 1, 1) });
  const token = async () => login(open, moving);
  const list = async () => (await call(reports('OPEN'), { token: await token(), at: moving })).body;
  const states = async () =>
    (await list()).map((one: { period: string; status: string }) => [one.period, one.status]);
  const generate = async (period: unknown) =>
    call('/web-merchant/reports/generate', {
      token: await token(),
      body: { merchant_reference: 'OPEN', period },
      at: moving,
    });
  expect(await states()).toEqual([['2026-08', 'PENDING']]);
  expect((await list())[0]).toMatchObject({
    summary: null,
    filename: null,
    fileUrl: null,
    generatedAt: null,
    error: null,
  });
  await moving.advanceTo(Date.UTC(2026, 8, 1, 2));
  expect(await states()).toEqual([['2026-08', 'FAILED']]);
  expect((await list())[0].error).toMatch(/\w/);
  for (const period of ['2026-09', '2026-10', '2026-07', '2026-13', 202608, null]) {
    expect([period, (await generate(period)).status]).toEqual([period, 400]);
  }
  const messages = await Promise.all(
    ['2026-09', '2026-07'].map(async (period) => (await generate(period)).body.message),
  );
  expect(messages).toEqual([
    'The month 2026-09 has not ended',
    'The account collected nothing yet in 2026-07',
  ]);
  const asked = await generate('2026-08');
  expect([asked.status, keysOf(asked.body), asked.body.status]).toEqual([
    201,
    FIELDS.report,
    'PENDING',
  ]);
  await moving.advanceTo(moving.now() + MINUTE);
  expect((await list())[0]).toMatchObject({
    status: 'READY',
    generatedAt: '2026-09-01T02:01:00.000Z',
  });
  await moving.advanceTo(Date.UTC(2026, 10, 1, 3));
  expect(await states()).toEqual([
    ['2026-10', 'READY'],
    ['2026-09', 'READY'],
    ['2026-08', 'READY'],
  ]);
  const [newest] = await list();
  const file = await call(`/web-merchant/reports/${newest.id}/download`, {
    token: await token(),
    at: moving,
  });
  expect([file.status, file.headers.get('content-type'), file.body.length]).toEqual([
    200,
    'application/pdf',
    newest.fileSize,
  ]);
  expect(Buffer.from(file.body).toString('latin1')).toMatch(/^%PDF-1\.4[\s\S]*%%EOF\n$/);
  expect(
    (await call('/web-merchant/reports/nosuch/download', { token: await token(), at: moving }))
      .status,
  ).toBe(404);
});

test('a summary counts the payments that had succeeded when it was made', async () => {
  const moving = await start({ start: Date.UTC(2026, 9, 1, 3) });
  const token = await login(open, moving);
  const [{ summary, periodStart, periodEnd }] = (await call(reports('OPEN'), { token, at: moving }))
    .body;
  const filters = `&startDate=${periodStart}&endDate=${periodEnd}`;
  const all = (await call(search(filters), { token, at: moving })).body as readonly {
    readonly amount: number;
    readonly status: string;
    readonly reference: string;
  }[];
  const paid = all.filter((payment) => payment.status === 'SUCCESS');
  const sum = (some: typeof paid) => some.reduce((total, { amount }) => total + amount, 0);
  expect(summary.paymentCount).toBeLessThanOrEqual(paid.length);
  const byStatus = Object.values(summary.byStatus as Record<string, number>).reduce(
    (total, count) => total + count,
    0,
  );
  expect(byStatus).toBe(all.length);
  expect(summary.totalAmount).toBeLessThanOrEqual(sum(paid));
  expect(
    summary.byOperator.reduce((total: number, one: { amount: number }) => total + one.amount, 0),
  ).toBe(summary.totalAmount);
  expect(summary.paymentCount).toBeGreaterThan(100);
  expect(all.every(({ reference }) => /^PAY/.test(reference))).toBe(true);
});

test('the search filters as documented, both ends of the time included, and refuses a filter it cannot read', async () => {
  const token = await login(open);
  const find = async (filters: string) =>
    (await call(search(filters), { token })).body as readonly Record<string, string>[];
  const all = await find('');
  expect(all.length).toBeGreaterThan(300);
  expect(all.map(({ createdAt }) => createdAt)).toEqual(
    all
      .map(({ createdAt }) => createdAt!)
      .sort()
      .reverse(),
  );
  const [newest, oldest] = [all[50]!, all[90]!];
  expect(await find(`&startDate=${oldest.createdAt}&endDate=${newest.createdAt}`)).toEqual(
    all.slice(50, 91),
  );
  expect(await find(`&search=${newest.reference!.slice(2, 9)}`)).toContainEqual(newest);
  expect(await find(`&search=${newest.order_id}`)).toContainEqual(newest);
  const operators = await find('&operator=orange');
  expect(new Set(operators.map(({ senderOperateur }) => senderOperateur!.toLowerCase()))).toEqual(
    new Set(['orange']),
  );
  expect(new Set(operators.map(({ senderOperateur }) => senderOperateur)).size).toBeGreaterThan(1);
  expect(
    new Set((await find('&status=FAILED&country=BF')).map((one) => `${one.status} ${one.country}`)),
  ).toEqual(new Set(['FAILED BF']));
  for (const filter of [
    '&status=DONE',
    '&operator=Orange',
    '&country=SN',
    '&startDate=soon',
    '&status=FAILED&status=SUCCESS',
  ]) {
    expect([filter, (await call(search(filter), { token })).status]).toEqual([filter, 400]);
  }
});

test('a pending link expires after 24 hours, and the same seed gives the same answers', async () => {
  const moving = await start();
  const token = await login(open, moving);
  const pending = (await call(search('&status=PENDING'), { token, at: moving })).body;
  expect(pending.length).toBeGreaterThan(0);
  await moving.advanceTo(START + DAY);
  const later = (await call(search(''), { token: await login(open, moving), at: moving })).body;
  const states = pending.map(
    ({ reference }: { reference: string }) =>
      later.find((one: { reference: string }) => one.reference === reference).status,
  );
  expect(states).not.toContain('PENDING');
  const again = await start();
  const [first, second] = [
    await call(search(''), { token: await login(open) }),
    await call(search(''), { token: await login(open, again), at: again }),
  ];
  expect(second.body).toEqual(first.body);
  expect((await call(reports('OTHER'), { token: await login(other) })).body).not.toEqual(
    (await call(reports('OPEN'), { token: await login(open) })).body,
  );
});

test('trouble comes in this API’s own words', async () => {
  const misbehaviour = {
    failureRate: 0,
    rateLimit: { calls: 2, refusals: 1, retryAfterSeconds: 7 },
    latency: null,
  };
  const troubled = await start({ settings: { misbehaviour } });
  const token = await login(open, troubled);
  expect((await call(reports('OPEN'), { token, at: troubled })).status).toBe(200);
  const refused = await call(reports('OPEN'), { token, at: troubled });
  expect([refused.status, refused.headers.get('retry-after'), keysOf(refused.body)]).toEqual([
    429,
    '7',
    FIELDS.error,
  ]);
  const unknown = await call('/web-merchant/nosuch', { token, at: troubled });
  expect([unknown.status, keysOf(unknown.body)]).toEqual([404, FIELDS.error]);
});
