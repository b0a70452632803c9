// Migrations against a real server: once each, also when several processes migrate at the same time; and stores of before 0.1.0.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsIn, describeMigrations, migrate } from '../../src/io/storage/server/migrate.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { describeSchema } from '../support/database-schema.ts';
import { withEmptyDatabase, withTestStore } from '../support/database-store.ts';

test('several migrators at once apply each migration once', async () => {
  await withEmptyDatabase(async (databaseUrl) => {
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore({ databaseUrl, dataDirectory: '' })));
    const applied = await Promise.all(stores.map((store) => migrate(store)));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(applied.flat()).toContain('0001_store');
    expect(await migrate(stores[0]!)).toEqual([]);
    await Promise.all(stores.map((store) => store.close()));
  });
});

test('a migration is sent a command at a time, as the nodes of a cluster take them', async () => {
  const folder = join(import.meta.dirname, '../../sql/migrations');
  const names = readdirSync(folder).sort();
  expect(names.length).toBeGreaterThan(5);
  await withEmptyDatabase(async (databaseUrl) => {
    const store = await openStore({ databaseUrl, dataDirectory: '' });
    const client = await store.pool.connect();
    const send = (text: string) => client.query({ text, queryMode: 'extended' } as { text: string });
    await expect(send('select 1; select 2')).rejects.toThrow('multiple commands');
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8');
      for (const command of commandsIn(text)) await send(command);
    }
    client.release();
    const whole = await withTestStore((migrated) => describeSchema(migrated.pool));
    expect(await describeSchema(store.pool)).toBe(whole);
    await store.close();
  });
});

describe('a store that was made before 0.1.0', () => {
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
  ];

  /** Those that came after the former ones were joined. */
  const LATER = [
    '0002_run-totals',
    '0003_retired-merchants',
    '0004_payout-readings',
    '0006_departed-operations',
    '0007_payment-versions',
    '0008_kept-totals',
    '0016_holds-and-closings',
    '0019_second-rounds',
  ];

  /** As the former migrations left it, up to the one of this number: their tables were those of the first one now. */
  async function withFormer(count: number, work: (store: Store) => Promise<void>): Promise<void> {
    await withTestStore(async (store) => {
      await store.pool.query('delete from kysely_migration');
      await store.pool.query('alter table runs drop column totals, drop column tried_again_at');
      await store.pool.query('drop table departed_operation_versions, payout_readings, payment_versions, report_holds');
      await store.pool.query('drop function refuse_removal cascade');
      await store.pool.query('drop trigger append_only on closed_months');
      await store.pool.query('alter table closed_months drop column reason');
      for (const table of ['checkpoints', 'month_openings'])
        await store.pool.query(`alter table ${table} drop column digest`);
      for (const column of ['retired_at', 'retired_by', 'retired_reason'])
        await store.pool.query(`alter table merchants drop column ${column}`);
      for (const [i, name] of FORMER.slice(0, count).entries())
        await store.pool.query('insert into kysely_migration (name, timestamp) values ($1, $2)', [
          name,
          `2026-11-01T00:00:0${i}.000Z`,
        ]);
      if (count < FORMER.length) await store.pool.query('alter table rejected_rows drop column refusal');
      await work(store);
    });
  }

  test('is up to date, and goes on', async () => {
    await withFormer(10, async (store) => {
      expect(await describeMigrations(store)).toEqual({ pending: LATER, unknown: [] });
      expect((await Promise.all([1, 2, 3].map(() => migrate(store)))).flat()).toEqual(LATER);
      const recorded = await store.pool.query('select name from kysely_migration order by name');
      expect(recorded.rows.map(({ name }) => name)).toEqual(['0001_store', ...LATER]);
    });
  });

  test('gets the last of its migrations where it lacks that one', async () => {
    const fresh = await withTestStore((store) => describeSchema(store.pool));
    await withFormer(9, async (store) => {
      expect(await describeMigrations(store)).toEqual({ pending: ['0001_store', ...LATER], unknown: [] });
      expect(await migrate(store)).toEqual(LATER);
      expect(await describeMigrations(store)).toEqual({ pending: [], unknown: [] });
      expect(await describeSchema(store.pool)).toBe(fresh);
    });
  });

  test('is refused in one sentence where it lacks more, and stays as it is', async () => {
    await withFormer(5, async (store) => {
      await expect(migrate(store)).rejects.toThrow(/^The store was made by a pointage before 0\.1\.0 and lacks .*\.$/);
      const recorded = await store.pool.query('select name from kysely_migration order by name');
      expect(recorded.rows).toEqual(FORMER.slice(0, 5).map((name) => ({ name })));
    });
  });

  test('is told apart from one that a newer pointage has made', async () => {
    await withTestStore(async (store) => {
      await store.pool.query("insert into kysely_migration (name, timestamp) values ('9999_later', '2030-01-01')");
      expect(await describeMigrations(store)).toEqual({ pending: [], unknown: ['9999_later'] });
      await expect(migrate(store)).rejects.toThrow('9999_later');
    });
  });
});
