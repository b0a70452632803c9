// One generation of a merchant's month at a time. Refuses no caller: the second one waits, and then finds what the first
// has issued.

import { connectAlone } from './open-store.ts';
import type { Store } from './store.ts';

/**
 * Runs `work` while no other process issues this month of this merchant. The lock has a connection of its own and goes with
 * it; should that be lost, the unique keys of `reports` still let one of two generations through.
 */
export async function withMonthLock<T>(
  store: Store,
  month: { readonly merchant: string; readonly period: string },
  work: () => Promise<T>,
): Promise<T> {
  const client = await connectAlone(store);
  const name = JSON.stringify(['report', month.merchant, month.period]);
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    // The end of the connection gives the lock back.
    await client.end().catch(() => {});
  }
}
