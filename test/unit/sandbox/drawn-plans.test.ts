import { expect, test } from 'vitest';
import { COUNTRIES, currencyOf } from '../../../src/core/domain/amount.ts';
import { DAY } from '../../../src/core/domain/instant.ts';
import { namePolicy } from '../../../src/sandbox/model/policy.ts';
import { drawnPlans } from '../../../src/sandbox/plans/drawn-plans.ts';
import { simulateBooks } from '../../support/simulate-books.ts';
import { TEST_SEED } from '../../support/test-seed.ts';
import { lookAtLines } from './naive-lines.ts';
import { lookAtOperations } from './naive-operations.ts';
import { lookAtWallet } from './naive-wallet.ts';

const start = Date.UTC(2026, 9, 31, 12);
const drawn = (count: number, seed = TEST_SEED) => drawnPlans(count, { seed, start });

test('drawn merchants are the same for the same seed, however many; others for another', () => {
  expect(drawn(5)).toEqual(drawn(20).slice(0, 5));
  expect(drawn(5)).not.toEqual(drawn(5, 'another'));
  expect(drawn(3).map(({ reference }) => reference)).toEqual([
    'BOUTIQUE_0001',
    'BOUTIQUE_0002',
    'BOUTIQUE_0003',
  ]);
});

test(`drawn merchants are unlike each other, in all countries, and their books are sound (TEST_SEED=${TEST_SEED})`, () => {
  const plans = drawn(36);
  expect(new Set(plans.map(({ country }) => country))).toEqual(new Set(COUNTRIES));
  expect(new Set(plans.map(({ policy }) => namePolicy(policy))).size).toBeGreaterThan(25);
  expect(new Set(plans.map(({ pricing }) => JSON.stringify(pricing))).size).toBeGreaterThan(20);
  for (const plan of plans.slice(0, 12)) {
    const books = simulateBooks(plan, { seed: TEST_SEED, until: start });
    expect(books.wallet.currency).toBe(currencyOf(plan.country));
    expect(books.entries.length).toBeGreaterThan(200);
    expect(Date.parse(books.operations[0]!.createdAt)).toBeLessThan(start - 80 * DAY);
    expect(
      [...lookAtLines(books), ...lookAtOperations(books), ...lookAtWallet(books)],
      plan.reference,
    ).toEqual([]);
  }
});
