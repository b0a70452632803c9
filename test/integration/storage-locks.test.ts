// One connection holds the locks of every merchant that a process works on. When it is lost, none
// of its leases is valid.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveConclusion } from '../../src/io/storage/conclusions/save-conclusion.ts';
import {
  holdsLock,
  type Lease,
  LeaseLost,
  lockHeadsOf,
  withMerchantLock,
} from '../../src/io/storage/merchants/merchant-lock.ts';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { startRun } from '../../src/io/storage/nights/nights.ts';
import { inTransaction } from '../../src/io/storage/server/connections.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { unreachable } from '../../src/service/workflows/audit/audit-source.ts';
import { line, lines, rowsOf } from '../support/database-books.ts';
import { startChild } from '../support/database-child.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';

let opened: TestStore;
let store: Store;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());

/** Takes the locks of all these merchants at once, and holds them while `work` runs. */
async function holding(
  merchants: readonly string[],
  work: (leases: readonly Lease[]) => Promise<void>,
): Promise<void> {
  const leases: Lease[] = [];
  let release = (): void => {};
  const isDone = new Promise<void>((resolve) => {
    release = resolve;
  });
  const acquired = merchants.map((merchant) =>
    withMerchantLock(store, merchant, async (lease) => {
      leases.push(lease);
      await isDone;
    }),
  );
  await expect.poll(() => leases.length).toBe(merchants.length);
  await work(leases).finally(release);
  await Promise.all(acquired);
}

/** Returns the sessions of this database that hold advisory locks, and how many locks they hold. */
async function lockHolders(): Promise<readonly { readonly pid: number; readonly locks: number }[]> {
  const answer = await store.pool.query<{ pid: number; locks: number }>(
    `select pid, count(*)::int as locks
    from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    group by pid`,
  );
  return answer.rows;
}

const TWENTY = Array.from({ length: 20 }, (_, i) => `acquired-${i}`);

test('the locks of many merchants are held by one connection, and each is given back when its work is done', async () => {
  await holding(TWENTY, async () => {
    expect((await lockHolders()).map(({ locks }) => locks)).toEqual([20]);
  });
  expect(await lockHolders()).toEqual([]);
});

test('a process cannot take a merchant that it works on already', async () => {
  await holding(['twice'], async () => {
    expect(await withMerchantLock(store, 'twice', async () => 1)).toEqual({ acquired: false });
    expect((await lockHolders()).map(({ locks }) => locks)).toEqual([1]);
  });
  expect(await withMerchantLock(store, 'twice', async () => 1)).toEqual({
    acquired: true,
    value: 1,
  });
});

test('when that connection is lost no lease that it gave writes any more, and others may have the merchants', async () => {
  await holding(['lost-1', 'lost-2'], async (leases) => {
    for (const lease of leases) await savePage(store, lease, { entries: [line(1)] });
    const [holder] = await lockHolders();
    await store.pool.query('select pg_terminate_backend($1::int)', [holder!.pid]);
    await expect.poll(lockHolders).toEqual([]);
    for (const lease of leases) await expect.poll(() => holdsLock(lease)).toBe(false);
    for (const lease of leases) {
      const refused = savePage(store, lease, { entries: [line(2)] });
      await expect(refused).rejects.toMatchObject({ code: 'LEASE_LOST', isTakenOver: false });
      const runId = await startRun(store, { startedAt: 0, source: 'test', engine: 'test' });
      const report = unreachable(lease.merchant, 'nothing');
      const checkpoint = {
        lastSequence: 1,
        lastIntake: 1,
        state: '{}',
        engine: 'test',
        quiet: null,
      };
      const concluded = saveConclusion(store, lease, { runId, report, checkpoint });
      await expect(concluded).rejects.toBeInstanceOf(LeaseLost);
    }
    const child = await startChild({
      address: opened.databaseUrl,
      task: 'lock',
      merchant: 'lost-1',
    });
    expect(child.said).toBe('locked');
    await child.leave();
    // The merchant that comes next gets a new connection, whatever became of the old one.
    const next = await withMerchantLock(store, 'lost-3', (lease) =>
      savePage(store, lease, { entries: lines(1, 2) }),
    );
    expect(next.acquired && next.value.entriesAdded).toBe(2);
  });
  for (const merchant of ['lost-1', 'lost-2']) {
    const snapshot = await openMirrorSnapshot(store, { merchant, after: null, watermark: null });
    expect((await rowsOf(snapshot.entries())).map(({ sequence }) => sequence)).toEqual([1]);
    await snapshot.close();
    expect((await withMerchantLock(store, merchant, async () => 1)).acquired).toBe(true);
  }
});

test('heads are locked in the order of merchants, wherever their rows lie: two that lock several never wait for each other', async () => {
  notOnCitus('waits for a lock, which on a cluster is a node’s');
  await holding(['head-1', 'head-2'], async (leases) => {
    const [first, second] = leases.map(({ merchantId }) => merchantId).toSorted((a, b) => a - b);
    // From now on its row lies after the other's in the table.
    await store.pool.query('update merchant_heads set fence = fence where merchant_id = $1', [
      first,
    ]);
    const waiting = async () =>
      (
        await store.pool.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount;
    const other = await store.pool.connect();
    const lock = (merchantId: number | undefined) =>
      other.query('select 1 from merchant_heads where merchant_id = $1 for update nowait', [
        merchantId,
      ]);
    await other.query('begin');
    await lock(first);
    // The server reads a small table in this way once it knows that it is small.
    const settings = 'set local enable_indexscan = off; set local enable_bitmapscan = off';
    const locked = inTransaction(
      store,
      (client) => lockHeadsOf(client, [second!, first!]),
      settings,
    );
    await expect.poll(waiting).toBe(1);
    await lock(second).finally(() => other.query('commit').finally(() => other.release()));
    await locked;
  });
});

test('readings one after the other share their connections, also when a stream was left', async () => {
  await withMerchantLock(store, 'many', (lease) =>
    savePage(store, lease, { entries: lines(1, 3_000) }),
  );
  const opened = async (): Promise<number> => {
    const answer = await store.pool.query<{ newest: number }>(
      "select count(*)::int as newest from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
    );
    return answer.rows[0]!.newest;
  };
  const before = await opened();
  for (let turn = 0; turn < 10; turn += 1) {
    const snapshot = await openMirrorSnapshot(store, {
      merchant: 'many',
      after: null,
      watermark: null,
    });
    if (turn % 5 === 0) {
      for await (const batch of snapshot.entries()) {
        expect(batch.rows.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(await rowsOf(snapshot.entries())).toHaveLength(3_000);
    await snapshot.close();
  }
  expect((await opened()) - before).toBeLessThanOrEqual(4);
});
