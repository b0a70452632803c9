// Books with thousands of faults are still explained in seconds, because the search for roots costs
// as much as there are findings. Eight times as many faults cost eight times as much; when the
// search cost their square, it was thirty times.

import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import { readOpen } from '../../src/core/kernel/reconcile/books-text.ts';
import { driveSession } from '../../src/core/kernel/reconcile/drive.ts';
import { reconcile, resume } from '../../src/core/kernel/reconcile/session.ts';
import { reconcileInMemory } from '../../src/core/kernel/reconcile-in-memory.ts';
import { ENGLISH_WORDING } from '../../src/core/words/names.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';
import { BEGIN, line, operation, profile, wallet } from '../support/database-books.ts';

const FAULTS = 8_000;
const FEW = FAULTS / 8;
/** How many times as long the many findings may take as the few: between eight and thirty. */
const MOST_TIMES = 15;
const numbers = Array.from({ length: FAULTS }, (_, i) => i + 1);
const operations = numbers.map((number) => operation(number));

const free = { bps: 0, flat: 0 };
const settings = {
  merchant: 'M001',
  wording: ENGLISH_WORDING,
  currency: 'XOF',
  profiles: [profile({ pricing: { cashin: free, cashout: free } })],
  adjustedAt: null,
  opening: null,
  watermark: BEGIN + FAULTS * 2_000,
  grace: 0,
  clockTolerance: 300_000,
  pinned: {},
  keepsAll: false,
  present: { ledger: true, operations: true },
};

function zigzag(number: number): LedgerEntry {
  const isDown = number % 2 === 1;
  return line(number, {
    kind: isDown ? 'ADJUSTMENT_DEBIT' : 'ADJUSTMENT_CREDIT',
    direction: isDown ? 'DEBIT' : 'CREDIT',
    operationReference: null,
    description: 'regularization',
    balanceAfter: isDown ? -1_000 : 0,
  });
}

/**
 * Returns the milliseconds of the processor that the work takes, whatever else the processor does
 * meanwhile.
 */
function timed<Made>(work: () => Made): { readonly made: Made; readonly took: number } {
  const before = process.cpuUsage();
  const made = work();
  const { user, system } = process.cpuUsage(before);
  return { made, took: (user + system) / 1_000 };
}

test.each<[string, (number: number) => LedgerEntry, readonly Operation[]]>([
  [
    'lines that all drift by the same',
    (number) => line(number, { balanceAfter: number * 1_001 }),
    operations,
  ],
  [
    'lines that all reserve what nothing held',
    (number) => line(number, { reservedAfter: number }),
    operations,
  ],
  [
    'lines that all name no operation',
    (number) => line(number, { operationReference: null }),
    operations,
  ],
  ['figures that fall below zero every other line', zigzag, []],
  [
    'numbers that are all missing',
    (number) =>
      line(2 * number, { balanceAfter: 2 * number * 1_000, createdAt: BEGIN + number * 1_000 }),
    operations,
  ],
])('%s are accounted for', (_, makeLine, some) => {
  const booksOf = (count: number) => ({
    entries: numbers.slice(0, count).map(makeLine),
    operations: some.slice(0, count),
    ...{ wallet: wallet(), rejected: [], absent: [] },
  });
  const [few, many] = [booksOf(FEW), booksOf(FAULTS)];
  // The garbage collector may lengthen one attempt, but hardly each of three.
  let times = Number.POSITIVE_INFINITY;
  let report = reconcileInMemory(few, settings);
  for (let attempt = 0; attempt < 3 && times > MOST_TIMES; attempt += 1) {
    const short = timed(() => reconcileInMemory(few, settings));
    const long = timed(() => reconcileInMemory(many, settings));
    times = Math.min(times, long.took / short.took);
    report = long.made;
  }
  expect(times).toBeLessThanOrEqual(MOST_TIMES);
  const { verdict, findings } = report;
  expect(verdict).toBe('broken');
  const countOf = (gathered: unknown): number =>
    Number((gathered as { count: string } | undefined)?.count ?? 1);
  const told = findings.reduce((sum, { figures }) => sum + countOf(figures.gathered), 0);
  expect(told).toBeGreaterThan(FAULTS / 2);
  const roots = new Set(
    findings.filter((one) => one.causedBy === null).map((one) => one.fingerprint),
  );
  expect(findings.filter((one) => one.causedBy !== null && !roots.has(one.causedBy))).toEqual([]);
});

test('what is kept of them is what is open, and the next run begins with the first line', () => {
  // There are more of them than a checkpoint carries.
  const count = 26_000;
  const open = operation(count + 1, { status: 'PENDING', completedAt: null });
  const all = Array.from({ length: count }, (_, i) => i + 1);
  const entries = all.map((number) => line(number, { balanceAfter: number * 1_001 }));
  const streams = {
    entries: [entries],
    operations: [
      [...all.map((number) => operation(number)), open].map((one) => ({
        operation: one,
        previous: null,
      })),
    ],
  };
  let left = { entries: [...streams.entries], operations: [...streams.operations] };
  const judged = { ...settings, watermark: BEGIN + count * 2_000 };
  const task = {
    settings: judged,
    hashOf,
    rejected: [],
    absent: [],
    compared: null,
    cut: null,
    keepsState: true,
  };
  const batch = <Row>(rows: readonly Row[] | undefined) =>
    rows === undefined ? null : { rows, rejected: [] };
  const { state, openReferences } = driveSession(reconcile(task), {
    rows: () => {
      left = { entries: [...streams.entries], operations: [...streams.operations] };
      return null;
    },
    entries: () => batch(left.entries.shift()),
    operations: () => batch(left.operations.shift()),
    notifications: () => ({ notified: null, why: null }),
    recall: () => ({ entries: [], operations: [] }),
    closing: () => ({ wallet: wallet(), laterEntries: [], rejected: [] }),
    deliveries: () => null,
  });
  expect(readOpen(state!).open.map(({ reference }) => reference)).toEqual(openReferences);
  expect(openReferences).toContain(open.reference);
  expect(state!.length).toBeLessThan(10_000);
  expect(resume(task, state!).next()).toEqual({ done: true, value: null });
});
