// Pages go into the mirror whole or not at all, add nothing twice, and lose no content.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import {
  type Lease,
  LeaseLost,
  withMerchantLock,
} from '../../src/io/storage/merchants/merchant-lock.ts';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import type { Page } from '../../src/io/storage/mirror/save/find-new.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { loadStoredExtent } from '../../src/io/storage/mirror/stored-extent.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import {
  BEGIN,
  line,
  lines,
  operation,
  profile,
  rejected,
  rowsOf,
  wallet,
} from '../support/database-books.ts';
import { startChild } from '../support/database-child.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';

let opened: TestStore;
let store: Store;

beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());

/** Saves pages one after the other under one lease. */
async function save(merchant: string, ...pages: readonly Page[]) {
  const outcome = await withMerchantLock(store, merchant, async (lease) => {
    const saved = [];
    for (const page of pages) saved.push(await savePage(store, lease, page));
    return saved;
  });
  if (!outcome.acquired) throw new Error('the merchant is locked');
  return outcome.value;
}

async function storedEntries(merchant: string): Promise<readonly LedgerEntry[]> {
  const snapshot = await openMirrorSnapshot(store, { merchant, after: null, watermark: null });
  const rows = await rowsOf(snapshot.entries());
  await snapshot.close();
  return rows;
}

test('a page comes back as it went in', async () => {
  const odd = line(3, {
    kind: 'ADJUSTMENT_DEBIT',
    direction: 'DEBIT',
    amount: Number.MAX_SAFE_INTEGER,
    balanceAfter: -Number.MAX_SAFE_INTEGER,
    description: 'tab\t newline\n return\r backslash \\ \\N \\. accent é 𝄞 quote " \u0001',
    operationReference: null,
  });
  const page = [
    line(1),
    line(2, { operationReference: '\\N', id: 'é' }),
    odd,
    line(4, { kind: 'NEW_KIND', direction: '' }),
  ];
  await save('as-it-went-in', { entries: page });
  expect(await storedEntries('as-it-went-in')).toEqual(page);
});

test('an equal re-delivery adds nothing, also out of order and within the page', async () => {
  const [first, again] = await save(
    'redelivered',
    { entries: [...lines(1, 20), line(20)], operations: [operation(1), operation(1)] },
    { entries: [...lines(5, 25)].reverse(), operations: [operation(1), operation(2)] },
  );
  expect(first).toEqual({ entriesAdded: 20, operationsChanged: 1, lateEntries: 0 });
  expect(again).toEqual({ entriesAdded: 5, operationsChanged: 1, lateEntries: 0 });
  expect(await storedEntries('redelivered')).toEqual(lines(1, 25));
  expect(await loadStoredExtent(store, 'redelivered')).toMatchObject({
    lastSequence: 25,
    entryCount: 25,
    operationCount: 2,
    newestOperationCreatedAt: BEGIN + 2_000,
    newestOperationUpdatedAt: BEGIN + 2_500,
    lastIntake: 2,
  });
});

test('two contents under one sequence are both kept; those of a later reading apart from what is judged', async () => {
  const other = line(2, { amount: 7 });
  const third = line(2, { description: 'only the description differs' });
  const saved = await save(
    'duplicated',
    { entries: [line(1), line(2), other, line(3)] },
    { entries: [third, other, line(2)] },
  );
  expect(saved.map((page) => page.entriesAdded)).toEqual([4, 1]);
  expect(saved.map((page) => page.lateEntries)).toEqual([0, 1]);
  expect(await storedEntries('duplicated')).toEqual([line(1), line(2), other, line(3)]);
});

test('a line that appears below the head is late', async () => {
  const saved = await save(
    'late',
    { entries: [line(1), line(3)] },
    { entries: [line(2), line(4)] },
    { entries: [line(5)] },
  );
  expect(saved.map((page) => page.lateEntries)).toEqual([0, 1, 0]);
});

test('an operation gets a new version only where its content differs from the newest', async () => {
  const pending = operation(1, { status: 'PENDING', completedAt: null });
  const saved = await save(
    'versions',
    { operations: [pending, operation(2)] },
    { operations: [operation(1), operation(2)] },
    { operations: [pending] },
    { operations: [pending] },
  );
  expect(saved.map((page) => page.operationsChanged)).toEqual([2, 1, 1, 0]);
  expect((await loadStoredExtent(store, 'versions'))?.operationCount).toBe(2);
});

