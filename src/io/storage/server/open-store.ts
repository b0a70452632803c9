// Opens the store: one pool to our own PostgreSQL, the one named by a URL or the embedded one.
// Refuses servers older than 15, and never repeats a password.

import { sql } from 'kysely';
import pg from 'pg';
import { invariant } from '../../../core/domain/invariant.ts';
import { ask, build, type Queries } from './ask.ts';
import { inTransaction, openLastingConnections } from './connections.ts';
import { attachEmbeddedServer, type EmbeddedServer } from './embedded-server.ts';
import { type Store, StoreFailed } from './store.ts';

export interface StoreAddress {
  /** `postgres://…`, or null for the embedded server. */
  readonly databaseUrl: string | null;
  /** Where the embedded server keeps its files; not touched when `databaseUrl` is given. */
  readonly dataDirectory: string;
}

const OLDEST_VERSION = 150_000;

/**
 * Opens the store and does not migrate it. Throws `StoreFailed` when the server can't be started or
 * reached, or is too old.
 */
export async function openStore(address: StoreAddress): Promise<Store> {
  if (address.databaseUrl !== null) {
    const config = { connectionString: address.databaseUrl };
    const url = describe(config);
    const store = await openPool(config, { description: url, mirrorName: `mirror:${url}` }, null);
    await requireSessions(store);
    return store;
  }
  const server = await attachEmbeddedServer(address.dataDirectory);
  const config = {
    host: server.host,
    port: 5432,
    user: server.user,
    password: '',
    database: server.database,
  };
  try {
    const description = `embedded PostgreSQL in ${address.dataDirectory}`;
    const mirrorName = `mirror:${address.dataDirectory}`;
    return await openPool({ ...config, ssl: false }, { description, mirrorName }, server);
  } catch (error) {
    await server.release();
    throw error;
  }
}

/**
 * Opens a connection for one use. The caller must end it; locks and settings of its session end
 * with it.
 */
export async function connectAlone(store: Store): Promise<pg.Client> {
  const client = new pg.Client({ ...store.pool.options, types: ourTypes() });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function openPool(
  config: pg.PoolConfig,
  names: Pick<Store, 'description' | 'mirrorName'>,
  server: EmbeddedServer | null,
): Promise<Store> {
  const address = { application_name: 'pointage', keepAlive: true, ...config };
  const pool = new pg.Pool({ max: 10, ...address, types: ourTypes() });
  // The pool drops an idle connection that breaks; the next query reports a server that is gone.
  pool.on('error', () => {});
  try {
    await requireVersion(pool, names.description);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const lasting = openLastingConnections({ ...pool.options, types: ourTypes() });
  let closing: Promise<void> | null = null;
  const close = async () => {
    await lasting.close();
    await pool.end();
    await server?.release();
  };
  return {
    pool,
    lasting,
    address,
    ...names,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function requireVersion(pool: pg.Pool, description: string): Promise<void> {
  let version: number;
  try {
    const setting = sql<number>`current_setting('server_version_num')::int`;
    const answer = await ask(pool, build.selectNoFrom(setting.as('version')));
    version = answer.rows[0]!.version;
  } catch (cause) {
    const why = (cause as Error).message || (cause as { code?: string }).code!;
    const todo = /no encryption|SSL off/.test(why)
      ? ' Add ?sslmode=verify-full to its address.'
      : '';
    throw new StoreFailed(
      'UNREACHABLE',
      `The database can't be reached (${description}): ${why}.${todo}`,
      cause,
    );
  }
  if (version >= OLDEST_VERSION) return;
  const found = Math.floor(version / 10_000);
  throw new StoreFailed(
    'SERVER_TOO_OLD',
    `PostgreSQL 15 or later is needed; ${description} is version ${found}.`,
  );
}

/**
 * Refuses a pooler that lends a session for one transaction only, because locks would stay behind
 * and prepared statements get lost. With such a pooler, two connections may share one process of
 * the server, or one connection may get another process later.
 */
async function requireSessions(store: Store): Promise<void> {
  const askProcess = async (queries: Queries): Promise<number> => {
    const process = sql<number>`pg_backend_pid()`.as('process');
    return (await ask(queries, build.selectNoFrom(process))).rows[0]!.process;
  };
  const one = await store.pool.connect();
  try {
    const before = await askProcess(one);
    const [other, after] = await inTransaction(store, async (client) => [
      await askProcess(client),
      await askProcess(one),
    ]);
    if (before === after && before !== other) return;
  } finally {
    one.release();
  }
  await store.close();
  const todo = 'set its pool_mode to session, or give the address of the server itself';
  throw new StoreFailed(
    'POOLED',
    `A pooler changes sessions between transactions (${store.description}): ${todo}.`,
  );
}

function describe(config: pg.ClientConfig): string {
  try {
    // pg takes any other text for the name of a database on some host.
    if (!/^postgres(ql)?:\/\//.test(config.connectionString ?? ''))
      throw new Error('the scheme is another');
    const { user, host, port, database } = new pg.Client(config);
    return `postgres://${user ?? ''}@${host}:${port}/${database ?? ''}`;
  } catch (cause) {
    const form = 'write it like postgres://USER@HOST:5432/DATABASE';
    throw new StoreFailed(
      'UNREACHABLE',
      `The database URL is not a postgres:// address: ${form}.`,
      cause,
    );
  }
}

/**
 * Returns type parsers that read int8 as a number, for our own connections alone. Every bigint that
 * we store is a recorded figure, a sequence, an instant or a counter, which the decoders guarantee
 * to be a safe integer; any other value is our own mistake.
 */
function ourTypes(): pg.CustomTypesConfig {
  const overrides = new pg.TypeOverrides();
  overrides.setTypeParser(pg.types.builtins.INT8, (text) => {
    const value = Number(text);
    invariant(Number.isSafeInteger(value), `a stored bigint is a safe integer, but ${text} is not`);
    return value;
  });
  return overrides;
}

/**
 * Asks for the database's version (`18.1`), its clock, and the version of the queue's schema;
 * `queueVersion` is `null` when there is no queue.
 */
export async function askDatabase(store: Store) {
  const facts = build.selectNoFrom([
    sql<string>`split_part(current_setting('server_version'), ' ', 1)`.as('version'),
    sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`.as('now'),
    sql<boolean>`to_regclass('pgboss.version') is not null`.as('queue'),
  ]);
  const { version, now, queue } = (await ask(store.pool, facts)).rows[0]!;
  if (!queue) return { version, now, queueVersion: null };
  const ofQueue = build
    .selectFrom(sql<{ version: number }>`pgboss.version`.as('queue'))
    .select('queue.version');
  return { version, now, queueVersion: (await ask(store.pool, ofQueue)).rows[0]?.version ?? null };
}
