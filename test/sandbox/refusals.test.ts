// Every refusal of the direct API document, seen over HTTP: its status, its code, its shape, and
// which of several comes first.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { CHOICES } from '../../src/sandbox/service/control/choices.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { type Answer, controlOf, partnerOf } from '../support/sandbox-caller.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const START = Date.UTC(2026, 7, 31, 12);
const CEILING = 100_000;

/** Both merchants are new: they have no history and an empty wallet. */
const limits = { ...planMerchant({ reference: 'X' }).limits, dailyCashoutLimit: CEILING };
const plan = planMerchant({ reference: 'SHOP', opensAt: START + 29 * DAY, limits });
const plans = [plan, { ...plan, reference: 'FENCED', allowedAddresses: ['192.0.2.1'] }];

let sandbox: Sandbox;
beforeAll(async () => {
  const settings = { fates: 'decided' } as const;
  sandbox = await startSandbox({
    seed: 'refused',
    merchants: plans,
    start: START,
    port: 0,
    control: true,
    settings,
  });
});
afterAll(() => sandbox.close());

const FORM = { amount: 5_000, country: 'CI', operator: 'MTN', phoneNumber: '+2250700000001' };
const ID = 'asked-by-a-partner-1';

interface Wish {
  readonly of?: string;
  readonly key?: string | null;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function create(
  type: 'cashin' | 'cashout',
  { of = 'SHOP', key = null, body = FORM, headers }: Wish,
): Promise<Answer> {
  const sent = { 'x-request-id': ID, ...(key !== null && { 'idempotency-key': key }), ...headers };
  return partnerOf(sandbox, of)('POST', `/${type}`, { body, headers: sent });
}

const control = (path: string, body: object) => controlOf(sandbox)('POST', path, { body });
const shop = (method: string, path: string) =>
  partnerOf(sandbox, 'SHOP')(method, path, { headers: { 'x-request-id': ID } });
const refusalOf = ({ status, body }: Answer) => `${status} ${body.error?.code}`;

/** Checks the document's "All error responses share one shape." */
function expectShape({ headers, body }: Answer): void {
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('x-request-id')).toBe(ID);
  const { code, message, details, ...rest } = body.error;
  expect({ ...body, error: rest }).toEqual({
    success: false,
    error: {},
    requestId: ID,
    timestamp: new Date(sandbox.now()).toISOString(),
  });
  expect([code, message]).toEqual([
    expect.stringMatching(/^[A-Z_]+$/),
    expect.stringMatching(/^\S.*\.$/),
  ]);
  expect(details === null || (typeof details === 'object' && !Array.isArray(details))).toBe(true);
}

