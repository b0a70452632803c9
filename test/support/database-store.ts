// A store of its own for each test that asks: a fresh database, copied from a template that has all migrations applied,
// on the run's one server. Refuses to hand out a database twice.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { attachEmbeddedServer } from '../../src/io/storage/server/embedded/server.ts';
import { migrate } from '../../src/io/storage/server/migrate.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { takeRefused, watchStatements } from './citus-refusals.ts';

export interface TestStore {
  readonly store: Store;
  /** Address of the same database, for a second process or a second store. */
  readonly databaseUrl: string;
  /** Closes the store and drops the database. Throws when a statement was sent that a cluster would refuse. */
  close(): Promise<void>;
}

watchStatements();

const MIGRATIONS = join(import.meta.dirname, '../../sql/migrations');
const TEMPLATE_LOCK = '5190238874';

/** Runs `work` with a store on a migrated, empty database that nobody else uses, and drops it afterwards. */
export async function withTestStore<T>(work: (store: Store, databaseUrl: string) => Promise<T>): Promise<T> {
  const opened = await openTestStore();
  try {
    return await work(opened.store, opened.databaseUrl);
  } finally {
    await opened.close();
  }
}

/** As `withTestStore`, for a whole suite: call it in beforeAll and its `close` in afterAll. */
export async function openTestStore(): Promise<TestStore> {
  const server = await serverAddress();
  const { databaseUrl, drop } = await copyTemplate(server, await prepareTemplate(server));
  const store = await openStore({ databaseUrl, dataDirectory: '' });
  const close = async () => {
    await store.close();
    await drop();
    const refused = takeRefused();
    if (refused.length > 0) throw new Error(`Citus would refuse (docs/SCALING.md):\n${refused.join('\n')}`);
  };
  return { store, databaseUrl, close };
}

/** Runs `work` with the address of a database in which nothing has been made yet, and drops it afterwards. */
export async function withEmptyDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const { databaseUrl, drop } = await copyTemplate(await serverAddress(), 'template0');
  try {
    return await work(databaseUrl);
  } finally {
    await drop();
  }
}

async function copyTemplate(server: string, template: string): Promise<{ databaseUrl: string; drop(): Promise<void> }> {
  const name = `pointage_test_${randomBytes(6).toString('hex')}`;
  await onServer(server, (client) => client.query(`create database ${name} template ${template}`));
  const drop = () => onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
  return { databaseUrl: databaseAt(server, name), drop };
}

/** Address of the run's server, starting it if this is the first test that needs it. */
async function serverAddress(): Promise<string> {
  const { url, directory } = inject('testServer');
  if (url !== null) return url;
  const embedded = await attachEmbeddedServer(directory!);
  return `postgres://${embedded.user}@localhost/postgres?host=${encodeURIComponent(embedded.host)}`;
}

/** The template is named for the migrations it holds, made under another name and renamed when it is whole. */
async function prepareTemplate(server: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  const template = `pointage_template_${hash.digest('hex').slice(0, 12)}`;
  await onServer(server, async (client) => {
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
    const known = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (known.rowCount !== 0) return;
    await client.query(`drop database if exists ${template}_part with (force)`);
    await client.query(`create database ${template}_part template template0`);
    const store = await openStore({ databaseUrl: databaseAt(server, `${template}_part`), dataDirectory: '' });
    await migrate(store);
    await store.close();
    // The server of a test run is thrown away: nothing of it has to outlive the machine's next power cut.
    if (inject('testServer').url === null) {
      await client.query('alter system set fsync = off');
      await client.query('select pg_reload_conf()');
    }
    await client.query(`alter database ${template}_part rename to ${template}`);
  });
  return template;
}

async function onServer(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseAt(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
