// A store that is restricted to one merchant, or opened to all of them for operators. Each
// connection sets `pointage.merchant`, and the policies of sql/roles.sql hide all other rows from
// the server's role. The settings are reset before a connection goes to its next user. Its SQL is
// text: it sets what holds in a session, also when a stream begins on another thread.

import pg from 'pg';
import type { Store } from './store.ts';

/**
 * The value of `pointage.merchant` that means every merchant to the policies. No merchant can have
 * it as its reference.
 */
const EVERY = '*';

/**
 * Returns a store in which the rows of other merchants do not exist, even for a query that asks for
 * them.
 */
export function storeOfMerchant(store: Store, merchant: string): Store {
  return stating(store, merchant === EVERY ? '' : merchant);
}

/** Returns a store for operators, who may see every merchant. */
export function storeOfOperators(store: Store): Store {
  return stating(store, EVERY);
}

/**
 * Returns the store with connections that set `pointage.merchant` to `seen`. They also put the
 * schema `pointage_shown` first in `search_path`: PostgreSQL refuses COPY into a table with
 * policies, so the tables that the worker fills by COPY have none, and a view of each, in that
 * schema, shows the merchant's rows.
 */
function stating(store: Store, seen: string): Store {
  const path =
    "set_config('search_path', 'pointage_shown, ' || current_setting('search_path'), false)";
  const statement = `select set_config('pointage.merchant', ${pg.escapeLiteral(seen)}, false), ${path}`;
  const connect = async (): Promise<pg.PoolClient> => {
    const client = await store.pool.connect();
    try {
      await client.query(statement);
    } catch (failure) {
      client.release(true);
      throw failure;
    }
    const { release } = client;
    client.release = (broken) => {
      client.release = release;
      // This query is sent before any query of the connection's next user. If it fails, the
      // connection is broken, and the next user's query fails too.
      if (broken === undefined || broken === false) client.query(FORGET).catch(() => {});
      release.call(client, broken);
    };
    return client;
  };
  const query = async (...words: Parameters<pg.Pool['query']>) => {
    const client = await connect();
    try {
      return await client.query(...words);
    } finally {
      client.release();
    }
  };
  const pool = Object.create(store.pool, {
    connect: { value: connect },
    query: { value: query },
  }) as pg.Pool;
  return { ...store, pool, lasting: lastingOf(store, statement), statement };
}

const FORGET = 'reset pointage.merchant; reset search_path';

function lastingOf({ lasting }: Store, statement: string): Store['lasting'] {
  return {
    ...lasting,
    borrow: async () => {
      const client = await lasting.borrow();
      await client.query(statement);
      return client;
    },
    giveBack: (client) => {
      const open = client.getTransactionStatus() === 'I' ? '' : 'rollback; ';
      client.query(`${open}${FORGET}`).then(
        () => lasting.giveBack(client),
        () => lasting.giveBack(client),
      );
    },
  };
}
