// Payments by link as books, read over HTTP night by night into a real database, beside the
// notifications of them. Lawful payments of every kind show nothing, and each fault is one finding
// until it is put right.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, formatInstant, MINUTE } from '../../src/core/domain/instant.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { saveNotification } from '../../src/io/storage/notifications/notifications.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { arraySource } from '../support/array-source.ts';
import { paymentAt } from '../support/dashboard-rows.ts';
import {
  type DashboardService,
  dashboardSettings,
  type Json,
  startDashboardService,
} from '../support/dashboard-service.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const plan = planMerchant({
  reference: 'M001',
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 2 },
});
const books = decodeBooks(simulateBooks(plan, { seed: 'links', until: plan.opensAt + 20 * DAY }));
const EVENING = books.asOf;
const options = { grace: 0, clockTolerance: 5 * MINUTE, pinned: {}, opening: null };

let service: DashboardService;
let opened: TestStore;

beforeEach(async () => {
  [service, opened] = await Promise.all([startDashboardService(), openTestStore()]);
});
afterEach(async () => {
  await Promise.all([service.close(), opened.close()]);
});

async function atDashboard<T>(
  use: (place: ReturnType<typeof openDashboard>) => Promise<T>,
): Promise<T> {
  const place = openDashboard(dashboardSettings(service));
  return use(place).finally(() => place.close());
}

/** Returns what a night that many days later says of payments by link: kind and message. */
async function night(days = 0): Promise<readonly string[]> {
  const now = EVENING + days * DAY;
  return atDashboard(async (dashboard) => {
    const { merchants } = await runMerchants({
      store: opened.store,
      source: arraySource({ ...books, asOf: now }),
      engine: 'test',
      clock: () => now,
      merchants: [],
      optionsFor: (_, asOf) => ({ ...options, asOf }),
      onMerchant: () => () => {},
      published: { dashboard, months: 3, summaryKeys: {} },
    });
    const { report } = merchants[0]!;
    return report.findings.filter(isOfPayments).map(({ kind, message }) => `${kind}: ${message}`);
  });
}

/** Audits the mirror as of that many days after the first night. */
function auditedAt(days: number) {
  return atDashboard((dashboard) =>
    auditMirror(opened.store, {
      merchants: [],
      published: { dashboard, months: 3, summaryKeys: {} },
      onMerchant: () => () => {},
      optionsFor: () => ({ ...options, asOf: EVENING + days * DAY }),
    }),
  );
}

function isOfPayments({ kind }: { readonly kind: string }): boolean {
  return /^(PAYMENT|ORDER)_/.test(kind) && kind !== 'PAYMENT_COUNT_MISMATCH';
}

async function openFindings(): Promise<readonly string[]> {
  const { rows } = await opened.store.pool.query<{ kind: string }>(
    `select kind from findings where state = 'open' and kind ~ '^(PAYMENT|ORDER)_' order by kind`,
  );
  return rows.map(({ kind }) => kind);
}

function serve(...payments: readonly Json[]): void {
  service.payments = payments.toSorted((a, b) =>
    String(a.createdAt) < String(b.createdAt) ? -1 : 1,
  );
}

const at = (days: number): number => EVENING + Math.round(days * DAY);
const payment = (number: number, days: number, change: Json = {}): Json =>
  paymentAt(number, at(days), { order_id: `CMD-${number}`, ...change });

async function tell(
  number: number,
  days: number,
  change: Json = {},
  arrives = days + 0.01,
): Promise<void> {
  const reference = `PAY${String(number).padStart(6, '0')}`;
  const said = {
    status: 'SUCCESS',
    amount: 1_500,
    reference,
    created_date: formatInstant(at(days)),
    ...change,
  };
  await saveNotification(opened.store, {
    merchant: 'M001',
    channel: 'payments',
    eventId: null,
    type: String(said.status),
    operationReference: reference,
    createdAt: at(days),
    receivedAt: at(arrives),
    fault: null,
    body: Buffer.from(JSON.stringify(said)),
  });
}

