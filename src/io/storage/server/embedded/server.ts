// The embedded server, shared by every process that opens one data directory: attach to it, start it if it is not
// running, and stop it when the last one leaves. Refuses to listen on anything but a private socket. Its SQL is text: it
// makes the database, and there is no schema yet.

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreFailed } from '../store-failed.ts';
import { preparePrograms } from './binaries.ts';
import { isOurs, type Location, locateCluster } from './location.ts';
import { EMBEDDED_USER, initialiseCluster, isPostgres, readPostmaster, startServer, stopServer } from './process.ts';

export interface EmbeddedServer {
  readonly host: string;
  readonly user: string;
  readonly database: string;
  /** Leaves the server; the last process to leave stops it. */
  release(): Promise<void>;
}

/** pg's client has these two; its type does not say so. */
type Presence = pg.Client & { ref(): void; unref(): void };

const DATABASE = 'pointage';
/** Every attached process holds this advisory lock shared; who gets it exclusively is alone and may stop the server. */
const PRESENCE = '8101800978';
const PATIENCE = 60_000;
const ATTEMPTS_TO_START = 5;

/**
 * Attaches to the server of `dataDirectory`, making and starting it as needed: about 1.5 s the first time, 0.2 s when it
 * has to be started, a few milliseconds when it runs. Throws `StoreFailed`.
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
      // Another process may have started it first, or the last server's children are still leaving: look again.
      lastFailure = error;
      await sleep(100 * starts);
    }
  }
  if (lastFailure instanceof StoreFailed) throw lastFailure;
  throw new StoreFailed('EMBEDDED_SERVER', `The embedded PostgreSQL in ${location.home} does not answer.`, lastFailure);
}

function locate(dataDirectory: string): Location {
  try {
    return locateCluster(dataDirectory);
  } catch (cause) {
    if (cause instanceof StoreFailed) throw cause;
    const why = (cause as Error).message;
    throw new StoreFailed('EMBEDDED_SERVER', `The data directory ${dataDirectory} can't be used: ${why}.`, cause);
  }
}

/** Connects and takes the presence lock; null when no server runs here. Throws while it is starting or going down. */
async function joinServer(location: Location): Promise<pg.Client | null> {
  const postmaster = readPostmaster(location);
  if (postmaster === null || !isOurs(postmaster.socketFolder, location.account)) return null;
  const client = new pg.Client({ ...connectionTo(postmaster.socketFolder), database: 'postgres' });
  // Losing this connection is not the caller's business: its own connections will say so.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(`select pg_advisory_lock_shared(${PRESENCE})`);
    await createDatabase(client);
    // Being present must not keep a process alive that has nothing else to do.
    (client as Presence).unref();
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

function connectionTo(host: string): pg.ClientConfig {
  return { host, port: 5432, user: EMBEDDED_USER, password: '', ssl: false, application_name: 'pointage presence' };
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
    const answer = await presence.query<{ alone: boolean }>(`select pg_try_advisory_lock(${PRESENCE}) as alone`);
    return answer.rows[0]?.alone === true;
  } catch {
    // The server is gone already: there is nothing left to stop.
    return false;
  }
}
