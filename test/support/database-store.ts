// A store of its own for each test that asks: a fresh database, copied from a template that has all
// migrations applied, on the run's one server, or on its cluster. Refuses to hand out a database
// twice.

import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { prepareRules, takeRefused, watchStatements } from './citus-refusals.ts';
import { databaseAt, onServer } from './database-address.ts';
import { copyCluster } from './database-cluster.ts';

export interface TestStore {
  readonly store: Store;
  /** Address of the store's database, for a second process or a second store. */
  readonly databaseUrl: string;
  /**
   * Closes the store and drops the database. Throws when a statement was sent that a cluster would
   * refuse.
   */
  close(): Promise<void>;
}

watchStatements();

/** Runs `work` with a store on a migrated, empty database of its own, and drops it afterwards. */
export async function withTestStore<T>(
  work: (store: Store, databaseUrl: string) => Promise<T>,
): Promise<T> {
  const opened = await openTestStore();
  try {
    return await work(opened.store, opened.databaseUrl);
  } finally {
    await opened.close();
  }
}

/** As `withTestStore`, for a whole suite: call it in beforeAll and its `close` in afterAll. */
export async function openTestStore(): Promise<TestStore> {
  const cluster = inject('testCluster');
  const copied =
    cluster === null ? copyDatabase(inject('testServer').template) : copyCluster(cluster);
  const { databaseUrl, drop } = await copied;
  const store = await openStore({ databaseUrl, dataDirectory: '' });
  await prepareRules(store.pool);
  const close = async () => {
    await store.close();
    await drop();
    const refused = await takeRefused();
    if (refused.length > 0)
      throw new Error(`Citus would refuse (docs/SCALING.md):\n${refused.join('\n')}`);
  };
  return { store, databaseUrl, close };
}

/**
 * Runs `work` with the address of a database in which nothing has been made yet, and drops it
 * afterwards; never on a cluster.
 */
export async function withEmptyDatabase<T>(
  work: (databaseUrl: string) => Promise<T>,
  encoding = 'UTF8',
): Promise<T> {
  const { databaseUrl, drop } = await copyDatabase(`template0 encoding '${encoding}' locale 'C'`);
  try {
    return await work(databaseUrl);
  } finally {
    await drop();
  }
}

async function copyDatabase(
  template: string,
): Promise<{ databaseUrl: string; drop(): Promise<void> }> {
  const server = inject('testServer').url;
  const name = `pointage_test_${randomBytes(6).toString('hex')}`;
  // Copy the files of the template, because a copy through the write-ahead log takes twice as long.
  await onServer(server, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  const drop = () =>
    onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
  return { databaseUrl: databaseAt(server, name), drop };
}
