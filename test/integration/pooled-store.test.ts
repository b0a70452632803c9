// A store behind pgbouncer. With a session for each client it works. With one for each transaction
// it is refused at once, in one sentence, by `doctor` as by any command.

import { spawn } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { unprivilegedAccount } from '../../src/io/storage/server/embedded-cluster.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { makeFolder } from '../hostile/book-folder.ts';
import { pointage } from '../support/command.ts';
import { withTestStore } from '../support/database-store.ts';
import { freePort } from '../support/free-port.ts';
import { areInstalled } from '../support/installed.ts';
import { testFolder } from '../support/test-folder.ts';

/** Runs `work` with the address of the database behind a pooler of this mode. */
async function behindPooler(
  databaseUrl: string,
  mode: 'session' | 'transaction',
  work: (pooled: string) => Promise<void>,
): Promise<void> {
  const { host, port, user, database } = new pg.Client({ connectionString: databaseUrl });
  const folder = testFolder('pooler-');
  const settings = join(folder, 'pgbouncer.ini');
  const listening = await freePort();
  const lines = [
    '[databases]',
    `* = host=${host} port=${port} user=${user}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${listening}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}`,
    'ignore_startup_parameters = extra_float_digits,search_path',
  ];
  writeFileSync(settings, `${lines.join('\n')}\n`);
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : null;
  if (account !== null)
    for (const path of [folder, settings]) chownSync(path, account.uid, account.gid);
  const pooler = spawn('pgbouncer', ['-q', settings], { stdio: 'ignore', ...(account ?? {}) });
  try {
    const pooled = `postgres://${user}@127.0.0.1:${listening}/${database}`;
    await answering(pooled);
    await work(pooled);
  } finally {
    pooler.kill();
  }
}

async function answering(connectionString: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString });
    try {
      await client.connect();
      return await client.end();
    } catch (failure) {
      if (attempt === 50) throw failure;
      await sleep(100);
    }
  }
}

test.runIf(areInstalled('pgbouncer'))(
  'a pooler that changes sessions between transactions is refused',
  async () => {
    await withTestStore(async (_store, databaseUrl) => {
      await behindPooler(databaseUrl, 'session', async (pooled) => {
        const store = await openStore({ databaseUrl: pooled, dataDirectory: '' });
        await store.close();
      });
      await behindPooler(databaseUrl, 'transaction', async (pooled) => {
        const opening = openStore({ databaseUrl: pooled, dataDirectory: '' });
        await expect(opening).rejects.toMatchObject({
          code: 'POOLED',
          message: expect.stringContaining('set its pool_mode to session'),
        });
        const doctor = await pointage(['doctor', '--database-url', pooled]);
        expect(doctor.out).toMatch(/✗\s+database.*A pooler changes sessions between transactions/);
        const began = performance.now();
        const run = await pointage([
          'run',
          '--source',
          `file:${await makeFolder({})}`,
          '--database-url',
          pooled,
        ]);
        expect([run.status, run.err]).toEqual([
          3,
          expect.stringContaining('A pooler changes sessions'),
        ]);
        expect(performance.now() - began).toBeLessThan(15_000);
      });
    });
  },
);
