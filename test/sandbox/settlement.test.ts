// Payouts that happen by themselves, the accounts that they go to, and the counts of payments, over
// HTTP. Compared with the dashboard API document ("Settlement settings", "Endpoints listed without
// detail").

import { afterAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
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
import { anybodyOf, serverOf, userOf } from '../support/dashboard-caller.ts';
import { type Answer, controlOf } from '../support/sandbox-caller.ts';

const START = Date.UTC(2026, 7, 31, 12);
const STILL = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 0,
  paymentsPerDay: 0,
  adjustmentsPerMonth: 0,
};
const LIVELY = { ...STILL, paymentsPerDay: 10 };
const settled = (mode: 'T0' | 'T1', timezone = 'UTC') => ({
  ...ORDINARY_DASHBOARD,
  settlement: { mode, time: '06:30', timezone },
});

const plans: readonly MerchantPlan[] = [
  planMerchant({ reference: 'SHOP', traffic: STILL }),
  planMerchant({
    reference: 'BARE',
    traffic: STILL,
    dashboard: { ...ORDINARY_DASHBOARD, payoutAccounts: [] },
  }),
  planMerchant({ reference: 'DAILY', traffic: LIVELY, dashboard: settled('T0') }),
  planMerchant({
    reference: 'SECOND',
    traffic: LIVELY,
    country: 'CM',
    dashboard: settled('T1', 'Africa/Douala'),
  }),
];

const sandboxes: Sandbox[] = [];
afterAll(() => Promise.all(sandboxes.map((one) => one.close())));

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const basis = {
    seed: 'settled',
    merchants: plans,
    start: START,
    port: 0,
    control: true,
  } as const;
  const started = await startSandbox({ ...basis, settings: { fates: 'decided' }, ...options });
  sandboxes.push(started);
  return started;
}

async function collect(from: Sandbox, amount: number, reference = 'SHOP'): Promise<void> {
  const body = { amount, order_id: 'CMD' };
  const made = await serverOf(from, reference)('POST', '/create-web-payment-link', { body });
  const path = `/merchants/${reference}/payments/${made.body.reference}/fate`;
  await controlOf(from)('POST', path, { body: { to: 'SUCCESS' } });
}

const get = async (from: Sandbox, path: string, of = 'SHOP') =>
  (await userOf(from, of)('GET', path)).body;
const settings = (from: Sandbox, of = 'SHOP') => get(from, '/settlement-settings', of);
const change = (from: Sandbox, body: object, of = 'SHOP') =>
  controlOf(from)('POST', `/merchants/${of}/settlement`, { body });
const refusalOf = ({ status, body }: Answer) => [status, body.message];

interface Listed {
  readonly id: string;
  readonly amount: number;
  readonly mode: string;
  readonly status: string;
  readonly createdAt: string;
}
const list = async (from: Sandbox, of = 'SHOP'): Promise<readonly Listed[]> =>
  get(from, '/list-disbursements', of);

