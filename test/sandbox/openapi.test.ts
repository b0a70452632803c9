// The OpenAPI document of the simulated direct API. It names every call, and every answer that is
// served over HTTP has the form that it states, refusals and notifications included.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  DIRECT_ROUTES,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import {
  badNamesOf,
  callsOf,
  faultOf,
  looseEndsOf,
  type OpenApi,
  openApiAt,
  schemaOf,
} from '../support/open-api.ts';
import { type Answer, type Asked, controlOf, partnerOf } from '../support/sandbox-caller.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const START = Date.UTC(2026, 7, 31, 12);
const plans = [
  planMerchant({
    reference: 'SHOP',
    traffic: { ...ORDINARY_TRAFFIC, reversalRate: 0.1, adjustmentsPerMonth: 20 },
  }),
  planMerchant({ reference: 'SHUT', status: 'SUSPENDED' }),
];

const sandboxes: Sandbox[] = [];
let sandbox: Sandbox;
let document: OpenApi;

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = { seed: 'described', merchants: plans, start: START, port: 0, control: true };
  const started = await startSandbox({ ...basis, ...options });
  sandboxes.push(started);
  return started;
}
const documentOf = (one: Sandbox) => openApiAt(`${one.origin}/openapi.json`);

beforeAll(async () => {
  sandbox = await start();
  document = await documentOf(sandbox);
});
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

describe('the document', () => {
  test('is for anybody to read, and names every call once, with its key', () => {
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0']);
    const calls = callsOf(document);
    expect(calls.map(({ name }) => name)).toEqual(
      DIRECT_ROUTES.map(({ method, path }) => `${method} /v1${path.replace(/:(\w+)/g, '{$1}')}`),
    );
    expect(calls.length).toBeGreaterThan(15);
    expect(badNamesOf(document)).toEqual([]);
    expect(document.security).toEqual([{ apiKey: [], apiSecret: [] }]);
    expect(Object.keys(document.components.securitySchemes)).toEqual(['apiKey', 'apiSecret']);
    expect(calls.filter(({ call }) => call.security !== undefined)).toEqual([]);
  });

  test('refers only to what it has, and to all of it', () => {
    expect(looseEndsOf(document)).toEqual([]);
  });

  test('asks for every part of a path, and for the Idempotency-Key of creations alone', () => {
    for (const { name, call } of callsOf(document)) {
      const inPath = call.parameters
        .filter((one) => one.in === 'path')
        .map((one) => `{${one.name}}`);
      expect(inPath, name).toEqual(name.match(/\{\w+\}/g) ?? []);
      const needsKey = call.parameters.some(
        (one) => one.name === 'Idempotency-Key' && one.required,
      );
      expect(needsKey, name).toBe(/^POST \/v1\/cash(?:in|out)$/.test(name));
    }
  });

  test('has the envelope of lists that is set', async () => {
    for (const listEnvelope of ['array', 'items'] as const) {
      const one = await start({ settings: { listEnvelope } });
      const described = await documentOf(one);
      const schema = schemaOf(described.paths['/v1/ledger']!.get!.responses['200']!);
      const { body } = await partnerOf(one, 'SHOP')('GET', '/ledger');
      expect(faultOf(described, schema, body)).toBeNull();
      expect(faultOf(document, schema, { data: body })).not.toBeNull();
    }
  });
});

const FORM = { amount: 5_000, country: 'CI', operator: 'MTN', phoneNumber: '+2250700000001' };

