// Payments by link over HTTP, from the call that makes a link to its end, and the notifications
// about it. Compared with the dashboard API document ("States and transitions", "Events",
// "Authentication").

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { anybodyOf, merchantOf, serverOf, userOf } from '../support/dashboard-caller.ts';
import { type Answer, controlOf, partnerOf } from '../support/sandbox-caller.ts';
import {
  type ReceivedCall,
  startReceiver,
  type WebhookReceiverServer,
} from '../support/webhook-receiver.ts';

const START = Date.UTC(2026, 7, 31, 12);
/** Traffic in which only calls make something happen. */
const STILL = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 0,
  paymentsPerDay: 0,
  adjustmentsPerMonth: 0,
};

const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP', traffic: STILL, allowedCountries: ['CI', 'BF', 'SN'] }),
  planMerchant({ reference: 'BUSY', traffic: { ...ORDINARY_TRAFFIC, paymentsPerDay: 12 } }),
  planMerchant({ reference: 'NEW', status: 'PENDING' }),
  planMerchant({ reference: 'SHUT', status: 'SUSPENDED' }),
  planMerchant({ reference: 'FENCED', traffic: STILL, allowedAddresses: ['192.0.2.1'] }),
];

const sandboxes: Sandbox[] = [];
let sandbox: Sandbox;
let receiver: WebhookReceiverServer;
let url: string;

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = { seed: 'links', merchants: plans, start: START, port: 0, control: true } as const;
  const started = await startSandbox({ ...basis, settings: { fates: 'decided' }, ...options });
  sandboxes.push(started);
  return started;
}

beforeAll(async () => {
  sandbox = await start();
});
beforeEach(async () => {
  receiver = await startReceiver(null);
  url = `http://127.0.0.1:${receiver.port}/payments`;
});
afterEach(() => receiver.close());
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

const CREATE = '/create-web-payment-link';
const FORM = { amount: 5_000, order_id: 'CMD-1' };

async function link(from: Sandbox = sandbox, parts: object = {}): Promise<string> {
  const { status, body } = await serverOf(from, 'SHOP')('POST', CREATE, {
    body: { ...FORM, ...parts },
  });
  expect(status).toBe(201);
  return body.reference;
}

const status = (reference: string, from = sandbox) =>
  userOf(from, 'SHOP')('GET', `/payment/status?payment_reference=${reference}`);
const decide = (reference: string, to: string, from = sandbox) =>
  controlOf(from)('POST', `/merchants/SHOP/payments/${reference}/fate`, { body: { to } });
const listen = (from: Sandbox, webhookUrl: unknown = url, reference: unknown = 'SHOP') =>
  userOf(from, 'SHOP')('PATCH', '/set-webhook-url', { body: { reference, webhookUrl } });
const failed = async (from: Sandbox, query = '') =>
  (await userOf(from, 'SHOP')('GET', `/webhooks/failed${query}`)).body;
const refusalOf = ({ status: code, body }: Answer) => [code, body];
const refusal = (statusCode: number, message: string, error: string) => [
  statusCode,
  { statusCode, message, error },
];
const UNAUTHENTICATED = refusal(401, 'Invalid API credentials', 'Unauthorized');
const answerWith = (code: number) =>
  (receiver.answer = (response) => void response.writeHead(code).end());
const bodiesOf = (calls: readonly ReceivedCall[]) => calls.map(({ body }) => JSON.parse(body));

