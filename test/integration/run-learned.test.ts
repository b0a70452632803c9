// Books whose first lines say nothing of an interpretation that later lines settle. What was
// learned from the beginning does not stand, and the books are judged once more.

import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import { arraySource } from '../support/array-source.ts';
import { BEGIN, line, operation, profile, wallet } from '../support/database-books.ts';
import { withTestStore } from '../support/database-store.ts';
import { runNight } from '../support/nightly.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';

/** More cash-ins than interpretations are learned from. */
const CASHINS = 10_200;
const CASHOUTS = 20;

/**
 * Returns books with cash-ins alone, and then cash-outs whose debit consumes the whole hold, the
 * fee's part too.
 */
function booksOf(cashouts: number): DecodedBooks {
  const entries: LedgerEntry[] = [];
  const operations: Operation[] = [];
  for (let number = 1; number <= CASHINS; number += 1) {
    entries.push(line(number));
    operations.push(operation(number));
  }
  for (let number = 1; number <= cashouts; number += 1) {
    const before = CASHINS * 1_000 - (number - 1) * 410;
    const sequence = CASHINS + 3 * number;
    const operationReference = `GUI-CO-${number}`;
    const post = (at: number, changes: Partial<LedgerEntry>): void => {
      entries.push(line(at, { reservedAfter: 0, operationReference, ...changes }));
    };
    const hold = {
      kind: 'CASHOUT_HOLD',
      direction: 'HOLD',
      amount: 410,
      balanceAfter: before,
      reservedAfter: 410,
    };
    post(sequence - 2, hold);
    post(sequence - 1, {
      kind: 'CASHOUT_DEBIT',
      direction: 'DEBIT',
      amount: 400,
      balanceAfter: before - 400,
    });
    post(sequence, {
      kind: 'CASHOUT_FEE',
      direction: 'DEBIT',
      amount: 10,
      balanceAfter: before - 410,
    });
    const paid = {
      reference: operationReference,
      amount: 400,
      fees: 10,
      netAmount: 410,
      externalReference: null,
    };
    operations.push(operation(sequence, { ...paid, type: 'CASHOUT' }));
  }
  const balance = CASHINS * 1_000 - cashouts * 410;
  const totals = {
    totalCollected: CASHINS * 1_000,
    totalDisbursed: cashouts * 400,
    totalFees: cashouts * 10,
  };
  const asOf = BEGIN + 100_000_000;
  const free = { bps: 0, flat: 0 };
  return {
    ...{ asOf, entries, operations, payments: [], reports: [], payouts: null, notifications: [] },
    profile: profile({ pricing: { cashin: free, cashout: { bps: 0, flat: 10 } } }),
    wallet: wallet({ balance, reserved: 0, available: balance, ...totals, updatedAt: asOf }),
  };
}

test('a run judges again by the interpretations that all lines vote for, and the next goes on from there', {
  timeout: 120_000,
}, async () => {
  await withTestStore(async (store) => {
    const source = arraySource(booksOf(CASHOUTS));
    const night = { store, source, merchant: 'M001', pageRows: 5_000, diesBeforeSaving: false };
    const first = await runNight({ ...night, now: source.books.asOf });
    expect(first.report).toMatchObject({
      verdict: 'clean',
      entries: CASHINS + 3 * CASHOUTS,
      findings: [],
    });
    expect(first.report.assumptions).toMatchObject({ holdSettlement: 'DEBIT_ALL' });
    source.books = booksOf(CASHOUTS + 1);
    const second = await runNight({ ...night, now: source.books.asOf });
    expect(second.mirrored.entriesAdded).toBe(3);
    expect(second.report).toEqual(second.full);
    expect(second.report).toMatchObject({ verdict: 'clean', findings: [] });
  });
});
