// What every place that holds a dashboard promises, run over each of them: the same rows are
// published in the way of the place, and must come out in the same words.

import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import type {
  Dashboard,
  DashboardSnapshot,
} from '../../src/core/domain/published/dashboard-snapshot.ts';
import {
  OCTOBER,
  paymentAt,
  type RawPayouts,
  rawPayment,
  rawPayouts,
  rawReport,
  readPayments,
} from '../support/dashboard-rows.ts';
import type { Json } from '../support/dashboard-service.ts';

export interface RawDashboard {
  /** In any order. */
  readonly payments: readonly Json[];
  readonly reports: readonly unknown[];
  readonly payouts: RawPayouts;
}

export interface DashboardUnderContract {
  /** Of one merchant, M001. */
  readonly publish: (
    raw: RawDashboard,
  ) => Promise<{ readonly dashboard: Dashboard; readonly withdraw: () => Promise<void> }>;
  /** True where a payment can stand twice, in two states. */
  readonly servesRepetitions: boolean;
}

export function describeDashboard(name: string, under: DashboardUnderContract): void {
  describe(`${name}, as a dashboard`, () => {
    const published: { readonly dashboard: Dashboard; readonly withdraw: () => Promise<void> }[] =
      [];
    afterEach(async () => {
      for (const { dashboard, withdraw } of published.splice(0)) {
        await dashboard.close();
        await withdraw();
      }
    });
    const open = async (raw: Partial<RawDashboard>): Promise<DashboardSnapshot> => {
      const place = await under.publish({
        payments: [],
        reports: [],
        payouts: rawPayouts(),
        ...raw,
      });
      published.push(place);
      expect(await place.dashboard.merchants()).toEqual(['M001']);
      return place.dashboard.open('M001');
    };
    describePayments(open);
    describeReports(open);
    if (under.servesRepetitions) describeRepetitions(open);
    describePayouts(open);
    test('knows no merchant that it does not name', async () => {
      const place = await under.publish({ payments: [], reports: [], payouts: rawPayouts() });
      published.push(place);
      await expect(place.dashboard.open('M002')).rejects.toMatchObject({
        code: 'UNKNOWN_MERCHANT',
      });
    });
  });
}

type Open = (raw: Partial<RawDashboard>) => Promise<DashboardSnapshot>;

function describePayments(open: Open): void {
  test('gives the payments of a stretch of time, its beginning included and its end not', async () => {
    const edges = [
      OCTOBER.from - 1,
      OCTOBER.from,
      OCTOBER.from + 9 * DAY,
      OCTOBER.until - 1,
      OCTOBER.until,
    ];
    const snapshot = await open({ payments: edges.map((at, i) => paymentAt(i, at)) });
    const { rows, rejected } = await readPayments(snapshot);
    expect(rows.map(({ reference }) => reference).sort()).toEqual([
      'PAY000001',
      'PAY000002',
      'PAY000003',
    ]);
    expect(rejected).toEqual([]);
  });

  test('gives each payment once, also where many share an instant’s neighbourhood', async () => {
    const numbers = Array.from({ length: 60 }, (_, i) => i);
    const payments = numbers.map((i) => paymentAt(i, OCTOBER.from + Math.floor(i / 2) * 11 * HOUR));
    const { rows } = await readPayments(await open({ payments: payments.toReversed() }));
    expect(rows.map(({ reference }) => reference).sort()).toEqual(
      payments.map(({ reference }) => reference),
    );
  });

  test('reads a payment in the domain’s words, the operator in lower case', async () => {
    const { rows } = await readPayments(
      await open({ payments: [rawPayment({ senderOperateur: 'WAVE', extra: 1 })] }),
    );
    expect(rows).toEqual([
      {
        reference: 'PAY000001',
        amount: 1_500,
        country: 'CI',
        operator: 'wave',
        orderId: 'CMD-1',
        status: 'SUCCESS',
        createdAt: Date.UTC(2026, 9, 5, 8),
      },
    ]);
  });

  test('names a row that cannot be read, keeps it, and loses nothing else', async () => {
    const good = paymentAt(1, OCTOBER.from + DAY);
    const bad = paymentAt(2, OCTOBER.from + DAY + HOUR, { amount: 12.5 });
    const wallet = paymentAt(3, OCTOBER.from + DAY + 2 * HOUR, { reference: 'GUI-CI-000001' });
    const { rows, rejected } = await readPayments(await open({ payments: [good, bad, wallet] }));
    expect(rows.map(({ reference }) => reference)).toEqual(['PAY000001']);
    expect(rejected.map(({ reason }) => reason).sort()).toEqual([
      'amount is 12.5, not a whole number',
      'reference is "GUI-CI-000001", not the reference of a payment (PAY…)',
    ]);
    expect(
      rejected.map(({ part, raw }) => [part, raw.includes('PAY000002') || raw.includes('GUI-CI')]),
    ).toEqual([
      ['payments', true],
      ['payments', true],
    ]);
  });

  test('may be read twice, and an empty month is empty', async () => {
    const snapshot = await open({ payments: [rawPayment()] });
    expect((await readPayments(snapshot)).rows).toEqual((await readPayments(snapshot)).rows);
    expect(
      await readPayments(snapshot, { from: OCTOBER.until, until: OCTOBER.until + DAY }),
    ).toEqual({
      rows: [],
      rejected: [],
    });
  });
}

