// One moment of the database, seen through several connections, so that streams can run side by side and agree. Refuses
// to use the pool: a reading lasts, and a task that holds pooled connections while it waits for more could wait forever.

import type pg from 'pg';
import { connectAlone, type Store } from './open-store.ts';

export interface Snapshot {
  /** For short queries; sees the snapshot. */
  readonly client: pg.Client;
  /** Another connection that sees the same snapshot, for one stream; closed with the snapshot. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/**
 * Streams come out of an index in its order. Without these settings a planner that has no statistics yet (a mirror just
 * filled) sorts the whole history first, on disk, and parallel workers would fight the replay for the processor.
 */
const STREAMING = `
  set local max_parallel_workers_per_gather = 0;
  set local enable_sort = off;
  set local jit = off`;

export async function openSnapshot(store: Store): Promise<Snapshot> {
  const clients: pg.Client[] = [];
  const connect = async (then: string) => {
    const client = await connectAlone(store);
    clients.push(client);
    await client.query(`begin isolation level repeatable read read only; ${then}`);
    return client;
  };
  const close = async () => {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  };
  try {
    const client = await connect('');
    const exported = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const id = exported.rows[0]!.id;
    return { client, connect: () => connect(`set transaction snapshot '${id}'; ${STREAMING}`), close };
  } catch (error) {
    await close();
    throw error;
  }
}
