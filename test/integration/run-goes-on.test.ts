// What a run that goes on from a checkpoint must not take from it: what was missing then, and the
// currency that was expected.

import { expect, test } from 'vitest';
import { arraySource } from '../support/array-source.ts';
import { BEGIN, line, operation, profile, wallet } from '../support/database-books.ts';
import { withTestStore } from '../support/database-store.ts';
import { runNight } from '../support/nightly.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';

const FREE = { bps: 0, flat: 0 };

/**
 * Returns books of cash-ins of 1,000 without a fee. `currencies` holds the currency of each line
 * and its operation.
 */
function booksOf(currencies: readonly string[], ofWallet: string): DecodedBooks {
  const asOf = BEGIN + 100_000_000;
  const total = currencies.length * 1_000;
  const figures = {
    balance: total,
    reserved: 0,
    available: total,
    totalCollected: total,
    totalDisbursed: 0,
  };
  return {
    ...{ asOf, payments: [], reports: [], payouts: null, notifications: [] },
    profile: profile({ pricing: { cashin: FREE, cashout: FREE } }),
    wallet: wallet({ ...figures, currency: ofWallet, updatedAt: asOf }),
    entries: currencies.map((currency, i) => line(i + 1, { currency })),
    operations: currencies.map((currency, i) => operation(i + 1, { currency })),
  };
}

const francs = (count: number): string[] => Array.from({ length: count }, () => 'XOF');

test('a part that was missing is not said to be missing once it is there', async () => {
  await withTestStore(async (store) => {
    const source = arraySource(booksOf(francs(5), 'XOF'));
    const night = { store, source, merchant: 'M001', pageRows: 100, diesBeforeSaving: false };
    source.absent = [{ what: 'payouts', why: 'payouts.json is not there', incomplete: true }];
    const first = await runNight({ ...night, now: source.books.asOf });
    expect(first.report.verdict).toBe('incomplete');
    source.absent = [];
    source.books = booksOf(francs(6), 'XOF');
    const second = await runNight({ ...night, now: source.books.asOf });
    expect(second.mirrored.entriesAdded).toBe(1);
    expect(second.report).toEqual(second.full);
    expect(second.report.verdict).toBe('clean');
  });
});

test('a line in the currency of the wallet makes all the others foreign, those of earlier runs too', async () => {
  await withTestStore(async (store) => {
    const source = arraySource(booksOf(francs(5), 'GHS'));
    const night = { store, source, merchant: 'M001', pageRows: 100, diesBeforeSaving: false };
    const foreign = ({ report }: Awaited<ReturnType<typeof runNight>>) =>
      report.findings.filter(
        ({ kind, sequence }) => kind === 'CURRENCY_MISMATCH' && sequence !== null,
      );
    const first = await runNight({ ...night, now: source.books.asOf });
    expect(first.report).toEqual(first.full);
    source.books = booksOf([...francs(5), 'GHS'], 'GHS');
    const second = await runNight({ ...night, now: source.books.asOf });
    expect(second.report).toEqual(second.full);
    expect(foreign(second).length).toBeGreaterThan(foreign(first).length);
  });
});
