// Migrations against a real server: each is applied once, also when several processes migrate at
// the same time. Also stores of development versions.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsIn, describeMigrations, migrate } from '../../src/io/storage/server/migrate.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { describeSchema } from '../support/database-schema.ts';
import { withEmptyDatabase, withTestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';

test('several migrators at once apply each migration once', async () => {
  await withEmptyDatabase(async (databaseUrl) => {
    const stores = await Promise.all(
      [1, 2, 3, 4].map(() => openStore({ databaseUrl, dataDirectory: '' })),
    );
    const applied = await Promise.all(stores.map((store) => migrate(store)));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(applied.flat()).toContain('0001_tables');
    expect(await migrate(stores[0]!)).toEqual([]);
    await Promise.all(stores.map((store) => store.close()));
  });
});

test('a migration is sent a command at a time, as the nodes of a cluster take them', async () => {
  notOnCitus('compares the schema with that of one database, which has no views of Citus');
  const folder = join(import.meta.dirname, '../../sql/migrations');
  const names = readdirSync(folder).sort();
  expect(names.length).toBeGreaterThan(0);
  await withEmptyDatabase(async (databaseUrl) => {
    const store = await openStore({ databaseUrl, dataDirectory: '' });
    const client = await store.pool.connect();
    const send = (text: string) =>
      client.query({ text, queryMode: 'extended' } as { text: string });
    await expect(send('select 1; select 2')).rejects.toThrow('multiple commands');
    for (const name of names) {
      if (name.startsWith('0011')) await send(FOUND_BY_0_1);
      const text = readFileSync(join(folder, name), 'utf8');
      for (const command of commandsIn(text)) await send(command);
    }
    client.release();
    const whole = await withTestStore((migrated) => describeSchema(migrated.pool));
    expect(await describeSchema(store.pool)).toBe(whole);
    const { rows } = await store.pool.query(
      'select content, concerned, item_at, is_root, is_confirmed from findings',
    );
    const content = { status: 'confirmed', causedBy: null, item: { balance: '5', reserved: '0' } };
    const known = { concerned: null, item_at: null, is_root: true, is_confirmed: true };
    expect(rows).toEqual([{ content: { ...content, concerned: null, itemAt: null }, ...known }]);
    await store.close();
  });
});

/** SQL of a finding from before migration 0011, which does not say what it is about. */
const FOUND_BY_0_1 = `with m as (insert into merchants (reference) values ('M001') returning merchant_id)
  insert into findings
  select merchant_id, 'a1', 'BALANCE_DRIFT', 'critical', 'open', 1, 1,
    '{"status": "confirmed", "causedBy": null, "item": {"balance": "5", "reserved": "0"}}' from m`;

const MIGRATIONS = readdirSync(join(import.meta.dirname, '../../sql/migrations'))
  .map((name) => name.replace(/\.sql$/, ''))
  .sort();

/** Opens a store whose tables are current, but which says that these migrations made them. */
async function withRecorded(
  names: readonly string[],
  work: (store: Store) => Promise<void>,
): Promise<void> {
  await withTestStore(async (store) => {
    await store.pool.query('delete from kysely_migration');
    await store.pool.query(
      "insert into kysely_migration select name, '2026-11-01' from unnest($1::text[]) as m (name)",
      [names],
    );
    await work(store);
  });
}

describe('a store of a development version before the release of 0.1.0', () => {
  test.each([
    {
      of: 'its first migrations',
      names: ['0001_mirror-and-findings', '0002_repaired-rows', '0003_reports'],
    },
    {
      of: 'its last ones',
      names: ['0001_store', '0002_run-totals', '0016_holds-and-closings', '0019_second-rounds'],
    },
  ])(
    'is refused in one sentence that says what to do, and stays as it is: $of',
    async ({ names }) => {
      await withRecorded(names, async (store) => {
        expect(await describeMigrations(store)).toEqual({
          pending: MIGRATIONS,
          unknown: names,
          isTooOld: true,
        });
        await expect(migrate(store)).rejects.toThrow(
          /^A development version of pointage made this store before the release of 0\.1\.0, .* use an empty database .* decisions and issued reports stay .*\.$/,
        );
        const recorded = await store.pool.query('select name from kysely_migration order by name');
        expect(recorded.rows).toEqual(names.map((name) => ({ name })));
      });
    },
  );

  test('differs from one of a newer version', async () => {
    const names = [...MIGRATIONS, '9999_later'];
    await withRecorded(names, async (store) => {
      expect(await describeMigrations(store)).toEqual({
        pending: [],
        unknown: ['9999_later'],
        isTooOld: false,
      });
      await expect(migrate(store)).rejects.toThrow('9999_later');
    });
  });

  test('differs from a database in which another program keeps its migrations', async () => {
    await withRecorded(['2024-accounts'], async (store) => {
      expect((await describeMigrations(store)).isTooOld).toBe(false);
      await expect(migrate(store)).rejects.toThrow(
        /could not be brought up to date .*2024-accounts/,
      );
    });
  });
});
