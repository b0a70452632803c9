// The advisory locks of all merchants that this process works on, held by one session: one connection a process, however
// many merchants. Refuses to wait for a lock, and to give one twice. When the connection is lost, so is every lock.

import { sql } from 'kysely';
import type pg from 'pg';
import { askTogether } from '../../together/ask-together.ts';
import { type Answer, ask, build, type Prepared, prepare, type Slots, unnest } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

export interface MerchantLock {
  /** True once the session has ended under it: another process may have the lock by now. */
  isLost(): boolean;
  release(): Promise<void>;
}

/** A session from its first lock to its last. */
interface LockSession {
  readonly client: pg.Client;
  /** Locks held or being asked for. */
  users: number;
  isLost: boolean;
  /** The end of the last query: a connection runs one at a time. */
  turn: Promise<unknown>;
  /** Called when the connection ends. */
  readonly onEnd: () => void;
}

interface Locks {
  readonly taken: Set<number>;
  session: LockSession | null;
  opening: Promise<LockSession> | null;
}

/** First key of our advisory locks ('poin'); the second is the merchant's number, or a run's, made negative. */
const LOCK_CLASS = 0x706f696e;

const locksOf = new WeakMap<Store, Locks>();

/** Null, at once, when the merchant is locked, be it by this process or by another one. */
export async function tryLock(store: Store, merchantId: number): Promise<MerchantLock | null> {
  const locks = locksOf.get(store) ?? { taken: new Set<number>(), session: null, opening: null };
  locksOf.set(store, locks);
  // To the server one session is one owner: it would give the same lock again.
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

/** The session at hand, or a new one where there is none or it was lost. */
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

/** The locks of a failed query are unknown: its session is ended. */
const tryLockIn = askTogether<number, boolean, LockSession>(async (session, merchantIds) => {
  const { rows } = await inTurn(session, lockedMerchants({ merchantIds })).catch(async (failure: unknown) => {
    await endSession(session);
    throw failure;
  });
  const acquired = new Map(rows.map((row) => [row.merchant_id, row.acquired]));
  return merchantIds.map((merchantId) => acquired.get(merchantId)!);
});

interface OfMerchants {
  readonly merchantIds: readonly number[];
}

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
    .select(sql<boolean>`pg_advisory_unlock(${sql.lit(LOCK_CLASS)}, asked.merchant_id)`.as('released')),
);

/** A connection that cannot unlock is ended, and the locks go with it. */
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
