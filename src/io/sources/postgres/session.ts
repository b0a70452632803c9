// Connections with one read-only transaction each. Several sessions of one reading see the same
// instant of the books; a connection that is idle is kept a while for the next reading, for a new
// one costs the operator's server a new process. Writes nothing: the transaction could not.

import pg from 'pg';
import { invariant } from '../../../core/domain/invariant.ts';
import { PlaceUnreachable } from '../port/source.ts';
import { openPlace, type Place } from '../web/web-settings.ts';
import { failureOf } from './postgres-failure.ts';
import type { PostgresSettings } from './postgres-settings.ts';

export interface Session {
  readonly client: pg.Client;
  /**
   * The name by which other sessions can join this one's snapshot while it lasts; null in one that
   * has joined.
   */
  readonly snapshot: string | null;
  /** When the transaction began by the server's clock, epoch milliseconds. */
  readonly beganAt: number;
  /** Gives the snapshot up; the session must be idle. */
  end(): Promise<void>;
  /** Ends the session at once, whatever it is doing. */
  destroy(): void;
}

export interface SessionPool {
  /** `snapshot`: the one to join, of another session that is still open; null: a new one. */
  open(snapshot: string | null): Promise<Session>;
  /** Ends the connections that are idle, and from now on those that become so. */
  close(): Promise<void>;
}

type Connecting = Pick<PostgresSettings, 'connectionString' | 'connectTimeout'>;

/**
 * A server that does not answer is waited for as long as so many attempts to connect may take, 40
 * seconds at most.
 */
const TRIES = 4;
const NEVER = new AbortController().signal;
/** How long an idle connection is kept. */
const IDLE = 10_000;

export function openSessionPool(settings: Connecting): SessionPool {
  // A server that is away is waited for by all, and then asked by one in a minute: no merchant
  // waits for it alone.
  const place = openPlace({ attempts: TRIES, longestDelay: settings.connectTimeout });
  let asked = 0;
  const idle = new Map<pg.Client, NodeJS.Timeout>();
  let isClosed = false;
  const leave = async (client: pg.Client): Promise<void> => {
    clearTimeout(idle.get(client));
    idle.delete(client);
    // A session that is lost already has ended as well.
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
          // The idle connection was lost, or the snapshot is gone: a new connection will show
          // which.
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

/** In a session of its own. */
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

/** Throws `PlaceUnreachable` where the server does not answer, or is starting or stopping. */
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

/** Null: the server answered, and would not have us. */
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

/** Server and database; neither user nor password. Throws where it is no address. */
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
  // A lost connection is reported by whatever was asked of it; without a listener it would end the
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

/** In one exchange, for a night opens thousands of sessions. */
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
    // A reader that is slow must not be cut off in the middle: it waits for the caller to take the
    // rows.
    "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local time zone 'UTC'",
    // A database in SQL_ASCII holds bytes of any encoding. They are taken as they are, for a check
    // by UTF-8 on the server would stop the whole stream at the first bad row.
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
  // `end` would wait for a COPY without a reader.
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
