// A PostgreSQL of the tests' own, thrown away when they end: one for a whole run, made of the
// embedded programs, or one of the distribution's packages, as an operator has it. Keeps nothing
// safe: what is written may be lost with the machine. However the process that started it ends, the
// server ends too, and its data are removed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Account, unprivilegedAccount } from '../../src/io/storage/server/embedded-cluster.ts';
import { isThereOrNotRequired } from './installed.ts';

/** The folder in which Debian has the programs of each version. */
const VERSIONS = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'postgres', 'createdb', 'pg_dump', 'pg_restore'];
const USER = 'postgres';

/**
 * The database is thrown away with its server, so that nothing is written twice, kept for a replica
 * or tidied up.
 */
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

/**
 * A shell script that reads the process id of each server as it starts. When the process that
 * writes to its input ends, even by SIGKILL, it stops the last server and removes the folders, of
 * which the first has the data. It looks for the server's lock file to know whether the server has
 * stopped, because another process may have got its id by then.
 */
const WATCHER = `
while read -r line; do server=$line; done
kill -INT "$server"
for second in 1 2 3 4 5 6 7 8 9 10; do
  [ -e "$1/postmaster.pid" ] || break
  sleep 1
done
[ ! -e "$1/postmaster.pid" ] || kill -KILL "$server"
rm -rf "$@"
`;

/** Data are kept in this folder of memory, where at least `PLENTY` is free. */
const MEMORY = '/dev/shm';
const PLENTY = 4 * 1024 ** 3;

export interface OwnPostgres {
  readonly databaseUrl: (name: string) => string;
  /** Runs one of PostgreSQL's programs to its end. Throws what the program said if it failed. */
  readonly run: (program: string, ...words: readonly string[]) => string;
  readonly socketPath: string;
  /**
   * Kills the server (SIGKILL), starts another one on the same data, and waits until it has
   * recovered.
   */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Returns the folder of the oldest version that is installed whole; `null`: none is, and none is
 * required.
 */
export function ownPrograms(): string | null {
  const versions = existsSync(VERSIONS)
    ? readdirSync(VERSIONS).toSorted((one, other) => Number(one) - Number(other))
    : [];
  const folders = versions.map((version) => join(VERSIONS, version, 'bin'));
  const found = folders.find((folder) =>
    PROGRAMS.every((program) => existsSync(join(folder, program))),
  );
  return isThereOrNotRequired(found !== undefined, `PostgreSQL in ${VERSIONS}`) ? found! : null;
}

/**
 * Starts a server that listens only on a socket in a folder of its own. The server of root runs as
 * an account without rights, as PostgreSQL asks. `below`: the folder for its data; by default
 * memory, where there is plenty. `beside`: folders that are also removed if this process ends
 * before `stop`.
 */
export async function startOwnPostgres(
  programs: string,
  settings: Readonly<Record<string, string>> = {},
  below: string | null = null,
  beside: readonly string[] = [],
): Promise<OwnPostgres> {
  const account = serverAccount();
  const folder = ownFolder(tmpdir(), account);
  const data = ownFolder(below ?? (hasPlentyOfMemory() ? MEMORY : folder), account);
  const options = { cwd: folder, env: { PGHOST: folder, PGUSER: USER }, ...account };
  const run = (program: string, ...words: readonly string[]): string =>
    execFileSync(join(programs, program), words, { ...options, encoding: 'utf8', stdio: 'pipe' });
  run(
    'initdb',
    `--pgdata=${data}`,
    '--auth=trust',
    `--username=${USER}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  );
  const all = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const watcher = watchOwner([data, folder, ...beside]);
  const start = () => {
    const started = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, ...all], {
      ...options,
      stdio: 'ignore',
    });
    watcher.servedBy(started);
    return started;
  };
  let server = start();
  const databaseUrl = (name: string) =>
    `postgres://${USER}@localhost/${name}?host=${encodeURIComponent(folder)}`;
  await untilReady(server, databaseUrl('postgres'));
  return {
    databaseUrl,
    run,
    socketPath: join(folder, '.s.PGSQL.5432'),
    crash: async () => {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      // A new server is refused until the last process of the old one has seen that its parent is
      // gone.
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
      watcher.leave();
      for (const path of [data, folder]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/**
 * Starts the watcher in a session of its own, so that a signal to this process and all its children
 * does not reach it.
 */
function watchOwner(folders: readonly string[]) {
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  const watcher = spawn('sh', ['-c', WATCHER, 'watcher', ...folders], {
    cwd: '/',
    detached: true,
    stdio: [...stdio],
  });
  watcher.unref();
  const input = watcher.stdin as Socket;
  input.unref();
  input.on('error', () => {});
  return {
    servedBy: ({ pid }: ChildProcess) => void input.write(`${pid}\n`),
    leave: () => void watcher.kill('SIGKILL'),
  };
}

/**
 * Returns the account that a server must run as; `null`: the account that runs the tests may run
 * it.
 */
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
