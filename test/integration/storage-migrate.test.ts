// Migrations against a real server: once each, also when several processes migrate at the same time.

import { expect, test } from 'vitest';
import { migrate } from '../../src/storage/server/migrate.ts';
import { openStore } from '../../src/storage/server/open-store.ts';
import { withEmptyDatabase } from '../support/database-store.ts';

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
