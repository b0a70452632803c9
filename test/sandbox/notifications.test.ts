// Notifications of the simulated service over HTTP, from the call that says where they go to the
// receiver that verifies them, and the calls that manage them. Compared with the direct API
// document ("Events", "Endpoint list").

import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { type Answer, controlOf, partnerOf } from '../support/sandbox-caller.ts';
import { signatureOf } from '../support/signed-notification.ts';
import {
  type ReceivedCall,
  startReceiver,
  type WebhookReceiverServer,
} from '../support/webhook-receiver.ts';

const START = Date.UTC(2026, 7, 31, 12);
const MACHINE = Date.UTC(2031, 4, 5, 6, 7, 8);

const LIVELY = {
  ...ORDINARY_TRAFFIC,
  reversalRate: 0.2,
  expiryRate: 0.15,
  adjustmentsPerMonth: 20,
  cashoutShare: 0.4,
};
const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP', traffic: LIVELY }),
  planMerchant({ reference: 'OTHER' }),
  planMerchant({ reference: 'NEW', status: 'PENDING' }),
];

const sandboxes: Sandbox[] = [];
let receiver: WebhookReceiverServer;
let url: string;

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = {
    seed: 'told',
    merchants: plans,
    start: START,
    port: 0,
    control: true,
    clock: () => MACHINE,
  };
  const started = await startSandbox({ ...basis, ...options });
  sandboxes.push(started);
  return started;
}

beforeEach(async () => {
  receiver = await startReceiver(null);
  url = `http://127.0.0.1:${receiver.port}/hook`;
});
afterEach(() => receiver.close());
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

const answerWith = (status: number) =>
  (receiver.answer = (response) => void response.writeHead(status).end());
const refusalOf = ({ status, body }: Answer) => [status, body.error.code];
const bodiesOf = (calls: readonly ReceivedCall[]) => calls.map(({ body }) => JSON.parse(body));

/** Says over HTTP where the merchant's notifications go from now on. */
async function tell(
  from: Sandbox,
  reference = 'SHOP',
  webhookUrl: string | null = url,
): Promise<Answer> {
  return partnerOf(from, reference)('PATCH', '/merchants/me', { body: { webhookUrl } });
}

/** Asks for a new signing secret over HTTP and returns it. */
async function rotate(from: Sandbox, reference = 'SHOP'): Promise<string> {
  return (await partnerOf(from, reference)('POST', '/merchants/me/webhook-secret/rotate')).body
    .webhookSecret;
}

function create(
  from: Sandbox,
  type: 'cashin' | 'cashout',
  key: string,
  parts: object = {},
): Promise<Answer> {
  const body = {
    amount: 5_000,
    country: 'CI',
    operator: 'MTN',
    phoneNumber: '+2250700000001',
    ...parts,
  };
  return partnerOf(from, 'SHOP')('POST', `/${type}`, { body, headers: { 'idempotency-key': key } });
}