test('what is wrong in every way is refused for one after another as it is mended, in the order that was chosen', async () => {
  const paid = await create('cashin', {
    key: 'paid',
    body: { ...FORM, amount: 10_000, externalReference: 'TAKEN' },
  });
  await control(`/merchants/SHOP/operations/${paid.body.operation.reference}/fate`, {
    to: 'SUCCEEDED',
  });
  await control('/merchants/SHOP/states', { account: 'SUSPENDED', wallet: 'FROZEN' });
  await control('/misbehaviour', {
    rateLimit: { calls: 1, refusals: 1_000, retryAfterSeconds: 9 },
  });
  await shop('GET', '/wallet');

  const all = {
    amount: 1_500_001.5,
    country: 'SN',
    operator: 'MTN',
    phoneNumber: 'x',
    externalReference: 'TAKEN',
  };
  const refused: Answer[] = [];
  const tryOnce = async (wish: Wish) => void refused.push(await create('cashout', wish));
  await tryOnce({ of: 'FENCED', body: all, headers: { 'x-api-secret': 'wrong' } });
  await tryOnce({ of: 'FENCED', body: all });
  await tryOnce({ body: all });
  await control('/misbehaviour', { rateLimit: null });
  await tryOnce({ body: all });
  await control('/merchants/SHOP/states', { account: 'ACTIVE' });
  await tryOnce({ body: all });
  await tryOnce({ key: 'paid', body: all });
  await tryOnce({ key: 'paid', body: { ...all, amount: 1_500_001 } });
  await tryOnce({ key: 'new', body: { ...all, amount: 1_500_001 } });
  await tryOnce({ key: 'new', body: { ...all, amount: 1_500_000 } });
  await tryOnce({ key: 'new', body: { ...all, amount: 1_500_000, country: 'CI' } });
  const { externalReference: _, ...unnamed } = { ...all, ...FORM };
  await tryOnce({ key: 'new', body: { ...FORM, amount: 1_500_000, externalReference: 'TAKEN' } });
  await tryOnce({ key: 'new', body: { ...unnamed, amount: 1_500_000 } });
  await control('/merchants/SHOP/states', { wallet: 'ACTIVE' });
  await tryOnce({ key: 'new', body: { ...unnamed, amount: 1_500_000 } });
  await tryOnce({ key: 'new', body: { ...unnamed, amount: CEILING } });

  expect(refused.map(refusalOf)).toEqual([
    '401 INVALID_CREDENTIALS',
    '403 IP_NOT_ALLOWED',
    '429 TOO_MANY_REQUESTS',
    '403 ACCOUNT_SUSPENDED',
    '400 IDEMPOTENCY_KEY_REQUIRED',
    '400 VALIDATION_ERROR',
    '409 IDEMPOTENCY_KEY_REUSED',
    '422 AMOUNT_OUT_OF_BOUNDS',
    '422 OPERATOR_UNAVAILABLE',
    '422 INVALID_PHONE_NUMBER',
    '409 DUPLICATE_EXTERNAL_REFERENCE',
    '403 WALLET_FROZEN',
    '422 DAILY_CASHOUT_LIMIT_EXCEEDED',
    '402 INSUFFICIENT_BALANCE',
  ]);
  const chosen = CHOICES.find(({ subject }) => subject === 'order of refusals')!.chosen;
  expect(chosen.match(/\d{3}/g)).toEqual(refused.map(({ status }) => String(status)));
  for (const answer of refused) expectShape(answer);
  expect(refused[2]!.headers.get('retry-after')).toBe('9');
  const details = Object.fromEntries(
    refused.map(({ body }) => [body.error.code, body.error.details]),
  );
  expect(details.VALIDATION_ERROR.fields).toEqual([expect.stringContaining('amount')]);
  expect(details.INSUFFICIENT_BALANCE).toEqual({
    available: 9_825,
    required: 101_050,
    currency: 'XOF',
  });
  expect(details.DAILY_CASHOUT_LIMIT_EXCEEDED).toEqual({
    limit: CEILING,
    used: 0,
    amount: 1_500_000,
  });
  expect(details.AMOUNT_OUT_OF_BOUNDS).toEqual({
    amount: 1_500_001,
    minimum: 500,
    maximum: 1_500_000,
  });
  expect((await create('cashout', { key: 'new', body: unnamed })).status, 'all of it mended').toBe(
    201,
  );
});

test('the other refusals have the same shape: nothing there, still in flight, delivered already, unavailable, broken', async () => {
  const receiver = await startReceiver(null);
  const body = { webhookUrl: `http://127.0.0.1:${receiver.port}/` };
  await partnerOf(sandbox, 'SHOP')('PATCH', '/merchants/me', { body });
  const { delivery } = (await shop('POST', '/merchants/me/webhooks/test')).body;
  const refused: Answer[] = [
    await shop('GET', '/operations/GUI-CI-NOTHING'),
    await shop('GET', '/nowhere'),
    await shop('DELETE', '/wallet'),
    await shop('GET', '/operations?status=DONE&limit=0'),
    await shop('POST', `/merchants/me/webhooks/${delivery.id}/replay`),
  ];
  await control('/misbehaviour', { creationTakes: { from: 150, to: 150 } });
  const twins = await Promise.all([
    create('cashin', { key: 'twin' }),
    create('cashin', { key: 'twin' }),
  ]);
  refused.push(twins.find(({ status }) => status !== 201)!);
  await control('/misbehaviour', { creationTakes: null, unavailableBeforeRecording: 1 });
  refused.push(await create('cashin', { key: 'unavailable' }));
  await control('/misbehaviour', { unavailableBeforeRecording: 0, failureRate: 1 });
  refused.push(await shop('GET', '/wallet'));
  await control('/misbehaviour', { failureRate: 0 });
  expect(refused.map(refusalOf)).toEqual([
    '404 RESOURCE_NOT_FOUND',
    '404 RESOURCE_NOT_FOUND',
    '404 RESOURCE_NOT_FOUND',
    '400 VALIDATION_ERROR',
    '409 WEBHOOK_ALREADY_DELIVERED',
    '409 IDEMPOTENT_REQUEST_IN_FLIGHT',
    '503 SERVICE_UNAVAILABLE',
    '500 INTERNAL_ERROR',
  ]);
  for (const answer of refused) expectShape(answer);
  expect(refused[6]!.headers.get('retry-after')).toBe('1');
  await receiver.close();
});

