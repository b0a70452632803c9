// From a notification to the mirror, through the real server, the real queue and the simulated
// service.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { dispatchAtOnce, openCourier } from '../../src/sandbox/courier/courier.ts';
import { directParcel } from '../../src/sandbox/courier/parcels.ts';
import { refreshHandler } from '../../src/service/compose/plans.ts';
import { inboxOf } from '../../src/service/compose/service.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { openQueue } from '../../src/service/queue/open-queue.ts';
import type { WorkQueue } from '../../src/service/workflows/jobs.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks, makeOperation, referenceOf } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { runOver } from '../support/nightly-run.ts';
import { READ_AT } from '../support/report-books.ts';
import { startTestServer, type TestServer } from '../support/report-server.ts';
import { notificationBody } from '../support/signed-notification.ts';

const SECRET = 'whsec_0123456789abcdef';
const settings = { attempts: 3, takeOverSeconds: 10, longestMinutes: 1 };

let opened: TestStore;
let service: HttpService;
let queue: WorkQueue;
let server: TestServer;
const events: object[] = [];

beforeEach(async () => {
  opened = await openTestStore();
  service = await startHttpService({ M001: makeHttpBooks('M001', 20) });
  await runOver(opened.store, service);
  const { store } = opened;
  const runtime = {
    clock: () => READ_AT,
    random: () => 0.5,
    log: (event: object) => void events.push(event),
  };
  queue = await openQueue({ store, settings, works: true, log: runtime.log, pollSeconds: 0.5 });
  const merchants = { M001: { accountants: [], notifications: { current: SECRET } } };
  const configuration = { ...(await loadConfiguration({}, {})), merchants };
  const inbox = inboxOf(configuration, store, { jobs: queue, ...runtime });
  server = await startTestServer(store, { server: { inbox, log: runtime.log } });
  const refreshing = refreshHandler({
    runtime,
    store,
    published: null,
    source: openSource(service),
  });
  await queue.work('refresh', refreshing, { atOnce: 1 });
});
afterEach(async () => {
  await server.close();
  await queue.stop(1);
  await service.close();
  await opened.close();
});

async function notify(number: number) {
  const operation = { reference: referenceOf(number) };
  const body = notificationBody({
    id: `evt_${number}`,
    merchantReference: 'M001',
    data: { operation },
  });
  const url = `${server.origin}/notifications/direct/M001`;
  const parcel = directParcel(JSON.parse(body), { url, secret: () => SECRET, at: READ_AT });
  const { state } = await dispatchAtOnce(
    openCourier({}, () => READ_AT),
    parcel,
    READ_AT,
  );
  return state;
}

async function isMirrored(number: number): Promise<boolean> {
  const answer = await opened.store.pool.query(
    'select 1 from operation_versions where reference = $1',
    [referenceOf(number)],
  );
  return answer.rowCount === 1;
}

test('a notified operation is in the mirror soon after, also when the merchant is being worked on first', async () => {
  service.books.M001!.operations.push(makeOperation(21), makeOperation(22));
  expect(await notify(21)).toBe('SUCCESS');
  await expect.poll(() => isMirrored(21), { timeout: 10_000 }).toBe(true);
  expect(events).toContainEqual({
    event: 'refreshed',
    merchant: 'M001',
    reference: referenceOf(21),
    outcome: 'changed',
  });
  const asked = service.asked.length;
  await withMerchantLock(opened.store, 'M001', async () => {
    expect(await notify(22)).toBe('SUCCESS');
    const waiting = async () => (await queue.depths()).find(({ kind }) => kind === 'refresh');
    await expect
      .poll(waiting, { timeout: 10_000 })
      .toMatchObject({ waiting: 1, active: 0, failed: 0 });
    expect(service.asked).toHaveLength(asked);
  });
});
