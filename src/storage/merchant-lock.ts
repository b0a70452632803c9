// One writer a merchant. A session lock in the database keeps a second process out while the first lives; a fence number
// keeps a process out that only believes it still holds the lock. Refuses to wait: who comes second is told so.

import type pg from 'pg';
import { connectAlone, type Store } from './open-store.ts';

/** The right to write one merchant's books, as long as nobody has taken it over. Given by `withMerchantLock` only. */
export interface Lease {
  readonly merchant: string;
  readonly merchantId: number;
  readonly fence: number;
}

export type LockOutcome<T> = { readonly held: true; readonly value: T } | { readonly held: false };

/** Another process has taken the merchant over; nothing of the refused write was saved. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  readonly code = 'LEASE_LOST';
}

/** First key of our advisory locks ('poin'); the second is the merchant's number. */
const LOCK_CLASS = 0x706f696e;

/**
 * Runs `work` while no other process works on `merchant`; `held: false`, at once, when one does. A merchant that is new
 * is entered. The lock has a connection of its own and goes with it; if that is lost, another process may begin, and
 * from then on every write under this lease fails with `LeaseLost`.
 */
export async function withMerchantLock<T>(
  store: Store,
  merchant: string,
  work: (lease: Lease) => Promise<T>,
): Promise<LockOutcome<T>> {
  const client = await connectAlone(store);
  try {
    const merchantId = await enterMerchant(client, merchant);
    const key = [LOCK_CLASS, merchantId];
    const answer = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1::int, $2::int) as held', key);
    if (answer.rows[0]?.held !== true) return { held: false };
    try {
      const value = await work({ merchant, merchantId, fence: await raiseFence(client, merchantId) });
      return { held: true, value };
    } finally {
      // If the connection broke, the lock went with it.
      await client.query('select pg_advisory_unlock($1::int, $2::int)', key).catch(() => {});
    }
  } finally {
    await client.end().catch(() => {});
  }
}

/** Locks the merchant's head until the transaction ends. Throws `LeaseLost` when the lease is no longer good. */
export async function requireLease(client: pg.ClientBase, lease: Lease): Promise<void> {
  const head = await client.query(
    `select 1
    from merchant_heads
    where merchant_id = $1 and fence = $2
    for update`,
    [lease.merchantId, lease.fence],
  );
  if (head.rowCount === 0) throw leaseLost(lease);
}

export function leaseLost(lease: Lease): LeaseLost {
  return new LeaseLost(`Another process has taken over the merchant ${lease.merchant}; this write was not saved.`);
}

async function enterMerchant(client: pg.ClientBase, reference: string): Promise<number> {
  const find = 'select merchant_id from merchants where reference = $1';
  const known = await client.query<{ merchant_id: number }>(find, [reference]);
  if (known.rows[0] === undefined) {
    await client.query('insert into merchants (reference) values ($1) on conflict (reference) do nothing', [reference]);
  }
  const merchantId = (known.rows[0] ?? (await client.query<{ merchant_id: number }>(find, [reference])).rows[0]!)
    .merchant_id;
  await client.query('insert into merchant_heads (merchant_id) values ($1) on conflict (merchant_id) do nothing', [
    merchantId,
  ]);
  return merchantId;
}

/** Waits for a write that a former holder has under way: it is either whole before this, or refused after it. */
async function raiseFence(client: pg.ClientBase, merchantId: number): Promise<number> {
  const raised = await client.query<{ fence: number }>(
    `update merchant_heads
    set fence = fence + 1
    where merchant_id = $1
    returning fence`,
    [merchantId],
  );
  return raised.rows[0]!.fence;
}