async function versionsKept(): Promise<number> {
  const { rows } = await opened.store.pool.query<{ count: string }>(
    'select count(*) from payment_versions',
  );
  return Number(rows[0]!.count);
}

test('lawful payments of every kind show nothing, night after night, and a night with nothing new keeps nothing', async () => {
  serve(
    payment(1, -9),
    payment(2, -8, { status: 'FAILED', senderOperateur: null }),
    payment(3, -7, { order_id: 'TABLE-5' }),
    payment(4, -5, { order_id: 'TABLE-5' }),
    payment(5, -0.5, { status: 'PENDING', senderOperateur: null }),
    payment(6, -0.2, { status: 'PENDING', senderOperateur: 'Wave' }),
  );
  await tell(1, -9);
  await tell(1, -9, {}, -8.5);
  await tell(3, -7);
  await tell(4, -5, {
    amount: undefined,
    metadata: { note: 'x' },
    provider: 'MTN',
    country_code: 'CI',
  });
  await tell(2, -8, { status: 'FAILED', fees: null });
  expect(await night()).toEqual([]);
  expect(await versionsKept()).toBe(6);
  expect(await night(0.1)).toEqual([]);
  expect(await versionsKept()).toBe(6);
  serve(
    ...(service.payments.slice(0, 4) as Json[]),
    payment(5, -0.5, { status: 'FAILED', senderOperateur: null }),
    payment(6, -0.2, { status: 'SUCCESS', senderOperateur: 'MTN' }),
  );
  expect(await night(1)).toEqual([]);
  expect(await versionsKept()).toBe(8);
});

test('a link that is still pending long after its end is a finding until it has ended', async () => {
  serve(payment(1, -3, { status: 'PENDING', senderOperateur: null }));
  const told = [
    expect.stringContaining('PAYMENT_OVERDUE: Payment PAY000001 of 1 500 is still PENDING'),
  ];
  expect(await night()).toEqual(told);
  expect(await night(1)).toEqual(told);
  serve(payment(1, -3, { status: 'FAILED' }));
  expect(await night(2)).toEqual([]);
  expect(await openFindings()).toEqual([]);
});

describe('what an earlier look saw', () => {
  test.each<readonly [string, Json | null, string]>([
    [
      'of an outcome',
      { status: 'FAILED' },
      'PAYMENT_OUTCOME_CHANGED: Payment PAY000001 of 1 500 was SUCCESS and is FAILED now.',
    ],
    [
      'of a payment at all',
      null,
      'PAYMENT_OUTCOME_CHANGED: Payment PAY000001 of 1 500 was SUCCESS and is not served any more.',
    ],
    [
      'of its amount',
      { amount: 1_400 },
      'PAYMENT_FIELD_CHANGED: Of payment PAY000001, amount was 1500 and is 1400 now.',
    ],
    [
      'of its order',
      { order_id: 'CMD-9' },
      'PAYMENT_FIELD_CHANGED: Of payment PAY000001, order_id was CMD-1 and is CMD-9 now.',
    ],
  ])(
    '%s stands, or is told, and is found no more when it is as it was',
    async (_, change, told) => {
      serve(payment(1, -3), payment(2, -2));
      expect(await night()).toEqual([]);
      serve(...(change === null ? [] : [payment(1, -3, change)]), payment(2, -2));
      expect(await night(1)).toEqual([told]);
      expect(await night(2)).toEqual([told]);
      const audited = await auditedAt(2);
      expect(
        audited[0]!.findings.filter(isOfPayments).map(({ kind, message }) => `${kind}: ${message}`),
      ).toEqual([told]);
    },
  );

  test('is judged only where all payments of that time could be read', async () => {
    serve(payment(1, -3), payment(2, -2));
    expect(await night()).toEqual([]);
    serve(payment(2, -2, { amount: 'many' }));
    expect(await night(1)).toEqual([]);
  });
});

