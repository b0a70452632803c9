// The database server of one test run, and in it a template with all migrations applied.
// TEST_DATABASE_URL names a server; TEST_DATABASE=testcontainers starts one in Docker. Otherwise a
// server is made of the embedded programs, and removed at the end. If CITUS_DATABASE_URL names a
// cluster, stores are made there instead.

import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { preparePrograms } from '../../src/io/storage/server/embedded-cluster.ts';
import { migrate } from '../../src/io/storage/server/migrate.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { databaseAt, onServer } from './database-address.ts';
import { prepareCluster, type TestCluster } from './database-cluster.ts';
import { serverAccount, startOwnPostgres } from './own-postgres.ts';

export interface TestServer {
  /** Address of a database from which others may be created. */
  readonly url: string;
  /** Name of a database that has all migrations and no rows. */
  readonly template: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly testServer: TestServer;
    /**
     * The cluster on which tests make stores; `null`: each store is one database of `testServer`.
     */
    readonly testCluster: TestCluster | null;
  }
}

const MIGRATIONS = join(import.meta.dirname, '../../sql/migrations');
const TEMPLATE_LOCK = '5190238874';

/**
 * Called once by vitest before the first test file. The function that it returns is called after
 * the last.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { CITUS_DATABASE_URL: cluster } = process.env;
  project.provide('testCluster', cluster === undefined ? null : await prepareCluster(cluster));
  const { url, stop } = await startServer();
  project.provide('testServer', { url, template: await prepareTemplate(url) });
  return stop;
}

async function startServer(): Promise<{
  readonly url: string;
  readonly stop: () => Promise<void>;
}> {
  if (process.env.TEST_DATABASE_URL !== undefined) {
    return { url: process.env.TEST_DATABASE_URL, stop: async () => {} };
  }
  if (process.env.TEST_DATABASE === 'testcontainers') return startContainer();
  const home = mkdtempSync(join(tmpdir(), 'pointage-test-'));
  // The server of root runs as another account, which must be able to pass through this folder.
  chmodSync(home, 0o711);
  const programs = preparePrograms(home, serverAccount());
  const server = await startOwnPostgres(programs, { synchronous_commit: 'off' }, null, [home]);
  const stop = async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  };
  return { url: server.databaseUrl('postgres'), stop };
}

async function startContainer(): Promise<{
  readonly url: string;
  readonly stop: () => Promise<void>;
}> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  // Like the embedded server, it asks for no password, because some tests bring a user or a
  // password of their own.
  const container = await new PostgreSqlContainer(process.env.TEST_DATABASE_IMAGE ?? 'postgres:18')
    .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
    .start();
  const stop = async () => {
    await container.stop();
  };
  return { url: container.getConnectionUri(), stop };
}

/**
 * Makes the template and returns its name, which contains a hash of the migrations. It is made
 * under another name and renamed when it is whole.
 */
async function prepareTemplate(server: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).sort())
    hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  const template = `pointage_template_${hash.digest('hex').slice(0, 12)}`;
  await onServer(server, async (client) => {
    // Another run may use the same server, so only one makes the template.
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
    const known = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (known.rowCount !== 0) return;
    await client.query(`drop database if exists ${template}_part with (force)`);
    await client.query(`create database ${template}_part template template0`);
    const store = await openStore({
      databaseUrl: databaseAt(server, `${template}_part`),
      dataDirectory: '',
    });
    await migrate(store);
    await store.close();
    await client.query(`alter database ${template}_part rename to ${template}`);
  });
  return template;
}
