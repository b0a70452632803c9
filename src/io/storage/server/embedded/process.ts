// The embedded server as a process: make the cluster, start the server, see whether it runs, ask it to stop. Refuses to
// share a half-made cluster: initdb works under another name and the finished cluster is renamed into place.

import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailed } from '../store-failed.ts';
import { type Location, prepareSocketFolder } from './location.ts';

/** Superuser of the embedded cluster; reached through a socket that only its owner can open. */
export const EMBEDDED_USER = 'pointage';

export interface Postmaster {
  readonly pid: number;
  readonly socketFolder: string;
}

const SETTINGS = [
  "listen_addresses = ''",
  'unix_socket_permissions = 0700',
  'port = 5432',
  'fsync = on',
  'full_page_writes = on',
  'max_connections = 100',
  "shared_buffers = '256MB'",
  "max_wal_size = '2GB'",
  'jit = off',
  "timezone = 'UTC'",
  "log_timezone = 'UTC'",
  'log_checkpoints = off',
  // A statement that fails may hold a partner's data: the log keeps the error, not the statement.
  'log_min_error_statement = panic',
];

/** Runs initdb unless the cluster is there. Two processes may try at once: one cluster wins, the other is removed. */
export async function initialiseCluster(location: Location, programs: string): Promise<void> {
  if (existsSync(join(location.data, 'PG_VERSION'))) return;
  removeAbandoned(location);
  const part = `${location.data}.${process.pid}.new`;
  await run(location, join(programs, 'initdb'), [
    ...['-D', part, '-U', EMBEDDED_USER, '--auth=trust', '--encoding=UTF8', '--locale=C'],
    ...['--data-checksums', '--no-instructions'],
  ]);
  appendFileSync(join(part, 'postgresql.conf'), "include 'pointage.conf'\n");
  try {
    renameSync(part, location.data);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(join(location.data, 'PG_VERSION'))) throw error;
  }
}

/** Starts the server in a session of its own, so that it outlives this process, and waits until it takes connections. */
export async function startServer(location: Location, programs: string): Promise<void> {
  forgetReusedProcessId(location);
  writeSettings(location);
  const log = join(location.home, 'server.log');
  await run(location, join(programs, 'pg_ctl'), ['start', '-w', '-t', '60', '-s', '-D', location.data, '-l', log]);
}

/** What the running server's lock file says; null when there is none or it is only half written. */
export function readPostmaster(location: Location): Postmaster | null {
  const path = join(location.data, 'postmaster.pid');
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 0 ? { pid, socketFolder: lines[4] ?? '' } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Fast shutdown: sessions are cut, committed work is on disk. Waits until the server is gone (30 s at most). */
export async function stopServer(location: Location): Promise<void> {
  const postmaster = readPostmaster(location);
  if (postmaster === null) return;
  try {
    process.kill(postmaster.pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  for (let waited = 0; waited < 30_000 && isPostgres(postmaster.pid); waited += 10) await sleep(10);
}

/**
 * True when `pid` is a living PostgreSQL process. One that has ended is none, though its name stays until its parent asks how: in
 * a container the first process may do so late, or never.
 */
export function isPostgres(pid: number): boolean {
  try {
    if (process.platform === 'linux') return /^\d+ \(postgres\) [^ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .endsWith('postgres');
  } catch {
    return false;
  }
}

/**
 * After a crash the lock file may name a process id that now belongs to another program of the same user; PostgreSQL
 * would take that program for a server and refuse to start. A living server's lock is never touched.
 */
function forgetReusedProcessId(location: Location): void {
  const postmaster = readPostmaster(location);
  if (postmaster === null || isPostgres(postmaster.pid)) return;
  rmSync(join(postmaster.socketFolder || location.home, '.s.PGSQL.5432.lock'), { force: true });
  if (readPostmaster(location)?.pid === postmaster.pid) rmSync(join(location.data, 'postmaster.pid'), { force: true });
}

function writeSettings(location: Location): void {
  const path = join(location.data, 'pointage.conf');
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const remembered = /^unix_socket_directories = '(.*)'$/m.exec(before)?.[1]?.replaceAll("''", "'") ?? null;
  const folder = prepareSocketFolder(location, remembered).replaceAll("'", "''");
  const text = [...SETTINGS, `unix_socket_directories = '${folder}'`, ''].join('\n');
  writeFileSync(`${path}.${process.pid}`, text, { mode: 0o644 });
  renameSync(`${path}.${process.pid}`, path);
}

function removeAbandoned(location: Location): void {
  for (const name of readdirSync(location.home)) {
    const pid = /^data\.(\d+)\.new$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(location.home, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Runs a program as the server's account, with a bare environment, in a folder that account can enter. */
function run(location: Location, program: string, parameters: readonly string[]): Promise<void> {
  const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const options = { cwd: location.home, env: environment, ...location.account };
  return new Promise((done, fail) => {
    execFile(program, parameters, options, (error, _output, complaint) => {
      if (error === null) done();
      else fail(new StoreFailed('EMBEDDED_SERVER', describe(location, `${complaint}`.trim() || error.message), error));
    });
  });
}

function describe(location: Location, complaint: string): string {
  const said = complaint.split('\n')[0]!.replace(/\.$/, '');
  return `The embedded PostgreSQL could not be started in ${location.home} (${said}); see server.log there, or set DATABASE_URL.`;
}