test('an audit of an earlier day says that what is published now was not held against it', async () => {
  serve(payment(1, -9, { status: 'PENDING' }));
  expect(await night()).toEqual([expect.stringContaining('PAYMENT_OVERDUE')]);
  const [report] = await auditedAt(-5);
  expect(report!.findings.filter(isOfPayments)).toEqual([]);
  const why = 'what is published of them now says nothing of an earlier day';
  expect(report!.notChecked.map(({ what, why: said }) => [what, said])).toEqual(
    expect.arrayContaining([
      ['payments', why],
      ['payouts', why],
    ]),
  );
});

test('one order that was paid twice within a day over one amount is one finding', async () => {
  serve(
    payment(1, -3, { order_id: 'CMD-1' }),
    payment(2, -2.9, { order_id: 'CMD-1' }),
    payment(3, -2.8, { order_id: 'CMD-1', status: 'FAILED' }),
    payment(4, -2.7, { order_id: 'CMD-1', amount: 900 }),
    payment(5, -1, { order_id: 'CMD-1' }),
  );
  const told =
    'ORDER_PAID_TWICE: Order CMD-1 was paid 2 times within a day, each time 1 500: PAY000001, then PAY000002.';
  expect(await night()).toEqual([told]);
});

describe('what was notified', () => {
  test.each([
    [
      'an outcome',
      { status: 'FAILED' },
      'is FAILED over 1 500; the dashboard serves it as SUCCESS over 1 500.',
    ],
    [
      'an amount',
      { amount: 2_500 },
      'is SUCCESS over 2 500; the dashboard serves it as SUCCESS over 1 500.',
    ],
  ])(
    'of %s is held against the dashboard, and one that agrees is enough',
    async (_, change, told) => {
      serve(payment(1, -3));
      await tell(1, -3, change);
      expect(await night()).toEqual([
        `PAYMENT_EVENT_CONTRADICTS: A notification says that payment PAY000001 ${told}`,
      ]);
      await tell(1, -3, {}, 0.5);
      expect(await night(1)).toEqual([]);
      expect(await openFindings()).toEqual([]);
    },
  );

  test('of a payment that is pending when it is read moments later proves nothing yet', async () => {
    serve(payment(1, -0.5, { status: 'PENDING' }));
    await tell(1, -0.5, {}, -0.001);
    expect(await night()).toEqual([]);
    expect(await night(0.2)).toEqual([expect.stringContaining('PAYMENT_EVENT_CONTRADICTS')]);
  });

  test('lacks a payment that succeeded, once no attempt is left; the service may say why', async () => {
    serve(payment(1, -9), payment(2, -6), payment(3, -1));
    await tell(1, -9);
    const told =
      'PAYMENT_EVENT_MISSING: No notification says that payment PAY000002 of 1 500 succeeded';
    expect(await night()).toEqual([`${told}.`]);
    const failed = { id: 'w-1', status: 'ABANDONED', reference: 'PAY000002', attempts: 8 };
    service.payouts = { 'webhooks/failed': [failed] };
    expect(await night(0.1)).toEqual([`${told}; the service lists its delivery as ABANDONED.`]);
    await tell(2, -6, {}, 0.2);
    expect(await night(0.5)).toEqual([]);
    expect(await openFindings()).toEqual([]);
  });

  test('names an unknown payment: one finding for all of them', async () => {
    serve(payment(1, -3));
    await tell(1, -3);
    for (const number of [7, 8, 9]) await tell(number, -2);
    const told =
      'PAYMENT_EVENT_UNKNOWN: A notification says that payment PAY000007 is SUCCESS, and the dashboard does not know it, nor 2 other payments that were notified.';
    expect(await night()).toEqual([told]);
  });

  test('is not missed by a merchant that never received any', async () => {
    serve(payment(1, -9), payment(2, -6));
    expect(await night()).toEqual([]);
  });
});
