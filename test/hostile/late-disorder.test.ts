// Files whose order fails late: their first rows have been taken on trust when a later row shows
// that the file is out of order.

import { writeFileSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { OutOfOrder } from '../../src/core/domain/snapshot.ts';
import { auditSnapshot } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { drain } from '../contract/source-contract.ts';
import { type Raw, rawEntry, rawOperation, rawWallet } from '../contract/source-rows.ts';
import { optionsAt } from '../support/nightly.ts';
import { readInOrder } from '../support/read-in-order.ts';
import { makeFolder, openFiles, openFolder, toLines } from './book-folder.ts';

/** Enough rows for several chunks: 4,500 cash-ins of one line each, without fees. */
const COUNT = 4_500;
const ENTRIES = Array.from({ length: COUNT }, (_, i) => entry(i + 1));
const OPERATIONS = Array.from({ length: COUNT }, (_, i) => operation(i + 1, {}));

function entry(n: number): Raw {
  return rawEntry({ sequence: n, operationReference: `GUI-CI-${n}`, createdAt: at(n) });
}

function operation(n: number, change: Raw): Raw {
  const times = {
    createdAt: at(n),
    updatedAt: at(n),
    completedAt: at(n),
    expiresAt: at(n + 1_800),
  };
  return rawOperation({ reference: `GUI-CI-${n}`, fees: 0, netAmount: 1_000, ...times, ...change });
}

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 5) + seconds * 1_000).toISOString();
}

async function audit(entries: readonly Raw[], operations: readonly Raw[]): Promise<AuditReport> {
  const total = COUNT * 1_000;
  const snapshot = await openFiles({
    'wallet.json': JSON.stringify(
      rawWallet({ balance: total, reserved: 0, available: total, totalCollected: total }),
    ),
    'ledger.jsonl': toLines(entries),
    'operations.jsonl': toLines(operations),
  });
  return auditSnapshot(snapshot, optionsAt(Date.UTC(2026, 1, 1)));
}

let sound: Promise<AuditReport> | null = null;

/** Audits the books in order, which are read once. */
function auditInOrder(): Promise<AuditReport> {
  sound ??= audit(ENTRIES, OPERATIONS);
  return sound;
}

test('a line that comes last and belongs first is put in its place', async () => {
  const inOrder = await auditInOrder();
  const late = await audit([...ENTRIES.slice(1), ENTRIES[0]!], OPERATIONS);
  expect(inOrder.entries).toBe(COUNT);
  expect(inOrder.findings.map(({ kind }) => kind)).toEqual(['PRICING_CHANGED']);
  expect(late).toEqual(inOrder);
});

test('an operation that comes last and was created first is put in its place', async () => {
  expect(await audit(ENTRIES, [...OPERATIONS.slice(1), OPERATIONS[0]!])).toEqual(
    await auditInOrder(),
  );
});

test('of an operation that comes twice, the newer version alone is judged, wherever it is', async () => {
  const older = operation(1, { status: 'PENDING', completedAt: null, updatedAt: at(0) });
  const inOrder = await auditInOrder();
  expect(await audit(ENTRIES, [older, ...OPERATIONS.slice(1), OPERATIONS[0]!])).toEqual(inOrder);
  expect(await audit(ENTRIES, [...OPERATIONS, older])).toEqual(inOrder);
});

test('a row that is refused before the disorder shows is still named, once', async () => {
  const bad = { ...entry(7), amount: 'seven' };
  const report = await audit([ENTRIES[1]!, bad, ...ENTRIES.slice(2), ENTRIES[0]!], OPERATIONS);
  const refused = report.findings.filter(({ kind }) => kind === 'INPUT_REJECTED');
  expect(refused.map(({ evidence }) => JSON.stringify(evidence))).toEqual([
    expect.stringContaining('ledger.jsonl:2'),
  ]);
});

test('a file that is written anew while it is being sorted is refused; the reading does not begin again and again', async () => {
  const folder = await makeFolder({ 'ledger.jsonl': toLines([entry(3), entry(1), entry(2)]) });
  const snapshot = await openFolder(folder);
  const readOnce = async () => {
    for await (const _ of snapshot.entries());
  };
  await expect(readOnce()).rejects.toBeInstanceOf(OutOfOrder);
  const reading = readOnce();
  // By then the order is known, and no line has been copied.
  await setImmediate();
  writeFileSync(join(folder, 'ledger.jsonl'), toLines([entry(1), entry(3), entry(2)]));
  await expect(reading).rejects.toMatchObject({ code: 'CHANGED_WHILE_READ' });
  await expect(readOnce()).rejects.toMatchObject({ code: 'CHANGED_WHILE_READ' });
});

/** Bytes of the largest file that is sorted. */
const MOST_SORTED = 256 * 1_048_576;

test.each([
  [
    'ledger.jsonl',
    [entry(2), entry(1)],
    'entries',
    /is not in the order of sequence.* 256 MiB.*sort its lines by sequence/,
  ],
  [
    'operations.jsonl',
    [operation(2, {}), operation(1, {})],
    'operations',
    /createdAt.* 256 MiB.*sort its lines by createdAt/,
  ],
  [
    'operations.jsonl',
    [operation(1, {}), operation(1, {})],
    'operations',
    /has an operation twice.*newest version/,
  ],
] as const)(
  'a large %s out of order is refused, and the sentence says how to sort it',
  async (name, rows, part, says) => {
    const folder = await makeFolder({ [name]: toLines(rows) });
    await truncate(join(folder, name), MOST_SORTED + 1);
    const snapshot = await openFolder(folder);
    const reading = readInOrder(() => drain(() => snapshot[part]() as AsyncIterable<never>));
    await expect(reading).rejects.toMatchObject({
      code: 'OUT_OF_ORDER',
      message: expect.stringMatching(says),
    });
    await snapshot.close();
  },
);
