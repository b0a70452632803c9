// Payouts of what was collected by link, over HTTP: the balance, requests and their outcomes, the
// monthly ceiling and the counters. Compared with the dashboard API document ("Compliance file",
// "Disbursement counters", "Limits").

import { afterAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import {
  type MerchantPlan,
  ORDINARY_DASHBOARD,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../src/sandbox/service/start-sandbox.ts';
import { serverOf, userOf } from '../support/dashboard-caller.ts';
import { type Answer, controlOf } from '../support/sandbox-caller.ts';

const START = Date.UTC(2026, 7, 30, 12);
/** Traffic in which only calls make something happen. */
const STILL = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 0,
  paymentsPerDay: 0,
  adjustmentsPerMonth: 0,
};

const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP', traffic: STILL }),
  planMerchant({
    reference: 'SMALL',
    traffic: STILL,
    dashboard: { ...ORDINARY_DASHBOARD, compliance: null },
  }),
  planMerchant({
    reference: 'BARE',
    traffic: STILL,
    dashboard: { ...ORDINARY_DASHBOARD, payoutAccounts: [] },
  }),
  planMerchant({
    reference: 'BANKED',
    traffic: STILL,
    dashboard: { ...ORDINARY_DASHBOARD, payoutAccounts: ['BANK', 'MOBILE_MONEY'] },
  }),
  planMerchant({ reference: 'BUSY', traffic: { ...ORDINARY_TRAFFIC, paymentsPerDay: 20 } }),
];

const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = {
    seed: 'payouts',
    merchants: plans,
    start: START,
    port: 0,
    control: true,
  } as const;
  const started = await startSandbox({ ...basis, settings: { fates: 'decided' }, ...options });
  sandboxes.push(started);
  return started;
}

/** Makes a payment by link of `amount` that succeeds; 1.5 % of it are fees. */
async function collect(from: Sandbox, reference: string, amount: number): Promise<void> {
  const body = { amount, order_id: 'CMD' };
  const made = await serverOf(from, reference)('POST', '/create-web-payment-link', { body });
  const path = `/merchants/${reference}/payments/${made.body.reference}/fate`;
  await controlOf(from)('POST', path, { body: { to: 'SUCCESS' } });
}

const balance = async (from: Sandbox, of = 'SHOP') =>
  (await userOf(from, of)('GET', '/get-balance')).body;
const limits = async (from: Sandbox, of = 'SHOP') =>
  (await userOf(from, of)('GET', '/compliance')).body.limits;
const counters = async (from: Sandbox, of = 'SHOP') =>
  (await userOf(from, of)('GET', '/refunds-stats')).body;
const list = async (from: Sandbox, of = 'SHOP') =>
  (await userOf(from, of)('GET', '/list-disbursements')).body;
const request = (from: Sandbox, amount: unknown, parts: object = {}, of = 'SHOP') =>
  userOf(from, of)('POST', '/request-disbursement', {
    body: { merchant_reference: of, amount, ...parts },
  });
const decide = (from: Sandbox, id: string, body: object, of = 'SHOP') =>
  controlOf(from)('POST', `/merchants/${of}/disbursements/${id}/fate`, { body });
const refusalOf = ({ status, body }: Answer) => [status, body.message];

describe('the balance', () => {
  test('is a decimal string: what was collected less its fees, less what is paid out and on its way', async () => {
    const one = await start();
    expect(await balance(one)).toEqual({ balance: '0.00' });
    await collect(one, 'SHOP', 1_001);
    expect(await balance(one)).toEqual({ balance: '985.98' });
    await collect(one, 'SHOP', 100_000);
    expect(await balance(one)).toEqual({ balance: '99485.98' });
    const { body: payout } = await request(one, 50_001);
    expect([payout.status, payout.fees]).toEqual(['PENDING', 501]);
    expect(await balance(one)).toEqual({ balance: '48983.98' });
    await decide(one, payout.id, { to: 'SUCCESS' });
    expect(await balance(one)).toEqual({ balance: '48983.98' });
    const { body: second } = await request(one, 40_000);
    await decide(one, second.id, { to: 'FAILED', reason: 'Compte fermé' });
    expect(await balance(one)).toEqual({ balance: '48983.98' });
  });

  test('holds its law at every instant of a busy merchant, who is paid out every Monday', async () => {
    const one = await start({ settings: {}, notifyPayments: {} });
    for (let day = 0; day < 12; day += 1) {
      const payments = (await userOf(one, 'BUSY')('GET', '/payments/search?status=SUCCESS')).body;
      const payouts = await list(one, 'BUSY');
      const paid = payments.reduce(
        (sum: number, { amount }: { amount: number }) =>
          sum + 100 * amount - Math.round(1.5 * amount),
        0,
      );
      const out = payouts
        .filter(({ status }: { status: string }) => status !== 'FAILED')
        .reduce(
          (sum: number, { amount, fees }: { amount: number; fees: number }) =>
            sum + 100 * (amount + fees),
          0,
        );
      expect(await balance(one, 'BUSY')).toEqual({ balance: ((paid - out) / 100).toFixed(2) });
      expect(paid).toBeGreaterThanOrEqual(out);
      await one.advanceTo(one.now() + DAY);
    }
    const states = (await list(one, 'BUSY')).map(({ status }: { status: string }) => status);
    expect(new Set(states)).toEqual(new Set(['SUCCESS', 'FAILED']));
  });
});