test('a text that says something new makes a version, one that is left out does not', async () => {
  const texts = {
    counterpartyNumber: '+2250712345678',
    counterpartyName: 'Awa',
    failureMessage: null,
    metadata: '{}',
  };
  const described = { ...operation(1), ...texts, description: 'Loyer' };
  const saved = await save(
    'texts',
    { operations: [described] },
    { operations: [described] },
    { operations: [operation(1)] },
    { operations: [{ ...described, description: null }] },
    { operations: [{ ...described, description: 'Loyer d’octobre' }] },
  );
  expect(saved.map((page) => page.operationsChanged)).toEqual([1, 0, 0, 0, 1]);
  const read = async (asked: { readonly described?: boolean }) => {
    const snapshot = await openMirrorSnapshot(store, {
      merchant: 'texts',
      after: null,
      watermark: null,
      ...asked,
    });
    const references = new Set([operation(1).reference]);
    const recalled = await snapshot.recall({
      references,
      entryIds: new Set(),
      externalReferences: new Set(),
    });
    const rows = await rowsOf(snapshot.operations());
    await snapshot.close();
    return [...rows, ...recalled.operations].map((version) => version.operation);
  };
  const whole = { ...described, description: 'Loyer d’octobre' };
  expect(await read({ described: true })).toEqual([whole, whole]);
  // An audit does not read texts such as the description.
  expect(await read({})).toEqual([operation(1), operation(1)]);
});

test('an operation is found by the phone number of who paid, as the documentation has it', async () => {
  const known = {
    counterpartyNumber: '+2250712345678',
    counterpartyName: null,
    description: 'Loyer',
  };
  const described = { ...operation(1), ...known, failureMessage: null, metadata: null };
  await save('M001', { operations: [described, operation(2)] });
  const docs = await readFile(join(import.meta.dirname, '../../docs/OPERATIONS.md'), 'utf8');
  const [, query] = docs.match(/```sql\n(select v\.reference[^`]*)```/)!;
  const found = await store.pool.query(query!);
  expect(found.rows.map(({ reference, description }) => [reference, description])).toEqual([
    [described.reference, 'Loyer'],
  ]);
});

test('profiles are kept by version, wallets by reading, refused rows once', async () => {
  const refusal = { code: 'KEY_TWICE', key: '"nul \0"' } as const;
  const nul = rejected('ledger.jsonl:9', { raw: 'half \ud800 and nul \0', sequence: 9, refusal });
  await save(
    'surroundings',
    {
      profile: profile(),
      wallet: { wallet: wallet({ balance: 1 }), readAt: BEGIN },
      rejected: [nul, rejected('b')],
    },
    {
      profile: profile(),
      wallet: { wallet: wallet({ balance: 2 }), readAt: BEGIN + 1 },
      rejected: [nul],
    },
    { profile: profile({ status: 'SUSPENDED', allowedCountries: [] }) },
  );
  const snapshot = await openMirrorSnapshot(store, {
    merchant: 'surroundings',
    after: null,
    watermark: BEGIN,
  });
  expect(snapshot.profiles).toEqual([
    profile({ reference: 'surroundings' }),
    profile({ reference: 'surroundings', status: 'SUSPENDED', allowedCountries: [] }),
  ]);
  expect(snapshot.rejected).toEqual([
    rejected('b'),
    { ...nul, raw: 'half � and nul ␀', refusal: { ...refusal, key: '"nul ␀"' } },
  ]);
  expect(snapshot.watermark).toBe(BEGIN);
  expect((await snapshot.closing()).wallet).toEqual(wallet({ balance: 2 }));
  await snapshot.close();
});

test('a page that holds nothing new takes no number and writes nothing', async () => {
  const page = {
    profile: profile(),
    wallet: { wallet: wallet(), readAt: BEGIN },
    entries: lines(1, 3),
    operations: [operation(1)],
  };
  const reread = { whole: false, beganAfter: 1, references: [], refused: new Set<string>() };
  const again = { ...page, wallet: { ...page.wallet, readAt: BEGIN + 1 }, reread: reread };
  expect((await save('quiet', page, again)).map((one) => one.entriesAdded)).toEqual([3, 0]);
  expect((await loadStoredExtent(store, 'quiet'))?.lastIntake).toBe(1);
  const readings = await store.pool.query(
    "select 1 from wallet_readings join merchants using (merchant_id) where reference = 'quiet'",
  );
  expect(readings.rowCount).toBe(1);
  await save('quiet', { ...again, wallet: { wallet: wallet({ balance: 2 }), readAt: BEGIN + 2 } });
  expect((await loadStoredExtent(store, 'quiet'))?.lastIntake).toBe(2);
});

test('pages of one lease that are saved at once are saved one after the other, each whole', async () => {
  const parts = [lines(1, 40), lines(21, 60), lines(41, 80), lines(1, 80)];
  const outcome = await withMerchantLock(store, 'at-once', (lease) =>
    Promise.all(parts.map((entries) => savePage(store, lease, { entries }))),
  );
  const added = outcome.acquired ? outcome.value.map((page) => page.entriesAdded) : [];
  expect(added.reduce((sum, count) => sum + count, 0)).toBe(80);
  expect(await storedEntries('at-once')).toEqual(lines(1, 80));
  expect((await loadStoredExtent(store, 'at-once'))?.entryCount).toBe(80);
});

test('nothing is known of a merchant of whom nothing was stored', async () => {
  expect(await loadStoredExtent(store, 'unheard-of')).toBeNull();
  await save('locked-only');
  expect(await loadStoredExtent(store, 'locked-only')).toBeNull();
});

test('a page whose connection is cut leaves nothing behind', async () => {
  notOnCitus('waits for a lock, which on a cluster is a node’s');
  await save('cut', { entries: lines(1, 3) });
  const writing = withMerchantLock(store, 'cut', async (lease) => {
    // Another session holds the merchant's head, so that the page waits in the middle of its
    // transaction.
    const other = await store.pool.connect();
    await other.query('begin');
    await other.query('select 1 from merchant_heads where merchant_id = $1 for update', [
      lease.merchantId,
    ]);
    const page = savePage(store, lease, { entries: lines(4, 9), operations: [operation(1)] });
    page.catch(() => {});
    await cutWaitingSession();
    await other.query('rollback');
    other.release();
    await page;
  });
  await expect(writing).rejects.toThrow(/terminat/);
  expect(await storedEntries('cut')).toEqual(lines(1, 3));
  expect((await loadStoredExtent(store, 'cut'))?.lastIntake).toBe(1);
});

async function cutWaitingSession(): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const cut = await store.pool.query(
      `select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (cut.rowCount === 1) return;
  }
  throw new Error('no session was waiting');
}

