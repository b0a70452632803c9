// Brings a store's schema up to date from sql/migrations, in order, once each. Refuses to change a migration that has
// landed: a newer file comes after it. Its SQL is text, in files.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { hasMigrator, joinFormer, loadApplied } from './former-migrations.ts';
import type { Store } from './store.ts';
import { StoreFailed } from './store-failed.ts';

const FOLDER = join(import.meta.dirname, '../../../../sql/migrations');

/**
 * Applies what is missing and returns the names of the migrations applied, oldest first. Several processes may call it
 * at once: one works, the others wait and find nothing to do. Throws `StoreFailed` and leaves the schema as it was.
 */
export async function migrate(store: Store): Promise<readonly string[]> {
  await joinFormer(store);
  // Not destroyed, for that would end the pool: it has nothing else to give back.
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: store.pool }) });
  const migrator = new Migrator({ db, provider: sqlFiles(FOLDER) });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'sql/migrations';
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreFailed(
      'MIGRATION',
      `The database schema could not be brought up to date (${failed}): ${why}.`,
      error,
    );
  }
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
}

export interface SchemaState {
  /** Migrations that this engine has and the store has not, oldest first. */
  readonly pending: readonly string[];
  /** Migrations that a newer engine has applied, and this one does not know. */
  readonly unknown: readonly string[];
}

/** Changes nothing. Throws what the database throws when it cannot be asked. */
export async function describeMigrations(store: Store): Promise<SchemaState> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  const known = names.map((name) => name.replace(/\.sql$/, ''));
  if (!(await hasMigrator(store.pool))) return { pending: known, unknown: [] };
  const applied = await loadApplied(store.pool);
  return {
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

function sqlFiles(folder: string): MigrationProvider {
  return {
    getMigrations: async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
      const migrations = names.map(async (name): Promise<[string, Migration]> => {
        const text = await readFile(join(folder, name), 'utf8');
        const up = async (db: Kysely<unknown>): Promise<void> => {
          for (const command of commandsIn(text)) await sql.raw(command).execute(db);
        };
        return [name.replace(/\.sql$/, ''), { up }];
      });
      return Object.fromEntries(await Promise.all(migrations));
    },
  };
}

/** One command each: Citus hands the text of what changes a distributed table on to its nodes, and they take only one. */
export function commandsIn(text: string): readonly string[] {
  // What is between $$ and $$ is a function's body.
  const [commands] = text.split(/(?<=;)\n/).reduce<readonly [readonly string[], string]>(
    ([whole, begun], next) => {
      const command = `${begun}${next}`;
      return command.split('$$').length % 2 === 1 ? [[...whole, command], ''] : [whole, `${command}\n`];
    },
    [[], ''],
  );
  return commands.filter((command) => command.trim() !== '');
}
