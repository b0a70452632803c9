// The balance by link and the statistics over HTTP, night by night. They are compared with all
// payments that there ever were, of which each night reads two months. Lawful figures show nothing,
// one that is off by one is found, and what cannot be read is said.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { saveNotification } from '../../src/io/storage/notifications/notifications.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { arraySource } from '../support/array-source.ts';
import { dashboardSettings } from '../support/dashboard-service.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const OPENS = Date.UTC(2026, 0, 10);
/** The instant of the first night. Half a year of payments is older than what a night looks at. */
const START = OPENS + 250 * DAY;
const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 1, paymentsPerDay: 1 };
const planFrom = (opensAt: number) =>
  planMerchant({ reference: 'M001', traffic, opensAt, createdAt: opensAt });
const books = decodeBooks(
  simulateBooks(planFrom(START - 20 * DAY), { seed: 'links', until: START }),
);

let sandbox: Sandbox;
let opened: TestStore;
let between: Server;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
/**
 * For the last words of a path, what becomes of its answer, or the status that is answered instead.
 */
let altered: Map<string, (answer: never) => unknown>;
let asked: string[];

async function begin(opensAt = OPENS): Promise<void> {
  [altered, asked] = [new Map(), []];
  receiver = await startReceiver(null);
  const notifyPayments = { M001: `http://127.0.0.1:${receiver.port}/` };
  sandbox = await startSandbox({
    seed: 'balance',
    merchants: [planFrom(opensAt)],
    start: START,
    port: 0,
    control: true,
    notifyPayments,
  });
  opened = await openTestStore();
  between = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url!, 'http://x');
    asked.push(`${pathname}${search}`);
    const { authenticationtoken } = request.headers as Record<string, string>;
    const answer = await fetch(`${sandbox.dashboardUrl}${request.url}`, {
      method: request.method!,
      headers: {
        'content-type': 'application/json',
        ...(authenticationtoken ? { authenticationtoken } : {}),
      },
      ...(request.method === 'POST' ? { body: await text(request) } : {}),
    });
    const change = altered.get(pathname.split('/').at(-1)!);
    const said =
      change === undefined
        ? await answer.text()
        : JSON.stringify(change((await answer.json()) as never));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said);
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
}
afterEach(async () => {
  between.closeAllConnections();
  between.close();
  await Promise.all([sandbox.close(), receiver.close(), opened.close()]);
});

/**
 * Works a night and returns kinds and differences of findings about payouts and payments, and codes
 * of what was not checked.
 */
async function nightAfter(days: number) {
  await sandbox.advanceTo(sandbox.now() + days * DAY);
  const [first, ...others] = receiver.calls.splice(0);
  if (first !== undefined) await takeNotification(first.body);
  await Promise.all(others.map(({ body }) => takeNotification(body)));
  asked.length = 0;
  const now = sandbox.now();
  const { port } = between.address() as AddressInfo;
  const settings = dashboardSettings({ baseUrl: `http://127.0.0.1:${port}` });
  const { numero, password } = sandbox.merchants[0]!.dashboard!;
  const dashboard = openDashboard({
    ...settings,
    deadline: 20_000,
    merchants: { M001: { numero, password } },
  });
  const { merchants } = await runMerchants({
    store: opened.store,
    source: arraySource({ ...books, asOf: now }),
    engine: 'test',
    clock: () => now,
    merchants: [],
    optionsFor: (_, asOf) => ({
      grace: 0,
      clockTolerance: 5 * MINUTE,
      pinned: {},
      opening: null,
      asOf,
    }),
    onMerchant: () => () => {},
    published: { dashboard, months: 2, summaryKeys: {} },
  }).finally(() => dashboard.close());
  const { findings, notChecked } = merchants[0]!.report;
  const published = findings.filter(({ kind }) =>
    /^(LINK|PAYOUT|PAYMENT|SETTLEMENT|ORDER|REPORT)/.test(kind),
  );
  return {
    found: published.map(({ kind, difference }) => `${kind} ${difference}`),
    codes: notChecked.map(({ code }) => code),
    searches: asked.filter((path) => path.includes('/payments/search')).length,
    others: asked.filter((path) => !path.includes('/payments/search')).length,
  };
}