describe('a link', () => {
  test('is made with key and secret, and is PENDING, with everything that was said of it', async () => {
    const metadata = { panier: 7, note: 'livré "à la main"', étages: [1, null] };
    const wish = { ...FORM, country: 'BF', metadata };
    const made = await serverOf(sandbox, 'SHOP')('POST', CREATE, { body: wish });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      reference: expect.stringMatching(/^PAY/),
      url: `https://pay.example/${made.body.reference}`,
      qrCode: `https://pay.example/${made.body.reference}/qr.png`,
      status: 'PENDING',
      createdAt: '2026-08-31T12:00:00.000Z',
      expiresAt: '2026-09-01T12:00:00.000Z',
    });
    const shown = await status(made.body.reference);
    expect(shown.status).toBe(200);
    expect(Object.keys(shown.body).join(' ')).toBe(
      'id reference amount country provider order_id senderNumber senderOperateur metadata status createdAt',
    );
    expect(shown.body).toMatchObject({
      amount: 5_000,
      country: 'BF',
      order_id: 'CMD-1',
      metadata,
      status: 'PENDING',
    });
    const found = await userOf(sandbox, 'SHOP')(
      'GET',
      `/payments/search?search=${made.body.reference}`,
    );
    expect(found.body).toEqual([shown.body]);
  });

  test('needs the pair of headers: a token opens everything else, and nothing of this', async () => {
    const { apiKey, apiSecret, dashboard } = merchantOf(sandbox, 'SHOP');
    const token = (await anybodyOf(sandbox)('POST', '/user/login-merchant', { body: dashboard }))
      .body.access_token;
    const make = (headers: Record<string, string>) =>
      anybodyOf(sandbox)('POST', `/web-merchant${CREATE}`, { body: FORM, headers });
    for (const headers of [
      {},
      { authenticationtoken: token },
      { 'x-api-key': apiKey },
      { 'x-api-key': apiKey, 'x-api-secret': `${apiSecret}x` },
      { 'x-api-key': `${apiKey}x`, 'x-api-secret': apiSecret },
    ] as Record<string, string>[]) {
      expect(refusalOf(await make(headers))).toEqual(UNAUTHENTICATED);
    }
    const read = await serverOf(sandbox, 'SHOP')('GET', '/payments?merchant_reference=SHOP');
    expect(refusalOf(read)).toEqual(UNAUTHENTICATED);
  });

  test('is refused by 400 for every field that is wrong, and leaves no trace', async () => {
    const before = (await userOf(sandbox, 'SHOP')('GET', '/payments')).body.length;
    const wrong: readonly object[] = [
      { amount: 100 },
      { amount: '5000' },
      { amount: 5_000.5 },
      { amount: null },
      { order_id: '' },
      { order_id: 7 },
      { country: 'SN' },
      { country: 'ML' },
      { metadata: [] },
      { metadata: { long: 'x'.repeat(5_000) } },
      { colour: 'red' },
    ];
    for (const change of wrong) {
      const answer = await serverOf(sandbox, 'SHOP')('POST', CREATE, {
        body: { ...FORM, ...change },
      });
      expect([change, answer.status, answer.body.error]).toEqual([change, 400, 'Bad Request']);
      expect(answer.body.message).toContain(Object.keys(change)[0]);
    }
    for (const text of ['{"amount":', '[]', '{"amount":5000.0,"order_id":"x"}']) {
      expect([text, (await serverOf(sandbox, 'SHOP')('POST', CREATE, { text })).status]).toEqual([
        text,
        400,
      ]);
    }
    expect((await userOf(sandbox, 'SHOP')('GET', '/payments')).body.length).toBe(before);
  });

  test('is not made by an account that is not ACTIVE, nor from an address that is not declared', async () => {
    const make = (reference: string) =>
      serverOf(sandbox, reference)('POST', CREATE, { body: FORM });
    for (const reference of ['NEW', 'SHUT']) {
      expect(refusalOf(await make(reference))).toEqual(
        refusal(403, 'Account is not active', 'Forbidden'),
      );
      expect((await userOf(sandbox, reference)('GET', '/payments')).body).toEqual([]);
    }
    expect(refusalOf(await make('FENCED'))).toEqual(
      refusal(403, 'Address not allowed', 'Forbidden'),
    );
    const moving = await start();
    await controlOf(moving)('POST', '/merchants/NEW/states', { body: { account: 'ACTIVE' } });
    expect((await serverOf(moving, 'NEW')('POST', CREATE, { body: FORM })).status).toBe(201);
    await moving.advanceTo(START + 3 * DAY);
    expect((await userOf(moving, 'NEW')('GET', '/payments')).body.length).toBeGreaterThan(5);
    await controlOf(moving)('POST', '/merchants/NEW/states', { body: { account: 'SUSPENDED' } });
    const known = (await userOf(moving, 'NEW')('GET', '/payments?limit=200')).body.length;
    await moving.advanceTo(START + 6 * DAY);
    expect((await userOf(moving, 'NEW')('GET', '/payments?limit=200')).body.length).toBe(known);
  });

  test('becomes SUCCESS or FAILED by a decision, and FAILED after 24 hours otherwise', async () => {
    const moving = await start();
    const [paid, refused, forgotten] = [
      await link(moving),
      await link(moving),
      await link(moving),
    ] as const;
    await decide(paid, 'SUCCESS', moving);
    await decide(refused, 'FAILED', moving);
    const states = async () =>
      Promise.all(
        [paid, refused, forgotten].map(async (one) => (await status(one, moving)).body.status),
      );
    expect(await states()).toEqual(['SUCCESS', 'FAILED', 'PENDING']);
    expect((await decide(paid, 'FAILED', moving)).status).toBe(409);
    await moving.advanceTo(START + DAY - 1);
    expect(await states()).toEqual(['SUCCESS', 'FAILED', 'PENDING']);
    await moving.advanceTo(START + DAY);
    expect(await states()).toEqual(['SUCCESS', 'FAILED', 'FAILED']);
  });

  test('has a drawn fate without a decision: the same from the same seed, however time passes', async () => {
    const live = async (steps: number) => {
      const one = await start({ settings: { fates: 'drawn' } });
      const references: string[] = [];
      for (let i = 0; i < 40; i += 1) references.push(await link(one, { order_id: `CMD-${i}` }));
      for (let i = 1; i <= steps; i += 1) await one.advanceTo(START + (i * DAY) / steps);
      const shown = (await userOf(one, 'SHOP')('GET', '/payments?limit=200')).body;
      return {
        references,
        shown,
        balance: (await userOf(one, 'SHOP')('GET', '/get-balance')).body,
      };
    };
    const [once, often] = [await live(1), await live(12)];
    expect(often).toEqual(once);
    const states = once.shown.map((one: { status: string }) => one.status);
    expect(new Set(states)).toEqual(new Set(['SUCCESS', 'FAILED']));
    expect(new Set(once.references).size).toBe(40);
  });

  test('of another or of no merchant is not found', async () => {
    const made = await link();
    expect(refusalOf(await status('PAYNOTHING'))).toEqual(
      refusal(404, 'Payment not found', 'Not Found'),
    );
    const foreign = await userOf(sandbox, 'BUSY')(
      'GET',
      `/payment/status?payment_reference=${made}`,
    );
    expect(refusalOf(foreign)).toEqual(refusal(404, 'Payment not found', 'Not Found'));
    expect((await userOf(sandbox, 'SHOP')('GET', '/payment/status')).status).toBe(400);
    expect(
      (await userOf(sandbox, 'SHOP')('GET', '/payment/status?merchant_reference=BUSY')).status,
    ).toBe(404);
  });
});

