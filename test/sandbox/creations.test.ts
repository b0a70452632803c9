// Cash-ins and cash-outs asked for over HTTP: what becomes of them, idempotency, and every refusal
// that the direct API document lists, in one order.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { type Answer, type Asked, controlOf, partnerOf } from '../support/sandbox-caller.ts';

const START = Date.UTC(2026, 7, 31, 12);

/**
 * The merchants. All but EMPTY, whose first operation is still to come, have a history, and money
 * in the wallet.
 */
const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP', opensAt: START - 30 * DAY }),
  planMerchant({ reference: 'EMPTY', opensAt: START + 20 * DAY }),
  planMerchant({ reference: 'NEW', status: 'PENDING' }),
  planMerchant({ reference: 'SHUT', status: 'SUSPENDED' }),
  planMerchant({ reference: 'GONE', status: 'CLOSED' }),
  planMerchant({ reference: 'COLD', walletStatus: 'FROZEN' }),
  planMerchant({ reference: 'FENCED', allowedAddresses: ['192.0.2.1'] }),
  planMerchant({
    reference: 'CAPPED',
    traffic: { ...ORDINARY_TRAFFIC, cashoutShare: 0 },
    limits: { ...planMerchant({ reference: 'X' }).limits, dailyCashoutLimit: 10_000 },
  }),
];

const sandboxes: Sandbox[] = [];
let sandbox: Sandbox;
let keys = 0;

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = { seed: 'calls', merchants: plans, start: START, port: 0, control: true };
  const started = await startSandbox({ ...basis, ...options });
  sandboxes.push(started);
  return started;
}

beforeAll(async () => {
  sandbox = await start();
});
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

const FORM = { amount: 5_000, country: 'CI', operator: 'MTN', phoneNumber: '+2250700000001' };

interface Wish extends Asked {
  readonly of?: string;
  readonly key?: string | null;
  readonly from?: Sandbox;
}

function create(type: 'cashin' | 'cashout', wish: Wish = {}): Promise<Answer> {
  const { of = 'SHOP', key = `key-${keys++}`, from = sandbox, ...asked } = wish;
  const headers = { ...(key !== null && { 'idempotency-key': key }), ...asked.headers };
  const body = asked.text === undefined ? { body: asked.body ?? FORM } : {};
  return partnerOf(from, of)('POST', `/${type}`, { ...asked, ...body, headers });
}

const refusalOf = ({ status, body }: Answer) => [status, body.error.code];
const walletOf = async (of = 'SHOP', from = sandbox) =>
  (await partnerOf(from, of)('GET', '/wallet')).body;

