// What a quiet night costs over the direct API, in calls by path. What is over costs nothing,
// however much of it there is.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { DAY, formatInstant, type Instant, MINUTE } from '../../src/core/domain/instant.ts';
import { readOpen } from '../../src/core/kernel/reconcile/books-text.ts';
import { HTTP_DEFAULTS } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import { defineFault } from '../../src/sandbox/faults/port/planting.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import type { ServedOperation } from '../../src/sandbox/model/served.ts';
import type { GivenSettings } from '../../src/sandbox/service/account/settings.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { outcomeOf, runSource } from '../support/nightly-run.ts';

const OPENS = Date.UTC(2026, 7, 1);
const START = OPENS + 40 * DAY;
const MONTH = 30 * DAY;

let sandbox: Sandbox;
let opened: TestStore;
let between: Server;
let asked: string[];

/** Adds so many more cash-ins that failed, between two instants. */
function failing(
  count: number,
  { from, until }: { readonly from: Instant; readonly until: Instant },
) {
  return defineFault('FAILED_CASHINS', {
    says: 'more cash-ins have failed',
    change: (books) => {
      const model = books.operations.find(
        ({ type, status }) => type === 'CASHIN' && status === 'FAILED',
      )!;
      const more = Array.from({ length: count }, (_, i): ServedOperation => {
        const at = from + Math.floor((i * (until - from)) / count);
        const [createdAt, endedAt, expiresAt] = [0, 1, 30].map((minutes) =>
          formatInstant(at + minutes * MINUTE),
        );
        const reference = `GUI-CI-${from}${i}`;
        const times = {
          createdAt: createdAt!,
          updatedAt: endedAt!,
          completedAt: endedAt!,
          expiresAt: expiresAt!,
        };
        return { ...model, ...times, reference, externalReference: null };
      });
      const operations = [...books.operations, ...more].sort((a, b) =>
        a.createdAt < b.createdAt ? -1 : 1,
      );
      return { books: { ...books, operations }, sequence: null, operationReference: null };
    },
  });
}

/**
 * Returns a shop of seventy days, with four operations that stay open for ever. Half of the
 * `failed` ones come after the first night.
 */
function shopWith(failed: number) {
  const overdue = Array.from({ length: 4 }, () => faultNamed('OPERATION_OVERDUE')!);
  return planMerchant({
    reference: 'M001',
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: 6,
      expiryRate: 0.1,
      adjustmentsPerMonth: 0,
      paymentsPerDay: 0,
    },
    opensAt: OPENS,
    moves: [{ at: START + MONTH - DAY, wallet: 'FROZEN' }],
    faults: [failing(failed / 2, { from: OPENS + DAY, until: START - DAY }), ...overdue],
    laterFaults: [
      {
        fault: failing(failed / 2, { from: START, until: START + MONTH - 2 * DAY }),
        at: START + MONTH - 2 * DAY,
      },
    ],
  });
}

async function begin(failed: number, settings: GivenSettings = {}): Promise<void> {
  asked = [];
  sandbox = await startSandbox({
    seed: 'calls',
    merchants: [shopWith(failed)],
    start: START,
    port: 0,
    settings,
  });
  opened = await openTestStore();
  between = createServer(async (request, response) => {
    asked.push(request.url!);
    const answer = await fetch(`${sandbox.url}${request.url}`, {
      headers: request.headers as Record<string, string>,
    });
    const headers = { 'content-type': 'application/json', date: answer.headers.get('date')! };
    response.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
}
afterEach(async () => {
  between.closeAllConnections();
  between.close();
  await Promise.all([sandbox.close(), opened.close()]);
});

/** Works one night as a process of its own would, and returns its calls by path. */
async function night() {
  asked.length = 0;
  const source = openHttpSource({
    ...HTTP_DEFAULTS,
    baseUrl: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    merchants: Object.fromEntries(
      sandbox.merchants.map((merchant) => [merchant.reference, merchant]),
    ),
    clock: () => sandbox.now(),
    random: () => 0.5,
    log: () => {},
  });
  try {
    const outcome = outcomeOf(await runSource(opened.store, source), 'M001');
    const byPath = Object.groupBy(asked, (url) =>
      url
        .replace(/\?.*status=(\w+).*/, ' $1')
        .replace(/\?.*/, '')
        .replace(/^(\/operations)\/.*/, '$1/{reference}'),
    );
    const calls = Object.fromEntries(
      Object.entries(byPath).map(([path, urls]) => [path, urls!.length]),
    );
    return { outcome, calls, all: asked.length };
  } finally {
    await source.close();
  }
}

/**
 * Works nights up to the first quiet one: the first night reads all, the second the news of a
 * month; then there is none.
 */
async function firstQuietNight() {
  await night();
  await sandbox.advanceTo(START + MONTH);
  await night();
  await sandbox.advanceTo(START + MONTH + DAY);
  return night();
}

async function stateKept(): Promise<string> {
  return (await opened.store.pool.query<{ state: string }>('select state from checkpoints'))
    .rows[0]!.state;
}

const NEWEST_FIRST = { ledgerOrder: 'descending', operationOrder: 'newest-first' } as const;
const OLDEST_FIRST = { ledgerOrder: 'ascending', operationOrder: 'oldest-first' } as const;

test.each<[string, number, GivenSettings]>([
  ['oldest first', 10, OLDEST_FIRST],
  ['oldest first', 2_000, OLDEST_FIRST],
  ['newest first', 10, NEWEST_FIRST],
  ['newest first', 2_000, NEWEST_FIRST],
])(
  'a quiet night over lists served %s costs ten calls at most, with %i failed cash-ins behind it',
  async (_, failed, settings) => {
    await begin(failed, settings);
    const { outcome, calls } = await firstQuietNight();
    expect(outcome.report.operations).toBeGreaterThan(300 + failed);
    expect(outcome.entriesAdded + outcome.operationsChanged).toBe(0);
    expect(outcome.report.findings.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 4 }, () => 'OPERATION_OVERDUE'),
    );
    const twice = settings === OLDEST_FIRST ? 2 : 1;
    expect(calls).toEqual({
      '/merchants/me': 1,
      // With the oldest lines first, the first page shows how the list is served, and the last page
      // what is new. With the newest first, a line at the far end shows that nothing moved.
      '/ledger': 2,
      '/operations': twice,
      '/operations PENDING': 1,
      '/operations REVERSED': 1,
      '/wallet': 1,
    });
    expect(Object.values(calls).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(10);
    const state = await stateKept();
    expect(readOpen(state).open).toHaveLength(4);
    await sandbox.advanceTo(sandbox.now() + DAY);
    expect((await night()).calls).toEqual(calls);
    expect(await stateKept()).toBe(state);
  },
);