describe('payments', () => {
  test('come in pages, newest first, and as a file with the filters of the search', async () => {
    const ask = userOf(sandbox, 'BUSY');
    const all = (await ask('GET', '/payments/search')).body;
    expect((await ask('GET', '/payments')).body).toEqual(all.slice(0, 50));
    expect((await ask('GET', '/payments?limit=7&offset=60')).body).toEqual(all.slice(60, 67));
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'limit=x']) {
      expect([query, (await ask('GET', `/payments?${query}`)).status]).toEqual([query, 400]);
    }
    const file = await ask('GET', '/payments/export?status=SUCCESS');
    expect([file.status, file.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ]);
    expect(file.headers.get('content-disposition')).toBe(
      'attachment; filename="paiements-BUSY.csv"',
    );
    const lines = file.body.split('\r\n');
    expect(lines[0]).toBe(Object.keys(all[0]).join(','));
    const paid = all.filter((one: { status: string }) => one.status === 'SUCCESS');
    expect(lines.length).toBe(paid.length + 2);
    expect(lines.slice(1, -1).map((line: string) => line.split(',')[1])).toEqual(
      paid.map((one: { reference: string }) => one.reference),
    );
    expect(file.body).toContain('"{""note"":""livré \\""à la main\\"""",""étages"":[1,null]}"');
    expect((await ask('GET', '/payments/export?status=DONE')).status).toBe(400);
  });

  test('of a day are found by that day, which an end given as a date includes', async () => {
    const find = async (query: string) =>
      (await userOf(sandbox, 'BUSY')('GET', `/payments/search?${query}`)).body;
    const day = await find('startDate=2026-08-30&endDate=2026-08-30');
    expect(day.length).toBeGreaterThan(0);
    expect(day).toEqual(
      await find('startDate=2026-08-30T00:00:00.000Z&endDate=2026-08-30T23:59:59.999Z'),
    );
    expect((await find('endDate=2026-08-30')).length).toBe(
      (await find('endDate=2026-08-29')).length + day.length,
    );
  });
});

