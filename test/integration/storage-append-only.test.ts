// What is in the mirror stays as it is: triggers refuse changes to everybody. roles.test.ts tests
// the rights of roles.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { BEGIN, line, operation, profile, rejected, wallet } from '../support/database-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';

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
    const page = {
      profile: profile(),
      wallet: snapshot,
      entries: [line(1)],
      operations: [operation(1)],
    };
    await savePage(opened.store, lease, { ...page, rejected: [rejected('a')] });
    const reread = { beganAfter: 1, whole: true, references: [], refused: new Set<string>() };
    await savePage(opened.store, lease, {
      operations: [operation(1, { createdAt: BEGIN })],
      reread,
    });
  });
});
afterAll(() => opened.close());

const ISSUED = [
  'entry_alterations',
  'ledger_rereads',
  'entry_blocks',
  'finding_decisions',
  'report_files',
  'report_file_parts',
  'report_holds',
  'closed_months',
  'proposals',
  'proposal_ends',
];

describe.each([...MIRROR, ...ISSUED])('%s', (table) => {
  test.each([`update ${table} set merchant_id = 2`, `delete from ${table}`, `truncate ${table}`])(
    'refuses: %s',
    async (statement) => {
      if (statement.startsWith('update'))
        notOnCitus('moves a row to another merchant, which a cluster refuses by itself');
      await expect(opened.store.pool.query(statement)).rejects.toThrow(/append-only/);
    },
  );
});

describe.each([
  'checkpoints',
  'month_openings',
  'merchant_heads',
  'line_watches',
  'row_digests',
  'operators',
])('%s is written anew, and', (table) => {
  test.each([`delete from ${table}`, `truncate ${table}`])('refuses: %s', async (statement) => {
    await expect(opened.store.pool.query(statement)).rejects.toThrow(/never removed/);
  });
});
test.each(['update trail set status = 0', 'delete from trail', 'truncate trail'])(
  'refuses: %s',
  async (statement) => {
    await expect(opened.store.pool.query(statement)).rejects.toThrow(/append-only/);
  },
);

describe.each(['log_leaves', 'log_nodes', 'log_checkpoints'])('%s', (table) => {
  test.each([`update ${table} set log_number = 2`, `delete from ${table}`, `truncate ${table}`])(
    'refuses: %s',
    async (statement) => {
      await expect(opened.store.pool.query(statement)).rejects.toThrow(/append-only/);
    },
  );
});

test('a log is never removed', async () => {
  await expect(opened.store.pool.query('delete from evidence_logs')).rejects.toThrow(
    /never removed/,
  );
});

test('every table of the mirror holds something that the statements above would have changed', async () => {
  for (const table of MIRROR) {
    const rows = await opened.store.pool.query(`select 1 from ${table}`);
    expect(rows.rowCount, table).toBeGreaterThan(0);
  }
});
