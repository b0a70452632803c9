// The accounting identities under every lawful policy, checked by loops that share nothing with the
// simulation.

import { expect, test } from 'vitest';
import { ORDINARY_TRAFFIC, planMerchant } from '../../../src/sandbox/model/plan.ts';
import {
  FEE_ROUNDINGS,
  LAWFUL_POLICIES,
  namePolicy,
  policyNamed,
} from '../../../src/sandbox/model/policy.ts';
import { feeOf } from '../../../src/sandbox/model/postings.ts';
import { simulateBooks } from '../../support/simulate-books.ts';
import { lookAtLines } from './naive-lines.ts';
import { lookAtOperations } from './naive-operations.ts';
import { lookAtWallet } from './naive-wallet.ts';

const DAY = 86_400_000;

const PRICES = [
  { cashinFeeBps: 175, cashinFeeFlat: 0, cashoutFeeBps: 100, cashoutFeeFlat: 50 },
  { cashinFeeBps: 150, cashinFeeFlat: 25, cashoutFeeBps: 0, cashoutFeeFlat: 0 },
  { cashinFeeBps: 0, cashinFeeFlat: 0, cashoutFeeBps: 0, cashoutFeeFlat: 0 },
];

test('the lawful policies are 672, each named once', () => {
  expect(LAWFUL_POLICIES.length).toBe(672);
  expect(new Set(LAWFUL_POLICIES.map(namePolicy)).size).toBe(672);
  for (const policy of LAWFUL_POLICIES) expect(policyNamed(namePolicy(policy))).toEqual(policy);
  expect(() => policyNamed('DEBIT_ALL.AMOUNT.NET.NET.NET.FLOOR')).toThrow(RangeError);
});

test('running figures, operations, holds and wallet agree under every lawful policy, with and without fees', () => {
  let lines = 0;
  LAWFUL_POLICIES.forEach((policy, i) => {
    const plan = planMerchant({
      reference: `M${i}`,
      policy,
      pricing: PRICES[i % PRICES.length]!,
      traffic: {
        ...ORDINARY_TRAFFIC,
        operationsPerDay: 16,
        reversalRate: 0.1,
        cashoutShare: 0.45,
        adjustmentsPerMonth: 8,
      },
    });
    const books = simulateBooks(plan, { seed: 'policies', until: plan.opensAt + 2 * DAY });
    lines += books.entries.length;
    const seen = [...lookAtLines(books), ...lookAtOperations(books), ...lookAtWallet(books)];
    expect(seen, namePolicy(policy)).toEqual([]);
  });
  expect(lines).toBeGreaterThan(20_000);
});

test('a change of price applies from its instant and not before', () => {
  const pricing = { cashinFeeBps: 333, cashinFeeFlat: 7, cashoutFeeBps: 80, cashoutFeeFlat: 3 };
  const plan = planMerchant({
    reference: 'P',
    priceChange: { at: Date.UTC(2026, 7, 11), pricing },
  });
  const { operations, policy } = simulateBooks(plan, {
    seed: 'price',
    until: plan.opensAt + 30 * DAY,
  });
  const wrong = operations.filter((operation) => {
    const inForce =
      Date.parse(operation.createdAt) < Date.UTC(2026, 7, 11) ? plan.pricing : pricing;
    return operation.fees !== feeOf(operation, { pricing: inForce, rounding: policy.feeRounding });
  });
  expect(wrong).toEqual([]);
});

test('the four roundings differ exactly where they should', () => {
  const pricing = { cashinFeeBps: 150, cashinFeeFlat: 10, cashoutFeeBps: 0, cashoutFeeFlat: 5 };
  const fees = (amount: number) =>
    FEE_ROUNDINGS.map((rounding) => feeOf({ type: 'CASHIN', amount }, { pricing, rounding }));
  // 1.5 % of 100 is 1.5, of 300 is 4.5, of 320 is 4.8, of 280 is 4.2, of 200 is 3.
  expect(fees(100)).toEqual([11, 12, 12, 12]);
  expect(fees(300)).toEqual([14, 15, 15, 14]);
  expect(fees(320)).toEqual([14, 15, 15, 15]);
  expect(fees(280)).toEqual([14, 15, 14, 14]);
  expect(fees(200)).toEqual([13, 13, 13, 13]);
  expect(feeOf({ type: 'CASHOUT', amount: 999 }, { pricing, rounding: 'CEILING' })).toBe(5);
});
