// Transactions on pooled connections, and connections for long work: readings and locks. The latter are not of the pool, so that
// long work never starves it; idle ones are kept a while, for a new one costs the server a new process. Refuses to give back or
// lend a broken connection. Its SQL is text: it begins and ends transactions.

import pg from 'pg';
import type { LastingConnections, Store } from './store.ts';

/**
 * Commits what `work` did, or nothing of it. A task holds at most one pooled connection, so the pool can't deadlock.
 * `settings`: SQL that holds for the transaction (`set local …`).
 */
export async function inTransaction<T>(
  store: Store,
  work: (client: pg.PoolClient) => Promise<T>,
  settings = '',
): Promise<T> {
  const client = await store.pool.connect();
  let broken: Error | undefined;
  // The query under way reports a cut connection; without a listener it would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query(`begin;${settings}`);
    const value = await work(client);
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Milliseconds for which an idle connection is kept. */
const IDLE = 10_000;

export function openLastingConnections(config: pg.ClientConfig): LastingConnections {
  const idle = new Map<pg.Client, NodeJS.Timeout>();
  const lost = new WeakSet<pg.Client>();
  let isClosed = false;

  const end = async (client: pg.Client): Promise<void> => {
    clearTimeout(idle.get(client));
    idle.delete(client);
    await client.end().catch(() => {});
  };
  const lose = (client: pg.Client): void => {
    lost.add(client);
    if (idle.has(client)) void end(client);
  };
  const keep = (client: pg.Client): void => {
    if (isClosed || lost.has(client)) void end(client);
    else idle.set(client, setTimeout(() => end(client), IDLE).unref());
  };
  return {
    async borrow() {
      const kept = [...idle.keys()].at(-1);
      if (kept !== undefined) {
        clearTimeout(idle.get(kept));
        idle.delete(kept);
        return kept;
      }
      const client = new pg.Client(config);
      // The next query reports a lost connection; without a listener it would end the process.
      client.on('error', () => lose(client));
      client.on('end', () => lose(client));
      await client.connect();
      return client;
    },
    giveBack(client) {
      // 'I': no transaction is open. An abandoned stream has broken its connection, which the rollback finds out.
      if (client.getTransactionStatus() === 'I') keep(client);
      else
        client.query('rollback').then(
          () => keep(client),
          () => end(client),
        );
    },
    async close() {
      isClosed = true;
      await Promise.all([...idle.keys()].map(end));
    },
  };
}
