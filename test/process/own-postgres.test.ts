// A PostgreSQL of the tests' own ends with them. Also nights and statements on a database of the
// operator's own, of the oldest version allowed, and the drill of docs/OPERATIONS.md, from a backup
// to the next night.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preparePrograms } from '../../src/io/storage/server/embedded-cluster.ts';
import { isPostgres } from '../../src/io/storage/server/embedded-server.ts';
import { pointage } from '../support/command.ts';
import {
  type OwnPostgres,
  ownPrograms,
  serverAccount,
  startOwnPostgres,
} from '../support/own-postgres.ts';
import type { OwnServer } from '../support/own-postgres-child.ts';
import { testFolder } from '../support/test-folder.ts';

const programs = ownPrograms();
const BOOKS = `file:${resolve(import.meta.dirname, '../../docs/example-books')}`;
const MERCHANT = 'EPICERIE_EXEMPLE';

test('a server whose owner is killed stops within seconds, and leaves nothing', async () => {
  const home = testFolder('pointage-programs-');
  chmodSync(home, 0o711);
  const script = join(import.meta.dirname, '../support/own-postgres-child.ts');
  const owner = spawn(process.execPath, [script, preparePrograms(home, serverAccount())], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  const { pid, folders } = JSON.parse(said) as OwnServer;
  expect([isPostgres(pid), folders.map((folder) => existsSync(folder))]).toEqual([
    true,
    [true, true],
  ]);
  owner.kill('SIGKILL');
  const left = () => [isPostgres(pid), folders.map((folder) => existsSync(folder))];
  await expect.poll(left, { timeout: 30_000 }).toEqual([false, [false, false]]);
});

describe.skipIf(programs === null)('a PostgreSQL of the distribution', { timeout: 60_000 }, () => {
  let server: OwnPostgres;
  beforeAll(async () => {
    server = await startOwnPostgres(programs!);
  });
  afterAll(() => server.stop());

  /** Runs a command on that database, and returns what it printed. */
  async function on(database: string, ...words: readonly string[]): Promise<string> {
    const { out, err, status } = await pointage([
      ...words,
      '--database-url',
      server.databaseUrl(database),
    ]);
    expect(status, err).toBeLessThan(3);
    return out;
  }

  /** Returns all that a database holds, as text, without what is drawn anew for each text. */
  function contentOf(database: string): string {
    return server.run('pg_dump', '--no-owner', database).replace(/^\\(?:un)?restrict .*$/gm, '');
  }

  test('takes nights and statements, and its backup gives all of them back to the next night', async () => {
    server.run('createdb', 'pointage');
    expect(await on('pointage', 'run', '--source', BOOKS)).toContain('BALANCE_DRIFT');
    expect(await on('pointage', 'statement', 'issue', MERCHANT, '2026-10')).toContain(
      'revision 1: READY',
    );
    expect(contentOf('pointage')).toContain('BALANCE_DRIFT');

    server.run('pg_dump', '--format=custom', '--file=pointage.dump', 'pointage');
    server.run('createdb', 'restored');
    server.run('pg_restore', '--no-owner', '--dbname=restored', 'pointage.dump');
    expect(contentOf('restored')).toBe(contentOf('pointage'));

    expect(await on('restored', 'migrate')).toContain('up to date');
    const again = await on('restored', 'run', '--source', BOOKS);
    expect(again).toContain('Run 2: 0 new lines and 0 new or changed operations were read.');
    expect(again).toContain('Nothing changed since the last run.');
    const published = (database: string) => on(database, 'statement', 'issue', MERCHANT, '2026-10');
    expect(await published('restored')).toBe(await published('pointage'));
  });
});