function describeReports(open: Open): void {
  test('gives every report, newest first, and null for what a report does not have yet', async () => {
    const nothing = {
      filename: null,
      fileUrl: null,
      fileSize: null,
      summary: null,
      generatedAt: null,
    };
    const pending = rawReport({
      id: 'p',
      period: '2026-11',
      periodStart: null,
      periodEnd: null,
      status: 'PENDING',
      ...nothing,
    });
    const failed = rawReport({ id: 'f', status: 'FAILED', error: 'disk full', ...nothing });
    const { rows, rejected } = await (
      await open({ reports: [pending, failed, rawReport()] })
    ).reports();
    expect(rejected).toEqual([]);
    expect(rows.map(({ id, status, error }) => [id, status, error])).toEqual([
      ['p', 'PENDING', null],
      ['f', 'FAILED', 'disk full'],
      ['00000000-0000-4000-8000-00000000000a', 'READY', null],
    ]);
    expect(rows[2]).toMatchObject({
      periodStart: OCTOBER.from,
      periodEnd: OCTOBER.until - 1,
      summary: { totalAmount: 1_500, paymentCount: 1 },
    });
  });

  test('refuses a report by name and keeps its neighbours', async () => {
    const { rows, rejected } = await (
      await open({ reports: [rawReport({ period: '2026-13' }), 7, rawReport()] })
    ).reports();
    expect(rows).toHaveLength(1);
    expect(rejected.map(({ reason }) => reason)).toEqual([
      'period is "2026-13", not a month like 2026-10',
      'the row is 7, not an object',
    ]);
    expect(new Set(rejected.map(({ place }) => place)).size).toBe(2);
  });
}

function describeRepetitions(open: Open): void {
  test('gives a payment that occurs twice in its final state, and refuses one that contradicts itself', async () => {
    const pending = rawPayment({ status: 'PENDING', senderOperateur: null });
    const twice = paymentAt(7, OCTOBER.from + DAY);
    const odd = [1_000, 2_000].map((amount) => paymentAt(8, OCTOBER.from + DAY, { amount }));
    const { rows, rejected } = await readPayments(
      await open({ payments: [rawPayment(), pending, twice, twice, ...odd] }),
    );
    expect(rows.map(({ reference, status }) => [reference, status]).sort()).toEqual([
      ['PAY000001', 'SUCCESS'],
      ['PAY000007', 'SUCCESS'],
    ]);
    expect(rejected.map(({ reference }) => reference)).toEqual(['PAY000008', 'PAY000008']);
  });
}