test('a page that fails half-way leaves nothing behind', async () => {
  const twice = { ...operation(1), amount: 'not a number' as unknown as number };
  await expect(save('half-way', { entries: lines(1, 3), operations: [twice] })).rejects.toThrow(
    /whole number/,
  );
  expect(await storedEntries('half-way')).toEqual([]);
  expect(await loadStoredExtent(store, 'half-way')).toBeNull();
});

test('while one process works on a merchant, a second is refused at once, and other merchants are free', async () => {
  const child = await startChild({ address: opened.databaseUrl, task: 'lock', merchant: 'busy' });
  expect(child.said).toBe('locked');
  expect(await withMerchantLock(store, 'busy', async () => 1)).toEqual({ acquired: false });
  expect(await withMerchantLock(store, 'free', async () => 1)).toEqual({
    acquired: true,
    value: 1,
  });
  await child.leave();
  expect(await withMerchantLock(store, 'busy', async () => 2)).toEqual({
    acquired: true,
    value: 2,
  });
});

test('the lock of a killed process is free again', async () => {
  const child = await startChild({ address: opened.databaseUrl, task: 'lock', merchant: 'killed' });
  await child.kill();
  await expect
    .poll(async () => (await withMerchantLock(store, 'killed', async () => 1)).acquired)
    .toBe(true);
});

test('the lock is given back when the work fails', async () => {
  const failing = withMerchantLock(store, 'failing', async () => {
    throw new Error('the work failed');
  });
  await expect(failing).rejects.toThrow('the work failed');
  expect((await withMerchantLock(store, 'failing', async () => 1)).acquired).toBe(true);
});

test('who lost the merchant to another process can write nothing more', async () => {
  let stale: Lease | null = null;
  await withMerchantLock(store, 'fenced', async (lease) => {
    stale = lease;
    await savePage(store, lease, { entries: [line(1)] });
  });
  await save('fenced', { entries: [line(2)] });
  await expect(savePage(store, stale!, { entries: [line(3)] })).rejects.toBeInstanceOf(LeaseLost);
  expect(await storedEntries('fenced')).toEqual(lines(1, 2));
});

test('two merchants entered at once get their own numbers, and the same merchant one', async () => {
  const leases = await Promise.all(
    ['new-a', 'new-b', 'new-c'].map((merchant) =>
      withMerchantLock(store, merchant, async (lease) => lease.merchantId),
    ),
  );
  expect(new Set(leases.map((outcome) => outcome.acquired && outcome.value)).size).toBe(3);
  await Promise.all([1, 2, 3, 4].map(() => withMerchantLock(store, 'new-d', async () => 1)));
  const rows = await store.pool.query("select 1 from merchants where reference = 'new-d'");
  expect(rows.rowCount).toBe(1);
});
