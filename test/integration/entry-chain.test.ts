// The chain over stored lines: it grows with their pages, and no longer fits once the database's
// owner has changed a line.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { BLOCK_LINES, beginChain, extendChain, headOf } from '../../src/io/evidence/chain.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { checkChain } from '../../src/io/storage/mirror/entry-chain.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { openDatabaseSnapshot } from '../../src/io/storage/server/database-snapshot.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { line, lines } from '../support/database-books.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

let opened: TestStore;
let store: Store;

beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());

async function save(
  merchant: string,
  ...pages: readonly (readonly ReturnType<typeof line>[])[]
): Promise<void> {
  await withMerchantLock(store, merchant, async (lease) => {
    for (const entries of pages) await savePage(store, lease, { entries });
  });
}

async function check(merchant: string) {
  const snapshot = await openDatabaseSnapshot(store);
  try {
    return await checkChain(snapshot.client, merchant);
  } finally {
    await snapshot.close();
  }
}

const headAfter = (merchant: string, stored: readonly ReturnType<typeof line>[]): string => {
  const { state } = extendChain(
    beginChain(merchant),
    stored.map((entry) => ({ entry, variant: 0 })),
  );
  return headOf(state).toString('hex');
};

/** Runs a statement as the owner of the database can: without the triggers. */
async function asOwner(statement: string, values: readonly unknown[]): Promise<void> {
  const { rowCount } = await withoutTriggers(store.pool, (client) =>
    client.query(statement, [...values]),
  );
  expect(rowCount).toBeGreaterThan(0);
}

test('the head is that of the lines, whatever the pages', async () => {
  const all = lines(1, 2_100);
  await save('one-page', all);
  await save('many-pages', all.slice(0, 7), all.slice(7, 1_030), all.slice(1_030));
  expect(await check('one-page')).toEqual({
    lines: 2_100,
    head: headAfter('one-page', all),
    broken: null,
  });
  expect(await check('many-pages')).toEqual({
    lines: 2_100,
    head: headAfter('many-pages', all),
    broken: null,
  });
  expect((await check('one-page')).head).not.toBe((await check('many-pages')).head);
});

test('a line that comes late, and a second content, are the next lines of the chain', async () => {
  await save('late', lines(1, 3), [line(5)], [line(4)], [line(2, { amount: 7 })]);
  const stored = [...lines(1, 3), line(5), line(4)].map((entry) => ({ entry, variant: 0 }));
  const { state } = extendChain(beginChain('late'), [
    ...stored,
    { entry: line(2, { amount: 7 }), variant: -1 },
  ]);
  expect(await check('late')).toEqual({
    lines: 6,
    head: headOf(state).toString('hex'),
    broken: null,
  });
});

test('a page that adds nothing leaves the chain as it is, and a merchant without lines has none', async () => {
  await save('again', lines(1, 20), lines(1, 20));
  expect(await check('again')).toEqual({
    lines: 20,
    head: headAfter('again', lines(1, 20)),
    broken: null,
  });
  await save('empty', []);
  expect(await check('empty')).toEqual({ lines: 0, head: null, broken: null });
});

test('lines that were stored before there was a chain enter it with the next page', async () => {
  await save('before', lines(1, 1_500));
  const found = await check('before');
  await asOwner(
    'update merchant_heads set chain = null where merchant_id = (select merchant_id from merchants where reference = $1)',
    ['before'],
  );
  await asOwner(
    'delete from entry_blocks where merchant_id = (select merchant_id from merchants where reference = $1)',
    ['before'],
  );
  expect(await check('before')).toEqual({ lines: 1_500, head: null, broken: null });
  await save('before', lines(1_501, 1_510));
  expect(found.broken).toBeNull();
  expect(await check('before')).toEqual({
    lines: 1_510,
    head: headAfter('before', lines(1, 1_510)),
    broken: null,
  });
});

const OF = '(select merchant_id from merchants where reference = $1)';

test.each([
  ['amount', 'amount + 1'],
  ['balance_after', 'balance_after - 1'],
  ['reserved_after', 'reserved_after + 1'],
  ['created_at', 'created_at + 1'],
  ['direction', "'HOLD'"],
  ['kind', "'OTHER'"],
  ['currency', "'EUR'"],
  ['entry_id', "entry_id || 'x'"],
  ['operation_reference', "'other'"],
  ['description', "'other'"],
  ['variant', '5'],
  ['intake', '9'],
  ['sequence', '999999'],
])(
  'an owner who changes the %s of a line in the middle is found in its block',
  async (column, value) => {
    const merchant = `changed-${column}`;
    await save(merchant, lines(1, 3 * BLOCK_LINES));
    expect((await check(merchant)).broken).toBeNull();
    await asOwner(
      `update entries set ${column} = ${value} where merchant_id = ${OF} and sequence = $2`,
      [merchant, BLOCK_LINES + 10],
    );
    expect((await check(merchant)).broken).toMatchObject({
      firstLine: BLOCK_LINES + 1,
      lastLine: 2 * BLOCK_LINES,
    });
  },
);

test.each([
  [
    'removes the last line',
    `delete from entries where merchant_id = ${OF} and sequence = 30`,
    [1, 30],
  ],
  [
    'removes the first line',
    `delete from entries where merchant_id = ${OF} and sequence = 1`,
    [1, 30],
  ],
  [
    'adds a line',
    `insert into entries select merchant_id, 31, amount, balance_after, reserved_after, created_at, intake, variant, direction, kind, currency, 'new', null, null from entries where merchant_id = ${OF} and sequence = 30`,
    [1, 31],
  ],
] as const)('an owner who %s is found', async (what, statement, [firstLine, lastLine]) => {
  await save(what, lines(1, 30));
  await asOwner(statement, [what]);
  expect((await check(what)).broken).toMatchObject({
    firstLine,
    lastLine,
    firstSequence: what === 'removes the first line' ? 2 : 1,
  });
});

test('a block that was removed or changed is found, and no block changes', async () => {
  await save('blocks', lines(1, 2 * BLOCK_LINES + 1));
  await expect(store.pool.query('update entry_blocks set block = block + 1')).rejects.toThrow(
    /append-only/,
  );
  await asOwner(`delete from entry_blocks where block = 2 and merchant_id = ${OF}`, ['blocks']);
  expect((await check('blocks')).broken).toMatchObject({
    firstLine: BLOCK_LINES + 1,
    lastLine: 2 * BLOCK_LINES,
  });
});