test('a body that is too long is refused by name, and not looked at before it is known who calls', async () => {
  const body = { ...FORM, description: 'x'.repeat(1_500_000) };
  const refused = await create('cashin', { key: 'long', body });
  expect([refusalOf(refused), refused.body.error.details.fields]).toEqual([
    '400 VALIDATION_ERROR',
    [expect.stringContaining('too large')],
  ]);
  expectShape(refused);
  const strange = await create('cashin', {
    key: 'long',
    body,
    headers: { 'x-api-secret': 'wrong' },
  });
  expect(refusalOf(strange)).toBe('401 INVALID_CREDENTIALS');
  expect(refusalOf(await create('cashin', { of: 'FENCED', key: 'long', body }))).toBe(
    '403 IP_NOT_ALLOWED',
  );
});

test('fifty different bodies under one key at once make one operation; the others are refused as reuse', async () => {
  for (const creationTakes of [null, { from: 10, to: 30 }]) {
    await control('/misbehaviour', { creationTakes });
    const before = sandbox.booksOf('SHOP').operations.length;
    const key = `fifty ${creationTakes?.to}`;
    const bodies = Array.from({ length: 50 }, (_, i) => ({ ...FORM, amount: 1_000 + i }));
    const answers = await Promise.all(bodies.map((body) => create('cashin', { key, body })));
    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 201).map(refusalOf);
    expect(new Set(others)).toEqual(new Set(['409 IDEMPOTENCY_KEY_REUSED']));
    const { operations } = sandbox.booksOf('SHOP');
    expect(operations.slice(before).map(({ amount }) => amount)).toEqual([
      created[0]!.body.operation.amount,
    ]);
  }
  await control('/misbehaviour', { creationTakes: null });
});

test('twenty cash-outs at once, of which a few fit, hold no more than there is', async () => {
  const paid = await create('cashin', { key: 'more', body: { ...FORM, amount: 40_000 } });
  await control(`/merchants/SHOP/operations/${paid.body.operation.reference}/fate`, {
    to: 'SUCCEEDED',
  });
  await control('/misbehaviour', { creationTakes: { from: 0, to: 20 } });
  const before = (await shop('GET', '/wallet')).body;
  const body = { ...FORM, amount: 4_000 };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => create('cashout', { key: `of twenty ${i}`, body })),
  );
  await control('/misbehaviour', { creationTakes: null });
  const held = answers.filter(({ status }) => status === 201).length;
  expect(held).toBe(Math.floor(before.available / 4_090));
  expect(held).toBeGreaterThan(3);
  expect(held).toBeLessThan(20);
  const others = answers.filter(({ status }) => status !== 201).map(refusalOf);
  expect(new Set(others)).toEqual(new Set(['402 INSUFFICIENT_BALANCE']));
  const after = (await shop('GET', '/wallet')).body;
  expect([after.balance, after.reserved]).toEqual([before.balance, before.reserved + held * 4_090]);
});

test('a key is kept for 24 hours from its own answer, though a slower call with another key came before it', async () => {
  await control('/misbehaviour', { creationTakes: { from: 200, to: 200 } });
  const slow = create('cashin', { key: 'slow' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await control('/misbehaviour', { creationTakes: null });
  const first = await create('cashin', { key: 'quick' });
  await control('/advance', { by: HOUR });
  expect((await slow).status).toBe(201);
  await control('/advance', { by: DAY - HOUR });
  const again = await create('cashin', { key: 'quick' });
  expect(again.body.operation.reference).not.toBe(first.body.operation.reference);
  expect((await create('cashin', { key: 'slow' })).text).toBe((await slow).text);
});
