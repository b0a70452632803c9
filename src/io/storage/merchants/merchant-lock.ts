// Each merchant has one writer at a time. An advisory lock keeps a second process out while the
// first lives. A fence number refuses the writes of a process that has lost its lock without
// knowing it. One session holds the locks of all merchants that this process works on: when its
// connection is lost, so is every lock. A second process never waits: it is refused at once.

import { type Selectable, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import { askTogether } from '../../together/ask-together.ts';
import {
  type Answer,
  ask,
  build,
  type Prepared,
  prepare,
  type Slots,
  unnest,
} from '../server/ask.ts';
import type { Store } from '../server/store.ts';
import { enterMerchant } from './merchants.ts';

/**
 * The right to write one merchant's books until another process takes it over. Only
 * `withMerchantLock` makes one.
 */
export interface Lease {
  readonly merchant: string;
  readonly merchantId: number;
  readonly fence: number;
}

export type LockOutcome<T> =
  | { readonly acquired: true; readonly value: T }
  | { readonly acquired: false };

/** Thrown when the lease was lost; nothing of the refused write was saved. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  readonly code = 'LEASE_LOST';
  /**
   * True when another process has taken the merchant over; false when the connection that held its
   * lock was lost.
   */
  readonly isTakenOver: boolean;
  constructor(isTakenOver: boolean, message: string) {
    super(message);
    this.isTakenOver = isTakenOver;
  }
}

const lockOf = new WeakMap<Lease, MerchantLock>();

/**
 * Runs `work` while no other process works on `merchant`. Returns `acquired: false`, at once, when
 * another process does, or this one does already. A merchant that is new to the store is entered.
 * One connection holds all locks of a store. If it is lost, so are all locks: other processes may
 * begin, and every later write under these leases fails with `LeaseLost`.
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

/**
 * Returns false when the connection that held the lock is gone. True does not prove that no other
 * process has taken over: only the fence does.
 */
export function holdsLock(lease: Lease): boolean {
  return lockOf.get(lease)?.isLost() !== true;
}

/**
 * Locks the merchant's head until the transaction ends. Throws `LeaseLost` when the lease is no
 * longer good.
 */
export async function requireLease(client: pg.ClientBase, lease: Lease): Promise<void> {
  if ((await lockHeads(client, [lease])).size === 0) throw leaseLost(lease);
}

export interface LockedHead {
  readonly entryCount: number;
  /** The state of the hash chain; `null` when the merchant has none yet. */
  readonly chain: Uint8Array | null;
}

/**
 * Locks the merchants' heads until the transaction ends. Returns the heads of the leases that were
 * not lost.
 */
export async function lockHeads(
  client: pg.ClientBase,
  leases: readonly Lease[],
): Promise<ReadonlyMap<Lease, LockedHead>> {
  const standing = leases.filter(holdsLock);
  const { rows } = await ask(
    client,
    headsToLock({ merchantIds: standing.map(({ merchantId }) => merchantId) }),
  );
  const heads = new Map(rows.map((row) => [row.merchant_id, row]));
  return new Map(
    standing.flatMap((lease) => {
      const head = heads.get(lease.merchantId);
      if (head === undefined || head.fence !== lease.fence) return [];
      return [[lease, { entryCount: head.entry_count, chain: head.chain }] as const];
    }),
  );
}

interface OfMerchants {
  readonly merchantIds: readonly number[];
}

/** Locks the merchants' heads until the transaction ends, with or without their leases. */
export async function lockHeadsOf(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<void> {
  await ask(client, headsToLock({ merchantIds }));
}

type Head = Pick<
  Selectable<Database['merchant_heads']>,
  'merchant_id' | 'fence' | 'entry_count' | 'chain'
>;

/**
 * Locks heads in the order of the merchants' numbers, so that two transactions which lock several
 * never wait for each other.
 */
const headsToLock = prepare('lock heads', (at: Slots<OfMerchants>) => {
  const numbers = build
    .selectFrom(unnest('given', { merchant_id: ['bigint', at('merchantIds')] }))
    .select(({ fn }) =>
      fn.agg<readonly number[]>('array_agg', ['given.merchant_id']).as('numbers'),
    );
  return build
    .selectFrom(sql<Head>`lock_heads(${numbers})`.as<'heads'>(sql.ref('heads')))
    .select(['merchant_id', 'fence', 'entry_count', 'chain']);
});

export function leaseLost(lease: Lease): LeaseLost {
  const { merchant } = lease;
  if (holdsLock(lease)) {
    return new LeaseLost(
      true,
      `Another process has taken over the merchant ${merchant}; this write was not saved.`,
    );
  }
  const message = `The connection that held the lock of the merchant ${merchant} was lost; this write was not saved.`;
  return new LeaseLost(false, message);
}

/**
 * Raises the merchant's fence number and gives the new one. It waits for a write that a former
 * holder has under way: such a write is either complete before this, or refused after it.
 */
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
      conflict
        .column('merchant_id')
        .doUpdateSet(({ eb, lit }) => ({ fence: eb('merchant_heads.fence', '+', lit(1)) })),
    )
    .returning(['merchant_heads.merchant_id', 'merchant_heads.fence']),
);

