// One transaction on one pooled connection. Refuses to give a connection back in doubt: if rolling back fails, it is
// closed. Its SQL is text: it begins and ends transactions.

import type pg from 'pg';
import type { Store } from './store.ts';

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
  // A connection cut in mid-transaction is reported by the query under way; without a listener it would end the process.
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
