// The embedded PostgreSQL server, shared by every process that opens one data directory. A process
// attaches to it, starts it if it is not running, and stops it when it is the last to leave.
// Refuses to listen on anything but a private socket, and to share a half-made cluster: initdb
// works under another name. Its SQL is text: it creates the database, before there is a schema.

import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  isOurs,
  type Location,
  locateCluster,
  moveIntoPlace,
  preparePrograms,
  prepareSocketFolder,
} from './embedded-cluster.ts';
import { StoreFailed } from './store.ts';

export interface EmbeddedServer {
  readonly host: string;
  readonly user: string;
  readonly database: string;
  /** Leaves the server; the last process to leave stops it. */
  release(): Promise<void>;
}

/** pg's client with two methods that it has and its type does not declare. */
type Presence = pg.Client & { ref(): void; unref(): void };

const DATABASE = 'pointage';
/**
 * The key of the advisory lock that every attached process holds shared. A process that gets it
 * exclusively is alone and may stop the server.
 */
const PRESENCE = '8101800978';
/** Milliseconds after which an attempt to attach is given up. */
const PATIENCE = 60_000;
const ATTEMPTS_TO_START = 5;

/**
 * Attaches to the server of `dataDirectory`, and makes and starts it as needed. That takes about
 * 1.5 s the first time, 0.2 s when the server has to be started, and a few milliseconds when it
 * runs. Throws `StoreFailed`.
 */
export async function attachEmbeddedServer(dataDirectory: string): Promise<EmbeddedServer> {
  const location = locate(dataDirectory);
  let lastFailure: unknown = null;
  const deadline = performance.now() + PATIENCE;
  for (let starts = 0; starts < ATTEMPTS_TO_START && performance.now() < deadline; ) {
    try {
      const presence = await joinServer(location);
      if (presence !== null) return embeddedServer(location, presence);
    } catch (error) {
      lastFailure = error;
    }
    const postmaster = readPostmaster(location);
    if (postmaster !== null && isPostgres(postmaster.pid)) {
      await sleep(20);
      continue;
    }
    starts += 1;
    try {
      const programs = preparePrograms(location.home, location.account);
      await initialiseCluster(location, programs);
      await startServer(location, programs);
    } catch (error) {
      if (error instanceof StoreFailed && error.code === 'UNSUPPORTED_PLATFORM') throw error;
      // Another process may have started the server first, or the last server's children may still
      // be leaving: try again.
      lastFailure = error;
      await sleep(100 * starts);
    }
  }
  if (lastFailure instanceof StoreFailed) throw lastFailure;
  throw new StoreFailed(
    'EMBEDDED_SERVER',
    `The embedded PostgreSQL in ${location.home} does not answer.`,
    lastFailure,
  );
}

function locate(dataDirectory: string): Location {
  try {
    return locateCluster(dataDirectory);
  } catch (cause) {
    if (cause instanceof StoreFailed) throw cause;
    const why = (cause as Error).message;
    throw new StoreFailed(
      'EMBEDDED_SERVER',
      `The data directory ${dataDirectory} can't be used: ${why}.`,
      cause,
    );
  }
}

/**
 * Connects and takes the presence lock. Returns `null` when no server runs here. Throws while one
 * is starting or stopping.
 */
async function joinServer(location: Location): Promise<pg.Client | null> {
  const postmaster = readPostmaster(location);
  if (postmaster === null || !isOurs(postmaster.socketFolder, location.account)) return null;
  const client = new pg.Client({ ...connectionTo(postmaster.socketFolder), database: 'postgres' });
  // The caller's own connections throw when the server is lost, so this one need not.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`select pg_advisory_lock_shared(${PRESENCE})`);
    await createDatabase(client);
    // This connection must not keep a process alive that has nothing else to do.
    (client as Presence).unref();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

function connectionTo(host: string): pg.ClientConfig {
  return {
    host,
    port: 5432,
    user: EMBEDDED_USER,
    password: '',
    ssl: false,
    application_name: 'pointage presence',
  };
}

async function createDatabase(client: pg.Client): Promise<void> {
  const known = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
  if (known.rowCount !== 0) return;
  try {
    await client.query(`create database ${DATABASE}`);
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code !== '42P04' && code !== '23505') throw error;
  }
}

function embeddedServer(location: Location, presence: pg.Client): EmbeddedServer {
  return {
    host: presence.host,
    user: EMBEDDED_USER,
    database: DATABASE,
    release: async () => {
      (presence as Presence).ref();
      if (await isAlone(presence)) await stopServer(location);
      await presence.end().catch(() => {});
    },
  };
}