describe('settlement settings', () => {
  test('are MANUAL at first, without a time, and control alone changes them', async () => {
    const one = await start();
    expect(await settings(one)).toEqual({
      mode: 'MANUAL',
      time: null,
      timezone: 'UTC',
      lastSettlementAt: null,
      hasPrimaryAccount: true,
      primaryAccountType: 'MOBILE_MONEY',
      fees: { mobileMoneyRate: 1, bankFixed: 500 },
    });
    expect(await settings(one, 'BARE')).toMatchObject({
      hasPrimaryAccount: false,
      primaryAccountType: null,
    });
    for (const wrong of [
      { mode: 'T2', time: '06:00' },
      { mode: 'T0' },
      { mode: 'T0', time: '24:00' },
      { mode: 'MANUAL', time: '06:00' },
      { mode: 'T0', time: '06:00', timezone: 'Nowhere/Land' },
    ]) {
      expect([wrong, (await change(one, wrong)).status]).toEqual([wrong, 400]);
    }
    expect((await change(one, { mode: 'T0', time: '06:00' }, 'BARE')).status).toBe(409);
    expect((await settings(one, 'BARE')).mode).toBe('MANUAL');
    expect(
      (await userOf(one, 'SHOP')('PATCH', '/settlement-settings', { body: { mode: 'T0' } })).status,
    ).toBe(404);
  });

  test('T0 pays out every day at the chosen time of the chosen zone', async () => {
    const one = await start();
    await change(one, { mode: 'T0', time: '00:30', timezone: 'Africa/Douala' });
    expect(await settings(one)).toMatchObject({
      mode: 'T0',
      time: '00:30',
      timezone: 'Africa/Douala',
    });
    await collect(one, 50_000);
    await one.advanceTo(Date.UTC(2026, 7, 31, 23, 30) - 1);
    expect(await list(one)).toEqual([]);
    await one.advanceTo(Date.UTC(2026, 7, 31, 23, 30));
    const [payout] = await list(one);
    expect(payout).toMatchObject({
      mode: 'T0',
      createdAt: '2026-08-31T23:30:00.000Z',
      status: 'PENDING',
    });
    expect((await settings(one)).lastSettlementAt).toBe('2026-08-31T23:30:00.000Z');
    expect(Number((await get(one, '/get-balance')).balance)).toBeLessThan(2);
    await one.advanceTo(START + 2 * DAY);
    expect([await list(one), (await settings(one)).lastSettlementAt]).toMatchObject([
      [{ status: 'SUCCESS' }],
      '2026-08-31T23:30:00.000Z',
    ]);
    await collect(one, 30_000);
    await change(one, { mode: 'MANUAL' });
    await one.advanceTo(START + 5 * DAY);
    expect((await list(one)).length).toBe(1);
    expect((await settings(one)).lastSettlementAt).toBe('2026-08-31T23:30:00.000Z');
  });

  test('T1 pays out every two days, by plan', async () => {
    const one = await start();
    const days = async (of: string, mode: string) =>
      (await list(one, of))
        .filter((payout) => payout.mode === mode)
        .map(({ createdAt }) => createdAt);
    const [daily, second] = [await days('DAILY', 'T0'), await days('SECOND', 'T1')];
    expect(daily.length).toBeGreaterThan(20);
    expect(new Set(daily.map((at) => at.slice(11)))).toEqual(new Set(['06:30:00.000Z']));
    expect(new Set(second.map((at) => at.slice(11)))).toEqual(new Set(['05:30:00.000Z']));
    const pauses = second.slice(1).map((at, i) => (Date.parse(second[i]!) - Date.parse(at)) / DAY);
    expect(pauses.every((pause) => pause % 2 === 0)).toBe(true);
    expect(pauses.filter((pause) => pause === 2).length).toBeGreaterThan(5);
    expect((await settings(one, 'SECOND')).lastSettlementAt).toBe(second[0]);
  });

  test('what is paid out by itself keeps to the ceiling, and to what there is', async () => {
    const one = await start();
    for (const name of ['DAILY', 'SECOND']) {
      const { plafond, consomme, restant } = (await get(one, '/compliance', name)).limits;
      expect([plafond, consomme + restant]).toEqual([2_000_000, 2_000_000]);
      expect(Number((await get(one, '/get-balance', name)).balance)).toBeGreaterThanOrEqual(0);
      expect(
        (await list(one, name)).filter(({ status }) => status === 'SUCCESS').length,
      ).toBeGreaterThan(5);
      const used = (await list(one, name))
        .filter(({ status, createdAt }) => status !== 'FAILED' && createdAt.startsWith('2026-08'))
        .reduce((sum, { amount }) => sum + amount, 0);
      expect([used, restant >= 0]).toEqual([consomme, true]);
    }
  });
});

