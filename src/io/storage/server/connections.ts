// Transactions on pooled connections, and lasting connections for long work: readings and locks.
// Lasting connections are not of the pool, so that long work never starves it. Idle ones are kept a
// while, because a new one costs the server a new process. Refuses to give back or lend a broken
// connection. Its SQL is text: it begins and ends transactions, and listens.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { LastingConnections, Store } from './store.ts';

/**
 * Runs `work` in a transaction: commits all of it, or nothing when it throws. A task must hold at
 * most one pooled connection, so that the pool can't deadlock. `settings` is SQL that holds for the
 * transaction (`set local …`).
 */
export async function inTransaction<T>(
  store: Store,
  work: (client: pg.PoolClient) => Promise<T>,
  settings = '',
): Promise<T> {
  const client = await store.pool.connect();
  let broken: Error | undefined;
  // The query under way throws when the connection is cut. Without a listener the cut would end the
  // process.
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

/**
 * For `settings`: makes the server cancel a query that takes more than two seconds, with `57014`.
 */
export const WITHIN_TWO_SECONDS = 'set local statement_timeout = 2000';

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
      // The next query throws when the connection was lost. Without a listener the loss would end
      // the process.
      client.on('error', () => lose(client));
      client.on('end', () => lose(client));
      await client.connect();
      return client;
    },
    giveBack(client) {
      // 'I' means that no transaction is open. Otherwise the rollback also shows whether an
      // abandoned stream has broken the connection.
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

export interface Channel {
  readonly name: string;
  readonly onHeard: (payload: string) => void;
  /**
   * Called whenever listening begins, at first and after a loss: notifications from before were
   * missed.
   */
  readonly onOpen: () => void;
  readonly onLost: () => void;
}

/** Milliseconds between two queries that check whether a listening connection still answers. */
const BEAT = 10_000;
/** Milliseconds to wait for the answer to such a query. */
const ANSWER = 5_000;
/** The longest pause, in milliseconds, before a lost connection is opened again. */
const LONGEST_PAUSE = 30_000;

/**
 * Listens to the notifications of a channel on a separate connection, and opens another when that
 * is lost. Rejects when the first cannot be opened.
 */
export async function listenTo(
  store: Store,
  channel: Channel,
): Promise<{ close(): Promise<void> }> {
  const leaving = new AbortController();
  const listening = keepListening(store, channel, {
    first: await openListener(store, channel),
    leaving: leaving.signal,
  });
  return {
    close: async () => {
      leaving.abort();
      await listening;
    },
  };
}

/**
 * Listens until `leaving` is aborted. A connection keeps its error listener until it has ended,
 * because the server may cut it at that very time.
 */
async function keepListening(
  store: Store,
  channel: Channel,
  { first, leaving }: { readonly first: pg.Client; readonly leaving: AbortSignal },
): Promise<void> {
  let pause = 1_000;
  for (let client: pg.Client | null = first; !leaving.aborted; ) {
    if (client !== null) {
      await untilLost(client, leaving);
      await client.end().catch(() => {});
      if (leaving.aborted) return;
      channel.onLost();
      pause = 1_000;
    }
    await sleep(pause, undefined, { signal: leaving, ref: false }).catch(() => {});
    pause = Math.min(2 * pause, LONGEST_PAUSE);
    client = leaving.aborted ? null : await openListener(store, channel).catch(() => null);
    if (leaving.aborted) await client?.end().catch(() => {});
  }
}

async function openListener(
  { lasting }: Store,
  { name, onHeard, onOpen }: Channel,
): Promise<pg.Client> {
  const client = await lasting.borrow();
  client.on('notification', ({ payload = '' }) => onHeard(payload));
  try {
    await client.query(`listen ${client.escapeIdentifier(name)}`);
  } catch (failure) {
    await client.end().catch(() => {});
    throw failure;
  }
  onOpen();
  return client;
}

/** Resolves when the connection fails, ends or no longer answers, or when `leaving` is aborted. */
async function untilLost(client: pg.Client, leaving: AbortSignal): Promise<void> {
  const isOver = once(client, 'end', { signal: leaving }).then(
    () => true,
    () => true,
  );
  for (;;) {
    if (await Promise.race([isOver, sleep(BEAT, false, { ref: false })])) return;
    const answers = client.query('select 1').then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([answers, sleep(ANSWER, false, { ref: false })]))) return;
  }
}
