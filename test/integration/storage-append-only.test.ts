// What is in the mirror stays as it is: refused by trigger to everybody, and by right to the engine's own role.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { BEGIN, line, operation, profile, rejected, wallet } from '../support/database-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

const MIRROR = [
  'entries',
  'operation_versions',
  'moved_operation_versions',
  'departed_operation_versions',
  'profile_versions',
  'wallet_readings',
  'rejected_rows',
  'rejected_row_changes',
];

let opened: TestStore;

beforeAll(async () => {
  opened = await openTestStore();
  await withMerchantLock(opened.store, 'M001', async (lease) => {
    const snapshot = { wallet: wallet(), readAt: BEGIN };
    const page = { profile: profile(), wallet: snapshot, entries: [line(1)], operations: [operation(1)] };
    await savePage(opened.store, lease, { ...page, rejected: [rejected('a')] });
    const reread = { beganAfter: 1, whole: true, references: [], refused: new Set<string>() };
    await savePage(opened.store, lease, { operations: [operation(1, { createdAt: BEGIN })], reread });
  });
});
afterAll(() => opened.close());

const ISSUED = [
  'entry_alterations',
  'ledger_rereads',
  'finding_decisions',
  'report_files',
  'report_file_parts',
  'report_holds',
  'closed_months',
];

describe.each([...MIRROR, ...ISSUED])('%s', (table) => {
  test.each([`update ${table} set merchant_id = 2`, `delete from ${table}`, `truncate ${table}`])(
    'refuses: %s',
    async (statement) => {
      await expect(opened.store.pool.query(statement)).rejects.toThrow(/append-only/);
    },
  );
});

describe.each(['checkpoints', 'month_openings', 'merchant_heads'])('%s is written anew, and', (table) => {
  test.each([`delete from ${table}`, `truncate ${table}`])('refuses: %s', async (statement) => {
    await expect(opened.store.pool.query(statement)).rejects.toThrow(/never removed/);
  });
});

test('every table of the mirror holds something that the statements above would have changed', async () => {
  for (const table of MIRROR) {
    const rows = await opened.store.pool.query(`select 1 from ${table}`);
    expect(rows.rowCount, table).toBeGreaterThan(0);
  }
});

test("the engine's role may add to the mirror, and has no right to change it", async () => {
  const client = await opened.store.pool.connect();
  await client.query(await readFile(join(import.meta.dirname, '../../sql/writer-role.sql'), 'utf8'));
  const rights = async (right: string): Promise<readonly string[]> => {
    const answer = await client.query<{ name: string }>(
      `select c.relname as name
      from pg_class c
      where c.relnamespace = 'public'::regnamespace
        and c.relkind = 'r'
        and c.relname not like 'kysely%'
        and has_table_privilege('pointage_writer', c.oid, $1)
      order by 1`,
      [right],
    );
    return answer.rows.map((row) => row.name);
  };
  const tables = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%' order by 1`,
  );
  expect(await rights('insert')).toEqual(tables.rows.map(({ name }) => name));
  expect(await rights('insert')).toEqual(await rights('select'));
  expect(await rights('update')).toEqual([
    'audits',
    'checkpoints',
    'deliveries',
    'findings',
    'merchant_heads',
    'merchants',
    'month_openings',
    'reports',
    'run_members',
    'run_merchants',
    'runs',
  ]);
  expect(await rights('delete')).toEqual([]);
  expect(await rights('truncate')).toEqual([]);
  client.release();
});
