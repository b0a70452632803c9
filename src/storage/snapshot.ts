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
 * Everything is found by its index. Without these settings a planner that has no statistics yet (a mirror just filled)
 * reads the whole history for a few rows of it, and parallel workers would fight the replay for the processor.
 */
export const BY_INDEX = `
  set local enable_seqscan = off;
  set local max_parallel_workers_per_gather = 0;
  set local jit = off`;

/** A stream comes out of its index in order, and begins at once: no sort of the whole history first, on disk. */
const IN_ORDER = `
  set local enable_sort = off`;

export async function openSnapshot(store: Store): Promise<Snapshot> {
  const clients: pg.Client[] = [];
  const connect = async (settings: readonly string[]) => {
    const client = await connectAlone(store);
    clients.push(client);
    await client.query(['begin isolation level repeatable read read only', ...settings].join(';'));
    return client;
  };
  const close = async () => {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  };
  try {
    const client = await connect([BY_INDEX]);
    const exported = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const id = exported.rows[0]!.id;
    return { client, connect: () => connect([`set transaction snapshot '${id}'`, BY_INDEX, IN_ORDER]), close };
  } catch (error) {
    await close();
    throw error;
  }
}
