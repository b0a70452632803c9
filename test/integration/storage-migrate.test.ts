// Migrations against a real server: once each, also when several processes migrate at the same time.

import { expect, test } from 'vitest';
import { migrate } from '../../src/storage/migrate.ts';
import { openStore } from '../../src/storage/open-store.ts';
import { withEmptyDatabase, withTestStore } from '../support/database-store.ts';

test('several migrators at once apply each migration once', async () => {
  await withEmptyDatabase(async (databaseUrl) => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore({ databaseUrl, dataDirectory: '' })));
    const applied = await Promise.all(stores.map((store) => migrate(store)));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(applied.flat()).toContain('0001_mirror-and-findings');
    expect(await migrate(stores[0]!)).toEqual([]);
    await Promise.all(stores.map((store) => store.close()));
  });
});

test('every primary key, unique index and foreign key begins with the merchant', async () => {
  await withTestStore(async (store) => {
    // merchants and runs are the two tables that a distributed database would copy to every node.
    const keys = await store.pool.query<{ key: string; first: string }>(`
      select c.relname || '.' || i.relname as key, a.attname as first
      from pg_index x
      join pg_class i on i.oid = x.indexrelid
      join pg_class c on c.oid = x.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
      where c.relnamespace = 'public'::regnamespace
        and x.indisunique
        and c.relname not in ('merchants', 'runs', 'kysely_migration', 'kysely_migration_lock')
      union all
      select c.relname || '.' || k.conname, a.attname
      from pg_constraint k
      join pg_class c on c.oid = k.conrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
      where c.relnamespace = 'public'::regnamespace
        and k.contype = 'f'
      order by 1`);
    expect(keys.rows.length).toBeGreaterThan(12);
    expect(keys.rows.filter((row) => row.first !== 'merchant_id')).toEqual([]);
  });
});
