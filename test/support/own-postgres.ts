// A PostgreSQL of the tests' own, thrown away when they end: one for a whole run, made of the embedded programs, or one of the
// distribution's packages, as an operator has it. Keeps nothing safe: what is written may be lost with the machine.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Account, unprivilegedAccount } from '../../src/io/storage/server/embedded-cluster.ts';
import { isThereOrNotRequired } from './installed.ts';

/** Where Debian has the programs of each version. */
const VERSIONS = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'postgres', 'createdb', 'pg_dump', 'pg_restore'];
const USER = 'postgres';

/** The database goes with its server: nothing is written twice, kept for a replica or tidied up. */
const SETTINGS = {
  autovacuum: 'off',
  fsync: 'off',
  full_page_writes: 'off',
  jit: 'off',
  listen_addresses: '',
  max_wal_senders: '0',
  max_wal_size: '256MB',
  shared_buffers: '256MB',
  timezone: 'UTC',
  wal_level: 'minimal',
};

/** Data are held in memory where this much is free. */
const MEMORY = '/dev/shm';
const PLENTY = 4 * 1024 ** 3;

export interface OwnPostgres {
  readonly databaseUrl: (name: string) => string;
  /** Runs one of its programs to its end; throws what it said if it failed. */
  readonly run: (program: string, ...words: readonly string[]) => string;
  readonly socketPath: string;
  /** Kills the server (SIGKILL), starts another one on the same data, and waits until it has recovered. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder of the oldest one that is installed whole; null: none is, and none is required. */
export function ownPrograms(): string | null {
  const versions = existsSync(VERSIONS)
    ? readdirSync(VERSIONS).toSorted((one, other) => Number(one) - Number(other))
    : [];
  const folders = versions.map((version) => join(VERSIONS, version, 'bin'));
  const found = folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
  return isThereOrNotRequired(found !== undefined, `PostgreSQL in ${VERSIONS}`) ? found! : null;
}

/**
 * Listens on a socket in a folder of its own alone. Root's runs as an account without rights, as PostgreSQL asks. `below`: the
 * folder for its data, by default memory where there is plenty.
 */
export async function startOwnPostgres(
  programs: string,
  settings: Readonly<Record<string, string>> = {},
  below: string | null = null,
): Promise<OwnPostgres> {
  const account = serverAccount();
  const folder = ownFolder(tmpdir(), account);
  const data = ownFolder(below ?? (hasPlentyOfMemory() ? MEMORY : folder), account);
  const options = { cwd: folder, env: { PGHOST: folder, PGUSER: USER }, ...account };
  const run = (program: string, ...words: readonly string[]): string =>
    execFileSync(join(programs, program), words, { ...options, encoding: 'utf8', stdio: 'pipe' });
  run('initdb', `--pgdata=${data}`, '--auth=trust', `--username=${USER}`, '--encoding=UTF8', '--locale=C', '--no-sync');
  const all = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = () =>
    spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, ...all], { ...options, stdio: 'ignore' });
  let server = start();
  const databaseUrl = (name: string) => `postgres://${USER}@localhost/${name}?host=${encodeURIComponent(folder)}`;
  await untilReady(server, databaseUrl('postgres'));
  return {
    databaseUrl,
    run,
    socketPath: join(folder, '.s.PGSQL.5432'),
    crash: async () => {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      // Another one is refused until the last process of this one has seen that its parent is gone.
      for (let isReady = false; !isReady; ) {
        server = start();
        isReady = await untilReady(server, databaseUrl('postgres')).then(
          () => true,
          () => sleep(50, false),
        );
      }
    },
    stop: async () => {
      const exited = once(server, 'exit');
      if (server.kill('SIGINT')) await exited;
      for (const path of [data, folder]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Null: the account that runs the tests may run a server. */
export function serverAccount(): Account | null {
  return process.getuid!() === 0 ? unprivilegedAccount() : null;
}

function ownFolder(parent: string, account: Account | null): string {
  const folder = mkdtempSync(join(parent, 'pointage-own-'));
  if (account !== null) chownSync(folder, account.uid, account.gid);
  return folder;
}

function hasPlentyOfMemory(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= PLENTY;
}

async function untilReady(server: ChildProcess, databaseUrl: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: databaseUrl });
    try {
      await client.connect();
      return await client.end();
    } catch (failure) {
      if (server.exitCode !== null) throw failure;
      await sleep(20);
    }
  }
}
