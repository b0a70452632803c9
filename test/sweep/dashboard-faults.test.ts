// Faults in payments by link and payouts, planted in the living service and read over HTTP on two
// nights, with the notifications in between. Each is one root at its place, and nothing else is
// found; sound merchants have no finding.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareFound } from '../../bench/rehearsal/print-rehearsal.ts';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { HTTP_DEFAULTS } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import type { DashboardFault } from '../../src/sandbox/faults/port/planting.ts';
import { DASHBOARD_FAULTS } from '../../src/sandbox/faults/register.ts';
import {
  type MerchantPlan,
  ORDINARY_DASHBOARD,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { takeSignal } from '../../src/service/workflows/notifications/receive-notification.ts';
import { dashboardSettings } from '../support/dashboard-service.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { controlOf } from '../support/sandbox-caller.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { startReceiver, type WebhookReceiverServer } from '../support/webhook-receiver.ts';

const OPENS = Date.UTC(2026, 9, 4);
/**
 * A Tuesday, an hour before automatic payouts, whose week has its payout already, so that there is
 * something to pay out.
 */
const FIRST_NIGHT = OPENS + 9 * DAY + 22 * HOUR;
const SECOND_NIGHT = FIRST_NIGHT + 5 * DAY;
const SEEDS = Number(process.env.TEST_SEEDS ?? 1);

const settled = (mode: 'T0' | 'T1'): MerchantPlan['dashboard'] => ({
  ...ORDINARY_DASHBOARD,
  settlement: { mode, time: '23:00', timezone: 'UTC' },
});
const SOUND: readonly MerchantPlan['dashboard'][] = [
  ORDINARY_DASHBOARD,
  settled('T0'),
  settled('T1'),
  { ...ORDINARY_DASHBOARD, compliance: null, payoutAccounts: ['BANK'] },
];

interface Subject {
  readonly plan: MerchantPlan;
  readonly fault: DashboardFault | null;
}

function planOf(reference: string, dashboard: MerchantPlan['dashboard']): MerchantPlan {
  const none = { operationsPerDay: 0, adjustmentsPerMonth: 0 };
  // Amounts are so small that no ceiling is in the way of automatic payouts.
  const typicalAmount =
    dashboard.settlement.mode === 'MANUAL' ? ORDINARY_TRAFFIC.typicalAmount : 5_000;
  const traffic = { ...ORDINARY_TRAFFIC, ...none, paymentsPerDay: 5, typicalAmount };
  return planMerchant({ reference, dashboard, traffic, opensAt: OPENS, createdAt: OPENS });
}

const subjects: readonly Subject[] = [
  ...SOUND.map((dashboard, i) => ({ plan: planOf(`SAIN_${i}`, dashboard), fault: null })),
  ...DASHBOARD_FAULTS.flatMap((fault, i) =>
    Array.from({ length: SEEDS }, (_, seed) => {
      const dashboard = fault.shows === 'BETWEEN_LOOKS' ? settled('T0') : ORDINARY_DASHBOARD;
      return { plan: planOf(`FAUTE_${i}_${seed}`, dashboard), fault };
    }),
  ),
];
/**
 * Whether a merchant is notified. To plant a link that never ends, there must be one whose expired
 * links were not notified.
 */
const isTold = ({ fault }: Subject): boolean =>
  fault === null ||
  ['AFTER_A_LOOK', 'WHEN_NOTIFIED'].includes(fault.shows) ||
  fault.name === 'ORDER_PAID_TWICE';

let sandbox: Sandbox;
let opened: TestStore;
let receiver: WebhookReceiverServer;
let reports: ReadonlyMap<string, AuditReport>;
/** Merchants whose fault found no place. */
const refused = new Set<string>();

async function plant(times: readonly DashboardFault['shows'][]): Promise<void> {
  for (const { plan, fault } of subjects) {
    if (fault === null || !times.includes(fault.shows)) continue;
    const path = `/merchants/${plan.reference}/faults`;
    const { status } = await controlOf(sandbox)('POST', path, { body: { name: fault.name } });
    if (status !== 200) refused.add(plan.reference);
  }
}

async function night(): Promise<readonly AuditReport[]> {
  const clock = () => sandbox.now();
  const of = sandbox.merchants.map(({ reference, ...rest }) => [reference, rest] as const);
  const merchants = Object.fromEntries(of);
  const doors = Object.fromEntries(of.map(([reference, { dashboard }]) => [reference, dashboard!]));
  const settings = {
    ...HTTP_DEFAULTS,
    baseUrl: sandbox.url,
    merchants,
    clock,
    random: () => 0.5,
    log: () => {},
  };
  const source = openHttpSource(settings);
  const dashboard = openDashboard(
    dashboardSettings({ baseUrl: sandbox.dashboardUrl }, { merchants: doors }),
  );
  try {
    const run = await runMerchants({
      store: opened.store,
      source,
      engine: 'test',
      clock,
      merchants: [],
      optionsFor: (_, asOf) => ({
        asOf,
        grace: 0,
        clockTolerance: 5 * MINUTE,
        pinned: {},
        opening: null,
      }),
      onMerchant: () => () => {},
      published: { dashboard, months: 3, summaryKeys: {} },
    });
    return run.merchants.map(({ report }) => report);
  } finally {
    await source.close();
    await dashboard.close();
  }
}

beforeAll(async () => {
  [receiver, opened] = await Promise.all([startReceiver(null), openTestStore()]);
  const jobs = { send: async () => {} };
  receiver.answer = (response, { path, body }) => {
    const signal = { merchant: path.slice(1), receivedAt: sandbox.now(), body: Buffer.from(body) };
    void takeSignal({ store: opened.store, jobs, isKnown: async () => true }, signal).then(() =>
      response.writeHead(204).end(),
    );
  };
  const told = subjects.filter(isTold).map(({ plan: { reference } }) => reference);
  sandbox = await startSandbox({
    seed: TEST_SEED,
    merchants: subjects.map(({ plan }) => plan),
    start: OPENS,
    port: 0,
    control: true,
    notifyPayments: Object.fromEntries(
      told.map((name) => [name, `http://127.0.0.1:${receiver.port}/${name}`]),
    ),
  });
  await sandbox.advanceTo(FIRST_NIGHT);
  await plant(['AT_ONCE', 'BETWEEN_LOOKS']);
  await night();
  await plant(['AFTER_A_LOOK', 'WHEN_NOTIFIED']);
  await sandbox.advanceTo(SECOND_NIGHT);
  reports = new Map((await night()).map((report) => [report.merchant, report]));
}, 240_000);
afterAll(async () => {
  await sandbox.close();
  await Promise.all([receiver.close(), opened.close()]);
});

const wrongWith = (reference: string) => {
  const { missed, surplus } = compareFound(sandbox.expectedOf(reference), reports.get(reference)!);
  return { reference, missed, surplus: surplus.map(({ kind, message }) => `${kind}: ${message}`) };
};

test('sound merchants of every choice have no finding', () => {
  for (const { plan, fault } of subjects) {
    if (fault !== null) continue;
    const { reference } = plan;
    expect(sandbox.expectedOf(reference)).toEqual([]);
    expect(reports.get(reference)!.findings, reference).toEqual([]);
  }
});

test.each(DASHBOARD_FAULTS.map((fault) => [fault.name, fault.says] as const))(
  '%s is one root on the second night: %s',
  (name) => {
    const planted = subjects.filter(
      ({ plan, fault }) => fault?.name === name && !refused.has(plan.reference),
    );
    expect(planted.length, 'places found').toBe(SEEDS);
    for (const { plan } of planted) {
      const { reference } = plan;
      expect(sandbox.expectedOf(reference)).toHaveLength(1);
      expect(wrongWith(reference)).toEqual({ reference, missed: [], surplus: [] });
    }
  },
);
