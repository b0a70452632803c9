// A connection with one read-only transaction on one snapshot. Several sessions of one reading see the same instant of the
// books. Writes nothing: the transaction could not.

import pg from 'pg';
import { invariant } from '../../domain/invariant.ts';
import { failureOf } from './postgres-failure.ts';
import type { PostgresSettings } from './postgres-settings.ts';

export interface Session {
  readonly client: pg.Client;
  /** Takes leave of the server; the session must be idle. */
  end(): Promise<void>;
  /** Ends the session at once, whatever it is doing. */
  destroy(): void;
}

/** `snapshot`: the one to join, as exported by another session that is still open; null: a new one. */
export async function openSession(settings: PostgresSettings, snapshot: string | null): Promise<Session> {
  const client = new pg.Client({
    connectionString: settings.connectionString,
    connectionTimeoutMillis: settings.connectTimeout,
    application_name: 'pointage source',
    keepAlive: true,
  });
  // A lost connection is reported by whatever was asked of it; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    if (snapshot !== null) {
      invariant(/^[0-9A-F-]+$/.test(snapshot), 'a snapshot is named by hexadecimal digits');
      await client.query(`set transaction snapshot '${snapshot}'`);
    }
    // A reader that is slow must not be cut off in the middle: it waits for whoever takes the rows.
    await client.query(
      "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local time zone 'UTC'",
    );
    // A database in SQL_ASCII holds bytes of any encoding. They are taken as they are, for a check by UTF-8 on the
    // server would stop the whole stream at the first bad row.
    await client.query(
      "select set_config('client_encoding', case when current_setting('server_encoding') = 'SQL_ASCII' then 'SQL_ASCII' else 'UTF8' end, true)",
    );
  } catch (error) {
    destroy(client);
    throw failureOf(error, snapshot === null ? 'connecting' : 'joining the snapshot of a reading');
  }
  return {
    client,
    // A session that is lost already has ended as well.
    end: () => client.end().catch(() => {}),
    destroy: () => destroy(client),
  };
}

/** The name by which other sessions can join this one's snapshot while it lasts. */
export async function exportSnapshot(session: Session): Promise<string> {
  try {
    const answer = await session.client.query<{ name: string }>('select pg_export_snapshot() as name');
    return answer.rows[0]!.name;
  } catch (error) {
    throw failureOf(error, 'exporting a snapshot');
  }
}

function destroy(client: pg.Client): void {
  // `end` would wait for a COPY that nobody reads any more.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