describe('what happens is notified', () => {
  test('with every type of the document, once each, signed over the bytes that arrive, without credentials', async () => {
    const one = await start();
    await tell(one);
    const secret = await rotate(one);
    const known = one.booksOf('SHOP').notifications.length;
    await one.advanceTo(START + 20 * DAY);
    const made = one.booksOf('SHOP').notifications.slice(known);
    expect(made.length).toBeGreaterThan(200);
    // Notifications of the last seconds are still on their way.
    await tell(one, 'SHOP', null);
    await one.advanceTo(START + 20 * DAY + MINUTE);
    const byId = (list: readonly { readonly id: string }[]) =>
      list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(bodiesOf(receiver.calls))).toEqual(byId(JSON.parse(JSON.stringify(made))));
    expect(new Set(bodiesOf(receiver.calls).map(({ type }) => type))).toEqual(
      new Set([
        ...['cashin.awaiting_payer', 'cashin.succeeded', 'cashin.failed', 'cashin.expired'],
        ...[
          'cashout.succeeded',
          'cashout.failed',
          'cashout.expired',
          'operation.reversed',
          'wallet.adjusted',
        ],
      ]),
    );
    const faulty = receiver.calls.filter(
      ({ method, headers, body }) =>
        method !== 'POST' ||
        headers['content-type'] !== 'application/json' ||
        headers['service-event'] !== JSON.parse(body).type ||
        headers['service-signature'] !== signatureOf(body, MACHINE, secret) ||
        'x-api-key' in headers ||
        'x-api-secret' in headers,
    );
    expect(faulty).toEqual([]);
  });

  test('at the URL that an operation was given, cash-in or cash-out, instead of the account’s', async () => {
    const one = await start();
    await tell(one);
    const own = await startReceiver(null);
    const callbackUrl = `http://127.0.0.1:${own.port}/operation`;
    const mine = [
      await create(one, 'cashin', 'a', { callbackUrl }),
      await create(one, 'cashout', 'b', { callbackUrl }),
    ];
    const plain = await create(one, 'cashin', 'c');
    await one.advanceTo(START + DAY);
    const named = (calls: readonly ReceivedCall[]) =>
      new Set(bodiesOf(calls).map(({ data }) => data.operation?.reference));
    const references = mine.map(({ body }) => body.operation.reference);
    expect(named(own.calls)).toEqual(new Set(references));
    expect(named(receiver.calls)).toContain(plain.body.operation.reference);
    for (const reference of references) expect(named(receiver.calls)).not.toContain(reference);
    await own.close();
  });

  test('are not sent before a call sets the URL, nor after a call takes it away', async () => {
    const one = await start();
    await one.advanceTo(START + DAY);
    expect(receiver.calls).toEqual([]);
    await tell(one);
    await one.advanceTo(START + 3 * DAY);
    const received = receiver.calls.length;
    expect(received).toBeGreaterThan(0);
    expect((await tell(one, 'SHOP', null)).body.webhookUrl).toBeNull();
    await one.advanceTo(START + 3 * DAY + MINUTE);
    const rest = receiver.calls.length;
    await one.advanceTo(START + 5 * DAY);
    expect(receiver.calls.length).toBe(rest);
  });

  test('after a decision: a fate is notified as if it had come by itself', async () => {
    const one = await start({ settings: { fates: 'decided' } });
    await tell(one, 'SHOP', null);
    const callbackUrl = url;
    const decide = (reference: string, body: object) =>
      controlOf(one)('POST', `/merchants/SHOP/operations/${reference}/fate`, { body });
    const references: string[] = [];
    for (const [i, type] of (
      ['cashin', 'cashin', 'cashout', 'cashout', 'cashin'] as const
    ).entries()) {
      references.push((await create(one, type, `k${i}`, { callbackUrl })).body.operation.reference);
    }
    const [paid, refused, sent, back, gone] = references as [
      string,
      string,
      string,
      string,
      string,
    ];
    expect((await decide(paid, { to: 'SUCCEEDED' })).body.operation.status).toBe('SUCCEEDED');
    expect((await decide(paid, { to: 'REVERSED' })).body.operation.status).toBe('REVERSED');
    await decide(refused, { to: 'FAILED', failureCode: 'PAYER_CANCELLED' });
    await decide(sent, { to: 'SUCCEEDED' });
    await decide(back, { to: 'EXPIRED' });
    await decide(gone, { to: 'CANCELLED' });
    await one.advanceTo(START + MINUTE);
    const received = bodiesOf(receiver.calls).map(({ type, data }) => [
      data.operation.reference,
      type,
    ]);
    expect(received.toSorted()).toEqual(
      [
        [paid, 'cashin.succeeded'],
        [paid, 'operation.reversed'],
        [refused, 'cashin.failed'],
        [sent, 'cashout.succeeded'],
        [back, 'cashout.expired'],
      ].toSorted(),
    );
    const failed = bodiesOf(receiver.calls).find(({ type }) => type === 'cashin.failed');
    expect(failed.data.operation.failure.code).toBe('PAYER_CANCELLED');
    expect(
      refusalOf(await decide(sent, { to: 'FAILED', failureCode: 'OPERATOR_REFUSED' })),
    ).toEqual([409, 'FATE_REFUSED']);
    expect(refusalOf(await decide(gone, { to: 'REVERSED' }))).toEqual([409, 'FATE_REFUSED']);
    expect(refusalOf(await decide(gone, { to: 'FAILED' }))).toEqual([400, 'VALIDATION_ERROR']);
    expect((await decide('GUI-CI-NOWHERE', { to: 'SUCCEEDED' })).status).toBe(404);
  });
});