describe('a request for a payout', () => {
  test('is PENDING, is listed newest first, and ends by a decision', async () => {
    const one = await start();
    await collect(one, 'SHOP', 100_000);
    const asked = await request(one, 10_000);
    expect(asked.status).toBe(201);
    expect(asked.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reference: 'DEC-000001',
      amount: 10_000,
      fees: 100,
      status: 'PENDING',
      mode: 'MANUAL',
      payoutAccountId: expect.any(String),
      accountType: 'MOBILE_MONEY',
      createdAt: '2026-08-30T12:00:00.000Z',
      completedAt: null,
      failureReason: null,
    });
    const second = (await request(one, 20_000)).body;
    expect((await list(one)).map(({ id }: { id: string }) => id)).toEqual([
      second.id,
      asked.body.id,
    ]);
    await one.advanceTo(START + HOUR);
    await decide(one, asked.body.id, { to: 'SUCCESS' });
    await decide(one, second.id, { to: 'FAILED', reason: 'Compte fermé' });
    expect(await list(one)).toMatchObject([
      { status: 'FAILED', failureReason: 'Compte fermé', completedAt: '2026-08-30T13:00:00.000Z' },
      { status: 'SUCCESS', failureReason: null, completedAt: '2026-08-30T13:00:00.000Z' },
    ]);
    expect(await counters(one)).toEqual({ requestSuccess: 1, requestPending: 0, requestFailed: 1 });
    expect((await decide(one, second.id, { to: 'SUCCESS' })).status).toBe(409);
  });

  test('ends within twelve hours without a decision', async () => {
    const one = await start({ settings: {} });
    for (let i = 0; i < 6; i += 1) {
      await serverOf(one, 'SHOP')('POST', '/create-web-payment-link', {
        body: { amount: 90_000, order_id: `${i}` },
      });
    }
    await one.advanceTo(START + DAY);
    expect((await request(one, 10_000)).body.status).toBe('PENDING');
    expect(await counters(one)).toEqual({ requestSuccess: 0, requestPending: 1, requestFailed: 0 });
    await one.advanceTo(START + DAY + 12 * HOUR);
    const { requestPending, ...ended } = await counters(one);
    expect([requestPending, Object.values(ended).toSorted()]).toEqual([0, [0, 1]]);
  });

  test('goes to the primary account, or to the one that it names', async () => {
    const one = await start();
    await collect(one, 'BANKED', 100_000);
    const [bank, mobile] = (await userOf(one, 'BANKED')('GET', '/payout-accounts')).body;
    expect((await request(one, 10_000, {}, 'BANKED')).body).toMatchObject({
      payoutAccountId: bank.id,
      accountType: 'BANK',
      fees: 500,
    });
    const named = await request(one, 10_000, { payoutAccountId: mobile.id }, 'BANKED');
    expect(named.body).toMatchObject({
      payoutAccountId: mobile.id,
      accountType: 'MOBILE_MONEY',
      fees: 100,
    });
  });

  test('is refused where it is wrong, or beyond the balance with its fees, and leaves no trace', async () => {
    const one = await start();
    await collect(one, 'SHOP', 100_000);
    await collect(one, 'BARE', 100_000);
    for (const amount of [0, -5, 99, 10.5, '1000', null, undefined]) {
      expect([amount, (await request(one, amount)).status]).toEqual([amount, 400]);
    }
    expect((await request(one, 1_000, { colour: 'red' })).status).toBe(400);
    expect(refusalOf(await request(one, 97_525))).toEqual([400, 'Insufficient balance']);
    expect(refusalOf(await request(one, 1_000, { payoutAccountId: 'x' }))).toEqual([
      404,
      'Payout account not found',
    ]);
    expect(refusalOf(await request(one, 1_000, {}, 'BARE'))).toEqual([
      400,
      'There is no primary payout account',
    ]);
    const foreign = await request(one, 1_000, { merchant_reference: 'BARE' });
    expect(refusalOf(foreign)).toEqual([404, 'Merchant not found']);
    expect([await list(one), await counters(one)]).toEqual([
      [],
      { requestSuccess: 0, requestPending: 0, requestFailed: 0 },
    ]);
    expect((await request(one, 97_524)).status).toBe(201);
    await controlOf(one)('POST', '/merchants/SHOP/states', { body: { account: 'SUSPENDED' } });
    expect(refusalOf(await request(one, 100))).toEqual([403, 'Account is not active']);
  });

  test('takes up the ceiling of its month, 200 000 or 2 000 000, and beyond it fails at once', async () => {
    const one = await start();
    expect(await limits(one)).toEqual({ plafond: 2_000_000, consomme: 0, restant: 2_000_000 });
    expect(await limits(one, 'SMALL')).toEqual({ plafond: 200_000, consomme: 0, restant: 200_000 });
    await collect(one, 'SMALL', 900_000);
    const first = (await request(one, 150_000, {}, 'SMALL')).body;
    expect(await limits(one, 'SMALL')).toEqual({
      plafond: 200_000,
      consomme: 150_000,
      restant: 50_000,
    });
    const beyond = await request(one, 50_001, {}, 'SMALL');
    expect([beyond.status, beyond.body.status]).toEqual([201, 'FAILED']);
    expect(beyond.body.failureReason).toMatch(/plafond/);
    expect(await counters(one, 'SMALL')).toEqual({
      requestSuccess: 0,
      requestPending: 1,
      requestFailed: 1,
    });
    expect((await request(one, 50_000, {}, 'SMALL')).body.status).toBe('PENDING');
    expect(await limits(one, 'SMALL')).toEqual({ plafond: 200_000, consomme: 200_000, restant: 0 });
    await decide(one, first.id, { to: 'FAILED', reason: 'Compte fermé' }, 'SMALL');
    expect(await limits(one, 'SMALL')).toEqual({
      plafond: 200_000,
      consomme: 50_000,
      restant: 150_000,
    });
    await one.advanceTo(Date.UTC(2026, 8, 1));
    expect(await limits(one, 'SMALL')).toEqual({ plafond: 200_000, consomme: 0, restant: 200_000 });
  });
});