describe('payout accounts', () => {
  const add = (from: Sandbox, body: object, of = 'BARE') =>
    userOf(from, of)('POST', '/payout-accounts', { body: { merchant_reference: of, ...body } });

  test('are added, chosen as primary, and removed; the first one is primary', async () => {
    const one = await start();
    expect(await get(one, '/payout-accounts', 'BARE')).toEqual([]);
    const first = await add(one, {
      type: 'MOBILE_MONEY',
      number: '+2250700000001',
      label: 'Caisse',
    });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'MOBILE_MONEY',
      label: 'Caisse',
      number: '+2250700000001',
      bankCode: null,
      isPrimary: true,
      createdAt: '2026-08-31T12:00:00.000Z',
    });
    const [bank] = (await anybodyOf(one)('GET', '/banks/active')).body;
    const second = (await add(one, { type: 'BANK', number: 'CI00 1234', bankCode: bank.code }))
      .body;
    expect(second.isPrimary).toBe(false);
    const ask = userOf(one, 'BARE');
    expect(await ask('PATCH', `/payout-accounts/${second.id}/set-primary`)).toMatchObject({
      status: 200,
      body: { id: second.id, isPrimary: true },
    });
    expect(await settings(one, 'BARE')).toMatchObject({
      hasPrimaryAccount: true,
      primaryAccountType: 'BANK',
    });
    const primaries = async () =>
      (await get(one, '/payout-accounts', 'BARE')).map(
        (account: { id: string; isPrimary: boolean }) => [account.id, account.isPrimary],
      );
    expect(await primaries()).toEqual([
      [first.body.id, false],
      [second.id, true],
    ]);
    await change(one, { mode: 'T0', time: '06:00' }, 'BARE');
    expect(refusalOf(await ask('DELETE', `/payout-accounts/${second.id}`))).toEqual([
      409,
      'The primary account is needed in T0',
    ]);
    expect((await ask('DELETE', `/payout-accounts/${first.body.id}`)).body).toEqual({
      id: first.body.id,
      deleted: true,
    });
    await change(one, { mode: 'MANUAL' }, 'BARE');
    expect((await ask('DELETE', `/payout-accounts/${second.id}`)).status).toBe(200);
    expect(await primaries()).toEqual([]);
    expect((await settings(one, 'BARE')).hasPrimaryAccount).toBe(false);
  });

  test('are refused where they are wrong, not there, or another merchant’s', async () => {
    const one = await start();
    for (const wrong of [
      { type: 'CASH', number: '1' },
      { type: 'BANK', number: '1' },
      { type: 'BANK', number: '1', bankCode: 'NOBANK' },
      { type: 'MOBILE_MONEY', number: '1', bankCode: 'FIC01' },
      { type: 'MOBILE_MONEY', number: '' },
      { type: 'MOBILE_MONEY', number: '1', isPrimary: true },
    ]) {
      expect([wrong, (await add(one, wrong)).status]).toEqual([wrong, 400]);
    }
    expect(
      refusalOf(await add(one, { type: 'MOBILE_MONEY', number: '1', merchant_reference: 'SHOP' })),
    ).toEqual([404, 'Merchant not found']);
    const [foreign] = await get(one, '/payout-accounts');
    for (const [method, path] of [
      ['PATCH', `/payout-accounts/${foreign.id}/set-primary`],
      ['DELETE', `/payout-accounts/${foreign.id}`],
      ['DELETE', '/payout-accounts/nosuch'],
    ] as const) {
      expect(refusalOf(await userOf(one, 'BARE')(method, path))).toEqual([
        404,
        'Payout account not found',
      ]);
    }
    expect((await get(one, '/payout-accounts')).length).toBe(1);
  });
});

test('the banks are open to anybody', async () => {
  const { status, body } = await anybodyOf(await start())('GET', '/banks/active');
  expect(status).toBe(200);
  expect(body.length).toBeGreaterThan(1);
  expect(new Set(body.map((bank: object) => Object.keys(bank).join(' ')))).toEqual(
    new Set(['code name']),
  );
});

test('the statistics count the payments that a search finds: in all, by month, and what was paid each day', async () => {
  const one = await start();
  await one.advanceTo(Date.UTC(2026, 8, 3, 5));
  const payments = (await get(one, '/payments/search', 'DAILY')).toReversed();
  const count = (some: typeof payments) => {
    const of = (wanted: string) => some.filter(({ status }: Listed) => status === wanted).length;
    return {
      total: some.length,
      success: of('SUCCESS'),
      pending: of('PENDING'),
      failed: of('FAILED'),
    };
  };
  const paid = (some: typeof payments) => some.filter(({ status }: Listed) => status === 'SUCCESS');
  const amount = (some: typeof payments) =>
    some.reduce((sum: number, payment: Listed) => sum + payment.amount, 0);
  expect(await get(one, '/merchants-transactions-count', 'DAILY')).toEqual(count(payments));
  expect(count(payments).pending).toBeGreaterThan(0);
  const of = (period: string) =>
    payments.filter(({ createdAt }: Listed) => createdAt.startsWith(period));
  expect(await get(one, '/merchants-monthly-transactions-count', 'DAILY')).toEqual(
    ['2026-08', '2026-09'].map((month) => ({
      month,
      ...count(of(month)),
      amount: amount(paid(of(month))),
    })),
  );
  const days = [
    ...new Set(paid(payments).map(({ createdAt }: Listed) => createdAt.slice(0, 10))),
  ] as string[];
  expect(days.length).toBeGreaterThan(25);
  expect(await get(one, '/merchants-transactions-flow', 'DAILY')).toEqual(
    days.map((date) => ({ date, count: paid(of(date)).length, amount: amount(paid(of(date))) })),
  );
  expect(await get(one, '/merchants-transactions-count', 'BARE')).toEqual({
    total: 0,
    success: 0,
    pending: 0,
    failed: 0,
  });
});

test('what happens by itself is the same however time passes', async () => {
  const live = async (step: number) => {
    const one = await start({ settings: {} });
    for (let at = START + step; at <= START + 4 * DAY; at += step) await one.advanceTo(at);
    return Promise.all(
      ['/list-disbursements', '/settlement-settings', '/get-balance', '/payments/search'].map(
        (path) => get(one, path, 'DAILY'),
      ),
    );
  };
  const once = await live(4 * DAY);
  expect(await live(2 * HOUR)).toEqual(once);
  expect(await live(36 * MINUTE)).toEqual(once);
});
