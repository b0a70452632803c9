// The databases of a benchmark: an embedded server under the cache folder, or the one that
// POINTAGE_BENCH_DATABASE_URL names. Refuses to touch databases whose names it has not made.

import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { attachEmbeddedServer } from '../src/io/storage/server/embedded-server.ts';
import { migrate } from '../src/io/storage/server/migrate.ts';
import { openStore } from '../src/io/storage/server/open-store.ts';
import type { Store } from '../src/io/storage/server/store.ts';

export interface BenchServer {
  /** Returns the address of the database `name`, whether it exists or not. */
  urlOf(name: string): string;
  has(name: string): Promise<boolean>;
  /** Makes a database: empty, or a copy of the database `like`, which must have no connection. */
  create(name: string, like?: string): Promise<void>;
  /** Renames a database. A database that is called `to` already is dropped. */
  rename(name: string, to: string): Promise<void>;
  drop(name: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The list of migrations, which is part of the databases' names. With another list none of the kept
 * databases is found, and new ones are filled.
 */
const MIGRATIONS = readdirSync(new URL('../sql/migrations/', import.meta.url)).sort();
const PREFIX = `pointage_bench_${createHash('sha256').update(MIGRATIONS.join()).digest('hex').slice(0, 8)}_`;

export async function openBenchServer(cache: string): Promise<BenchServer> {
  const { url, release } = await locateServer(cache);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = async (sql: string): Promise<void> => void (await client.query(sql));
  const named = (name: string): string => `${PREFIX}${name}`;
  return {
    urlOf(name) {
      const address = new URL(url);
      address.pathname = `/${named(name)}`;
      return address.href;
    },
    has: async (name) =>
      (await client.query('select 1 from pg_database where datname = $1', [named(name)]))
        .rowCount !== 0,
    create: (name, like) =>
      run(
        `create database ${named(name)} template ${like === undefined ? 'template0' : named(like)}`,
      ),
    rename: async (name, to) => {
      await run(`drop database if exists ${named(to)} with (force)`);
      await run(`alter database ${named(name)} rename to ${named(to)}`);
    },
    drop: (name) => run(`drop database if exists ${named(name)} with (force)`),
    close: async () => {
      await client.end();
      await release();
    },
  };
}

async function locateServer(
  cache: string,
): Promise<{ readonly url: string; readonly release: () => Promise<void> }> {
  const given = process.env.POINTAGE_BENCH_DATABASE_URL;
  if (given !== undefined) return { url: given, release: async () => {} };
  // The server of root runs as another account, which must be able to pass through this folder.
  mkdirSync(cache, { recursive: true });
  chmodSync(cache, 0o711);
  const server = await attachEmbeddedServer(join(cache, 'server'));
  const url = `postgres://${server.user}@localhost/postgres?host=${encodeURIComponent(server.host)}`;
  return { url, release: () => server.release() };
}

/** Runs `work` with a store on the database `name`, its schema up to date. */
export async function withStore<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: url, dataDirectory: '' });
  try {
    await migrate(store);
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Runs `work` with a connection of its own. */
export async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
