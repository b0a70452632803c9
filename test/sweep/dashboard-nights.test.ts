// The reader of the dashboard API against the simulated service. What is read is what the service
// holds, however it cuts its lists short and fails, and also when a token expires in the middle of
// a list. What is read of payouts, night by night, is sound by all that the engine knows of them.

import { afterEach, expect, test } from 'vitest';
import { DAY, HOUR, type Instant } from '../../src/core/domain/instant.ts';
import type { Payment } from '../../src/core/domain/payment.ts';
import type { DashboardSnapshot } from '../../src/core/domain/published/dashboard-snapshot.ts';
import { type KeptPayouts, NOTHING_KEPT } from '../../src/core/domain/published/payout-place.ts';
import type { Decoded } from '../../src/core/domain/rows/decode-object.ts';
import {
  beginTotalsOf,
  judgeLook,
} from '../../src/core/kernel/reconcile/published/judge-payments.ts';
import { ENGLISH_WORDING } from '../../src/core/words/names.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { decodePayment } from '../../src/io/sources/decode/decode-payment.ts';
import { decodeServiceReport } from '../../src/io/sources/decode/decode-service-report.ts';
import type { WebEvent } from '../../src/io/sources/web/web-settings.ts';
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
import { beginLook, endLook } from '../../src/service/workflows/audit/compare-published.ts';
import { serverOf, userOf } from '../support/dashboard-caller.ts';
import { readPayments } from '../support/dashboard-rows.ts';
import { dashboardSettings } from '../support/dashboard-service.ts';
import { keepLook } from '../support/payout-world.ts';
import { controlOf } from '../support/sandbox-caller.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const START = Date.UTC(2026, 10, 3, 12);
const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 1, paymentsPerDay: 10 };
const plan = planMerchant({
  reference: 'M001',
  traffic,
  allowedCountries: ['CI', 'BF'],
  failedReports: ['2026-09'],
});
const trouble = {
  failureRate: 0.05,
  rateLimit: { calls: 9, refusals: 1, retryAfterSeconds: 0 },
  latency: null,
};

let sandbox: Sandbox;
let events: WebEvent[];
afterEach(() => sandbox.close());

async function open(settings: SandboxOptions['settings'] = {}) {
  return start({ merchants: [plan], start: START, settings });
}

/** Starts a sandbox and reads its first merchant. */
async function start(
  options: Pick<SandboxOptions, 'merchants' | 'start' | 'settings' | 'notifyPayments'>,
) {
  events = [];
  sandbox = await startSandbox({ seed: 'dashboard', port: 0, control: true, ...options });
  const [{ reference, dashboard }] = sandbox.merchants as [Sandbox['merchants'][number]];
  const merchants = { [reference]: dashboard! };
  const retries = { attempts: 8, firstDelay: 1, longestDelay: 4, longestRetryAfter: 10 };
  const baseUrl = sandbox.dashboardUrl;
  return openDashboard(dashboardSettings({ baseUrl }, { events, merchants, retries })).open(
    reference,
  );
}

const value = <T>(decoded: Decoded<T>): T => (decoded as { readonly value: T }).value;
const held = (): readonly Payment[] =>
  sandbox.booksOf('M001').payments.map((payment) => value(decodePayment(payment)));
const WHOLE = { from: Date.UTC(2026, 7, 1), until: START };

test.each([
  ['whole', null],
  ['cut short in silence', 25],
])('reads reports, payments, limits and counters: lists are %s', async (_, paymentCap) => {
  const snapshot = await open({
    misbehaviour: trouble,
    dashboard: { tokenLifetime: HOUR, paymentCap },
  });
  const { rows, rejected } = await readPayments(snapshot, WHOLE);
  expect([rows.length, rejected]).toEqual([held().length, []]);
  expect(rows).toEqual(held());
  const reports = await snapshot.reports();
  expect(reports.rows).toEqual(
    sandbox.booksOf('M001').reports.map((report) => value(decodeServiceReport(report))),
  );
  expect(reports.rows.map(({ period, status }) => [period, status])).toEqual([
    ['2026-10', 'READY'],
    ['2026-09', 'FAILED'],
    ['2026-08', 'READY'],
  ]);
  const { value: limits } = await snapshot.payouts.limits();
  expect(limits!.ceiling).toBe(limits!.used + limits!.remaining);
  expect((await snapshot.payouts.counters()).value!.succeeded).toBeGreaterThan(5);
  expect(events.some(({ what }) => what === 'retry')).toBe(true);
});

test('a token that expires in mid-walk is renewed, and no payment is lost or repeated', async () => {
  const snapshot = await open({ dashboard: { tokenLifetime: HOUR, paymentCap: 30 } });
  const expected = held().map(({ reference }) => reference);
  const references: string[] = [];
  for await (const batch of snapshot.payments(WHOLE)) {
    references.push(...batch.rows.map(({ reference }) => reference));
    await sandbox.advanceTo(sandbox.now() + HOUR + 1_000);
  }
  expect(references).toEqual(expected);
  expect(events.filter(({ what }) => what === 'login').length).toBeGreaterThan(2);
});

const OPENS = Date.UTC(2026, 8, 20);
const settled = (mode: 'T0' | 'T1', timezone: string) => ({
  ...ORDINARY_DASHBOARD,
  settlement: { mode, time: '05:30', timezone },
});