describe('every answer', () => {
  /** The statuses that were seen, by call. */
  const seen = new Map<string, Set<number>>();

  /** Calls, and checks the answer against what the document says of that call and status. */
  async function call(
    name: string,
    path: string,
    asked: Asked & { readonly of?: string } = {},
  ): Promise<Answer> {
    const { of = 'SHOP', ...rest } = asked;
    const answer = await partnerOf(sandbox, of)(name.split(' ')[0]!, path, rest);
    const stated = callsOf(document).find((one) => one.name === name)!.call.responses[
      answer.status
    ];
    expect(stated, `${name} ${answer.status}`).toBeDefined();
    const fault = faultOf(document, schemaOf(stated!), answer.body);
    expect(fault, `${name} ${answer.status}`).toBeNull();
    seen.set(name, (seen.get(name) ?? new Set()).add(answer.status));
    return answer;
  }

  const create = (type: 'cashin' | 'cashout', key: string | null, body: object) =>
    call(`POST /v1/${type}`, `/${type}`, {
      body,
      headers: key === null ? {} : { 'idempotency-key': key },
    });

  test('has the form that is stated: what is read', async () => {
    await call('GET /v1/wallet', '/wallet');
    await call('GET /v1/merchants/me', '/merchants/me');
    for (const offset of [0, 100, 200]) {
      await call('GET /v1/ledger', `/ledger?limit=200&offset=${offset}`);
      const { body } = await call('GET /v1/operations', `/operations?limit=200&offset=${offset}`);
      const { reference } = body.data[0];
      await call('GET /v1/operations/{reference}', `/operations/${reference}`);
    }
    await call('GET /v1/operations/{reference}', '/operations/GUI-CI-NOTHING');
    for (const name of ['ledger', 'operations', 'merchants/me/webhooks'])
      await call(`GET /v1/${name}`, `/${name}?limit=0`);
  });

  test('has the form that is stated: what is created and refused', async () => {
    await create('cashin', 'a', {
      ...FORM,
      name: 'Étal',
      metadata: { panier: [1, null] },
      operator: 'WAVE',
    });
    await create('cashout', 'b', FORM);
    await create('cashin', 'a', FORM);
    await create('cashin', null, FORM);
    await create('cashin', 'c', { ...FORM, amount: 1 });
    await create('cashin', 'c', { ...FORM, amount: 0.5 });
    await create('cashout', 'c', { ...FORM, amount: 1 });
    await create('cashout', 'a', FORM);
    await create('cashout', 'c', {});
    await create('cashout', 'c', { ...FORM, amount: 1_499_999, externalReference: 'large' });
    await controlOf(sandbox)('POST', '/misbehaviour', { body: { unavailableBeforeRecording: 1 } });
    for (const type of ['cashin', 'cashout'] as const) await create(type, 'd', FORM);
    await controlOf(sandbox)('POST', '/misbehaviour', { body: { unavailableBeforeRecording: 0 } });
  });

  test('has the form that is stated: what is set and looked after', async () => {
    const receiver = await startReceiver(null);
    const webhookUrl = `http://127.0.0.1:${receiver.port}/`;
    await call('POST /v1/merchants/me/webhooks/test', '/merchants/me/webhooks/test');
    await call('PATCH /v1/merchants/me', '/merchants/me', { body: { webhookUrl } });
    await call('PATCH /v1/merchants/me', '/merchants/me', {
      body: { webhookUrl: 'http://shop.test/' },
    });
    receiver.answer = (response) => void response.writeHead(503).end();
    const { body } = await call(
      'POST /v1/merchants/me/webhooks/test',
      '/merchants/me/webhooks/test',
    );
    await sandbox.advanceTo(START + 10 * MINUTE);
    await call('GET /v1/merchants/me/webhooks', '/merchants/me/webhooks');
    receiver.answer = (response) => void response.writeHead(204).end();
    const replay = 'POST /v1/merchants/me/webhooks/{id}/replay';
    for (const id of [body.delivery.id, body.delivery.id, 'none'])
      await call(replay, `/merchants/me/webhooks/${id}/replay`);
    await call(
      'POST /v1/merchants/me/webhook-secret/rotate',
      '/merchants/me/webhook-secret/rotate',
    );
    const addresses = '/merchants/me/allowed-ips';
    const added = await call(`POST /v1${addresses}`, addresses, { body: { address: '127.0.0.1' } });
    await call(`POST /v1${addresses}`, addresses, { body: { address: 'here' } });
    await call(`GET /v1${addresses}`, addresses);
    for (const id of [added.body.id, 'none'])
      await call(`DELETE /v1${addresses}/{id}`, `${addresses}/${id}`);
    await receiver.close();
  });

  test('has the form that is stated: what is refused of every call', async () => {
    const requests = callsOf(document).map(({ name }) => {
      const [, path] = name.split(' /v1') as [string, string];
      return { name, path: path.replace(/\{\w+\}/g, 'x') };
    });
    for (const { name, path } of requests) {
      await call(name, path, { headers: { 'x-api-secret': 'wrong' } });
      await call(name, path, { of: 'SHUT' });
    }
    const trouble = (body: object) => controlOf(sandbox)('POST', '/misbehaviour', { body });
    await trouble({ rateLimit: { calls: 1, refusals: 1_000, retryAfterSeconds: 1 } });
    await partnerOf(sandbox, 'SHOP')('GET', '/wallet');
    for (const { name, path } of requests) await call(name, path);
    await trouble({ rateLimit: null, failureRate: 1 });
    for (const { name, path } of requests) await call(name, path);
    await trouble({ failureRate: 0 });
    const regenerate = '/merchants/me/api-key/regenerate';
    await call(`POST /v1${regenerate}`, regenerate);
  });

  test('that is stated was seen', () => {
    const stated = callsOf(document).map(({ name, call: { responses } }) => [
      name,
      Object.keys(responses).map(Number),
    ]);
    const unseen = stated.flatMap(([name, statuses]) =>
      (statuses as number[])
        .filter((status) => !seen.get(name as string)?.has(status))
        .map((one) => `${name} ${one}`),
    );
    expect(unseen).toEqual([]);
  });
});

test('requests are taken or refused as in the document', () => {
  const schema = schemaOf(document.paths['/v1/cashin']!.post!.requestBody!);
  const isTaken = (body: unknown) => faultOf(document, schema, body) === null;
  for (const body of [
    FORM,
    { ...FORM, name: null, metadata: { a: [1] }, callbackUrl: 'https://shop.test/' },
  ])
    expect(isTaken(body)).toBe(true);
  const wrong = [
    { amount: 0.5 },
    { amount: 0 },
    { amount: '5' },
    { country: 'FR' },
    { nonsense: 1 },
    { name: '' },
  ];
  for (const change of wrong)
    expect(isTaken({ ...FORM, ...change }), JSON.stringify(change)).toBe(false);
  expect(isTaken({})).toBe(false);
});

test('every notification has the form that is stated, whatever it is about', async () => {
  const receiver = await startReceiver(null);
  const one = await start();
  const body = { webhookUrl: `http://127.0.0.1:${receiver.port}/` };
  await partnerOf(one, 'SHOP')('PATCH', '/merchants/me', { body });
  await partnerOf(one, 'SHOP')('POST', '/merchants/me/webhooks/test');
  await one.advanceTo(START + 12 * 24 * 60 * MINUTE);
  const { parameters, requestBody } = document.webhooks.notification!.post;
  const schema = schemaOf(requestBody!);
  expect(new Set(receiver.calls.map((call) => JSON.parse(call.body).type)).size).toBeGreaterThan(8);
  for (const { headers, body: sent } of receiver.calls) {
    expect(parameters.filter(({ name }) => !(name.toLowerCase() in headers))).toEqual([]);
    expect(faultOf(document, schema, JSON.parse(sent)), sent).toBeNull();
  }
  await receiver.close();
});