async function takeNotification(body: string): Promise<void> {
  const said = JSON.parse(body) as { readonly reference: string; readonly status: string };
  await saveNotification(opened.store, {
    merchant: 'M001',
    channel: 'payments',
    eventId: null,
    type: said.status,
    operationReference: said.reference,
    createdAt: null,
    receivedAt: sandbox.now() - HOUR,
    fault: null,
    body: Buffer.from(body),
  });
}

const offBy =
  (by: number) =>
  ({ balance }: { balance: string }) => ({ balance: String(Number(balance) + by) });

test('a sound merchant has nothing wrong, and later nights read two months and no more', {
  timeout: 120_000,
}, async () => {
  await begin();
  const first = await nightAfter(0);
  expect(first.found).toEqual([]);
  expect(first.codes).not.toContain('BALANCE_WITHOUT_ALL');
  // The fees of payments are not known that were notified before anybody listened.
  expect(first.codes).toEqual(expect.arrayContaining(['BALANCE_BOUNDED', 'DAYS_SINCE']));
  for (const days of [1, 1, 9, 40, 130]) {
    const { found, codes, searches, others } = await nightAfter(days);
    expect({ days, found }).toEqual({ days, found: [] });
    expect(codes).not.toContain('BALANCE_WITHOUT_ALL');
    // Three calls for each window of a month, the last of which may be one day.
    expect(searches).toBeLessThanOrEqual(days > 100 ? 24 : 15);
    expect(others).toBe(14);
  }
  const { rows } = await opened.store.pool.query(
    "select count(*)::int as kept from payout_readings where part = 'payments'",
  );
  expect(rows[0].kept).toBeLessThanOrEqual(5);
});

describe('what is off is found', { timeout: 120_000 }, () => {
  test('in the statistics of all time, and of a month long ago, whichever night it is', async () => {
    await begin();
    altered.set('merchants-transactions-count', (counts: { success: number }) => ({
      ...counts,
      success: counts.success + 100,
    }));
    expect((await nightAfter(0)).found).toEqual([
      expect.stringMatching(/^PAYMENT_COUNT_MISMATCH (9\d|100)$/),
    ]);
    altered.delete('merchants-transactions-count');
    expect((await nightAfter(1)).found).toEqual([]);
    altered.set(
      'merchants-monthly-transactions-count',
      (months: { month: string; failed: number; total: number }[]) =>
        months.map((one) =>
          one.month === '2026-02' ? { ...one, failed: one.failed + 1, total: one.total + 1 } : one,
        ),
    );
    expect((await nightAfter(20)).found).toEqual(['PAYMENT_COUNT_MISMATCH 1']);
  });

  test('in the balance, beyond the bounds of unknown fees', async () => {
    await begin();
    altered.set('get-balance', () => ({ balance: '999999999999' }));
    expect((await nightAfter(0)).found).toEqual([
      expect.stringMatching(/^LINK_BALANCE_MISMATCH \d+$/),
    ]);
    altered.delete('get-balance');
    expect((await nightAfter(1)).found).toEqual([]);
  });

  test('in the balance by one unit, where every fee is known', async () => {
    await begin(START);
    for (const days of [1, 30, 100, 1]) {
      const { found, codes } = await nightAfter(days);
      expect({ days, found }).toEqual({ days, found: [] });
      expect(codes).not.toContain('BALANCE_BOUNDED');
    }
    altered.set('get-balance', offBy(1));
    expect((await nightAfter(1)).found).toEqual(['LINK_BALANCE_MISMATCH 1']);
    altered.set('get-balance', offBy(-1));
    expect((await nightAfter(30)).found).toEqual(['LINK_BALANCE_MISMATCH -1']);
  });
});

test('a service that gives no old payments leaves the balance unjudged, and says so; the rest is judged', async () => {
  await begin();
  altered.set('search', (rows: { createdAt: string }[]) => {
    const isOld = rows.some(({ createdAt }) => Date.parse(createdAt) < START - 100 * DAY);
    return isOld ? 'no' : rows;
  });
  const { found, codes } = await nightAfter(0);
  expect(found).toEqual([]);
  expect(codes).toContain('BALANCE_WITHOUT_ALL');
  altered.delete('search');
  expect((await nightAfter(1)).codes).not.toContain('BALANCE_WITHOUT_ALL');
});
