// The store as a caller on behalf of one merchant sees it, or one who may see all of them: each
// connection states whose rows it may see, and the policies of sql/roles.sql hold the server's role
// to it. Refuses to leave the statement on a connection for its next user. Its SQL is text: it sets
// what holds in a session, also where a stream begins on another thread.

import pg from 'pg';
import type { Store } from './store.ts';

/** What the policies take for every merchant; the reference of none. */
const EVERY = '*';

/** Other merchants' rows are not there, even for a query that asks for them. */
export function storeOfMerchant(store: Store, merchant: string): Store {
  return stating(store, merchant === EVERY ? '' : merchant);
}

/** For operators, who may see every merchant. */
export function storeOfOperators(store: Store): Store {
  return stating(store, EVERY);
}

/**
 * The path leads to the views that stand for tables which COPY fills: PostgreSQL knows no policies
 * for COPY.
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
      // Before anything that its next user sends; a connection on which it fails is broken, and
      // says so then.
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