describe('an operation that a call creates', () => {
  test('is answered whole, in its envelope, and can be read back', async () => {
    const wish = {
      ...FORM,
      phoneNumber: '00225 07 00-00.00 (02)',
      name: "Étal <B> & l'été",
      externalReference: 'CMD/1?é',
      description: 'Facture\n2e relance 🎉',
      metadata: { panier: 7, étage: null, articles: [{ code: 'A' }] },
    };
    const { status, headers, body } = await create('cashin', { body: wish });
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const { operation } = body;
    expect(Object.keys(operation).join(' ')).toBe(
      'reference type status amount fees netAmount currency country operator counterparty externalReference description payerActionUrl requiresPayerAction failure metadata createdAt updatedAt completedAt expiresAt',
    );
    expect(operation).toEqual({
      reference: expect.stringMatching(/^GUI-CI-/),
      type: 'CASHIN',
      status: 'CREATED',
      amount: 5_000,
      fees: 88,
      netAmount: 4_912,
      currency: 'XOF',
      country: 'CI',
      operator: 'MTN',
      counterparty: { phoneNumber: '+2250700000002', name: wish.name },
      externalReference: wish.externalReference,
      description: wish.description,
      payerActionUrl: null,
      requiresPayerAction: false,
      failure: null,
      metadata: wish.metadata,
      createdAt: new Date(START).toISOString(),
      updatedAt: new Date(START).toISOString(),
      completedAt: null,
      expiresAt: new Date(START + 30 * MINUTE).toISOString(),
    });
    const read = partnerOf(sandbox, 'SHOP');
    expect((await read('GET', `/operations/${operation.reference}`)).body).toEqual({ operation });
    expect((await read('GET', '/operations?limit=1')).body.data).toEqual([operation]);
  });

  test('has its free data returned unchanged, whatever names and numbers are in it', async () => {
    const metadata =
      '{"amount":10.50,"big":12345678901234567890,"fine":0.1234567890123456789,"far":1e400,"near":1e-400,"__proto__":{"a":-0}}';
    const text = JSON.stringify({ ...FORM, metadata: 0 }).replace(
      '"metadata":0',
      `"metadata":${metadata}`,
    );
    const { status, text: answer, body } = await create('cashin', { text, key: 'free' });
    expect(status).toBe(201);
    expect(answer).toContain(metadata.replace('10.50', '10.5').replace('-0', '0'));
    expect((await create('cashin', { text, key: 'free' })).text).toBe(answer);
    const other = text.replace('67890,', '67891,');
    expect(refusalOf(await create('cashin', { text: other, key: 'free' }))).toEqual([
      409,
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    const read = await partnerOf(sandbox, 'SHOP')('GET', `/operations/${body.operation.reference}`);
    expect(read.text).toBe(answer);
    for (const wrong of ['[]', '7', '"x"', 'true', '1e400']) {
      const refused = await create('cashin', { text: text.replace(metadata, wrong) });
      expect(refusalOf(refused), wrong).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  test('by a cash-out holds its amount and fees at once, and leaves the balance', async () => {
    const before = await walletOf();
    const { operation } = (await create('cashout')).body;
    expect(operation).toMatchObject({
      type: 'CASHOUT',
      fees: 100,
      netAmount: 5_100,
      payerActionUrl: null,
    });
    expect(Date.parse(operation.expiresAt)).toBe(START + 6 * HOUR);
    const after = await walletOf();
    expect([after.balance, after.reserved]).toEqual([before.balance, before.reserved + 5_100]);
    expect(after.available).toBe(before.available - 5_100);
    const { entries } = sandbox.booksOf('SHOP');
    expect(entries.at(-1)).toMatchObject({
      kind: 'CASHOUT_HOLD',
      amount: 5_100,
      operationReference: operation.reference,
    });
  });

  test('sends the payer on where the operator redirects, and waits for him; others do not wait', async () => {
    const one = await start({ settings: { fates: 'decided' } });
    const wave = (await create('cashin', { from: one, body: { ...FORM, operator: 'WAVE' } })).body
      .operation;
    const mtn = (await create('cashin', { from: one })).body.operation;
    expect(wave.payerActionUrl).toContain(wave.reference);
    expect(
      (await create('cashout', { from: one, body: { ...FORM, operator: 'WAVE' } })).body.operation
        .payerActionUrl,
    ).toBe(null);
    const statusOf = async (reference: string) => {
      const { operation } = (await partnerOf(one, 'SHOP')('GET', `/operations/${reference}`)).body;
      return [operation.status, operation.requiresPayerAction];
    };
    await one.advanceTo(START + MINUTE);
    expect(await statusOf(wave.reference)).toEqual(['AWAITING_PAYER', true]);
    expect(await statusOf(mtn.reference)).toEqual(['PENDING', false]);
    await one.advanceTo(START + 30 * MINUTE);
    expect(await statusOf(wave.reference)).toEqual(['EXPIRED', false]);
  });

  test('comes to an end by itself, by chance from the seed', async () => {
    const endOf = async () => {
      const one = await start();
      for (let i = 0; i < 60; i += 1) {
        const body = { ...FORM, amount: 1_000 + i };
        await create(i % 3 === 0 ? 'cashout' : 'cashin', { from: one, key: `k${i}`, body });
        await one.advanceTo(one.now() + 10 * SECOND);
      }
      await one.advanceTo(START + 5 * DAY);
      return one.booksOf('SHOP');
    };
    const [once, again] = [await endOf(), await endOf()];
    expect(JSON.stringify(once)).toBe(JSON.stringify(again));
    const called = once.operations.filter(({ reference }) => /Z[0-9A-Z]{4}$/.test(reference));
    expect(called).toHaveLength(60);
    expect(new Set(called.map(({ status }) => status)).size).toBeGreaterThan(2);
    expect(called.every(({ completedAt }) => completedAt !== null)).toBe(true);
  });

  test('leaves what is drawn as it would be without any call', async () => {
    const [called, left] = [await start(), await start()];
    for (let i = 0; i < 10; i += 1) {
      await create('cashin', { from: called, body: { ...FORM, externalReference: `own-${i}` } });
      await create('cashout', { from: called });
      await called.advanceTo(called.now() + 3 * HOUR);
    }
    await Promise.all([called, left].map((one) => one.advanceTo(START + 20 * DAY)));
    const known = new Map(
      called.booksOf('SHOP').operations.map((operation) => [operation.reference, operation]),
    );
    const drawn = left.booksOf('SHOP').operations;
    expect(drawn.length).toBeGreaterThan(400);
    const met = drawn.filter(({ reference }) => known.has(reference));
    expect(met.length).toBeGreaterThan(drawn.length - 10);
    for (const operation of met) expect(known.get(operation.reference)).toEqual(operation);
    const lines = new Set(called.booksOf('SHOP').entries.map(({ id }) => id));
    const gone = left.booksOf('SHOP').entries.filter(({ id }) => !lines.has(id));
    const missed = new Set(
      drawn.filter(({ reference }) => !known.has(reference)).map(({ reference }) => reference),
    );
    expect(gone.filter(({ operationReference }) => !missed.has(operationReference ?? ''))).toEqual(
      [],
    );
  });
});

describe('one Idempotency-Key', () => {
  test('gives one operation and one hold to fifty identical calls at once', async () => {
    for (const creationTakes of [null, { from: 30, to: 60 }]) {
      const one = await start({ settings: { misbehaviour: { creationTakes } } });
      const before = one.booksOf('SHOP');
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => create('cashout', { from: one, key: 'same' })),
      );
      const after = one.booksOf('SHOP');
      expect(after.operations.length).toBe(before.operations.length + 1);
      expect(after.entries.slice(before.entries.length).map(({ kind }) => kind)).toEqual([
        'CASHOUT_HOLD',
      ]);
      const created = answers.filter(({ status }) => status === 201);
      expect(new Set(created.map(({ text }) => text)).size).toBe(1);
      const others = answers.filter(({ status }) => status !== 201).map(refusalOf);
      if (creationTakes !== null) expect(others.length).toBeGreaterThan(0);
      for (const other of others) expect(other).toEqual([409, 'IDEMPOTENT_REQUEST_IN_FLIGHT']);
      expect((await create('cashout', { from: one, key: 'same' })).text).toBe(created[0]!.text);
    }
  });

  test('gives the first answer byte for byte, also when the operation has gone on, and executes nothing', async () => {
    const one = await start();
    const first = await create('cashin', { from: one, key: 'k' });
    await one.advanceTo(START + HOUR);
    const before = JSON.stringify(one.booksOf('SHOP'));
    const swapped = JSON.stringify(Object.fromEntries(Object.entries(FORM).reverse()), null, 1);
    for (const again of [
      await create('cashin', { from: one, key: 'k' }),
      await create('cashin', { from: one, key: 'k', text: swapped }),
    ]) {
      expect([again.status, again.text]).toEqual([201, first.text]);
    }
    expect(JSON.stringify(one.booksOf('SHOP'))).toBe(before);
  });

  test('with another body is refused, on the other endpoint too; another account may use it', async () => {
    await create('cashin', { key: 'reused' });
    const others = [
      await create('cashin', { key: 'reused', body: { ...FORM, amount: 5_001 } }),
      await create('cashin', { key: 'reused', body: { ...FORM, metadata: {} } }),
      await create('cashout', { key: 'reused' }),
    ];
    for (const other of others) expect(refusalOf(other)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await create('cashin', { key: 'reused', of: 'EMPTY' })).status).toBe(201);
  });

  test('is kept for 24 hours of simulated time', async () => {
    const one = await start();
    const first = (await create('cashin', { from: one, key: 'k' })).body.operation.reference;
    await one.advanceTo(START + DAY - 1);
    expect((await create('cashin', { from: one, key: 'k' })).body.operation.reference).toBe(first);
    await one.advanceTo(START + DAY);
    expect((await create('cashin', { from: one, key: 'k' })).body.operation.reference).not.toBe(
      first,
    );
  });

  test('of a call that was refused may be used again', async () => {
    const one = await start();
    expect(
      (await create('cashin', { from: one, key: 'k', body: { ...FORM, amount: 1 } })).status,
    ).toBe(422);
    expect((await create('cashin', { from: one, key: 'k' })).status).toBe(201);
  });

  test.each(['unavailableBeforeRecording', 'unavailableAfterRecording'] as const)(
    'makes a retry safe: %s',
    async (name) => {
      const one = await start();
      const before = one.booksOf('SHOP').operations.length;
      await controlOf(one)('POST', '/misbehaviour', { body: { [name]: 1 } });
      const refused = await create('cashout', { from: one, key: 'k' });
      expect(refusalOf(refused)).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(refused.headers.get('retry-after')).toBe('1');
      const recorded = name === 'unavailableAfterRecording' ? 1 : 0;
      expect(one.booksOf('SHOP').operations.length).toBe(before + recorded);
      await controlOf(one)('POST', '/misbehaviour', { body: { [name]: 0 } });
      expect((await create('cashout', { from: one, key: 'k' })).status).toBe(201);
      expect(one.booksOf('SHOP').operations.length).toBe(before + 1);
    },
  );
});

describe('is refused', () => {
  test('without a key, and with one that is too long', async () => {
    expect(refusalOf(await create('cashin', { key: null }))).toEqual([
      400,
      'IDEMPOTENCY_KEY_REQUIRED',
    ]);
    expect(refusalOf(await create('cashout', { key: ' ' }))).toEqual([
      400,
      'IDEMPOTENCY_KEY_REQUIRED',
    ]);
    const long = await create('cashin', { key: 'x'.repeat(121) });
    expect(refusalOf(long)).toEqual([400, 'VALIDATION_ERROR']);
    expect(long.body.error.details.fields).toEqual([
      'Idempotency-Key must have at most 120 characters',
    ]);
    expect((await create('cashin', { key: 'x'.repeat(120) })).status).toBe(201);
  });

  test.each([
    ['amount', { amount: 100.5 }],
    ['amount', { amount: '5000' }],
    ['amount', { amount: 0 }],
    ['amount', { amount: -5 }],
    ['amount', { amount: undefined }],
    ['country', { country: 'FR' }],
    ['operator', { operator: 'Orange' }],
    ['phoneNumber', { phoneNumber: 7 }],
    ['name', { name: '' }],
    ['externalReference', { externalReference: 'x'.repeat(121) }],
    ['description', { description: 5 }],
    ['metadata', { metadata: 'text' }],
    ['metadata', { metadata: { long: 'x'.repeat(5_000) } }],
    ['callbackUrl', { callbackUrl: 'http://shop.test/' }],
    ['callbackUrl', { callbackUrl: 'here' }],
    ['currency', { currency: 'XOF' }],
  ])('for its %s, by name', async (field, change) => {
    const answer = await create('cashin', { body: { ...FORM, ...change } });
    expect(refusalOf(answer)).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error.details.fields).toEqual([expect.stringContaining(field)]);
  });

  test('for every field that is wrong at once, for decimals however they are written, and for what is no JSON object', async () => {
    const wrong = await create('cashin', { body: { amount: 'x', country: 'ZZ', nonsense: 1 } });
    expect(wrong.body.error.details.fields.length).toBe(5);
    for (const amount of ['5000.0', '5e3', '5000.00000001', '99999999999999999999']) {
      const text = JSON.stringify({ ...FORM, amount: 0 }).replace(
        '"amount":0',
        `"amount":${amount}`,
      );
      expect(refusalOf(await create('cashin', { text })), amount).toEqual([
        400,
        'VALIDATION_ERROR',
      ]);
    }
    for (const text of ['', '{', '[]', 'null', '7', '"x"']) {
      expect(refusalOf(await create('cashin', { text })), text).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  test('by what the account allows: bounds, country and operator, phone number, external reference', async () => {
    const code = async (change: object, type: 'cashin' | 'cashout' = 'cashin') =>
      refusalOf(await create(type, { body: { ...FORM, ...change } }));
    const bounds = [422, 'AMOUNT_OUT_OF_BOUNDS'];
    expect(await code({ amount: 199 })).toEqual(bounds);
    expect(await code({ amount: 2_000_001 })).toEqual(bounds);
    expect(await code({ amount: 499 }, 'cashout')).toEqual(bounds);
    expect(await code({ amount: 1_500_001 }, 'cashout')).toEqual(bounds);
    expect((await create('cashin', { body: { ...FORM, amount: 200 } })).status).toBe(201);
    expect((await create('cashin', { body: { ...FORM, amount: 2_000_000 } })).status).toBe(201);
    expect((await create('cashout', { body: { ...FORM, amount: 500 } })).status).toBe(201);
    expect(await code({ country: 'SN', operator: 'WAVE' })).toEqual([422, 'OPERATOR_UNAVAILABLE']);
    for (const phoneNumber of ['+22507000000', '+2210700000001', '07000000011', 'abcdefghij', '']) {
      expect(await code({ phoneNumber }), phoneNumber).toEqual([422, 'INVALID_PHONE_NUMBER']);
    }
    const mine = { externalReference: 'mine' };
    const { operation } = (await create('cashin', { body: { ...FORM, ...mine } })).body;
    const taken = await create('cashout', { body: { ...FORM, ...mine } });
    expect(refusalOf(taken)).toEqual([409, 'DUPLICATE_EXTERNAL_REFERENCE']);
    expect(taken.body.error.details).toEqual({ ...mine, reference: operation.reference });
    await controlOf(sandbox)('POST', `/merchants/SHOP/operations/${operation.reference}/fate`, {
      body: { to: 'FAILED', failureCode: 'PAYER_CANCELLED' },
    });
    expect(
      (await create('cashin', { body: { ...FORM, ...mine } })).status,
      'a lapsed one gives it back',
    ).toBe(201);
  });

  test('with 402 when the available balance is below amount plus fees, and not at equality', async () => {
    const { available } = await walletOf('CAPPED');
    expect(available).toBeGreaterThan(20_000);
    const empty = await create('cashout', { of: 'EMPTY', body: { ...FORM, amount: 600 } });
    expect(refusalOf(empty)).toEqual([402, 'INSUFFICIENT_BALANCE']);
    expect(empty.body.error.details).toEqual({ available: 0, required: 656, currency: 'XOF' });
    const one = await start({ settings: { fates: 'decided' } });
    const shop = await walletOf('SHOP', one);
    // The fee is 1 % and 50: this is the largest amount that the balance covers, and it leaves
    // exactly nothing.
    const amount = [...Array(200).keys()]
      .map((i) => Math.floor((shop.available - 50) / 1.01) - 100 + i)
      .find(
        (candidate) =>
          candidate + Math.floor((candidate * 100 + 5_000) / 10_000) + 50 === shop.available,
      )!;
    const more = await create('cashout', { from: one, body: { ...FORM, amount: amount + 1 } });
    expect(refusalOf(more)).toEqual([402, 'INSUFFICIENT_BALANCE']);
    expect((await create('cashout', { from: one, body: { ...FORM, amount } })).status).toBe(201);
    expect((await walletOf('SHOP', one)).available).toBe(0);
  });

  test('two cash-outs that together exceed what is available never both hold', async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await start({
        seed: `race ${round}`,
        settings: { misbehaviour: { creationTakes: { from: 0, to: 20 } } },
      });
      const { available } = await walletOf('SHOP', one);
      const body = { ...FORM, amount: Math.floor(available * 0.6) };
      const answers = await Promise.all([
        create('cashout', { from: one, body }),
        create('cashout', { from: one, body }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 402]);
      expect((await walletOf('SHOP', one)).available).toBeGreaterThanOrEqual(0);
    }
  });

  test('by the daily ceiling, which rolls on after 24 hours', async () => {
    const one = await start({ settings: { fates: 'decided' } });
    const ask = (amount: number) =>
      create('cashout', { from: one, of: 'CAPPED', body: { ...FORM, amount } });
    const control = controlOf(one);
    const decide = (reference: string, body: object) =>
      control('POST', `/merchants/CAPPED/operations/${reference}/fate`, { body });
    const first = (await ask(6_000)).body.operation.reference;
    const over = await ask(4_001);
    expect(refusalOf(over)).toEqual([422, 'DAILY_CASHOUT_LIMIT_EXCEEDED']);
    expect(over.body.error.details).toEqual({ limit: 10_000, used: 6_000, amount: 4_001 });
    const second = (await ask(4_000)).body.operation.reference;
    await decide(second, { to: 'CANCELLED' });
    expect((await ask(4_000)).status, 'what lapsed does not count').toBe(201);
    await decide(first, { to: 'SUCCEEDED' });
    await one.advanceTo(START + DAY - 1);
    expect((await ask(9_000)).status).toBe(422);
    await one.advanceTo(START + DAY);
    expect((await ask(9_000)).status).toBe(201);
  });

  test('by the states of account and wallet; reading and configuring are others', async () => {
    const states = async (of: string) => {
      const ask = partnerOf(sandbox, of);
      const answers = [
        await ask('GET', '/wallet'),
        await ask('PATCH', '/merchants/me', { body: { webhookUrl: null } }),
        await create('cashin', { of }),
        await create('cashout', { of }),
      ];
      return answers.map(({ status, body }) =>
        status < 400 ? status : `${status} ${body.error.code}`,
      );
    };
    const suspended = '403 ACCOUNT_SUSPENDED';
    expect(await states('NEW')).toEqual([200, 200, suspended, suspended]);
    expect(await states('SHUT')).toEqual([suspended, suspended, suspended, suspended]);
    expect(await states('GONE')).toEqual([200, suspended, suspended, suspended]);
    expect(await states('COLD')).toEqual([200, 200, '403 WALLET_FROZEN', '403 WALLET_FROZEN']);
    expect(await states('FENCED')).toEqual(Array(4).fill('403 IP_NOT_ALLOWED'));
  });

  test('in one order, whatever else is wrong', async () => {
    const nothing = { text: '{', key: null };
    const wrong = { 'x-api-secret': 'wrong' };
    expect(refusalOf(await create('cashin', { ...nothing, of: 'FENCED', headers: wrong }))[1]).toBe(
      'INVALID_CREDENTIALS',
    );
    expect(refusalOf(await create('cashin', { ...nothing, of: 'FENCED' }))[1]).toBe(
      'IP_NOT_ALLOWED',
    );
    expect(refusalOf(await create('cashin', { ...nothing, of: 'NEW' }))[1]).toBe(
      'ACCOUNT_SUSPENDED',
    );
    expect(refusalOf(await create('cashin', { ...nothing, of: 'COLD' }))[1]).toBe(
      'IDEMPOTENCY_KEY_REQUIRED',
    );
    await create('cashin', { key: 'order' });
    const bad = { amount: 1, country: 'SN', operator: 'MTN', phoneNumber: 'x' };
    expect(
      refusalOf(await create('cashin', { key: 'order', body: { ...bad, amount: 0.5 } }))[1],
    ).toBe('VALIDATION_ERROR');
    expect(refusalOf(await create('cashin', { key: 'order', body: bad }))[1]).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    const next = async (body: object) =>
      refusalOf(await create('cashout', { of: 'COLD', body }))[1];
    expect(await next(bad)).toBe('AMOUNT_OUT_OF_BOUNDS');
    expect(await next({ ...bad, amount: 1_500_000 })).toBe('OPERATOR_UNAVAILABLE');
    expect(await next({ ...bad, amount: 1_500_000, country: 'CI' })).toBe('INVALID_PHONE_NUMBER');
    expect(await next({ ...FORM, amount: 1_500_000 })).toBe('WALLET_FROZEN');
  });

  test('without a trace: no line, no operation, the same wallet', async () => {
    const one = await start();
    const before = JSON.stringify(one.booksOf('SHOP'));
    for (const body of [
      { ...FORM, amount: 1 },
      { ...FORM, phoneNumber: 'x' },
      { ...FORM, amount: 1_400_000 },
      {},
    ]) {
      expect((await create('cashout', { from: one, body })).status).toBeGreaterThanOrEqual(400);
    }
    expect(JSON.stringify(one.booksOf('SHOP'))).toBe(before);
    const [called, left] = [
      (await create('cashin', { from: one })).text,
      await create('cashin', { from: await start() }),
    ];
    expect(called).toBe(left.text);
  });
});
