// Stores of tests on a Citus cluster, where CITUS_DATABASE_URL names a database of a coordinator
// that knows its nodes. A template has all migrations and distributed tables. A test's database is
// copied from it on every machine, and dropped on all. Tests make roles as on one database. Refuses
// a cluster without nodes.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { commandsIn } from '../../src/io/storage/server/migrate.ts';
import { pointage } from './command.ts';
import { databaseAt, onServer } from './database-address.ts';

export interface TestCluster {
  /**
   * Address of the coordinator's database that CITUS_DATABASE_URL names. Others are created from
   * it.
   */
  readonly url: string;
  /** Addresses of databases on the nodes. Others are created from them. */
  readonly nodes: readonly string[];
  /** Name, on every machine, of a database with distributed tables and no rows. */
  readonly template: string;
}

const SQL = join(import.meta.dirname, '../../sql');
const DISTRIBUTE = join(SQL, 'citus.sql');
/** Shards of each table, one on each of two nodes, because a copy then has few files. */
const SHARDS = 2;
/** The SQLSTATE of a database that is in use. */
const IN_USE = '55006';
const TRIES = 20;
const LOCK = '5190238875';

/**
 * Makes the template. Its name is made from the files that fill it, so that one run makes it and
 * later runs find it.
 */
export async function prepareCluster(url: string): Promise<TestCluster> {
  const files = readdirSync(join(SQL, 'migrations')).map((name) => join(SQL, 'migrations', name));
  const hash = createHash('sha256').update(String(SHARDS));
  for (const file of [...files, DISTRIBUTE].sort()) hash.update(readFileSync(file));
  const template = `pointage_citus_${hash.digest('hex').slice(0, 12)}`;
  const nodes = await loadNodes(url);
  await onServer(url, async (client) => {
    await client.query(`select pg_advisory_lock(${LOCK})`);
    const known = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (known.rowCount !== 0) return;
    const part = `${template}_part`;
    const machines = [url, ...nodes];
    await onEach(machines, (server) =>
      server.query(`drop database if exists ${part} with (force)`),
    );
    await createCluster({ url, nodes }, part);
    await migrateBy(databaseAt(url, part));
    await distribute(databaseAt(url, part));
    // Citus keeps a process of its own in each database, and PostgreSQL copies no database that is
    // in use.
    for (const machine of machines.toReversed())
      await onServer(machine, (server) => closeTemplate(server, part, template));
  });
  return { url, nodes, template };
}

/** Creates the empty database `name` on every machine. These databases are one cluster. */
export async function createCluster(
  { url, nodes }: Omit<TestCluster, 'template'>,
  name: string,
): Promise<void> {
  const machines = [url, ...nodes];
  await onEach(machines, (server) => server.query(`create database ${name} template template0`));
  await onEach(
    machines.map((machine) => databaseAt(machine, name)),
    (database) => database.query('create extension citus'),
  );
  await onServer(databaseAt(url, name), async (client) => {
    const { host, port } = placeOf(url);
    await client.query('select citus_set_coordinator_host($1, $2)', [host, port]);
    for (const node of nodes) {
      const place = placeOf(node);
      await client.query('select citus_add_node($1, $2)', [place.host, place.port]);
    }
    await client.query(`alter database ${name} set citus.shard_count = ${SHARDS}`);
  });
}

/** Distributes the tables of a migrated database, a command at a time, as psql sends them. */
export async function distribute(databaseUrl: string): Promise<void> {
  await onServer(databaseUrl, async (client) => {
    for (const command of commandsIn(readFileSync(DISTRIBUTE, 'utf8'))) await client.query(command);
  });
}

export async function migrateBy(databaseUrl: string, ...words: readonly string[]): Promise<void> {
  const { status, err } = await pointage(['migrate', ...words, '--database-url', databaseUrl]);
  if (status !== 0) throw new Error(err);
}

/** Copies the template on every machine, and returns the address of the copy and what drops it. */
export async function copyCluster({ url, nodes, template }: TestCluster) {
  const name = `pointage_test_${randomBytes(6).toString('hex')}`;
  const copy = `create database ${name} template ${template} strategy file_copy`;
  await onEach([url, ...nodes], (server) => server.query(copy));
  // Settings of a database are not copied with it.
  await onServer(url, (client) =>
    client.query(`alter database ${name} set citus.enable_unsafe_triggers = on`),
  );
  return { databaseUrl: databaseAt(url, name), drop: () => dropCluster({ url, nodes }, name) };
}

/**
 * Drops a database on every machine, on the coordinator first, because it has sessions on the
 * nodes.
 */
export async function dropCluster(
  { url, nodes }: Omit<TestCluster, 'template'>,
  name: string,
): Promise<void> {
  for (const machine of [url, ...nodes])
    await onServer(machine, (server) => dropDatabase(server, name));
}

/**
 * Drops a database. It tries again, because Citus' own process sometimes comes back while it is
 * ended.
 */
async function dropDatabase(server: pg.Client, name: string): Promise<void> {
  const drop = () => server.query(`drop database if exists ${name} with (force)`);
  for (let tries = 1; tries < TRIES; tries += 1) {
    const failure = await drop().then(
      () => null,
      (error: { readonly code?: string }) => error,
    );
    if (failure === null) return;
    if (failure.code !== IN_USE) throw failure;
    await sleep(200);
  }
  await drop();
}

async function loadNodes(url: string): Promise<readonly string[]> {
  const nodes: string[] = [];
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ host: string; port: number }>(
      "select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary' order by 1, 2",
    );
    for (const { host, port } of rows) {
      const node = new URL(url);
      node.hostname = host;
      node.port = String(port);
      nodes.push(node.href);
    }
  });
  if (nodes.length === 0)
    throw new Error('The database that CITUS_DATABASE_URL names knows no node (citus_add_node).');
  return nodes;
}

async function closeTemplate(server: pg.Client, part: string, template: string): Promise<void> {
  await server.query(`alter database ${part} allow_connections false`);
  await server.query(
    'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1',
    [part],
  );
  await server.query(`alter database ${part} rename to ${template}`);
}

function placeOf(url: string) {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port || '5432') };
}

async function onEach(
  urls: readonly string[],
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  await Promise.all(urls.map((url) => onServer(url, work)));
}
