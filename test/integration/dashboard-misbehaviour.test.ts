// A dashboard or a network that misbehaves. Requests that may be repeated are repeated, every other
// failure has a code and one sentence, and neither password nor token is ever shown, sent elsewhere
// or logged.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { SourceFailed } from '../../src/io/sources/port/source.ts';
import type { WebEvent } from '../../src/io/sources/web/web-settings.ts';
import { comparePublished } from '../../src/service/workflows/audit/compare-published.ts';
import {
  OCTOBER,
  paymentAt,
  rawPayment,
  rawReport,
  readPayments,
} from '../support/dashboard-rows.ts';
import {
  type DashboardService,
  dashboardSettings,
  NUMERO,
  PASSWORD,
  startDashboardService,
  type Trouble,
} from '../support/dashboard-service.ts';

const LOGIN = '/user/login-merchant';
const REPORTS = '/web-merchant/reports';
const SEARCH = '/web-merchant/payments/search';

let service: DashboardService;
let events: WebEvent[];
beforeEach(async () => {
  service = await startDashboardService();
  service.payments = Array.from({ length: 25 }, (_, i) => paymentAt(i, OCTOBER.from + i * DAY));
  service.reports = [rawReport()];
  events = [];
});
afterEach(() => service.close());

type Change = Parameters<typeof dashboardSettings>[1];
const open = (change: Change = {}) =>
  openDashboard(dashboardSettings(service, { events, ...change })).open('M001');

/** Lets the service misbehave for the first `times` requests to `path`. */
function trouble(what: Trouble, on: { readonly path: string; readonly times: number }): void {
  let left = on.times;
  service.before = (request) => {
    if (request.path !== on.path || left <= 0) return null;
    left -= 1;
    return what;
  };
}

async function failure(read: () => Promise<unknown>): Promise<SourceFailed> {
  const error = await read().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SourceFailed);
  const failed = error as SourceFailed;
  expect(failed.message).toMatch(/^[A-Z].*\.$/s);
  expectNoSecret(`${failed.message} ${failed.stack} ${String(failed.cause)}`);
  return failed;
}

function expectNoSecret(said: string): void {
  const all = `${said} ${JSON.stringify(events)}`;
  for (const secret of [PASSWORD, NUMERO, 'secret-token']) expect(all).not.toContain(secret);
}

const answer = (body: string | Uint8Array, status = 200, headers: object = {}): Trouble => ({
  do: 'answer',
  status,
  body,
  headers,
});
const error = (status: number, headers: object = {}): Trouble => ({ do: 'error', status, headers });
const countOf = (path: string) => service.asked.filter((request) => request.path === path).length;

describe('a passing fault is got over, and nothing is lost', () => {
  test.each<[string, Trouble]>([
    ['a 500', error(500)],
    ['a 502 that is not JSON', answer('<html>bad gateway</html>', 502)],
    ['a 503 with Retry-After in seconds', error(503, { 'retry-after': '0' })],
    ['a 429 with Retry-After', error(429, { 'retry-after': '0' })],
    ['a 429 without', error(429)],
    ['a dropped connection', { do: 'drop' }],
    ['a body that breaks off', { do: 'drop-body', share: 0.6 }],
    ['a body cut short but said to be whole', { do: 'cut-body', share: 0.7 }],
    ['an empty body', answer('')],
  ])('%s', async (_, what) => {
    for (const path of [LOGIN, REPORTS, SEARCH]) {
      const isLogin = path === LOGIN && what.do === 'answer' && what.status === 200;
      trouble(isLogin ? { ...what, status: 201 } : what, { path, times: 2 });
      const snapshot = await open();
      expect((await snapshot.reports()).rows).toHaveLength(1);
      expect((await readPayments(snapshot)).rows).toHaveLength(25);
      expect(events.filter((event) => event.what === 'retry')).toHaveLength(2);
      expectNoSecret('');
      events.length = 0;
    }
  });

  test('a request that hangs', async () => {
    trouble({ do: 'hang' }, { path: REPORTS, times: 1 });
    expect((await (await open({ deadline: 150 })).reports()).rows).toHaveLength(1);
    expect(events[0]?.why).toContain('within 150 ms');
  });

  test('Retry-After is waited for, and cut to the longest that is allowed', async () => {
    trouble(error(429, { 'retry-after': '3600' }), { path: REPORTS, times: 1 });
    await (await open()).reports();
    expect(events.map(({ what, wait }) => [what, wait])).toEqual([['retry', 51]]);
  });
});

