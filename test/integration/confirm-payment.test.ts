// An unsigned notification of a payment by link is confirmed by what the dashboard serves, or it is
// not.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { formatInstant, HOUR } from '../../src/core/domain/instant.ts';
import type { Dashboard } from '../../src/core/domain/published/dashboard-snapshot.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { saveNotification } from '../../src/io/storage/notifications/notifications.ts';
import { refresh } from '../../src/service/workflows/mirror/refresh.ts';
import { arraySource } from '../support/array-source.ts';
import { rawPayment } from '../support/dashboard-rows.ts';
import {
  type DashboardService,
  dashboardSettings,
  startDashboardService,
} from '../support/dashboard-service.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { EVENING } from '../support/nightly-run.ts';

let opened: TestStore;
let service: DashboardService;
let dashboard: Dashboard;
beforeAll(async () => {
  opened = await openTestStore();
});
beforeEach(async () => {
  service = await startDashboardService();
  dashboard = openDashboard(dashboardSettings(service));
});
afterEach(async () => {
  await dashboard.close();
  await service.close();
});
afterAll(() => opened.close());

const made = EVENING - 3 * HOUR;

function signal(changes: { readonly reference: string; readonly created_date?: undefined }) {
  const body = { status: 'SUCCESS', amount: 5_000, created_date: formatInstant(made), ...changes };
  return saveNotification(opened.store, {
    merchant: 'M001',
    channel: 'payments',
    eventId: null,
    type: 'SUCCESS',
    operationReference: changes.reference,
    createdAt: made,
    receivedAt: EVENING,
    fault: null,
    body: Buffer.from(JSON.stringify(body)),
  });
}

async function confirm(reference: string, from: Dashboard | null): Promise<object> {
  const events: object[] = [];
  const log = (event: object) => void events.push(event);
  const source = arraySource(null as never);
  const outcome = await refresh(
    { store: opened.store, source, dashboard: from, log },
    { merchant: 'M001', reference },
  );
  expect(events).toEqual([{ event: 'refreshed', merchant: 'M001', reference, outcome }]);
  return { outcome };
}

test.each([
  ['confirmed', {}],
  ['contradicted', { status: 'FAILED' }],
  ['contradicted', { amount: 5_001 }],
  ['pending', { status: 'PENDING' }],
  ['unknown', { reference: 'PAY2' }],
])(
  'says that it is %s, by what the dashboard serves, and stores nothing',
  async (outcome, served) => {
    service.payments = [
      rawPayment({ reference: 'PAY1', amount: 5_000, createdAt: formatInstant(made), ...served }),
    ];
    await signal({ reference: 'PAY1' });
    expect(await confirm('PAY1', dashboard)).toEqual({ outcome });
    expect((await opened.store.pool.query('select 1 from operation_versions')).rowCount).toBe(0);
  },
);

test('makes no call without a dashboard, a notification, or a time to look at', async () => {
  const notAsked = { outcome: 'not asked' };
  expect(await confirm('PAY3', dashboard)).toEqual(notAsked);
  await signal({ reference: 'PAY3', created_date: undefined });
  expect(await confirm('PAY3', dashboard)).toEqual(notAsked);
  await signal({ reference: 'PAY3' });
  expect(await confirm('PAY3', null)).toEqual(notAsked);
  expect(service.asked).toEqual([]);
  expect(await confirm('PAY3', dashboard)).toEqual({ outcome: 'unknown' });
});
