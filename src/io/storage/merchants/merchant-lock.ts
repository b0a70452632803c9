// One writer a merchant. A session lock in the database keeps a second process out while the first lives; a fence number
// keeps a process out that only believes it still holds the lock. Refuses to wait: the second process is refused at once.

import type pg from 'pg';
import { askTogether } from '../../together/ask-together.ts';
import { anyOf, ask, build, prepare, type Slots, unnest } from '../server/ask.ts';
import type { Store } from '../server/store.ts';
import { type MerchantLock, tryLock } from './lock-session.ts';
import { enterMerchant } from './merchants.ts';

/** The right to write one merchant's books, until another process takes it over. Given by `withMerchantLock` only. */
export interface Lease {
  readonly merchant: string;
  readonly merchantId: number;
  readonly fence: number;
}

export type LockOutcome<T> = { readonly acquired: true; readonly value: T } | { readonly acquired: false };

/** The lease is no longer good; nothing of the refused write was saved. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  readonly code = 'LEASE_LOST';
  /** True when another process has taken the merchant over; false when the connection that held its lock was lost. */
  readonly isTakenOver: boolean;
  constructor(isTakenOver: boolean, message: string) {
    super(message);
    this.isTakenOver = isTakenOver;
  }
}

/** The lock of a lease. */
const lockOf = new WeakMap<Lease, MerchantLock>();

/**
 * Runs `work` while no other process works on `merchant`; `acquired: false`, at once, when one does, or when this process does
 * already. A merchant that is new is entered. All locks of a store are held by one connection; if that is lost, so are all
 * of them: another process may begin, and from then on every write under these leases fails with `LeaseLost`.
 */
export async function withMerchantLock<T>(
  store: Store,
  merchant: string,
  work: (lease: Lease) => Promise<T>,
): Promise<LockOutcome<T>> {
  const merchantId = await enterMerchant(store, merchant);
  const lock = await tryLock(store, merchantId);
  if (lock === null) return { acquired: false };
  try {
    const lease: Lease = { merchant, merchantId, fence: await raiseFence(store, merchantId) };
    lockOf.set(lease, lock);
    return { acquired: true, value: await work(lease) };
  } finally {
    await lock.release();
  }
}

/** False when the connection that held its lock is gone. Only the fence proves that no other process took over. */
export function holdsLock(lease: Lease): boolean {
  return lockOf.get(lease)?.isLost() !== true;
}

/** Locks the merchant's head until the transaction ends. Throws `LeaseLost` when the lease is no longer good. */
export async function requireLease(client: pg.ClientBase, lease: Lease): Promise<void> {
  if ((await lockHeads(client, [lease])).size === 0) throw leaseLost(lease);
}

/** Locks the heads until the transaction ends. Gives the leases that are still good. */
export async function lockHeads(client: pg.ClientBase, leases: readonly Lease[]): Promise<ReadonlySet<Lease>> {
  const standing = leases.filter(holdsLock);
  const { rows } = await ask(client, headsToLock({ merchantIds: standing.map(({ merchantId }) => merchantId) }));
  const fences = new Map(rows.map((row) => [row.merchant_id, row.fence]));
  return new Set(standing.filter(({ merchantId, fence }) => fences.get(merchantId) === fence));
}

interface OfMerchants {
  readonly merchantIds: readonly number[];
}

/** Locks the merchant's head until the transaction ends, with or without its lease. */
export async function lockHead(client: pg.ClientBase, merchantId: number): Promise<void> {
  await ask(client, headsToLock({ merchantIds: [merchantId] }));
}

/** A write locks as `for update` does, and may span several shards: Citus refuses row locks that do. */
const headsToLock = prepare('lock heads', (at: Slots<OfMerchants>) =>
  build
    .updateTable('merchant_heads')
    .set(({ ref }) => ({ fence: ref('fence') }))
    .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
    .returning(['merchant_id', 'fence']),
);

export function leaseLost(lease: Lease): LeaseLost {
  const { merchant } = lease;
  if (holdsLock(lease)) {
    return new LeaseLost(true, `Another process has taken over the merchant ${merchant}; this write was not saved.`);
  }
  const message = `The connection that held the lock of the merchant ${merchant} was lost; this write was not saved.`;
  return new LeaseLost(false, message);
}

/** Waits for a write that a former holder has under way: it is either whole before this, or refused after it. */
const raiseFence = askTogether<number, number, Store>(async ({ pool }, merchantIds) => {
  const { rows } = await ask(pool, raisedFences({ merchantIds }));
  const fences = new Map(rows.map((row) => [row.merchant_id, row.fence]));
  return merchantIds.map((merchantId) => fences.get(merchantId)!);
});

const raisedFences = prepare('raise fences', (at: Slots<OfMerchants>) =>
  build
    .insertInto('merchant_heads')
    .columns(['merchant_id', 'fence'])
    .expression((from) =>
      from
        .selectFrom(unnest('given', { merchant_id: ['bigint', at('merchantIds')] }))
        .select(({ lit }) => ['given.merchant_id', lit(1).as('fence')])
        .orderBy('given.merchant_id'),
    )
    .onConflict((conflict) =>
      conflict.column('merchant_id').doUpdateSet(({ eb, lit }) => ({ fence: eb('merchant_heads.fence', '+', lit(1)) })),
    )
    .returning(['merchant_heads.merchant_id', 'merchant_heads.fence']),
);
