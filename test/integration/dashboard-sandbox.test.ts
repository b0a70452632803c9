// The reader of the dashboard API against the simulated service: what is read is what the service holds, however it cuts
// its lists short and fails, and also when a token expires in the middle of a walk.

import { afterEach, expect, test } from 'vitest';
import { HOUR } from '../../src/domain/instant.ts';
import type { Payment } from '../../src/domain/payment.ts';
import type { Decoded } from '../../src/rows/decoded.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/plan.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { openDashboard } from '../../src/sources/dashboard/open-dashboard.ts';
import { decodePayment } from '../../src/sources/decode/decode-payment.ts';
import { decodeServiceReport } from '../../src/sources/decode/decode-service-report.ts';
import type { WebEvent } from '../../src/sources/web/web-settings.ts';
import { readPayments } from '../support/dashboard-rows.ts';
import { dashboardSettings } from '../support/dashboard-service.ts';

const START = Date.UTC(2026, 10, 3, 12);
const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 1, paymentsPerDay: 10 };
const plan = planMerchant({ reference: 'M001', traffic, allowedCountries: ['CI', 'BF'], failedReports: ['2026-09'] });
const trouble = { failureRate: 0.05, rateLimit: { calls: 9, refusals: 1, retryAfterSeconds: 0 }, latency: null };

let sandbox: Sandbox;
let events: WebEvent[];
afterEach(() => sandbox.close());

async function open(settings: SandboxOptions['settings'] = {}) {
  events = [];
  sandbox = await startSandbox({ seed: 'dashboard', merchants: [plan], start: START, port: 0, settings });
  const merchants = { M001: sandbox.merchants[0]!.dashboard! };
  const retries = { attempts: 8, firstDelay: 1, longestDelay: 4, longestRetryAfter: 10 };
  const baseUrl = sandbox.dashboardUrl;
  return openDashboard(dashboardSettings({ baseUrl }, { events, merchants, retries })).open('M001');
}

const value = <T>(decoded: Decoded<T>): T => (decoded as { readonly value: T }).value;
const held = (): readonly Payment[] => sandbox.booksOf('M001').payments.map((payment) => value(decodePayment(payment)));
const WHOLE = { from: Date.UTC(2026, 7, 1), until: START };

test.each([
  ['whole', null],
  ['cut short in silence', 25],
])('reads reports, payments, limits and counters: lists are %s', async (_, paymentCap) => {
  const snapshot = await open({ misbehaviour: trouble, dashboard: { tokenLifetime: HOUR, paymentCap } });
  const { rows, rejected } = await readPayments(snapshot, WHOLE);
  expect([rows.length, rejected]).toEqual([held().length, []]);
  expect(rows).toEqual(held());
  const reports = await snapshot.reports();
  expect(reports.rows).toEqual(sandbox.booksOf('M001').reports.map((report) => value(decodeServiceReport(report))));
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
  expect(events.filter(({ what }) => what === 'login').length).toBeGreaterThan(3);
});
