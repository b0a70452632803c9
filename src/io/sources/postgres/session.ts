// Connections with one read-only transaction each. Several sessions of one reading see the books at
// the same instant. An idle connection is kept a while for the next reading, because a new one
// costs the operator's server a new process. Nothing can be written.

import pg from 'pg';
import { invariant } from '../../../core/domain/invariant.ts';
import { PlaceUnreachable } from '../port/source.ts';
import { openPlace, type Place } from '../web/web-settings.ts';
import { failureOf } from './postgres-failure.ts';
import type { PostgresSettings } from './postgres-settings.ts';

export interface Session {
  readonly client: pg.Client;
  /**
   * Name of the exported snapshot, which other sessions can join while this session lasts; `null`
   * in a session that has itself joined one.
   */
  readonly snapshot: string | null;
  /** When the transaction began by the server's clock, epoch milliseconds. */
  readonly beganAt: number;
  /** Gives up the snapshot and keeps the connection for later; the session must be idle. */
  end(): Promise<void>;
  /** Ends the session at once, whatever it is doing. */
  destroy(): void;
}

export interface SessionPool {
  /**
   * Opens a session. `snapshot` is the snapshot to join, of another session that is still open;
   * `null`: a new snapshot.
   */
  open(snapshot: string | null): Promise<Session>;
  /** Closes the idle connections, and from now on each connection that becomes idle. */
  close(): Promise<void>;
}

type Connecting = Pick<PostgresSettings, 'connectionString' | 'connectTimeout'>;

/**
 * The patience with a server that does not answer: as long as this many attempts to connect may
 * take, but at most 40 seconds.
 */
const TRIES = 4;
const NEVER = new AbortController().signal;
/** Milliseconds that an idle connection is kept. */
const IDLE = 10_000;

export function openSessionPool(settings: Connecting): SessionPool {
  // All merchants wait together for a server that is down. Later one connection a minute tries it,
  // so that no merchant waits for it alone.
  const place = openPlace({ attempts: TRIES, longestDelay: settings.connectTimeout });
  let asked = 0;
  const idle = new Map<pg.Client, NodeJS.Timeout>();
  let isClosed = false;
  const leave = async (client: pg.Client): Promise<void> => {
    clearTimeout(idle.get(client));
    idle.delete(client);
    // If the session is lost, it has ended already.
    await client.end().catch(() => {});
  };
  const keep = async (client: pg.Client): Promise<void> => {
    await client.query('rollback');
    if (isClosed) throw new Error('the pool was closed');
    const timer = setTimeout(() => leave(client), IDLE);
    timer.unref();
    idle.set(client, timer);
  };
  const sessionOn = async (client: pg.Client, snapshot: string | null): Promise<Session> => ({
    client,
    ...(await begin(client, snapshot)),
    end: () => keep(client).catch(() => leave(client)),
    destroy: () => destroy(client),
  });
  return {
    async open(snapshot) {
      for (const [client, timer] of [...idle].reverse()) {
        clearTimeout(timer);
        idle.delete(client);
        try {
          return await sessionOn(client, snapshot);
        } catch {
          // The idle connection was lost, or the snapshot is gone: opening a new connection will
          // show which.
          destroy(client);
        }
      }
      asked += 1;
      const client = await connectTo(place, { settings, asker: `connection ${asked}` });
      client.on('end', () => void leave(client));
      try {
        return await sessionOn(client, snapshot);
      } catch (error) {
        destroy(client);
        throw failureOf(
          error,
          snapshot === null ? 'connecting' : 'joining the snapshot of a reading',
        );
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...idle.keys()].map(leave));
    },
  };
}

/** Runs the work in a session of its own. */
export async function withSession<T>(
  pool: SessionPool,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await pool.open(null);
  try {
    const result = await work(session);
    await session.end();
    return result;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/**
 * Connects. Throws `PlaceUnreachable` when the server does not answer, or is starting up or
 * shutting down.
 */
async function connectTo(
  place: Place,
  { settings, asker }: { readonly settings: Connecting; readonly asker: string },
): Promise<pg.Client> {
  for (;;) {
    await place.enter(NEVER);
    try {
      const client = await connect(settings);
      place.answered();
      return client;
    } catch (error) {
      const down = downBy(error, settings);
      if (down === null) place.answered();
      else place.unreached(asker, down);
      if (down === null || !place.gaveUp(asker, down)) throw down ?? error;
    }
  }
}

/**
 * Returns the failure when the server could not be reached; `null` when the server answered, and
 * refused the connection.
 */
function downBy(error: unknown, { connectionString }: Connecting): PlaceUnreachable | null {
  const { code, cause } = error as {
    readonly code: string;
    readonly cause?: { readonly code?: string };
  };
  if (code !== 'UNREACHABLE' || cause?.code === '3D000') return null;
  return new PlaceUnreachable(
    { place: nameOf(connectionString), why: cause?.code ?? 'NO_ANSWER' },
    'source',
    error,
  );
}

/** Names server and database, without user and password. Throws when the text is not an address. */
export function nameOf(connectionString: string): string {
  const { host, port, database } = new pg.Client({ connectionString });
  return `postgres://${host}:${port}/${database ?? ''}`;
}

async function connect(settings: Connecting): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: settings.connectionString,
    connectionTimeoutMillis: settings.connectTimeout,
    application_name: 'pointage source',
    keepAlive: true,
  });
  // A lost connection is reported by the query that used it. Without a listener it would end the
  // process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    destroy(client);
    throw failureOf(error, 'connecting');
  }
}

/** Begins the transaction in one round trip, because a night opens thousands of sessions. */
async function begin(
  client: pg.Client,
  snapshot: string | null,
): Promise<{ readonly snapshot: string | null; readonly beganAt: number }> {
  invariant(
    snapshot === null || /^[0-9A-F-]+$/.test(snapshot),
    'a snapshot is named by hexadecimal digits',
  );
  const statements = [
    'begin isolation level repeatable read read only',
    ...(snapshot === null ? [] : [`set transaction snapshot '${snapshot}'`]),
    // A slow reader must not be cut off: the server waits until the caller takes the rows.
    "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local time zone 'UTC'",
    // A database in SQL_ASCII holds bytes of any encoding. They are received unconverted, because
    // the server would otherwise stop the whole stream at the first byte that is not UTF-8.
    `select set_config('client_encoding', case when current_setting('server_encoding') = 'SQL_ASCII' then 'SQL_ASCII' else 'UTF8' end, true),
      ${snapshot === null ? 'pg_export_snapshot()' : 'null'} as snapshot,
      floor(extract(epoch from now()) * 1000)::text as began_at`,
  ];
  const answers = (await client.query(statements.join(';'))) as unknown as readonly pg.QueryResult<{
    readonly snapshot: string | null;
    readonly began_at: string;
  }>[];
  const row = answers.at(-1)!.rows[0]!;
  return { snapshot: row.snapshot, beganAt: Number(row.began_at) };
}

function destroy(client: pg.Client): void {
  // `end` would wait for a COPY whose rows are not read.
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
