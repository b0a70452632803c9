import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ORDINARY_TRAFFIC, planMerchant } from '../../../src/sandbox/model/plan.ts';
import { streamBooks, writeBundle } from '../../support/sandbox-bundle.ts';
import { simulateBooks } from '../../support/simulate-books.ts';

const plan = planMerchant({
  reference: 'M1',
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 40 },
});
const run = { seed: 'bundle', until: plan.opensAt + 32 * 86_400_000 };
const FILES = [
  'merchant.json',
  'wallet.json',
  'ledger.jsonl',
  'operations.jsonl',
  'events.jsonl',
  'reports.json',
  'payments.jsonl',
  'payouts.json',
];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-'));
});
afterAll(() => rm(folder, { recursive: true }));

const read = (name: string, file: string) => readFile(join(folder, name, file), 'utf8');
const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((row) => JSON.parse(row) as unknown);

test('what is read back is what was written', async () => {
  const books = simulateBooks(plan, run);
  await writeBundle(join(folder, 'whole'), books);
  expect(JSON.parse(await read('whole', 'merchant.json'))).toEqual(books.merchant);
  expect(JSON.parse(await read('whole', 'wallet.json'))).toEqual(books.wallet);
  expect(rowsOf(await read('whole', 'ledger.jsonl'))).toEqual(books.entries);
  expect(rowsOf(await read('whole', 'operations.jsonl'))).toEqual(books.operations);
  expect(rowsOf(await read('whole', 'events.jsonl'))).toEqual(books.notifications);
  expect(books.notifications.length).toBeGreaterThan(books.operations.length / 2);
  expect(JSON.parse(await read('whole', 'reports.json'))).toEqual(books.reports);
  expect(rowsOf(await read('whole', 'payments.jsonl'))).toEqual(books.payments);
  expect(JSON.parse(await read('whole', 'payouts.json'))).toEqual(books.payouts);
  expect(books.entries.length).toBeGreaterThan(2_000);
  expect(books.reports.map(({ period, status }) => [period, status])).toEqual([
    ['2026-08', 'READY'],
  ]);
  expect(books.payments.length).toBeGreaterThan(100);
});

test('a streamed bundle has the same bytes, and replaces what stood there', async () => {
  await writeBundle(
    join(folder, 'streamed'),
    simulateBooks(plan, { ...run, until: run.until + 1e8 }),
  );
  await writeBundle(join(folder, 'streamed'), streamBooks(plan, run));
  await writeBundle(join(folder, 'again'), simulateBooks(plan, run));
  for (const file of FILES) expect(await read('streamed', file)).toBe(await read('again', file));
});

test('a folder that cannot be written is an error, not a broken bundle in silence', async () => {
  await writeBundle(join(folder, 'blocked'), simulateBooks(plan, run));
  await expect(
    writeBundle(join(folder, 'blocked', 'wallet.json'), simulateBooks(plan, run)),
  ).rejects.toThrow(/EEXIST|ENOTDIR/);
});
