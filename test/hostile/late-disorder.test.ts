// Files whose order fails late: their first rows have been taken in, on trust, when a row shows that the trust was misplaced.

import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { auditSnapshot } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { type Raw, rawEntry, rawOperation, rawWallet } from '../contract/source-rows.ts';
import { optionsAt } from '../support/nightly.ts';
import { openFiles, toLines } from './book-folder.ts';

/** Enough for several chunks: 6,000 cash-ins of one line each, without fees. */
const COUNT = 6_000;
const ENTRIES = Array.from({ length: COUNT }, (_, i) => entry(i + 1));
const OPERATIONS = Array.from({ length: COUNT }, (_, i) => operation(i + 1, {}));

function entry(n: number): Raw {
  return rawEntry({ sequence: n, operationReference: `GUI-CI-${n}`, createdAt: at(n) });
}

function operation(n: number, change: Raw): Raw {
  const times = { createdAt: at(n), updatedAt: at(n), completedAt: at(n), expiresAt: at(n + 1_800) };
  return rawOperation({ reference: `GUI-CI-${n}`, fees: 0, netAmount: 1_000, ...times, ...change });
}

function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 5) + seconds * 1_000).toISOString();
}

async function audit(entries: readonly Raw[], operations: readonly Raw[]): Promise<AuditReport> {
  const total = COUNT * 1_000;
  const snapshot = await openFiles({
    'wallet.json': JSON.stringify(rawWallet({ balance: total, reserved: 0, available: total, totalCollected: total })),
    'ledger.jsonl': toLines(entries),
    'operations.jsonl': toLines(operations),
  });
  return auditSnapshot(snapshot, optionsAt(Date.UTC(2026, 1, 1)));
}

test('a line that comes last and belongs first is put in its place', async () => {
  const inOrder = await audit(ENTRIES, OPERATIONS);
  const late = await audit([...ENTRIES.slice(1), ENTRIES[0]!], OPERATIONS);
  expect(inOrder.entries).toBe(COUNT);
  expect(inOrder.findings.map(({ kind }) => kind)).toEqual(['PRICING_CHANGED']);
  expect(late).toEqual(inOrder);
});

test('an operation that comes last and was created first is put in its place', async () => {
  expect(await audit(ENTRIES, [...OPERATIONS.slice(1), OPERATIONS[0]!])).toEqual(await audit(ENTRIES, OPERATIONS));
});

test('of an operation that comes twice, the newer version alone is judged, wherever it is', async () => {
  const older = operation(1, { status: 'PENDING', completedAt: null, updatedAt: at(0) });
  const sound = await audit(ENTRIES, OPERATIONS);
  expect(await audit(ENTRIES, [older, ...OPERATIONS.slice(1), OPERATIONS[0]!])).toEqual(sound);
  expect(await audit(ENTRIES, [...OPERATIONS, older])).toEqual(sound);
});

test('a row that is refused before the disorder shows is still named, once', async () => {
  const bad = { ...entry(7), amount: 'seven' };
  const report = await audit([ENTRIES[1]!, bad, ...ENTRIES.slice(2), ENTRIES[0]!], OPERATIONS);
  const refused = report.findings.filter(({ kind }) => kind === 'INPUT_REJECTED');
  expect(refused.map(({ evidence }) => JSON.stringify(evidence))).toEqual([expect.stringContaining('ledger.jsonl:2')]);
});