function describePayouts(open: Open): void {
  test('gives payouts in the domain’s words, decimals as texts', async () => {
    const { payouts } = await open({});
    const said = await Promise.all([
      payouts.limits(),
      payouts.counters(),
      payouts.balance(),
      payouts.settlement(),
    ]);
    expect(said.map(({ value }) => value)).toEqual([
      { ceiling: 200_000, used: 50_000, remaining: 150_000, compliance: 'PENDING' },
      { succeeded: 1, pending: 0, failed: 1 },
      { balance: '125000.5' },
      {
        mode: 'T0',
        time: '06:00',
        timezone: 'Africa/Douala',
        lastSettlementAt: Date.UTC(2026, 9, 5, 5),
        hasPrimaryAccount: true,
        primaryAccountType: 'BANK',
        mobileMoneyRate: '1.5',
        bankFixed: '500',
      },
    ]);
    expect(said.flatMap(({ rejected, absent }) => [...rejected, absent])).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('gives every payout and payout account, without their numbers', async () => {
    const { payouts } = await open({});
    const { value: list } = await payouts.list();
    expect(list).toEqual([
      {
        id: 'd-1',
        reference: 'DEC-1',
        amount: 50_000,
        fees: '500',
        status: 'SUCCESS',
        mode: 'T0',
        payoutAccountId: 'a-1',
        accountType: 'BANK',
        createdAt: Date.UTC(2026, 9, 5, 5),
        completedAt: Date.UTC(2026, 9, 5, 6),
        failureReason: null,
      },
      expect.objectContaining({
        id: 'd-2',
        fees: null,
        status: 'FAILED',
        failureReason: 'Compte fermé',
      }),
    ]);
    const { value: accounts } = await payouts.accounts();
    expect(accounts).toEqual([
      { id: 'a-1', type: 'BANK', isPrimary: true, createdAt: Date.UTC(2026, 8, 1) },
    ]);
  });

  test('gives the statistics of payments, and deliveries with what their payload tells', async () => {
    const { payouts } = await open({});
    expect((await payouts.statistics()).value).toEqual({
      counts: { total: 3, succeeded: 1, pending: 1, failed: 1 },
      months: [{ month: '2026-10', total: 3, succeeded: 1, pending: 1, failed: 1, amount: 1_500 }],
      days: [{ date: '2026-10-05', count: 1, amount: 1_500 }],
    });
    expect((await payouts.deliveries()).value).toEqual([
      {
        id: 'n-1',
        status: 'ABANDONED',
        reference: 'PAY000001',
        outcome: 'SUCCESS',
        amount: 1_500,
        attempts: 1,
        lastStatus: 404,
        nextRetryAt: null,
        createdAt: Date.UTC(2026, 9, 5, 8),
      },
    ]);
  });

  test('refuses by name what it cannot read, keeps none of its bytes but of rows of a list, and reads the others', async () => {
    const raw = rawPayouts();
    const { payouts } = await open({
      payouts: {
        ...raw,
        'get-balance': { balance: '12,5' },
        'settlement-settings': { ...raw['settlement-settings'], time: '6h' },
        'list-disbursements': [{ ...raw['list-disbursements'][0], amount: 12.5 }],
      },
    });
    const refused = await Promise.all([payouts.balance(), payouts.settlement(), payouts.list()]);
    expect(refused.map(({ value }) => value)).toEqual([null, null, null]);
    expect(
      refused.map(({ rejected }) => rejected.map(({ part, reason }) => [part, reason])),
    ).toEqual([
      [['payouts', 'balance is "12,5", not a decimal number']],
      [['payouts', 'time is "6h", not a time of day like 06:00']],
      [['payouts', 'amount is 12.5, not a whole number']],
    ]);
    expect((await payouts.counters()).value).not.toBeNull();
  });

  test('takes a bare text for a balance, and no compliance file for none', async () => {
    const { limits } = rawPayouts().compliance;
    const { payouts } = await open({
      payouts: {
        ...rawPayouts(),
        'get-balance': '125000.00',
        compliance: { compliance: null, limits },
      },
    });
    expect((await payouts.balance()).value).toEqual({ balance: '125000' });
    expect((await payouts.limits()).value?.compliance).toBeNull();
  });
}
