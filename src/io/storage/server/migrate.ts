// Brings a store's schema up to date: applies the files of sql/migrations, in order, once each.
// Refuses stores of development versions from before the release of 0.1.0, whose migrations are
// gone. A released migration must never change: add a newer file. The SQL is text, in files.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { invariant } from '../../../core/domain/invariant.ts';
import { type Store, StoreFailed } from './store.ts';

const FOLDER = join(import.meta.dirname, '../../../../sql/migrations');
/** Migrations of development versions: each of their stores has one of them. */
const FORMER = ['0001_mirror-and-findings', '0001_store', '0011_missing_operations'];

/**
 * Applies the migrations that are missing and returns their names, oldest first. Several processes
 * may call it at once: one applies them, the others wait and find nothing to do. Throws
 * `StoreFailed` (MIGRATION) and leaves the schema as it was.
 */
export async function migrate(store: Store): Promise<readonly string[]> {
  const { pending, unknown, isTooOld } = await describeMigrations(store);
  // The roles of sql/roles.sql may only read which migrations were applied, so nothing below may
  // run when there is nothing to do.
  if (pending.length === 0 && unknown.length === 0) return [];
  if (isTooOld) {
    throw new StoreFailed(
      'MIGRATION',
      'A development version of pointage made this store before the release of 0.1.0, and it cannot be migrated: use an empty database or another data directory, and the next run reads the books again; decisions and issued reports stay in this store.',
    );
  }
  // This Kysely is never destroyed, because that would end the store's pool.
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: store.pool }) });
  const migrator = new Migrator({ db, provider: sqlFiles(FOLDER) });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed =
      results?.find((result) => result.status === 'Error')?.migrationName ?? 'sql/migrations';
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreFailed(
      'MIGRATION',
      `The database schema could not be brought up to date (${failed}): ${why}.`,
      error,
    );
  }
  return (results ?? [])
    .filter((result) => result.status === 'Success')
    .map((result) => result.migrationName);
}

export interface SchemaState {
  /** Migrations that this engine has and the store has not, oldest first. */
  readonly pending: readonly string[];
  /**
   * Migrations of the store that this engine does not have: a newer engine applied them, unless
   * `isTooOld`.
   */
  readonly unknown: readonly string[];
  /** True of a store that a development version made before the release of 0.1.0. */
  readonly isTooOld: boolean;
}

/**
 * Compares the migrations of the store with those of this engine. Changes nothing. Throws the
 * database's error.
 */
export async function describeMigrations(store: Store): Promise<SchemaState> {
  const known = (await sqlFilesIn(FOLDER)).map((name) => name.replace(/\.sql$/, ''));
  const applied = await loadApplied(store);
  const pending = known.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !known.includes(name));
  return { pending, unknown, isTooOld: unknown.some((name) => FORMER.includes(name)) };
}

async function loadApplied({ pool }: Store): Promise<readonly string[]> {
  const made = await pool.query<{ made: boolean }>(
    "select to_regclass('kysely_migration') is not null as made",
  );
  if (!made.rows[0]!.made) return [];
  const { rows } = await pool.query<{ name: string }>(
    'select name from kysely_migration order by name',
  );
  return rows.map(({ name }) => name);
}

async function sqlFilesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

function sqlFiles(folder: string): MigrationProvider {
  return {
    getMigrations: async () => {
      const migrations = (await sqlFilesIn(folder)).map(
        async (name): Promise<[string, Migration]> => {
          const text = await readFile(join(folder, name), 'utf8');
          const up = async (db: Kysely<unknown>): Promise<void> => {
            for (const command of commandsIn(text)) await sql.raw(command).execute(db);
          };
          return [name.replace(/\.sql$/, ''), { up }];
        },
      );
      return Object.fromEntries(await Promise.all(migrations));
    },
  };
}

/**
 * Splits the SQL of a file into commands, because Citus sends each command on to its nodes, which
 * take only one a message.
 */
export function commandsIn(text: string): readonly string[] {
  // A semicolon between $$ and $$ is part of a function's body and ends no command.
  const [commands] = text.split(/(?<=;)\n/).reduce<readonly [readonly string[], string]>(
    ([whole, begun], next) => {
      const command = `${begun}${next}`;
      return command.split('$$').length % 2 === 1
        ? [[...whole, command], '']
        : [whole, `${command}\n`];
    },
    [[], ''],
  );
  return commands.filter((command) => command.trim() !== '');
}

/**
 * Drops all tables of an embedded store. The caller must migrate it before its next use. Refuses
 * any other store: an operator's PostgreSQL is not ours to erase.
 */
export async function eraseStore(store: Store): Promise<void> {
  invariant(
    store.description.startsWith('embedded PostgreSQL'),
    'only an embedded store is ever erased',
  );
  await store.pool.query('drop schema public cascade');
  await store.pool.query('create schema public');
}
