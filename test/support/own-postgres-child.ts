// A process that starts a PostgreSQL of its own, as a run of the tests does, says where it is, and
// waits to be killed. Called as `own-postgres-child.ts PROGRAMS`.

import { dirname } from 'node:path';
import pg from 'pg';
import { startOwnPostgres } from './own-postgres.ts';

export interface OwnServer {
  readonly pid: number;
  /** The folders of the server's data and of its socket. */
  readonly folders: readonly string[];
}

const { databaseUrl, socketPath } = await startOwnPostgres(process.argv[2]!);
const client = new pg.Client({ connectionString: databaseUrl('postgres') });
await client.connect();
const answer = await client.query<{ data: string; lock: string }>(
  `select current_setting('data_directory') as data, pg_read_file('postmaster.pid') as lock`,
);
const { data, lock } = answer.rows[0]!;
const server: OwnServer = { pid: Number.parseInt(lock, 10), folders: [data, dirname(socketPath)] };
process.stdout.write(`${JSON.stringify(server)}\n`);