describe('a receiver that is not always there', () => {
  test('for ten hours of simulated time has every notification afterwards, each as it was made', async () => {
    const one = await start();
    await tell(one);
    const known = one.booksOf('SHOP').notifications.length;
    receiver.answer = (response) => void response.destroy();
    await one.advanceTo(START + 10 * HOUR);
    const missed = one.booksOf('SHOP').notifications.slice(known);
    expect(missed.length).toBeGreaterThan(4);
    const list = () => partnerOf(one, 'SHOP')('GET', '/merchants/me/webhooks?limit=200');
    const listed = (await list()).body.data;
    // Notifications made in the last two seconds have not been tried yet.
    const tried = missed.filter(
      ({ createdAt }) => Date.parse(createdAt) <= START + 10 * HOUR - 2 * SECOND,
    );
    expect(listed.map((one: { payload: { id: string } }) => one.payload.id).toSorted()).toEqual(
      tried.map(({ id }) => id).toSorted(),
    );
    expect(listed.every((one: { state: string; lastStatus: null }) => one.state === 'FAILED')).toBe(
      true,
    );
    receiver.calls.length = 0;
    answerWith(200);
    await one.advanceTo(START + 42 * HOUR);
    const arrived = new Map(bodiesOf(receiver.calls).map((body) => [body.id, body]));
    for (const notification of missed) {
      expect(arrived.get(notification.id)).toEqual(JSON.parse(JSON.stringify(notification)));
    }
    expect((await list()).body.data).toEqual([]);
  });

  test('loses nothing to a rotation in the middle: old and new secret verify all, and after it the new one alone', async () => {
    const one = await start();
    await tell(one);
    const old = await rotate(one);
    const profile = async () => (await partnerOf(one, 'SHOP')('GET', '/merchants/me')).body;
    expect((await profile()).webhookSecretHint).toBe(old.slice(-8));
    answerWith(503);
    await one.advanceTo(START + 5 * HOUR);
    const before = receiver.calls.splice(0);
    const waiting = new Set(bodiesOf(before).map(({ id }) => id));
    const secret = await rotate(one);
    expect(secret).toMatch(/^whsec_/);
    expect((await profile()).webhookSecretHint).toBe(secret.slice(-8));
    answerWith(204);
    await one.advanceTo(START + 3 * DAY);
    const isGood = ({ headers, body }: ReceivedCall, key: string) =>
      headers['service-signature'] === signatureOf(body, MACHINE, key);
    expect(before.length).toBeGreaterThan(waiting.size);
    expect(before.every((call) => isGood(call, old))).toBe(true);
    expect(
      receiver.calls.every((call) => isGood(call, secret)),
      'those tried again too',
    ).toBe(true);
    const arrived = new Set(bodiesOf(receiver.calls).map(({ id }) => id));
    expect([...waiting].filter((id) => !arrived.has(id))).toEqual([]);
    expect(waiting.size).toBeGreaterThan(1);
  });

  test('without an endpoint yet loses the notification: 404 abandons it, until a replay', async () => {
    const one = await start();
    const ask = partnerOf(one, 'SHOP');
    await tell(one);
    answerWith(404);
    const { delivery } = (await ask('POST', '/merchants/me/webhooks/test')).body;
    expect(delivery).toMatchObject({
      state: 'ABANDONED',
      attempts: 1,
      lastStatus: 404,
      nextRetryAt: null,
    });
    await one.advanceTo(START + MINUTE);
    const tried = receiver.calls.filter(({ body }) => body.includes(delivery.payload.id));
    expect(tried).toHaveLength(1);
    answerWith(200);
    const again = await ask('POST', `/merchants/me/webhooks/${delivery.id}/replay`);
    expect(again.body.delivery).toMatchObject({
      id: delivery.id,
      state: 'SUCCESS',
      payload: delivery.payload,
    });
  });
});

