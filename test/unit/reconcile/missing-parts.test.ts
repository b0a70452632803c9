// Books that lack their operations, or their lines, for good. Nothing can be said of an operation,
// so that nothing is kept for it, and what the lines alone show is found all the same.

import { describe, expect, test } from 'vitest';
import { EVERY_INTERPRETATION } from '../../../src/core/domain/assumptions.ts';
import type { LedgerEntry } from '../../../src/core/domain/ledger-entry.ts';
import type { NotChecked } from '../../../src/core/domain/snapshot.ts';
import { beginBooks } from '../../../src/core/kernel/reconcile/books.ts';
import {
  type Memory,
  openMemory,
  takeEntries,
  takeOperations,
} from '../../../src/core/kernel/reconcile/memory.ts';
import { settleWhenFull } from '../../../src/core/kernel/reconcile/settle.ts';
import { reconcileInMemory } from '../../../src/core/kernel/reconcile-in-memory.ts';
import { talliesIn } from '../../../src/core/kernel/replay/tallies-seen.ts';
import { readSample } from '../../../src/core/samples/read-sample.ts';
import { ENGLISH_WORDING } from '../../../src/core/words/names.ts';
import { hashOf } from '../../../src/io/threads/hash-key.ts';
import { BEGIN, line, operation } from '../../support/database-books.ts';

const MANY = 20_000;
const BATCH = 500;

function memoryOf(present: { readonly ledger: boolean; readonly operations: boolean }): Memory {
  const settings = {
    merchant: 'M001',
    wording: ENGLISH_WORDING,
    currency: 'XOF',
    profiles: [],
    adjustedAt: null,
    opening: null,
    watermark: BEGIN + MANY * 10_000,
    grace: 0,
    clockTolerance: 300_000,
    pinned: {},
    keepsAll: false,
    present,
  };
  return openMemory(beginBooks(EVERY_INTERPRETATION), settings, {
    resumed: false,
    cut: null,
    hashOf,
  });
}

/**
 * Returns a cash-out in three lines, in which the whole hold is consumed: sequences 3n − 2 to 3n,
 * from a balance that is kept at 10,000.
 */
function cashout(number: number): readonly LedgerEntry[] {
  const shared = { operationReference: `GUI-CO-${number}`, amount: 400 };
  const first = 3 * number - 2;
  return [
    line(first, {
      ...shared,
      kind: 'CASHOUT_HOLD',
      direction: 'HOLD',
      balanceAfter: 10_000,
      reservedAfter: 400,
    }),
    line(first + 1, {
      ...shared,
      kind: 'CASHOUT_DEBIT',
      direction: 'DEBIT',
      balanceAfter: 9_600,
      reservedAfter: 0,
    }),
    line(first + 2, {
      kind: 'CASHIN_CREDIT',
      direction: 'CREDIT',
      amount: 400,
      balanceAfter: 10_000,
      operationReference: `GUI-CI-${number}`,
    }),
  ];
}

function takeCashouts(
  memory: Memory,
  change: (entry: LedgerEntry) => LedgerEntry = (entry) => entry,
): number {
  let most = 0;
  for (let from = 1; from <= MANY / 4; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, i) => cashout(from + i)).flat();
    takeEntries(memory, { rows: rows.map(change), rejected: [] });
    settleWhenFull(memory);
    most = Math.max(most, memory.books.replay.tallies.count);
  }
  return most;
}

describe('books without operations', () => {
  test('are read without keeping what only an operation could settle', () => {
    expect(takeCashouts(memoryOf({ ledger: true, operations: false }))).toBeLessThan(3_000);
    // This shows that the figure above means something: books whose operations are merely late keep
    // every line but the last, which waits for its successor.
    expect(takeCashouts(memoryOf({ ledger: true, operations: true }))).toBe(MANY / 2 - 1);
  });

  test('hold on to an operation for as long as it holds money', () => {
    const memory = memoryOf({ ledger: true, operations: false });
    // Every cash-out but the seventh consumes its hold. Nothing settles the hold of the seventh.
    const sequence = 3 * 7 - 1;
    const changed = (entry: LedgerEntry) =>
      entry.sequence === sequence
        ? { ...entry, kind: 'CASHIN_CREDIT', direction: 'CREDIT', operationReference: 'GUI-CI-X' }
        : entry;
    takeCashouts(memory, changed);
    expect(talliesIn(memory.books.replay.tallies).get('GUI-CO-7')?.held).toBe(400);
    expect(talliesIn(memory.books.replay.tallies).get('GUI-CO-8')).toBeUndefined();
  });

  test('still show a line whose figures do not follow', () => {
    const memory = memoryOf({ ledger: true, operations: false });
    takeCashouts(memory, (entry) =>
      entry.sequence === 9_000 ? { ...entry, balanceAfter: 10_007 } : entry,
    );
    const drifts = memory.books.lineDrafts.filter(({ kind }) => kind === 'BALANCE_DRIFT');
    expect(drifts.map(({ sequence, difference }) => [sequence, difference])).toEqual([
      [9_000, 7n],
      [9_001, -7n],
    ]);
  });
});

test('books without lines keep no operation', () => {
  const memory = memoryOf({ ledger: false, operations: true });
  let most = 0;
  for (let from = 1; from <= MANY; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, i) => ({
      operation: operation(from + i),
      previous: null,
    }));
    takeOperations(memory, { rows, rejected: [] });
    settleWhenFull(memory);
    most = Math.max(most, memory.books.replay.tallies.count);
  }
  expect(most).toBeLessThan(3_000);
  expect(memory.books.operations).toBe(MANY);
});

test('notes on one part stay apart: what could not be read again is not hidden by what was', () => {
  const { books, profiles, asOf } = readSample('wallet 0/0');
  const note = (code: string, incomplete: boolean) =>
    ({ what: 'history', why: code, incomplete, code }) as NotChecked;
  const absent = [note('LINES_NOT_READ_AGAIN', true), note('LINES_READ_WITHIN', false)];
  const { settings } = memoryOf({ ledger: true, operations: true });
  const report = reconcileInMemory(
    { ...books, absent },
    { ...settings, profiles, watermark: asOf },
  );
  expect(report.notChecked.map(({ code }) => code)).toEqual(
    expect.arrayContaining(absent.map(({ code }) => code)),
  );
  expect(report.verdict).toBe('incomplete');
});
