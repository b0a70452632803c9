// A PostgreSQL as an operator has it: of the distribution's packages, with its own programs beside it. For what only those can
// show: the oldest version that is supported, backup and restore.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isThereOrNotRequired } from './installed.ts';

/** Where Debian has the programs of each version. */
const VERSIONS = '/usr/lib/postgresql';
const PROGRAMS = ['initdb', 'postgres', 'pg_isready', 'createdb', 'pg_dump', 'pg_restore'];
const USER = 'postgres';

export interface OwnPostgres {
  readonly databaseUrl: (name: string) => string;
  /** Runs one of its programs to its end; throws what it said if it failed. */
  readonly run: (program: string, ...words: readonly string[]) => string;
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

/** Listens on a socket in a folder of its own alone. Root's runs as the packages' user, as PostgreSQL asks. */
export async function startOwnPostgres(programs: string): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-own-'));
  const data = join(folder, 'data');
  const account = accountOf();
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (account !== null) for (const path of [folder, data]) chownSync(path, account.uid, account.gid);
  const options = { cwd: folder, env: { PGHOST: folder, PGUSER: USER }, ...account };
  const run = (program: string, ...words: readonly string[]): string =>
    execFileSync(join(programs, program), words, { ...options, encoding: 'utf8', stdio: 'pipe' });
  run('initdb', `--pgdata=${data}`, '--auth=trust', `--username=${USER}`, '--encoding=UTF8', '--no-sync');
  const words = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  const server = spawn(join(programs, 'postgres'), words, { ...options, stdio: 'ignore' });
  await untilReady(server, () => run('pg_isready'));
  return {
    databaseUrl: (name) => `postgres://${USER}@localhost/${name}?host=${encodeURIComponent(folder)}`,
    run,
    stop: async () => {
      server.kill('SIGINT');
      await once(server, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Null: whoever runs this may run a server. */
function accountOf(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid!() !== 0) return null;
  const idOf = (which: string): number => Number(execFileSync('id', [which, USER], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function untilReady(server: ChildProcess, ask: () => string): Promise<void> {
  for (;;) {
    try {
      ask();
      return;
    } catch (failure) {
      if (server.exitCode !== null) throw failure;
      await sleep(100);
    }
  }
}
