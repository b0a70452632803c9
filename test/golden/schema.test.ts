// sql/schema.sql is what the migrations make of a fresh database. `npm run golden` writes it anew.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeSchema } from '../support/database-schema.ts';
import { withTestStore } from '../support/database-store.ts';

const GOLDEN = join(import.meta.dirname, '../../sql/schema.sql');

test('sql/schema.sql is the schema of a fresh database', async () => {
  const schema = await withTestStore((store) => describeSchema(store.pool));
  if (process.env.POINTAGE_UPDATE_GOLDEN === '1') await writeFile(GOLDEN, schema);
  expect(await readFile(GOLDEN, 'utf8')).toBe(schema);
});
