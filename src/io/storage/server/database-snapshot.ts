// One moment of the database, seen through several connections, so that streams can run side by
// side and agree. Refuses to use the pool: a reading takes long, and a task that holds pooled
// connections while it waits for more could wait forever. Its SQL is text: it begins transactions
// and sets their settings.

import type pg from 'pg';
import type { Store } from './store.ts';

export interface DatabaseSnapshot {
  /** A connection that sees the snapshot, for short queries. */
  readonly client: pg.Client;
  /** Runs queries on `client` one after the other, for several users who share it. */
  ask<T>(question: (client: pg.Client) => Promise<T>): Promise<T>;
  /**
   * The SQL that begins a transaction in which a stream sees the snapshot, on a connection of the
   * caller.
   */
  readonly beginStream: string;
  /** Opens another connection that sees the snapshot, for one stream. */
  connect(): Promise<pg.Client>;
  /** Takes back a connection, idle or with an abandoned stream. */
  release(client: pg.Client): void;
  close(): Promise<void>;
}

/**
 * Settings that make PostgreSQL find all rows by an index. Without them a planner that has no
 * statistics yet, because the mirror was just filled, reads the whole history for a few rows, and
 * parallel workers would compete with the replay for the processor.
 */
export const BY_INDEX = `
  set local enable_seqscan = off;
  set local max_parallel_workers_per_gather = 0;
  set local jit = off`;

/**
 * Settings that make a stream come out of its index in order, so that it begins at once, without a
 * sort of the whole history on disk.
 */
const IN_ORDER = `
  set local enable_sort = off`;

const BEGIN = 'begin isolation level repeatable read read only';

export async function openDatabaseSnapshot(store: Store): Promise<DatabaseSnapshot> {
  const clients = new Set<pg.Client>();
  const release = (client: pg.Client): void => {
    if (clients.delete(client)) store.lasting.giveBack(client);
  };
  const connect = async (statements: readonly string[]) => {
    const client = await store.lasting.borrow();
    clients.add(client);
    const begin = [BEGIN, ...statements].join(';');
    const answers = (await client.query(begin)) as unknown as readonly pg.QueryResult<{
      id: string;
    }>[];
    return { client, last: answers.at(-1)! };
  };
  const close = async () => {
    for (const client of clients) release(client);
  };
  try {
    const { client, last } = await connect([BY_INDEX, 'select pg_export_snapshot() as id']);
    const join = `set transaction snapshot '${last.rows[0]!.id}'`;
    const statements = [join, BY_INDEX, IN_ORDER];
    const stated = store.statement === undefined ? [] : [store.statement];
    const beginStream = [BEGIN, ...statements, ...stated].join(';');
    let turn: Promise<unknown> = Promise.resolve();
    const ask = <T>(question: (client: pg.Client) => Promise<T>): Promise<T> => {
      const answer = turn.then(() => question(client));
      turn = answer.catch(() => {});
      return answer;
    };
    return {
      client,
      ask,
      beginStream,
      connect: async () => (await connect(statements)).client,
      release,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
