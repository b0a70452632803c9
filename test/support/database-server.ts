// The database server of one test run. TEST_DATABASE_URL names one; TEST_DATABASE=testcontainers starts one in Docker;
// else an embedded server, started by the first test that asks and stopped here at the end.

import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { locateCluster } from '../../src/io/storage/server/embedded/location.ts';
import { stopServer } from '../../src/io/storage/server/embedded/process.ts';

export interface TestServer {
  /** Address of a database from which others may be created; null: embedded, in `directory`. */
  readonly url: string | null;
  readonly directory: string | null;
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly testServer: TestServer;
  }
}

/** Run once by vitest before the first test file; what it returns runs after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env.TEST_DATABASE_URL !== undefined) {
    project.provide('testServer', { url: process.env.TEST_DATABASE_URL, directory: null });
    return async () => {};
  }
  if (process.env.TEST_DATABASE === 'testcontainers') return startContainer(project);
  const directory = mkdtempSync(join(tmpdir(), 'pointage-test-'));
  // Root's server runs as somebody else, who must be able to pass through.
  chmodSync(directory, 0o711);
  project.provide('testServer', { url: null, directory });
  return async () => {
    if (existsSync(join(directory, 'postgres'))) await stopServer(locateCluster(directory));
    rmSync(directory, { recursive: true, force: true });
  };
}

async function startContainer(project: TestProject): Promise<() => Promise<void>> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  // As the embedded server, it takes whoever comes: some tests bring a user or a password of their own.
  const container = await new PostgreSqlContainer(process.env.TEST_DATABASE_IMAGE ?? 'postgres:18')
    .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
    .start();
  project.provide('testServer', { url: container.getConnectionUri(), directory: null });
  return async () => {
    await container.stop();
  };
}