async function isAlone(presence: pg.Client): Promise<boolean> {
  try {
    await presence.query(`select pg_advisory_unlock_shared(${PRESENCE})`);
    const answer = await presence.query<{ alone: boolean }>(
      `select pg_try_advisory_lock(${PRESENCE}) as alone`,
    );
    return answer.rows[0]?.alone === true;
  } catch {
    // The server is gone already: there is nothing left to stop.
    return false;
  }
}

/**
 * The superuser of the embedded cluster. It needs no password, because the socket can be opened by
 * its owner only.
 */
const EMBEDDED_USER = 'pointage';

interface Postmaster {
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
  // The log shows errors without their statements, because a statement may contain a partner's
  // data.
  'log_min_error_statement = panic',
];

/**
 * Runs initdb unless the cluster exists. When two processes do so at once, one cluster stays and
 * the other is removed.
 */
async function initialiseCluster(location: Location, programs: string): Promise<void> {
  if (existsSync(join(location.data, 'PG_VERSION'))) return;
  removeAbandoned(location);
  const part = `${location.data}.${process.pid}.new`;
  await run(location, join(programs, 'initdb'), [
    ...['-D', part, '-U', EMBEDDED_USER, '--auth=trust', '--encoding=UTF8', '--locale=C'],
    ...['--data-checksums', '--no-instructions'],
  ]);
  appendFileSync(join(part, 'postgresql.conf'), "include 'pointage.conf'\n");
  moveIntoPlace(part, location.data);
}

/**
 * Starts the server in a session of its own, so that it outlives this process, and waits until it
 * takes connections.
 */
async function startServer(location: Location, programs: string): Promise<void> {
  forgetReusedProcessId(location);
  writeSettings(location);
  const log = join(location.home, 'server.log');
  await run(location, join(programs, 'pg_ctl'), [
    'start',
    '-w',
    '-t',
    '60',
    '-s',
    '-D',
    location.data,
    '-l',
    log,
  ]);
}

/** Reads the running server's lock file; `null` when there is none, or it is only half written. */
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

/**
 * Stops the server by a fast shutdown: sessions are cut, committed work is on disk. Waits until the
 * server is gone, 30 s at most.
 */
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
 * True when `pid` is a living PostgreSQL process. A zombie is none: in a container the first
 * process may reap it late, or never.
 */
export function isPostgres(pid: number): boolean {
  try {
    if (process.platform === 'linux')
      return /^\d+ \(postgres\) [^ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .endsWith('postgres');
  } catch {
    return false;
  }
}

/**
 * Removes a stale lock file. After a crash it may name a process id that now belongs to another
 * program of the same user; PostgreSQL would take that program for a server and refuse to start.
 * The lock of a living server is never touched.
 */
function forgetReusedProcessId(location: Location): void {
  const postmaster = readPostmaster(location);
  if (postmaster === null || isPostgres(postmaster.pid)) return;
  rmSync(join(postmaster.socketFolder || location.home, '.s.PGSQL.5432.lock'), { force: true });
  if (readPostmaster(location)?.pid === postmaster.pid)
    rmSync(join(location.data, 'postmaster.pid'), { force: true });
}

function writeSettings(location: Location): void {
  const path = join(location.data, 'pointage.conf');
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const remembered =
    /^unix_socket_directories = '(.*)'$/m.exec(before)?.[1]?.replaceAll("''", "'") ?? null;
  const folder = prepareSocketFolder(location, remembered).replaceAll("'", "''");
  const text = [...SETTINGS, `unix_socket_directories = '${folder}'`, ''].join('\n');
  writeFileSync(`${path}.${process.pid}`, text, { mode: 0o644 });
  renameSync(`${path}.${process.pid}`, path);
}

function removeAbandoned(location: Location): void {
  for (const name of readdirSync(location.home)) {
    const pid = /^data\.(\d+)\.new$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(location.home, name), { recursive: true, force: true });
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

/**
 * Runs a program as the server's account, with a bare environment, in a folder that account can
 * enter.
 */
function run(location: Location, program: string, parameters: readonly string[]): Promise<void> {
  const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  const options = { cwd: location.home, env: environment, ...location.account };
  return new Promise((done, fail) => {
    execFile(program, parameters, options, (error, _output, complaint) => {
      if (error === null) done();
      else
        fail(
          new StoreFailed(
            'EMBEDDED_SERVER',
            describe(location, `${complaint}`.trim() || error.message),
            error,
          ),
        );
    });
  });
}

function describe(location: Location, complaint: string): string {
  const why = complaint.split('\n')[0]!.replace(/\.$/, '');
  return `The embedded PostgreSQL could not be started in ${location.home} (${why}); see server.log there, or set DATABASE_URL.`;
}
