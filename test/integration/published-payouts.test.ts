// Payouts, read over HTTP night by night into a real database: what is kept, which findings come
// and go, and what it costs.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, formatInstant, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { arraySource } from '../support/array-source.ts';
import { paymentAt, rawPayouts } from '../support/dashboard-rows.ts';
import {
  type DashboardService,
  dashboardSettings,
  startDashboardService,
} from '../support/dashboard-service.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const plan = planMerchant({ reference: 'M001' });
const books = decodeBooks(simulateBooks(plan, { seed: 'payouts', until: plan.opensAt + 20 * DAY }));
const LOOK = ['limits', 'counters', 'balance', 'settlement', 'payout', 'payments'];
/**
 * The one payment there is. Less the payout that succeeded, and less fees that no notification
 * told, it is the balance.
 */
const PAID = 176_000;

let service: DashboardService;
let opened: TestStore;
/** Every statement that the store was asked. */
let asked: string[];

beforeEach(async () => {
  [service, opened] = await Promise.all([startDashboardService(), openTestStore()]);
  service.payouts = sound();
  service.payments = [paymentAt(1, books.asOf - 5 * DAY, { amount: PAID })];
  asked = [];
  const heard = new WeakSet<object>();
  opened.store.pool.on('acquire', (client: object) => {
    if (heard.has(client)) return;
    heard.add(client);
    const queries = client as { query: (...words: unknown[]) => unknown };
    const query = queries.query.bind(client);
    queries.query = (...words: unknown[]) => {
      const [question] = words as [string | { readonly text: string }];
      asked.push(typeof question === 'string' ? question : question.text);
      return query(...words);
    };
  });
});

afterEach(async () => {
  await Promise.all([service.close(), opened.close()]);
});

function sound() {
  const raw = rawPayouts();
  const limits = { plafond: 200_000, consomme: 50_000, restant: 150_000 };
  const month = formatInstant(books.asOf).slice(0, 7);
  const dated = raw['list-disbursements'].map((one, i) => ({
    ...one,
    createdAt: `${month}-0${i + 1}T05:00:00.000Z`,
    completedAt: `${month}-0${i + 1}T06:00:00.000Z`,
  }));
  const paidAt = formatInstant(books.asOf - 5 * DAY);
  const counts = { total: 1, success: 1, pending: 0, failed: 0 };
  const statistics = {
    'merchants-transactions-count': counts,
    'merchants-monthly-transactions-count': [
      { ...counts, month: paidAt.slice(0, 7), amount: PAID },
    ],
    'merchants-transactions-flow': [{ date: paidAt.slice(0, 10), count: 1, amount: PAID }],
  };
  return {
    ...raw,
    ...statistics,
    compliance: { compliance: null, requiredDocuments: [], limits },
    'list-disbursements': dated,
  };
}

async function night(dashboard: 'asked' | 'none' = 'asked', later = 0) {
  const options = { grace: 0, clockTolerance: 5 * MINUTE, pinned: {}, opening: null };
  const place = openDashboard(dashboardSettings(service));
  try {
    const run = await runMerchants({
      store: opened.store,
      source: arraySource({ ...books, asOf: books.asOf + later }),
      engine: 'test',
      clock: () => books.asOf + later,
      merchants: [],
      optionsFor: (_, asOf) => ({ ...options, asOf }),
      onMerchant: () => () => {},
      ...(dashboard === 'none'
        ? {}
        : { published: { dashboard: place, months: 3, summaryKeys: {} } }),
    });
    return run.merchants[0]!;
  } finally {
    await place.close();
  }
}

async function kept(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await opened.store.pool.query<{ part: string; count: string }>(
    'select part, count(*) from payout_readings group by part order by part',
  );
  return Object.fromEntries(rows.map(({ part, count }) => [part, Number(count)]));
}