describe('what is notified of a payment', () => {
  test('is its result, unsigned and without credentials, with fees where it succeeded', async () => {
    const moving = await start();
    expect(refusalOf(await listen(moving))).toEqual([200, { reference: 'SHOP', webhookUrl: url }]);
    const metadata = { panier: 7, étages: [1, null] };
    const [paid, refused] = [
      await link(moving, { metadata }),
      await link(moving, { country: 'BF', amount: 3_333 }),
    ];
    await moving.advanceTo(START + HOUR);
    await decide(paid, 'SUCCESS', moving);
    await decide(refused, 'FAILED', moving);
    expect(receiver.calls).toEqual([]);
    await moving.advanceTo(START + HOUR + 2 * SECOND);
    const shown = await Promise.all(
      [paid, refused].map(async (one) => (await status(one, moving)).body),
    );
    expect(bodiesOf(receiver.calls)).toEqual([
      {
        status: 'SUCCESS',
        amount: 5_000,
        fees: 75,
        reference: paid,
        provider: shown[0].senderOperateur,
        country_code: 'CI',
        metadata,
        created_date: '2026-08-31T12:00:00.000Z',
      },
      {
        status: 'FAILED',
        amount: 3_333,
        reference: refused,
        provider: shown[1].senderOperateur,
        country_code: 'BF',
        metadata: {},
        created_date: '2026-08-31T12:00:00.000Z',
      },
    ]);
    for (const { method, path, headers } of receiver.calls) {
      expect([method, path]).toEqual(['POST', '/payments']);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Service-Webhook/1.0',
      });
      expect(
        Object.keys(headers).filter((name) => /auth|sign|key|secret|token|event/.test(name)),
      ).toEqual([]);
    }
  });

  test('is the outcome of every payment that ended, once each, also of a link that no call made', async () => {
    const moving = await start({ notifyPayments: { BUSY: url } });
    const ends = START + 2 * DAY;
    const before = (await userOf(moving, 'BUSY')('GET', '/payments/search')).body;
    await moving.advanceTo(ends);
    const after = (await userOf(moving, 'BUSY')('GET', '/payments/search')).body;
    await moving.advanceTo(ends + MINUTE);
    const open = new Set(
      before.filter((one: { status: string }) => one.status !== 'PENDING').map(referenceOf),
    );
    const ended = after
      .filter((one: { status: string }) => one.status !== 'PENDING')
      .filter((one: object) => !open.has(referenceOf(one)));
    const received = bodiesOf(receiver.calls);
    expect(received.map(referenceOf)).toEqual(expect.arrayContaining(ended.map(referenceOf)));
    expect(new Set(received.map(referenceOf)).size).toBe(received.length);
    expect(ended.length).toBeGreaterThan(10);
  });

  test('is tried eight times over about 31 hours, and then given up', async () => {
    answerWith(503);
    const moving = await start();
    await listen(moving);
    await decide(await link(moving), 'SUCCESS', moving);
    await moving.advanceTo(START + 2 * SECOND);
    const [first] = await failed(moving);
    expect(first).toMatchObject({
      status: 'FAILED',
      attempts: 1,
      lastStatusCode: 503,
      nextRetryAt: '2026-08-31T12:00:06.000Z',
    });
    await moving.advanceTo(START + 31 * HOUR);
    expect([receiver.calls.length, (await failed(moving))[0].status]).toEqual([7, 'FAILED']);
    await moving.advanceTo(START + 32 * HOUR);
    expect(receiver.calls.length).toBe(8);
    expect((await failed(moving))[0]).toMatchObject({
      status: 'ABANDONED',
      attempts: 8,
      nextRetryAt: null,
    });
    expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1);
    await moving.advanceTo(START + 90 * HOUR);
    expect(receiver.calls.length).toBe(8);
  });

  test.each([400, 401, 404, 422])('is given up at once after %i', async (code) => {
    answerWith(code);
    const moving = await start();
    await listen(moving);
    await decide(await link(moving), 'FAILED', moving);
    await moving.advanceTo(START + 2 * DAY);
    expect(receiver.calls.length).toBe(1);
    expect(await failed(moving)).toMatchObject([
      { status: 'ABANDONED', attempts: 1, lastStatusCode: code, nextRetryAt: null },
    ]);
  });

  test.each([403, 410, 500, 302])('is tried again after %i', async (code) => {
    answerWith(code);
    const moving = await start();
    await listen(moving);
    await decide(await link(moving), 'FAILED', moving);
    await moving.advanceTo(START + 10 * SECOND);
    expect(receiver.calls.length).toBe(2);
    answerWith(204);
    await moving.advanceTo(START + MINUTE);
    expect([receiver.calls.length, await failed(moving)]).toEqual([3, []]);
  });

  test('is tried again without an answer in time', async () => {
    receiver.answer = () => undefined;
    const moving = await start({ settings: { fates: 'decided', courier: { answerWithin: 100 } } });
    await listen(moving);
    await decide(await link(moving), 'SUCCESS', moving);
    await moving.advanceTo(START + 3 * SECOND);
    expect(await failed(moving)).toMatchObject([
      { status: 'FAILED', attempts: 1, lastStatusCode: null },
    ]);
  });

  test('can be sent again by hand: the counter begins anew, and a delivery that arrived is refused with 400', async () => {
    answerWith(404);
    const moving = await start();
    await listen(moving);
    const reference = await link(moving);
    await decide(reference, 'SUCCESS', moving);
    await moving.advanceTo(START + MINUTE);
    const [given] = await failed(moving);
    expect(given).toMatchObject({
      status: 'ABANDONED',
      reference,
      payload: bodiesOf(receiver.calls)[0],
    });
    const replay = (id: string) => userOf(moving, 'SHOP')('POST', `/webhooks/${id}/replay`);
    answerWith(500);
    const again = await replay(given.id);
    expect([again.status, again.body]).toMatchObject([
      201,
      { status: 'FAILED', attempts: 1, nextRetryAt: '2026-08-31T12:01:04.000Z' },
    ]);
    await moving.advanceTo(START + 5 * MINUTE);
    expect((await failed(moving))[0]).toMatchObject({ status: 'FAILED', attempts: 3 });
    answerWith(200);
    expect((await replay(given.id)).body).toMatchObject({
      status: 'SUCCESS',
      attempts: 1,
      nextRetryAt: null,
    });
    expect(await failed(moving)).toEqual([]);
    expect(refusalOf(await replay(given.id))).toEqual(
      refusal(400, 'The notification was delivered already', 'Bad Request'),
    );
    expect((await failed(moving, '?status=SUCCESS')).map(({ id }: { id: string }) => id)).toEqual([
      given.id,
    ]);
    expect(refusalOf(await replay('nosuch'))).toEqual(
      refusal(404, 'Delivery not found', 'Not Found'),
    );
    const foreign = await userOf(moving, 'BUSY')('POST', `/webhooks/${given.id}/replay`);
    expect(foreign.status).toBe(404);
    expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(1);
  });

  test('that failed is listed up to a limit, newest first, and of the dashboard alone', async () => {
    answerWith(404);
    const moving = await start();
    await listen(moving);
    await partnerOf(moving, 'SHOP')('PATCH', '/merchants/me', { body: { webhookUrl: url } });
    await partnerOf(moving, 'SHOP')('POST', '/merchants/me/webhooks/test');
    const references: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      references.unshift(await link(moving));
      await decide(references[0]!, 'FAILED', moving);
      await moving.advanceTo(moving.now() + MINUTE);
    }
    expect((await failed(moving)).map(referenceOf)).toEqual(references);
    expect((await failed(moving, '?limit=2')).map(referenceOf)).toEqual(references.slice(0, 2));
    expect(await failed(moving, '?status=FAILED')).toEqual([]);
    for (const query of ['?limit=0', '?limit=501', '?limit=x', '?status=LOST']) {
      expect([query, (await failed(moving, query)).statusCode]).toEqual([query, 400]);
    }
    const direct = (await partnerOf(moving, 'SHOP')('GET', '/merchants/me/webhooks')).body.data;
    expect(direct.map(({ type }: { type: string }) => type)).toEqual(['ping']);
  });

  test('goes to an HTTPS address alone, but for this machine, and to that of its own merchant', async () => {
    const moving = await start();
    for (const wrong of ['http://shop.example/x', 'ftp://shop.example', 'nonsense', '', null, 7]) {
      const answer = await listen(moving, wrong);
      expect([wrong, answer.status, answer.body.error]).toEqual([wrong, 400, 'Bad Request']);
    }
    expect((await listen(moving, 'https://shop.example/x')).status).toBe(200);
    expect(refusalOf(await listen(moving, url, 'BUSY'))).toEqual(
      refusal(404, 'Merchant not found', 'Not Found'),
    );
    expect(refusalOf(await listen(moving, url, null))).toEqual(
      refusal(404, 'Merchant not found', 'Not Found'),
    );
  });
});

function referenceOf(one: object): string {
  return (one as { readonly reference: string }).reference;
}