test('every call about payouts is answered, and read whole', async () => {
  const receiver = await startReceiver(null);
  receiver.answer = (response) => void response.writeHead(404).end();
  const notifyPayments = { M001: `http://127.0.0.1:${receiver.port}/` };
  const settledPlan = {
    ...plan,
    dashboard: { ...settled('T0', 'Africa/Abidjan'), payoutAccounts: ['BANK' as const] },
  };
  const snapshot = await start({ merchants: [settledPlan], start: START, notifyPayments });
  await sandbox.advanceTo(START + DAY);
  await receiver.close();
  const { payouts } = snapshot;
  const answers = {
    limits: await payouts.limits(),
    counters: await payouts.counters(),
    balance: await payouts.balance(),
    list: await payouts.list(),
    accounts: await payouts.accounts(),
    settlement: await payouts.settlement(),
    statistics: await payouts.statistics(),
    deliveries: await payouts.deliveries(),
  };
  for (const [name, { value: read, rejected, absent }] of Object.entries(answers)) {
    expect([name, rejected, absent]).toEqual([name, [], null]);
    expect([name, read]).not.toEqual([name, null]);
  }
  const ask = userOf(sandbox, 'M001');
  const served = async (path: string) => (await ask('GET', path)).body;
  expect(answers.list.value!.length).toBe((await served('/list-disbursements')).length);
  expect(
    answers.list.value!.every(({ mode, accountType }) => mode === 'T0' && accountType === 'BANK'),
  ).toBe(true);
  expect(answers.balance.value).toEqual(await served('/get-balance'));
  expect(answers.accounts.value).toMatchObject([{ type: 'BANK', isPrimary: true }]);
  expect(answers.settlement.value).toMatchObject({
    mode: 'T0',
    time: '05:30',
    timezone: 'Africa/Abidjan',
  });
  expect(answers.settlement.value!.lastSettlementAt).not.toBeNull();
  const { counts, months, days } = answers.statistics.value!;
  expect(counts!.total).toBe(held().length);
  expect([months!.length, days!.length > 90]).toEqual([4, true]);
  const deliveries = answers.deliveries.value!;
  expect(deliveries.length).toBeGreaterThan(3);
  expect(
    deliveries.every(
      ({ status, lastStatus, attempts }) =>
        `${status} ${lastStatus} ${attempts}` === 'ABANDONED 404 1',
    ),
  ).toBe(true);
  const outcomes = new Map(
    held().map(({ reference, status, amount }) => [reference, `${status} ${amount}`]),
  );
  for (const { reference, outcome, amount } of deliveries) {
    expect(`${outcome} ${amount}`).toBe(outcomes.get(reference!));
  }
});

/**
 * Looks at everything as one night does, with the fees that were notified. Returns what the look
 * finds, and what is kept of it.
 */
async function look(
  snapshot: DashboardSnapshot,
  { kept, fees }: { readonly kept: KeptPayouts; readonly fees: ReadonlyMap<string, string> },
) {
  const at: Instant = sandbox.now();
  const begun = await beginLook(snapshot.payouts, at);
  const passed = beginTotalsOf(null, at, ({ reference }) => fees.get(reference) ?? null);
  for await (const batch of snapshot.payments({ from: OPENS - DAY, until: at + DAY }))
    passed.take(batch);
  const looked = await endLook(begun);
  const judged = judgeLook(looked, { kept, payments: passed.totals(), wording: ENGLISH_WORDING });
  return { judged, kept: keepLook(kept, looked.read) };
}

const NIGHTLY = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 0,
  adjustmentsPerMonth: 0,
  paymentsPerDay: 4,
};
const nights: readonly [string, Partial<MerchantPlan>][] = [
  ['paid out when it asks', {}],
  ['paid out every day', { dashboard: settled('T0', 'UTC') }],
  [
    'paid out every two days, on other clocks',
    { country: 'CM', dashboard: settled('T1', 'Africa/Douala') },
  ],
  [
    'with a lower ceiling until its file is approved',
    { dashboard: { ...ORDINARY_DASHBOARD, compliance: 'PENDING' } },
  ],
];

test.each(nights)(
  'thirty nights of a merchant that is %s have nothing wrong with payouts',
  async (_, parts) => {
    const receiver = await startReceiver(null);
    const merchants = [
      planMerchant({
        reference: 'M001',
        traffic: NIGHTLY,
        opensAt: OPENS,
        createdAt: OPENS,
        ...parts,
      }),
    ];
    const notifyPayments = { M001: `http://127.0.0.1:${receiver.port}/` };
    const snapshot = await start({ merchants, start: OPENS, notifyPayments });
    const fees = new Map<string, string>();
    let kept = NOTHING_KEPT;
    for (let night = 1; night <= 30; night += 1) {
      await sandbox.advanceTo(OPENS + night * DAY + 2 * HOUR);
      if (night === 15 && parts.dashboard?.compliance === 'PENDING') {
        await controlOf(sandbox)('POST', '/merchants/M001/compliance', {
          body: { to: 'APPROVED' },
        });
      }
      if (night % 9 === 0) {
        await serverOf(sandbox, 'M001')('POST', '/create-web-payment-link', {
          body: { amount: 9_999, order_id: `${night}` },
        });
        await userOf(sandbox, 'M001')('POST', '/request-disbursement', { body: { amount: 1_000 } });
      }
      for (const { body } of receiver.calls.splice(0)) {
        const told = JSON.parse(body) as { readonly reference: string; readonly fees?: number };
        if (told.fees !== undefined) fees.set(told.reference, String(told.fees));
      }
      const seen = await look(snapshot, { kept, fees });
      const said = {
        drafts: seen.judged.drafts,
        rejected: seen.judged.rejected,
        notes: seen.judged.notes,
      };
      expect({ night, ...said }).toEqual({ night, drafts: [], rejected: [], notes: [] });
      kept = seen.kept;
    }
    expect(fees.size).toBeGreaterThan(75);
    expect([kept.payouts.size > 4, kept.limits.length > 4, kept.balance.length > 25]).toEqual([
      true,
      true,
      true,
    ]);
    await receiver.close();
  },
);
