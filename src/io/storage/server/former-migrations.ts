// Stores that were made before 0.1.0, by migrations that have been joined into the first one since. Their tables are the same, so
// that they are recorded anew and go on. Refuses a store that those migrations have not been finished on. Its SQL is text: the
// migrator's own table is none of the schema's, and a column is added.

import type pg from 'pg';
import type { Store } from './store.ts';
import { StoreFailed } from './store-failed.ts';
import { inTransaction } from './transaction.ts';

const JOINED = '0001_store';

/** In their order; of a store that lacks the last one, it is made up for. */
const FORMER = [
  '0001_mirror-and-findings',
  '0002_repaired-rows',
  '0003_reports',
  '0004_service',
  '0005_settled-findings',
  '0006_held-statements',
  '0007_closed-months',
  '0008_night-digest',
  '0009_month-openings',
  '0010_reasons-of-refusals',
] as const;
const LAST = `
  alter table rejected_rows add column refusal jsonb;
  comment on column rejected_rows.refusal is 'JSON: the code of the reason and its figures, by name; no part of the digest'`;

/** The migrations that a store has, by the names that they have now. */
export async function loadApplied(queries: Pick<pg.ClientBase, 'query'> | pg.Pool): Promise<readonly string[]> {
  const { rows } = await queries.query<{ name: string }>('select name from kysely_migration order by name');
  const names = rows.map(({ name }) => name);
  const others = names.filter((name) => !isFormer(name));
  return FORMER.every((name) => names.includes(name)) ? [JOINED, ...others] : others;
}

/** True once the migrator has made its table. */
export async function hasMigrator(queries: Pick<pg.ClientBase, 'query'> | pg.Pool): Promise<boolean> {
  const { rows } = await queries.query<{ made: boolean }>("select to_regclass('kysely_migration') is not null as made");
  return rows[0]!.made;
}

/** Changes nothing of any other store. Throws `StoreFailed` (MIGRATION). */
export async function joinFormer(store: Store): Promise<void> {
  if (!(await hasMigrator(store.pool))) return;
  await inTransaction(store, async (client) => {
    const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name for update');
    const former = rows.map(({ name }) => name).filter(isFormer);
    if (former.length === 0) return;
    if (former.length < FORMER.length - 1 || former.some((name, i) => name !== FORMER[i])) {
      throw new StoreFailed(
        'MIGRATION',
        'The store was made by a pointage before 0.1.0 and lacks some of its tables: give an empty database or data directory, or migrate it with the last of those versions first.',
      );
    }
    if (former.length < FORMER.length) await client.query(LAST);
    await client.query('update kysely_migration set name = $1 where name = $2', [JOINED, FORMER[0]]);
    await client.query('delete from kysely_migration where name = any ($1)', [former.slice(1)]);
  });
}

function isFormer(name: string): boolean {
  return FORMER.some((former) => former === name);
}