export interface MerchantLock {
  /**
   * True once the session that held the lock has ended: another process may have the lock by now.
   */
  isLost(): boolean;
  release(): Promise<void>;
}

/** The database session that holds this process's locks, from its first lock to its last. */
interface LockSession {
  readonly client: pg.Client;
  /** Locks held or being asked for. */
  users: number;
  isLost: boolean;
  /**
   * Settles when the session's last query has ended. The next query waits for it, because a
   * connection runs one at a time.
   */
  turn: Promise<unknown>;
  readonly onEnd: () => void;
}

interface Locks {
  readonly taken: Set<number>;
  session: LockSession | null;
  opening: Promise<LockSession> | null;
}

/**
 * The first key of our advisory locks ('poin'). The second key is a merchant's number, or a run's
 * number made negative.
 */
const LOCK_CLASS = 0x706f696e;

const locksOf = new WeakMap<Store, Locks>();

/**
 * Locks a merchant. Returns `null`, at once, when this process or another one has locked the
 * merchant.
 */
export async function tryLock(store: Store, merchantId: number): Promise<MerchantLock | null> {
  const locks = locksOf.get(store) ?? { taken: new Set<number>(), session: null, opening: null };
  locksOf.set(store, locks);
  // Our own locks are checked here, because the server takes one session for one owner and would
  // grant the lock again.
  if (locks.taken.has(merchantId)) return null;
  locks.taken.add(merchantId);
  try {
    const session = await joinSession(store, locks);
    const acquired = await tryLockIn(session, merchantId).catch((failure: unknown) => {
      leaveSession(store, locks, session);
      throw failure;
    });
    const release = async (): Promise<void> => {
      if (acquired) await unlock(session, merchantId);
      leaveSession(store, locks, session);
      locks.taken.delete(merchantId);
    };
    if (acquired) return { isLost: () => session.isLost, release };
    await release();
    return null;
  } catch (failure) {
    locks.taken.delete(merchantId);
    throw failure;
  }
}

/** Returns the present session, or a new one when there is none or it was lost. */
async function joinSession(store: Store, locks: Locks): Promise<LockSession> {
  while (locks.session === null || locks.session.isLost) {
    locks.opening ??= openSession(store).finally(() => {
      locks.opening = null;
    });
    locks.session = await locks.opening;
  }
  locks.session.users += 1;
  return locks.session;
}

async function openSession(store: Store): Promise<LockSession> {
  const client = await store.lasting.borrow();
  const onEnd = (): void => {
    session.isLost = true;
  };
  const session: LockSession = { client, users: 0, isLost: false, turn: Promise.resolve(), onEnd };
  client.on('end', onEnd);
  return session;
}

function leaveSession(store: Store, locks: Locks, session: LockSession): void {
  session.users -= 1;
  if (session.users > 0) return;
  if (locks.session === session) locks.session = null;
  session.client.off('end', session.onEnd);
  store.lasting.giveBack(session.client);
}

/**
 * Tries to lock merchants. When the query fails, it is unknown which locks were taken, so the
 * session is ended.
 */
const tryLockIn = askTogether<number, boolean, LockSession>(async (session, merchantIds) => {
  const { rows } = await inTurn(session, lockedMerchants({ merchantIds })).catch(
    async (failure: unknown) => {
      await endSession(session);
      throw failure;
    },
  );
  const acquired = new Map(rows.map((row) => [row.merchant_id, row.acquired]));
  return merchantIds.map((merchantId) => acquired.get(merchantId)!);
});

const lockedMerchants = prepare('lock merchants', (at: Slots<OfMerchants>) =>
  build
    .selectFrom(unnest('asked', { merchant_id: ['int', at('merchantIds')] }))
    .select([
      'asked.merchant_id',
      sql<boolean>`pg_try_advisory_lock(${sql.lit(LOCK_CLASS)}, asked.merchant_id)`.as('acquired'),
    ]),
);

const unlockedMerchants = prepare('unlock merchants', (at: Slots<OfMerchants>) =>
  build
    .selectFrom(unnest('asked', { merchant_id: ['int', at('merchantIds')] }))
    .select(
      sql<boolean>`pg_advisory_unlock(${sql.lit(LOCK_CLASS)}, asked.merchant_id)`.as('released'),
    ),
);

/** Unlocks a merchant. When that fails, the connection is ended, and all its locks with it. */
async function unlock(session: LockSession, merchantId: number): Promise<void> {
  await unlockIn(session, merchantId).catch(() => endSession(session));
}

const unlockIn = askTogether<number, true, LockSession>(async (session, merchantIds) => {
  await inTurn(session, unlockedMerchants({ merchantIds }));
  return merchantIds.map(() => true);
});

async function endSession(session: LockSession): Promise<void> {
  session.isLost = true;
  await session.client.end().catch(() => {});
}

function inTurn<Row>(session: LockSession, question: Prepared<Row>): Promise<Answer<Row>> {
  const asked = session.turn.then(() => ask(session.client, question));
  session.turn = asked.catch(() => {});
  return asked;
}