describe('a test of the URL', () => {
  test('sends a signed ping at once, and says what the receiver answered', async () => {
    const one = await start();
    await tell(one);
    const secret = await rotate(one);
    const { status, body } = await partnerOf(one, 'SHOP')('POST', '/merchants/me/webhooks/test');
    expect([status, body.delivery.state, body.delivery.lastStatus]).toEqual([200, 'SUCCESS', 204]);
    const [call] = receiver.calls;
    expect(receiver.calls).toHaveLength(1);
    expect(call!.headers['service-event']).toBe('ping');
    expect(call!.headers['service-signature']).toBe(signatureOf(call!.body, MACHINE, secret));
    expect(JSON.parse(call!.body)).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'ping',
      createdAt: new Date(START).toISOString(),
      merchantReference: 'SHOP',
      data: {},
    });
    await partnerOf(one, 'SHOP')('POST', '/merchants/me/webhooks/test');
    expect(new Set(bodiesOf(receiver.calls).map(({ id }) => id)).size).toBe(2);
  });

  test('is refused where there is no URL, and open to an account that is still pending', async () => {
    const one = await start();
    const refused = await partnerOf(one, 'NEW')('POST', '/merchants/me/webhooks/test');
    expect(refusalOf(refused)).toEqual([400, 'VALIDATION_ERROR']);
    await tell(one, 'NEW');
    expect((await partnerOf(one, 'NEW')('POST', '/merchants/me/webhooks/test')).status).toBe(200);
    expect(bodiesOf(receiver.calls).map(({ merchantReference }) => merchantReference)).toEqual([
      'NEW',
    ]);
  });

  test.each(['http://shop.test/hook', 'ftp://shop.test/', 'shop', '', 7, undefined])(
    'a URL must be HTTPS, or of this machine: %s is refused',
    async (webhookUrl) => {
      const one = await start({ merchants: plans.slice(1, 2) });
      const ask = partnerOf(one, 'OTHER');
      const before = (await ask('GET', '/merchants/me')).body.webhookUrl;
      const refused = await ask('PATCH', '/merchants/me', { body: { webhookUrl } });
      expect(refusalOf(refused)).toEqual([400, 'VALIDATION_ERROR']);
      expect(refused.body.error.details.fields).toEqual([expect.stringContaining('webhookUrl')]);
      expect((await ask('GET', '/merchants/me')).body.webhookUrl).toBe(before);
      const taken = await ask('PATCH', '/merchants/me', {
        body: { webhookUrl: 'https://shop.test/hook' },
      });
      expect([taken.status, taken.body.webhookUrl]).toEqual([200, 'https://shop.test/hook']);
    },
  );
});