test('a first night keeps what it saw, and a night with nothing new adds nothing', async () => {
  const first = await night();
  expect(first.report.findings.filter(({ kind }) => kind.startsWith('PAYOUT'))).toEqual([]);
  expect(await kept()).toEqual({
    balance: 1,
    counters: 1,
    limits: 1,
    payments: 1,
    payout: 2,
    settlement: 1,
  });
  await night('asked', HOUR);
  expect(await kept()).toEqual({
    balance: 1,
    counters: 1,
    limits: 1,
    payments: 1,
    payout: 2,
    settlement: 1,
  });
  expect(Object.keys(await kept()).toSorted()).toEqual(LOOK.toSorted());
});

test('a night with nothing new asks three statements more at most, and without a dashboard none', async () => {
  await night();
  const cost = async (dashboard: 'asked' | 'none', later: number): Promise<number> => {
    asked.length = 0;
    await night(dashboard, later);
    return asked.filter((text) => !/^(begin|commit)/.test(text)).length;
  };
  await cost('asked', HOUR);
  const withOne = await cost('asked', 2 * HOUR);
  const withNone = await cost('none', 3 * HOUR);
  expect(withNone).toBeGreaterThan(5);
  // One statement for payouts, two for payments by link.
  expect(withOne - withNone).toBeLessThanOrEqual(3);
  expect(asked.filter((text) => text.includes('payout_readings'))).toEqual([]);
});

test('a payout that changes its outcome is found by what was kept, stays found, and is resolved when it is as it was', async () => {
  await night();
  const raw = sound();
  const [success, failure] = raw['list-disbursements'] as [object, object];
  service.payouts = {
    ...raw,
    'refunds-stats': { requestSuccess: 0, requestPending: 0, requestFailed: 2 },
    compliance: { ...raw.compliance, limits: { plafond: 200_000, consomme: 0, restant: 200_000 } },
    'list-disbursements': [{ ...success, status: 'FAILED' }, failure],
    'get-balance': { balance: '175000.50' },
  };
  const changed = await night('asked', HOUR);
  const found = changed.report.findings.filter(({ kind }) => /^(PAYOUT|LINK)/.test(kind));
  expect(found.map(({ kind, message }) => [kind, message])).toEqual([
    ['PAYOUT_OUTCOME_CHANGED', 'Of payout d-1 of 50 000, status was SUCCESS and is FAILED now.'],
  ]);
  expect(changed.report.verdict).toBe('broken');
  expect((await night('asked', 2 * HOUR)).changes.resolved).toEqual([]);
});

test('where the dashboard answers nothing of payouts, findings stay, and the missing answers are named', async () => {
  const raw = sound();
  service.payouts = {
    ...raw,
    compliance: { ...raw.compliance, limits: { plafond: 200_000, consomme: 1, restant: 3 } },
  };
  const first = await night();
  const [sum] = first.report.findings.filter(({ kind }) => kind === 'PAYOUT_LIMITS_INCONSISTENT');
  expect(sum).toBeDefined();
  service.payouts = {};
  service.compliance = { requiredDocuments: [] };
  const silent = await night('asked', HOUR);
  expect(silent.changes.resolved).toEqual([]);
  expect(silent.report.notChecked.map(({ what }) => what)).toContain('payouts get-balance');
  service.payouts = sound();
  expect((await night('asked', 2 * HOUR)).changes.resolved).toContain(sum!.fingerprint);
});

test('an audit of the mirror without a dashboard says that payouts were not checked', async () => {
  await night('none');
  const options = {
    asOf: books.asOf,
    grace: 0,
    clockTolerance: 5 * MINUTE,
    pinned: {},
    opening: null,
  };
  const [report] = await auditMirror(opened.store, {
    merchants: ['M001'],
    optionsFor: () => options,
    onMerchant: () => () => {},
  });
  expect(report!.notChecked).toContainEqual(
    expect.objectContaining({ what: 'payouts', incomplete: false }),
  );
});
