// Control over the simulated service, below /sandbox: faults, trouble and fates by name, and what
// the service has sent and chosen. Also calls that come while time passes.

import { afterAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { MISDELIVERIES } from '../../src/sandbox/courier/courier.ts';
import { ALL_FAULTS } from '../../src/sandbox/faults/register.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { CHOICES } from '../../src/sandbox/service/control/choices.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { type Answer, controlOf, partnerOf } from '../support/sandbox-caller.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { lookAtLines } from '../unit/sandbox/naive-lines.ts';
import { lookAtNotifications } from '../unit/sandbox/naive-notifications.ts';
import { lookAtOperations } from '../unit/sandbox/naive-operations.ts';
import { lookAtWallet } from '../unit/sandbox/naive-wallet.ts';

const START = Date.UTC(2026, 7, 31, 12);
const traffic = {
  ...ORDINARY_TRAFFIC,
  cashoutShare: 0.4,
  reversalRate: 0.05,
  adjustmentsPerMonth: 9,
};
const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP', traffic }),
  planMerchant({ reference: 'FRESH', opensAt: START + 20 * DAY }),
];

const sandboxes: Sandbox[] = [];
async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const started = await startSandbox({
    ...{ seed: 'control', merchants: plans, start: START, port: 0, control: true },
    ...options,
  });
  sandboxes.push(started);
  return started;
}
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

const refusalOf = ({ status, body }: Answer) => [status, body.error.code];
const seenIn = (books: Parameters<typeof lookAtLines>[0]) => [
  ...lookAtLines(books),
  ...lookAtOperations(books),
  ...lookAtWallet(books),
  ...lookAtNotifications(books),
];

test('an adjustment is posted as the back office would, and refused without an amount', async () => {
  const one = await start();
  const control = controlOf(one);
  const before = one.booksOf('SHOP');
  const asked = { direction: 'CREDIT', amount: 250, description: 'Régularisation' };
  const { status, body } = await control('POST', '/merchants/SHOP/adjustments', { body: asked });
  const { entries, wallet, notifications } = one.booksOf('SHOP');
  expect([status, body.entry]).toEqual([200, entries.at(-1)]);
  expect(body.entry).toMatchObject({
    kind: 'ADJUSTMENT_CREDIT',
    amount: 250,
    operationReference: null,
  });
  expect(wallet.balance).toBe(before.wallet.balance + 250);
  expect(notifications.length).toBe(before.notifications.length + 1);
  expect(seenIn(one.booksOf('SHOP'))).toEqual([]);
  const nothing = { ...asked, amount: 0 };
  expect((await control('POST', '/merchants/SHOP/adjustments', { body: nothing })).status).toBe(
    400,
  );
  expect(one.booksOf('SHOP').entries.length).toBe(entries.length);
});

describe('a fault', () => {
  test('that is planted by name is served from then on, at the place that is expected', async () => {
    const one = await start();
    const control = controlOf(one);
    const listed = (await control('GET', '/faults')).body.faults;
    expect(listed).toEqual(ALL_FAULTS.map(({ name, says }) => ({ name, says })));
    expect(seenIn(one.booksOf('SHOP'))).toEqual([]);
    const { status, body } = await control('POST', '/merchants/SHOP/faults', {
      body: { name: 'CREDIT_MISSING' },
    });
    expect([status, body.expected.kind]).toEqual([200, 'CREDIT_MISSING']);
    const all = await control('GET', '/merchants/SHOP/expected');
    expect(all.body).toEqual({ expected: [body.expected] });
    expect(seenIn(one.booksOf('SHOP'))).toContainEqual(body.expected);
    const { operationReference } = body.expected;
    const { body: read } = await partnerOf(one, 'SHOP')('GET', `/operations/${operationReference}`);
    expect(read.operation.status).toBe('SUCCEEDED');
    const lines = one
      .booksOf('SHOP')
      .entries.filter((line) => line.operationReference === operationReference);
    expect(lines.map(({ kind }) => kind)).toEqual(['CASHIN_FEE']);
    await one.advanceTo(START + 3 * DAY);
    expect(seenIn(one.booksOf('SHOP'))).toContainEqual(body.expected);
  });

  test('that there is not, or that has no place, is refused', async () => {
    const one = await start();
    const plant = (reference: string, body: object) =>
      controlOf(one)('POST', `/merchants/${reference}/faults`, { body });
    expect(refusalOf(await plant('SHOP', { name: 'NOTHING' }))).toEqual([400, 'VALIDATION_ERROR']);
    expect(refusalOf(await plant('SHOP', {}))).toEqual([400, 'VALIDATION_ERROR']);
    expect(refusalOf(await plant('FRESH', { name: 'CREDIT_MISSING' }))).toEqual([
      409,
      'FAULT_REFUSED',
    ]);
    expect((await plant('NOBODY', { name: 'CREDIT_MISSING' })).status).toBe(404);
    expect((await controlOf(one)('GET', '/merchants/FRESH/expected')).body).toEqual({
      expected: [],
    });
  });
});