describe('a lasting fault fails by name', () => {
  const moved = answer('', 302, { location: 'http://127.0.0.1:9/' });
  test.each<[string, string, Trouble, string, number]>([
    ['a 500', REPORTS, error(500), 'SERVICE_UNAVAILABLE', 4],
    ['a 429', REPORTS, error(429, { 'retry-after': '0' }), 'RATE_LIMITED', 4],
    ['a 403', REPORTS, error(403), 'FORBIDDEN', 1],
    ['a 403 of a firewall', REPORTS, answer('<html>', 403), 'FORBIDDEN', 1],
    ['a 400', SEARCH, error(400), 'VALIDATION_ERROR', 1],
    ['a 404 for the merchant', REPORTS, error(404), 'NOT_FOUND', 1],
    ['a 404 of another server', REPORTS, answer('{}', 404), 'NOT_FOUND', 1],
    ['a 418', REPORTS, error(418), 'REFUSED', 1],
    [
      'an error under status 200',
      REPORTS,
      answer('{"statusCode":404,"message":"x","error":"y"}'),
      'NOT_FOUND',
      1,
    ],
    ['no content', REPORTS, answer('', 204), 'REFUSED', 1],
    ['a 201 where a 200 is due', REPORTS, answer('[]', 201), 'REFUSED', 1],
    ['a redirect', REPORTS, moved, 'REDIRECTED', 1],
    ['a redirect of the login', LOGIN, moved, 'REDIRECTED', 1],
    ['a login answered with 200', LOGIN, answer('{"access_token":"x"}'), 'REFUSED', 1],
    ['a login that is refused', LOGIN, error(404), 'LOGIN_REFUSED', 1],
    ['a login refused with 401', LOGIN, error(401), 'INVALID_CREDENTIALS', 1],
    ['a login of another server', LOGIN, answer('nothing here', 404), 'NOT_FOUND', 1],
    [
      'a login without a token',
      LOGIN,
      answer('{"refresh_token":"x"}', 201),
      'UNREADABLE_ANSWER',
      1,
    ],
    [
      'a token that is no text',
      LOGIN,
      answer('{"access_token":{"x":1}}', 201),
      'UNREADABLE_ANSWER',
      1,
    ],
    ['an empty token', LOGIN, answer('{"access_token":""}', 201), 'UNREADABLE_ANSWER', 1],
    [
      'a token that would split the header',
      LOGIN,
      answer('{"access_token":"a\\r\\nx-evil: 1"}', 201),
      'UNREADABLE_ANSWER',
      1,
    ],
    [
      'a token that no header could carry',
      LOGIN,
      answer(`{"access_token":"${'x'.repeat(9_000)}"}`, 201),
      'UNREADABLE_ANSWER',
      1,
    ],
    [
      'a token given twice',
      LOGIN,
      answer(`{"access_token":"a","access_token":"${PASSWORD}"}`, 201),
      'UNREADABLE_ANSWER',
      4,
    ],
    ['a list in an envelope', REPORTS, answer('{"data":[]}'), 'UNREADABLE_ANSWER', 1],
    ['a bare number', REPORTS, answer('17'), 'UNREADABLE_ANSWER', 1],
    ['null', SEARCH, answer('null'), 'UNREADABLE_ANSWER', 1],
    ['a page of a captive portal', REPORTS, answer('<html>log in</html>'), 'UNREADABLE_ANSWER', 4],
    ['a list that never ends', REPORTS, answer('[[[[['), 'UNREADABLE_ANSWER', 4],
    ['a list without commas', REPORTS, answer('[{} {}]'), 'UNREADABLE_ANSWER', 4],
    ['two lists', REPORTS, answer('[][]'), 'UNREADABLE_ANSWER', 4],
    [
      'more bytes than are allowed',
      REPORTS,
      answer(`[${'1,'.repeat(40_000)}1]`),
      'ANSWER_TOO_LARGE',
      1,
    ],
  ])('%s', async (_, path, what, code, times) => {
    trouble(what, { path, times: 99 });
    const snapshot = await open({ maxResponseBytes: 64_000 });
    const failed = await failure(() =>
      path === SEARCH ? readPayments(snapshot) : snapshot.reports(),
    );
    expect(failed.code).toBe(code);
    if (code === 'REDIRECTED')
      expect(failed.message).toContain('set dashboard.baseUrl to the final address');
    if (code === 'UNREADABLE_ANSWER') expect(failed.message).toContain('check dashboard.baseUrl');
    expect(countOf(path)).toBe(times);
    expectNoSecret('');
  });

  test('the redirected request is not sent on', async () => {
    let reached = 0;
    const elsewhere = createServer((_, response) => response.end(String(++reached)));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    for (const path of [LOGIN, REPORTS]) {
      trouble(answer('', 307, { location }), { path, times: 1 });
      await failure(async () => (await open()).reports());
    }
    expect(reached).toBe(0);
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  test('a snapshot that is closed stops what it is doing', async () => {
    trouble({ do: 'hang' }, { path: REPORTS, times: 9 });
    const snapshot = await open();
    const asked = failure(() => snapshot.reports());
    setTimeout(() => void snapshot.close(), 50);
    expect((await asked).code).toBe('CLOSED');
  });
});

describe('tokens', () => {
  test('goes bare in its header; number and password go nowhere but into the login', async () => {
    await (await open()).reports();
    const [login, list] = service.asked;
    expect([login!.method, login!.path, JSON.parse(login!.body)]).toEqual([
      'POST',
      LOGIN,
      { numero: NUMERO, password: PASSWORD },
    ]);
    expect(login!.headers.authenticationtoken).toBeUndefined();
    expect(list!.headers.authenticationtoken).toMatch(/^eyJ/);
    expect(list!.headers.authorization).toBeUndefined();
    expect(JSON.stringify([list!.headers, list!.query.toString(), list!.body])).not.toContain(
      PASSWORD,
    );
    expect(list!.query.get('merchant_reference')).toBe('M001');
  });

  test('one that expires in mid-walk is renewed, and the walk loses and repeats nothing', async () => {
    service.cap = 4;
    service.tokenUses = 2;
    const { rows } = await readPayments(await open());
    expect(rows.map(({ reference }) => reference)).toEqual(
      service.payments.map((one) => (one as { reference: string }).reference),
    );
    expect(countOf(LOGIN)).toBeGreaterThan(4);
    expect(events.filter(({ what }) => what === 'login')).toHaveLength(countOf(LOGIN) - 1);
    expectNoSecret('');
  });

  test('one that is refused at once is renewed once, and then it fails by name', async () => {
    service.tokenUses = 0;
    const failed = await failure(async () => (await open()).reports());
    expect([failed.code, countOf(LOGIN), countOf(REPORTS)]).toEqual(['INVALID_CREDENTIALS', 2, 2]);
  });

  test('requests under way at once share one login', async () => {
    trouble({ do: 'wait', time: 60 }, { path: LOGIN, times: 1 });
    const snapshot = await open();
    await Promise.all([
      snapshot.reports(),
      snapshot.payouts.limits(),
      snapshot.payouts.counters(),
      readPayments(snapshot),
    ]);
    expect(countOf(LOGIN)).toBe(1);
  });

  test('a login that failed is tried again by the next request', async () => {
    trouble(error(404), { path: LOGIN, times: 1 });
    const snapshot = await open();
    expect((await failure(() => snapshot.reports())).code).toBe('LOGIN_REFUSED');
    expect((await snapshot.reports()).rows).toHaveLength(1);
  });
});

describe('a search', () => {
  const references = (rows: readonly { readonly reference: string }[]) =>
    rows.map(({ reference }) => reference);

  test.each([
    ['newest first', true],
    ['oldest first', false],
  ])('that is cut short in silence, %s, still gives every payment', async (_, newestFirst) => {
    service.payments = Array.from({ length: 300 }, (_, i) =>
      paymentAt(i, OCTOBER.from + 5 * DAY + i * MINUTE),
    );
    service.newestFirst = newestFirst;
    for (const cap of [2, 7, 50]) {
      service.cap = cap;
      expect(references((await readPayments(await open())).rows)).toHaveLength(300);
    }
  });

  /** Returns so many payments of one noon, between others an hour apart. */
  const crowded = (count: number) => {
    const noon = OCTOBER.from + 15 * DAY;
    const one = (number: number, at: number) =>
      paymentAt(number, at, { order_id: `CMD-${number}` });
    const others = Array.from({ length: 40 }, (_, i) => one(i, noon + (i - 20) * HOUR + 1));
    const crowd = Array.from({ length: count }, (_, i) => one(1_000 + i, noon));
    return [...others.slice(0, 20), ...crowd, ...others.slice(20)];
  };

  test.each([
    ['newest first', true],
    ['oldest first', false],
  ])(
    'with more payments of one instant than an answer has, %s, names the instant and gives all others',
    async (_, newestFirst) => {
      service.newestFirst = newestFirst;
      service.cap = 100;
      service.payments = crowded(150);
      const { rows, rejected } = await readPayments(await open());
      expect([rows.length, rejected.map(({ place }) => place)]).toEqual([
        140,
        [`GET ${SEARCH} at 2026-10-16T00:00:00.000Z`],
      ]);
      expect(rejected[0]!.reason).toMatch(/^100 payments, as many as any answer has/);
      service.payments = crowded(150).filter(
        (one) => String((one as { reference: string }).reference) >= 'PAY001000',
      );
      expect(
        (await readPayments(await open())).rejected,
        'also where there are no others',
      ).toHaveLength(1);
      for (const [count, cap] of [
        [90, 100],
        [150, 1_000],
        [3, 1_000],
      ] as const) {
        service.cap = cap;
        service.payments = crowded(count);
        const whole = await readPayments(await open());
        expect([whole.rows.length, whole.rejected]).toEqual([count + 40, []]);
      }
    },
  );

  test('of a correct report over more payments of one instant than an answer has is no proof that the report is wrong', async () => {
    service.cap = 100;
    service.payments = crowded(150);
    service.reports = [rawReport({ summary: { totalAmount: 190 * 1_500, paymentCount: 190 } })];
    const dashboard = openDashboard(dashboardSettings(service));
    const asked = { merchant: 'M001', asOf: Date.UTC(2026, 10, 4) };
    const { part } = (await comparePublished({ dashboard, months: null, summaryKeys: {} }, asked))!;
    await dashboard.close();
    expect(part.drafts.map(({ kind }) => kind)).toEqual([]);
    expect(part.rejected).toHaveLength(1);
    expect(part.notes.flatMap(({ code, incomplete }) => (incomplete ? [code] : []))).toEqual(
      expect.arrayContaining(['REPORT_DOUBTFUL', 'PUBLISHED_ROWS_REFUSED']),
    );
  });

  test('too large for one answer is requested in narrower windows', async () => {
    service.payments = Array.from({ length: 200 }, (_, i) => paymentAt(i, OCTOBER.from + i * HOUR));
    const { rows } = await readPayments(await open({ maxResponseBytes: 4_000 }));
    expect(references(rows)).toHaveLength(200);
    expect(events.some(({ what }) => what === 'smaller-pages')).toBe(true);
    service.payments = Array.from({ length: 200 }, (_, i) => paymentAt(i, OCTOBER.from));
    expect(
      (await failure(async () => readPayments(await open({ maxResponseBytes: 4_000 })))).code,
    ).toBe('ANSWER_TOO_LARGE');
  });

  test('finds what lies between two milliseconds at the edge of a window', async () => {
    service.payments = [
      paymentAt(1, OCTOBER.from + DAY, { nanoseconds: 400_000 }),
      paymentAt(2, OCTOBER.from + 2 * DAY),
    ];
    expect(references((await readPayments(await open())).rows)).toEqual(['PAY000001', 'PAY000002']);
  });

  test('whose filters are ignored is refused, and the setting is named', async () => {
    service.payments = [paymentAt(1, OCTOBER.from - 40 * DAY)];
    const ignoring = { merchant: 'merchant_reference', from: 'since', until: 'till' };
    const failed = await failure(async () => readPayments(await open({ parameters: ignoring })));
    expect(failed.code).toBe('UNREADABLE_ANSWER');
    expect(failed.message).toContain('dashboard.parameters');
  });

  test('that reads an instant as its whole day gives no payment twice', async () => {
    service.before = ({ path, query }) => {
      if (path !== SEARCH) return null;
      const [from, until] = [
        query.get('startDate')!.slice(0, 10),
        query.get('endDate')!.slice(0, 10),
      ];
      const fit = service.payments.filter((one) => {
        const day = String((one as { createdAt: string }).createdAt).slice(0, 10);
        return day >= from && day <= until;
      });
      return answer(JSON.stringify(fit));
    };
    expect(references((await readPayments(await open())).rows)).toHaveLength(25);
  });

  test('that makes up payments for ever is stopped', async () => {
    let made = 0;
    service.before = ({ path, query }) => {
      if (path !== SEARCH) return null;
      const createdAt = query.get('startDate');
      const row = () => ({
        reference: `PAY${++made}`,
        amount: 1,
        country: 'CI',
        status: 'FAILED',
        createdAt,
      });
      const page = Array.from({ length: 63_000 }, row);
      return answer(JSON.stringify(page));
    };
    expect((await failure(async () => readPayments(await open()))).code).toBe('UNREADABLE_ANSWER');
  });

  test('takes the newer state of a payment that moves while it is searched', async () => {
    const at = OCTOBER.from + DAY;
    service.payments = [paymentAt(1, at, { status: 'PENDING', senderOperateur: null })];
    service.before = ({ number }) => {
      if (number === 3) service.payments = [paymentAt(1, at)];
      return null;
    };
    expect(
      (await readPayments(await open())).rows.map(({ status, operator }) => [status, operator]),
    ).toEqual([['SUCCESS', 'orange']]);
  });
});

describe('hostile rows are refused by name, one by one', () => {
  const row = (text: string) => text;
  test.each<[string, string, RegExp]>([
    ['a fraction', JSON.stringify(rawPayment({ amount: 0.1 })), /amount is 0.1/],
    ['a text for a number', JSON.stringify(rawPayment({ amount: '1500' })), /amount is "1500"/],
    [
      'a negative amount',
      JSON.stringify(rawPayment({ amount: -1 })),
      /amount is -1, not a whole number from 0/,
    ],
    ['past 2^53', JSON.stringify(rawPayment()).replace('1500', '9007199254740993'), /safe integer/],
    ['an exponent', JSON.stringify(rawPayment()).replace('1500', '1e400'), /safe integer/],
    ['a key twice', '{"reference":"PAY1","reference":"PAY2"}', /given twice/],
    ['a prototype', '{"__proto__":{"reference":"PAY1"}}', /reference is missing/],
    [
      'deep nesting',
      JSON.stringify(rawPayment()).replace(
        '{"note"',
        `{"x":${'['.repeat(80)}${']'.repeat(80)},"note"`,
      ),
      /nested deeper/,
    ],
    ['a lone surrogate', JSON.stringify(rawPayment()).replace('CMD-1', '\\ud800'), /surrogate/],
    ['U+0000', JSON.stringify(rawPayment()).replace('CMD-1', 'a\\u0000'), /U\+0000/],
    [
      'a wallet operation',
      JSON.stringify(rawPayment({ reference: 'GUI-CO-1' })),
      /not the reference of a payment/,
    ],
    ['no reference', JSON.stringify(rawPayment({ reference: null })), /reference is null/],
    [
      'a long reference',
      JSON.stringify(rawPayment({ reference: `PAY${'1'.repeat(300)}` })),
      /303 characters/,
    ],
    [
      'a status of another kind',
      JSON.stringify(rawPayment({ status: 'SUCCEEDED' })),
      /status is "SUCCEEDED"/,
    ],
    [
      'a date without a zone',
      JSON.stringify(rawPayment({ createdAt: '2026-10-05T08:00:00' })),
      /createdAt is/,
    ],
    [
      'a day that does not exist',
      JSON.stringify(rawPayment({ createdAt: '2026-02-30T08:00:00Z' })),
      /createdAt is/,
    ],
    ['a list', '[1]', /is a list/],
    ['null', 'null', /is null/],
    ['a text', '"PAY1"', /not an object/],
    ['true', 'true', /is true/],
  ])('%s', async (_, text, reason) => {
    service.payments = [row(text), paymentAt(5, OCTOBER.from + DAY)];
    const { rows, rejected } = await readPayments(await open());
    expect(rows.map(({ reference }) => reference)).toEqual(['PAY000005']);
    expect(rejected.length).toBeGreaterThan(0);
    expect(new Set(rejected.map((one) => one.reason.match(reason)?.[0] ?? one.reason)).size).toBe(
      1,
    );
    expect(rejected[0]!.reason).toMatch(reason);
    expect(rejected[0]!.part).toBe('payments');
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no id', { id: null }, /id is null/],
    ['a month that is none', { period: '2026-00' }, /period is "2026-00"/],
    ['a month in words', { period: 'octobre' }, /period is "octobre"/],
    ['a status of another kind', { status: 'DONE' }, /status is "DONE"/],
    [
      'bounds of another month',
      { periodStart: '2026-09-01T00:00:00Z' },
      /periodStart .* within a day/,
    ],
    ['an end of another year', { periodEnd: '2027-10-31T23:59:59Z' }, /periodEnd .* within a day/],
    ['a summary that is a list', { summary: [1] }, /summary is a list/],
    ['a summary that is text', { summary: '{}' }, /summary is "{}"/],
    [
      'a summary without end',
      { summary: Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`k${i}`, i])) },
      /more than 5000 values/,
    ],
    [
      'a deep summary',
      { summary: { a: { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } } } },
      /nested deeper/,
    ],
    ['a key without end', { summary: { ['k'.repeat(500)]: 1 } }, /key of 500 characters/],
    ['U+0000 in a key', { summary: { 'a\u0000': 1 } }, /U\+0000/],
    ['a size that is none', { fileSize: -1 }, /fileSize is -1/],
    ['an instant that is none', { generatedAt: 'yesterday' }, /generatedAt is "yesterday"/],
  ])('a report: %s', async (_, change, reason) => {
    service.reports = [rawReport(change), rawReport()];
    const { rows, rejected } = await (await open()).reports();
    expect(rows).toHaveLength(1);
    expect(rejected.map((one) => one.reason)).toEqual([expect.stringMatching(reason)]);
  });

  test('limits and counters that cannot be read are refused without keeping what stood there', async () => {
    service.compliance = {
      compliance: { managerIdNumber: 'CI-123' },
      limits: { plafond: 'much', consomme: 0, restant: 0 },
    };
    service.counters = [];
    const snapshot = await open();
    const [limits, counters] = [await snapshot.payouts.limits(), await snapshot.payouts.counters()];
    expect([limits.value, counters.value]).toEqual([null, null]);
    expect(limits.rejected[0]).toMatchObject({
      part: 'payouts',
      reason: 'limits.plafond is "much", not a whole number',
      raw: '',
    });
    expect(counters.rejected[0]?.reason).toBe('the row is a list, not an object');
  });

  test('a summary keeps a number that no double holds as its text', async () => {
    service.before = ({ path }) =>
      path === REPORTS
        ? answer(
            JSON.stringify([rawReport({ summary: { totalAmount: 1 } })]).replace(
              '"totalAmount":1',
              '"totalAmount":90071992547409931.50',
            ),
          )
        : null;
    expect((await (await open()).reports()).rows[0]!.summary).toEqual({
      totalAmount: '90071992547409931.50',
    });
  });
});

test.each<[string, Change, RegExp]>([
  ['a base address that is none', { baseUrl: 'nowhere' }, /its address is not absolute/],
  ['a file', { baseUrl: 'file:///etc' }, /http or https/],
  [
    'a password in the address',
    { baseUrl: `http://u:${PASSWORD}@127.0.0.1` },
    /must not hold a user name/,
  ],
  ['names that collide', { parameters: { merchant: 'a', from: 'b', until: 'b' } }, /are the same/],
])(
  'settings that cannot work are refused before anything is sent: %s',
  async (_, change, reason) => {
    const failed = await failure(async () => open(change));
    expect([failed.code, service.asked.length]).toEqual(['INVALID_SETTINGS', 0]);
    expect(failed.message).toMatch(reason);
  },
);