describe('deliveries that did not arrive', () => {
  test('are listed with their payload, newest first, by state and by page; delivered ones and those of others are not', async () => {
    const one = await start();
    for (const reference of ['SHOP', 'OTHER']) await tell(one, reference);
    const ping = async (reference: string, status: number) => {
      answerWith(status);
      return (await partnerOf(one, reference)('POST', '/merchants/me/webhooks/test')).body.delivery;
    };
    const made = [
      await ping('SHOP', 404),
      await ping('SHOP', 503),
      await ping('SHOP', 200),
      await ping('SHOP', 422),
    ];
    const strange = await ping('OTHER', 404);
    const list = async (query = '') =>
      (await partnerOf(one, 'SHOP')('GET', `/merchants/me/webhooks${query}`)).body.data;
    const [abandoned, failed, , last] = made;
    expect(await list()).toEqual([last, failed, abandoned]);
    expect(failed).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'ping',
      url,
      state: 'FAILED',
      attempts: 1,
      lastStatus: 503,
      nextRetryAt: new Date(START + 4 * SECOND).toISOString(),
      createdAt: new Date(START).toISOString(),
      updatedAt: new Date(START).toISOString(),
      payload: JSON.parse(receiver.calls[1]!.body),
    });
    expect(await list('?status=FAILED')).toEqual([failed]);
    expect(await list('?status=ABANDONED')).toEqual([last, abandoned]);
    expect(await list('?limit=1&offset=1')).toEqual([failed]);
    expect(await list('?offset=3')).toEqual([]);
    for (const query of [
      '?limit=0',
      '?limit=201',
      '?offset=-1',
      '?status=SUCCESS',
      '?status=DONE',
    ]) {
      expect(
        refusalOf(await partnerOf(one, 'SHOP')('GET', `/merchants/me/webhooks${query}`)),
        query,
      ).toEqual([400, 'VALIDATION_ERROR']);
    }
    const replayed = await partnerOf(one, 'SHOP')(
      'POST',
      `/merchants/me/webhooks/${strange.id}/replay`,
    );
    expect(refusalOf(replayed)).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });

  test('are sent again as they are, with a fresh time in the signature; what was delivered is refused', async () => {
    let machine = MACHINE;
    const one = await start({ clock: () => machine });
    const ask = partnerOf(one, 'SHOP');
    await tell(one);
    const secret = await rotate(one);
    answerWith(503);
    const { delivery } = (await ask('POST', '/merchants/me/webhooks/test')).body;
    machine += 90 * SECOND;
    const moved = await startReceiver(null);
    await tell(one, 'SHOP', `http://127.0.0.1:${moved.port}/put-right`);
    const replay = () => ask('POST', `/merchants/me/webhooks/${delivery.id}/replay`);
    const done = await replay();
    expect([done.status, done.body.delivery.state]).toEqual([200, 'SUCCESS']);
    const [first, second] = [receiver.calls[0]!, moved.calls[0]!];
    expect(second.body).toBe(first.body);
    expect(first.headers['service-signature']).toBe(signatureOf(first.body, MACHINE, secret));
    expect(second.headers['service-signature']).toBe(
      signatureOf(first.body, MACHINE + 90 * SECOND, secret),
    );
    expect(refusalOf(await replay())).toEqual([409, 'WEBHOOK_ALREADY_DELIVERED']);
    await one.advanceTo(START + HOUR);
    const all = [...receiver.calls, ...moved.calls];
    expect(
      all.filter(({ body }) => body === first.body),
      'what was planned before is void',
    ).toHaveLength(2);
    expect(refusalOf(await ask('POST', '/merchants/me/webhooks/nothing/replay'))).toEqual([
      404,
      'RESOURCE_NOT_FOUND',
    ]);
    await moved.close();
  });
});

describe('trouble on the way', () => {
  const received = async (misdelivery: object) => {
    const one = await start();
    await tell(one);
    await controlOf(one)('POST', '/misbehaviour', { body: { misdelivery } });
    const known = one.booksOf('SHOP').notifications.length;
    receiver.calls.length = 0;
    await one.advanceTo(START + 3 * DAY);
    const made = one
      .booksOf('SHOP')
      .notifications.slice(known)
      .map(({ id }) => id);
    return { made, arrived: bodiesOf(receiver.calls).map(({ id }) => id) };
  };

  test('brings a notification twice under the same id, out of order, or never', async () => {
    const twice = await received({ DELIVERED_TWICE: 1 });
    for (const id of twice.made.slice(0, -1))
      expect(twice.arrived.filter((one) => one === id)).toHaveLength(2);
    const mixed = await received({ OUT_OF_ORDER: 0.5 });
    const inOrder = mixed.made.filter((id) => mixed.arrived.includes(id));
    expect(mixed.arrived).not.toEqual(inOrder);
    expect(mixed.arrived.toSorted()).toEqual(inOrder.toSorted());
    expect((await received({ NEVER_SENT: 1 })).arrived).toEqual([]);
  });
});