describe('trouble', () => {
  test('is changed by name while the service runs, and what is no trouble is refused and changes nothing', async () => {
    const one = await start();
    const control = controlOf(one);
    const usual = (await control('GET', '/misbehaviour')).body;
    expect(usual).toEqual({
      failureRate: 0,
      rateLimit: null,
      latency: null,
      creationTakes: null,
      unavailableBeforeRecording: 0,
      unavailableAfterRecording: 0,
      misdelivery: {},
    });
    for (const body of [
      { failureRate: 1.1 },
      { failureRate: -0.1 },
      { failureRate: '1' },
      { rateLimit: { calls: 0, refusals: 1, retryAfterSeconds: 1 } },
      { latency: { from: 5, to: 1 } },
      { creationTakes: { from: 0, to: 60_001 } },
      { misdelivery: { NOTHING: 1 } },
      { misdelivery: { LATE: 2 } },
      { nonsense: 1 },
    ]) {
      expect(
        refusalOf(await control('POST', '/misbehaviour', { body })),
        JSON.stringify(body),
      ).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect((await control('GET', '/misbehaviour')).body).toEqual(usual);
    const misdelivery = Object.fromEntries(Object.keys(MISDELIVERIES).map((name) => [name, 0.5]));
    const changed = await control('POST', '/misbehaviour', {
      body: { latency: { from: 40, to: 60 }, misdelivery },
    });
    expect(changed.body).toEqual({ ...usual, latency: { from: 40, to: 60 }, misdelivery });
    const before = performance.now();
    await partnerOf(one, 'SHOP')('GET', '/wallet');
    expect(performance.now() - before).toBeGreaterThanOrEqual(39);
  });

  test('fates are drawn or decided, for what is created from then on', async () => {
    const one = await start({ merchants: plans.slice(1) });
    const control = controlOf(one);
    const body = { amount: 5_000, country: 'CI', operator: 'MTN', phoneNumber: '+2250700000001' };
    const endsOf = async (name: string) => {
      for (let i = 0; i < 25; i += 1)
        await partnerOf(one, 'FRESH')('POST', '/cashin', {
          body,
          headers: { 'idempotency-key': `${name} ${i}` },
        });
      await one.advanceTo(one.now() + DAY);
      return new Set(
        one
          .booksOf('FRESH')
          .operations.slice(-25)
          .map(({ status }) => status),
      );
    };
    expect((await control('GET', '/fates')).body).toEqual({ fates: 'drawn' });
    expect(await endsOf('drawn')).toContain('SUCCEEDED');
    expect((await control('POST', '/fates', { body: { fates: 'decided' } })).body).toEqual({
      fates: 'decided',
    });
    expect(await endsOf('decided')).toEqual(new Set(['EXPIRED']));
    expect(refusalOf(await control('POST', '/fates', { body: { fates: 'chance' } }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
  });
});

test('shows its merchants, its choices, and every delivery, also those that arrived', async () => {
  const one = await start();
  const control = controlOf(one);
  const receiver = await startReceiver(null);
  const webhookUrl = `http://127.0.0.1:${receiver.port}/`;
  await partnerOf(one, 'SHOP')('PATCH', '/merchants/me', { body: { webhookUrl } });
  await partnerOf(one, 'SHOP')('POST', '/merchants/me/webhooks/test');
  const { merchants } = (await control('GET', '/merchants')).body;
  const shop = {
    reference: 'SHOP',
    account: 'ACTIVE',
    wallet: 'ACTIVE',
    operates: true,
    notifyUrl: webhookUrl,
  };
  expect(merchants).toEqual([
    expect.objectContaining(shop),
    expect.objectContaining({ reference: 'FRESH', notifyUrl: null }),
  ]);
  expect((await control('GET', '/merchants/SHOP')).body).toMatchObject(shop);
  const { deliveries } = (await control('GET', '/merchants/SHOP/deliveries')).body;
  expect(deliveries).toEqual([
    expect.objectContaining({ channel: 'direct', type: 'ping', state: 'SUCCESS', attempts: 1 }),
  ]);
  expect((await control('GET', '/merchants/FRESH/deliveries')).body).toEqual({ deliveries: [] });
  expect((await control('GET', '/choices')).body.choices).toEqual(CHOICES);
  const { messages } = (await control('GET', '/merchants/SHOP/messages')).body;
  const { apiKey, apiSecret } = one.merchants[0]!;
  expect(messages).toEqual([expect.objectContaining({ apiKey, apiSecret })]);
  await receiver.close();
});

test('free data of a payment by link is kept as it was given, whatever names and numbers are in it', async () => {
  const one = await start();
  const { apiKey, apiSecret } = one.merchants[0]!;
  const metadata = '{"amount":0.5,"big":12345678901234567890,"far":1e400,"__proto__":{"a":[]}}';
  const ask = (free: string) =>
    fetch(`${one.dashboardUrl}/web-merchant/create-web-payment-link`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
      body: `{"amount":500,"order_id":"A1","metadata":${free}}`,
    });
  expect((await ask(metadata)).status).toBe(201);
  const served = one.booksOf('SHOP').payments.find(({ order_id }) => order_id === 'A1')!;
  expect(JSON.stringify(served.metadata)).toBe(metadata);
  for (const wrong of ['[]', '7', '1e400', 'null', `{"a":"${'x'.repeat(9_000)}"}`])
    expect((await ask(wrong)).status, wrong.slice(0, 9)).toBe(400);
});

test('is closed by default', async () => {
  const one = await start({ control: false });
  for (const [method, path] of [
    ['GET', '/merchants'],
    ['GET', '/merchants/SHOP/messages'],
    ['POST', '/advance'],
  ] as const) {
    expect((await controlOf(one)(method, path)).status, path).toBe(404);
  }
});

test('calls that come while time passes leave sound books, and each of them is notified once', async () => {
  const one = await start();
  const receiver = await startReceiver(null);
  receiver.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 3);
  const body = { webhookUrl: `http://127.0.0.1:${receiver.port}/` };
  await partnerOf(one, 'SHOP')('PATCH', '/merchants/me', { body });
  const known = one.booksOf('SHOP').notifications.length;
  const created: string[] = [];
  let isPassing = true;
  const passing = (async () => {
    for (let hours = 1; hours <= 48; hours += 1) await one.advanceTo(START + hours * HOUR);
    isPassing = false;
  })();
  for (let i = 0; isPassing && i < 150; i += 1) {
    const wish = { amount: 1_000 + i, country: 'CI', operator: 'MOOV', phoneNumber: '0700000001' };
    const headers = { 'idempotency-key': `while ${i}` };
    const answer = await partnerOf(one, 'SHOP')('POST', i % 2 === 0 ? '/cashin' : '/cashout', {
      body: wish,
      headers,
    });
    expect([201, 402]).toContain(answer.status);
    if (answer.status === 201) created.push(answer.body.operation.reference);
  }
  await passing;
  expect(created.length).toBeGreaterThan(20);
  await one.advanceTo(START + 4 * DAY);
  await partnerOf(one, 'SHOP')('PATCH', '/merchants/me', { body: { webhookUrl: null } });
  await one.advanceTo(START + 4 * DAY + MINUTE);
  const books = one.booksOf('SHOP');
  expect(seenIn(books)).toEqual([]);
  const references = books.operations.map(({ reference }) => reference);
  expect(
    created.filter((reference) => references.filter((other) => other === reference).length !== 1),
  ).toEqual([]);
  const received = receiver.calls.map((call) => JSON.parse(call.body).id).toSorted();
  const made = books.notifications
    .slice(known)
    .filter(({ createdAt }) => Date.parse(createdAt) <= START + 4 * DAY);
  expect(received).toEqual(made.map(({ id }) => id).toSorted());
  await receiver.close();
});
