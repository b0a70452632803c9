// What the migrations make of a fresh database: as a whole in sql/schema.sql, and as the types of
// the queries in sql/tables.d.ts. `npm run golden` writes both anew.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeSchema } from '../support/database-schema.ts';
import { withTestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';
import { describeTypes } from '../support/schema-types.ts';

const ROOT = join(import.meta.dirname, '../..');

async function expectGolden(path: string, text: string): Promise<void> {
  const file = join(ROOT, path);
  if (process.env.POINTAGE_UPDATE_GOLDEN === '1') await writeFile(file, text);
  expect(await readFile(file, 'utf8')).toBe(text);
}

test('sql/schema.sql is the schema of a fresh database', async () => {
  notOnCitus('compares the schema with that of one database, which has no views of Citus');
  await expectGolden('sql/schema.sql', await withTestStore((store) => describeSchema(store.pool)));
});

test('the types of the queries are the tables of a fresh database', async () => {
  await expectGolden('sql/tables.d.ts', await withTestStore((store) => describeTypes(store.pool)));
});
