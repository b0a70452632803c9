// The queue on a real database: a job that is sent once is done once, goes back uncounted, is tried
// again, and is given up.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { openQueue } from '../../src/service/queue/open-queue.ts';
import { PutBack, type WorkQueue } from '../../src/service/workflows/jobs.ts';
import { openTestStore, type TestStore, withTestStore } from '../support/database-store.ts';

const settings = { attempts: 2, takeOverSeconds: 10, longestMinutes: 1 };
const told: object[] = [];

describe('the queue', () => {
  let opened: TestStore;
  let queue: WorkQueue;

  beforeAll(async () => {
    opened = await openTestStore();
    const log = (event: object) => void told.push(event);
    queue = await openQueue({ store: opened.store, settings, works: true, log, pollSeconds: 0.5 });
  });
  afterAll(async () => {
    await queue.stop(5);
    await opened.close();
  });

  /** Returns the id of the row that stands for the merchant's job at work. */
  async function rowOf(merchant: string): Promise<string> {
    const sql = `select id from pgboss.job where singleton_key = $1 and state = 'active'`;
    return (await opened.store.pool.query<{ id: string }>(sql, [`1/1/${merchant}`])).rows[0]!.id;
  }

  test('does each key once, however often it is sent, and again when it is sent after that', async () => {
    const of = (merchant: string) => ({ runId: 1, round: 1, merchant }) as const;
    const request = (merchant: string) => ({ kind: 'merchant', data: of(merchant) }) as const;
    await queue.send([request('A'), request('A'), request('B')]);
    await queue.send([request('A')]);
    const seen: string[] = [];
    const dead: object[] = [];
    const busy: { readonly id: string; readonly row: string }[] = [];
    const there = async () => ({ seen, dead, told, depths: await queue.depths() });
    await queue.work(
      'merchant',
      async ({ id, data: { merchant }, attempt }) => {
        seen.push(`${merchant}${attempt}`);
        if (merchant === 'busy') busy.push({ id, row: await rowOf('busy') });
        if (merchant === 'poison') throw new Error('it does not add up');
        if (merchant === 'busy' && seen.filter((one) => one === 'busy1').length < 3)
          throw new PutBack('held', 0);
      },
      { atOnce: 2, onDead: async (job) => void dead.push(job) },
    );
    await until(() => seen.length >= 2, there);
    expect(seen.sort()).toEqual(['A1', 'B1']);
    seen.length = 0;
    // A job that is not yet given up is still the same job.
    while ((await queue.depths()).some(({ waiting, active }) => waiting + active > 0))
      await sleep(20);
    await queue.send([request('A'), request('busy'), request('poison')]);
    // Do not wait for exactly so many: a job that comes too often must show below, and not as a
    // wait without end.
    await until(() => dead.length >= 1 && seen.length >= 6, there);
    expect(seen.sort()).toEqual(['A1', 'busy1', 'busy1', 'busy1', 'poison1', 'poison2']);
    expect(dead).toEqual([{ data: of('poison'), attempts: 2, reason: 'it does not add up' }]);
    // What is written about an attempt after its end must not change the job that it has put back.
    expect(new Set(busy.map(({ id }) => id)).size).toBe(1);
    expect(new Set(busy.map(({ row }) => row)).size).toBe(3);
    const depth = (await queue.depths()).find(({ kind }) => kind === 'merchant');
    expect(depth).toEqual({ kind: 'merchant', waiting: 0, active: 0, failed: 1 });
    expect(told).toEqual([]);
  });
});

/** Waits until `holds`. Throws with what there is where it does not come. */
async function until(holds: () => boolean, there: () => Promise<unknown>): Promise<void> {
  const latest = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > latest) throw new Error(`after 20 s: ${JSON.stringify(await there())}`);
    await sleep(20);
  }
}

test('leaves nothing at work where it cannot be opened whole', async () => {
  const opened = await openTestStore();
  try {
    const { pool } = opened.store;
    const open = () => openQueue({ store: opened.store, settings, works: true, log: () => {} });
    await (await open()).stop(0);
    await pool.query(
      'alter table pgboss.schedule rename to gone; alter table pgboss.queue rename to gone_too',
    );
    await expect(open()).rejects.toThrow('does not exist');
    const sessions = `select from pg_stat_activity where datname = current_database() and application_name = 'pointage-queue'`;
    await sleep(500);
    expect((await pool.query(sessions)).rowCount).toBe(0);
  } finally {
    await opened.close();
  }
});

test('logs the stack of a failure, and nothing of what the database adds to it', async () => {
  await withTestStore(async (store) => {
    const events: object[] = [];
    const log = (event: object) => void events.push(event);
    const queue = await openQueue({ store, settings, works: true, log, pollSeconds: 0.5 });
    await queue.work('merchant', async () => {}, { atOnce: 1 });
    const rename = () => store.pool.query('alter table pgboss.job rename column data to gone');
    // The queue may just be reading that table: one of the two is then ended as a deadlock.
    await rename().catch(rename);
    const text = expect.stringMatching(/^error: column "data" does not exist .*\n +at /);
    await expect.poll(() => events).toContainEqual({ event: 'queue failed', failure: text });
    await queue.stop(0);
  });
});

test('outlives a database that says farewell while the queue stops, and listens again after a loss', async () => {
  await withTestStore(async (_, databaseUrl) => {
    const between = await startFarewellProxy(databaseUrl);
    const store = await openStore({ databaseUrl: between.databaseUrl, dataDirectory: '' });
    const events: object[] = [];
    const queue = await openQueue({
      store,
      settings,
      works: true,
      log: (event) => void events.push(event),
    });
    await until(
      () => between.listening() === 1,
      async () => events,
    );
    between.cutListening();
    await until(
      () => between.listening() === 2,
      async () => events,
    );
    expect(events).toContainEqual({
      event: 'queue failed',
      failure: expect.stringContaining('listens'),
    });
    await queue.stop(0);
    expect(between.farewells()).toBeGreaterThan(0);
    await store.close();
    await between.close();
  });
});

/**
 * Starts a proxy that answers the Terminate of each connection that has listened with the error of
 * a server that shuts down.
 */
async function startFarewellProxy(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const folder = url.searchParams.get('host');
  const { hostname, port } = url;
  const field = (code: string, text: string) => Buffer.from(`${code}${text}\0`);
  const fields = Buffer.concat([
    field('S', 'FATAL'),
    field('C', '57P01'),
    field('M', 'terminating'),
    Buffer.alloc(1),
  ]);
  const farewell = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), fields]);
  farewell.writeInt32BE(farewell.length - 1, 1);
  const open = new Set<Socket>();
  const ears = new Set<Socket>();
  let [listening, farewells] = [0, 0];
  const server = createServer((client) => {
    const upstream =
      folder === null
        ? connect(Number(port || '5432'), hostname)
        : connect(`${folder}/.s.PGSQL.5432`);
    for (const socket of [client, upstream]) open.add(socket.on('error', () => {}));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    upstream.on('data', (part) => {
      client.write(part);
      if (!part.includes('LISTEN\0')) return;
      ears.add(client);
      listening += 1;
    });
    client.on('data', (part) => {
      const ends = ears.has(client) && part.equals(Buffer.from([0x58, 0, 0, 0, 4]));
      if (!ends) return void upstream.write(part);
      farewells += 1;
      client.write(farewell);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    databaseUrl: url.href,
    listening: () => listening,
    farewells: () => farewells,
    cutListening: () => {
      for (const ear of ears) ear.destroy();
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
