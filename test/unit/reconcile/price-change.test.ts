// A change of price early in the books, shown by few operations, because small amounts may be
// charged alike under both prices.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

type Charged = readonly [amount: number, fees: number];

/**
 * Judges cash-ins that failed, one after the other. They are priced like any other, and post no
 * line.
 */
const charged = (bps: number, charges: readonly Charged[]) =>
  reconcileSample(`
    profile cashinFeeBps=${bps}
    ${charges.map(([amount, fees], i) => `op CI-${i + 1} FAILED ${amount} fees=${fees} failureCode=OPERATOR_REFUSED`).join('\n    ')}`).findings.map(
    ({ kind, operationReference }) => [kind, operationReference],
  );

const at250: readonly Charged[] = [
  [100, 2],
  [800, 20],
  [600, 15],
  [100, 2],
  [200, 5],
];
const at200: readonly Charged[] = [
  [800, 16],
  [400, 8],
  [700, 14],
];

test('a stretch of which some operations fit both prices is one change of price', () => {
  expect(charged(200, [...at250, ...at200])).toEqual([['PRICING_CHANGED', 'GUI-CI-1']]);
});

test('four in a row need no round price, though two of them fit the stated one', () => {
  const at95: readonly Charged[] = [
    [1950, 19],
    [2960, 28],
    [1980, 19],
    [2970, 28],
  ];
  expect(charged(100, [...at95, [1960, 20], [2970, 30]])).toEqual([
    ['PRICING_CHANGED', 'GUI-CI-1'],
  ]);
});

test('an operation in between that fits the stated price alone leaves no stretch', () => {
  expect(charged(200, [[800, 20], [800, 16], [600, 15], ...at200])).toEqual([
    ['FEE_NOT_AS_PRICED', 'GUI-CI-1'],
    ['FEE_NOT_AS_PRICED', 'GUI-CI-3'],
  ]);
});

test('one operation at another price is no stretch, whatever else would fit it', () => {
  expect(charged(200, [[100, 2], [100, 2], [100, 2], [800, 20], ...at200])).toEqual([
    ['FEE_NOT_AS_PRICED', 'GUI-CI-4'],
  ]);
});

/** Charges twenty-eight cash-ins at 2 %, except those in `free`. */
const promotion = (free: Readonly<Record<number, number>>) =>
  charged(
    200,
    Array.from(
      { length: 28 },
      (_, i) => [10_000 + 50 * i, free[i + 1] ?? Math.round((10_000 + 50 * i) * 0.02)] as const,
    ),
  );
const sortedOf = (found: readonly (readonly (string | null)[])[]) =>
  found.map((one) => one.join(' ')).sort();
const free = (...numbers: readonly number[]) =>
  Object.fromEntries(numbers.map((number) => [number, 0]));

test('a price is in force from the first of its stretch to the last, and excuses nothing outside', () => {
  expect(promotion(free(10, 11, 12, 13))).toEqual([['PRICING_CHANGED', 'GUI-CI-10']]);
  const strays = [3, 24].map((number) => ['FEE_NOT_AS_PRICED', `GUI-CI-${number}`]);
  expect(sortedOf(promotion(free(3, 10, 11, 12, 13, 24)))).toEqual(
    sortedOf([...strays, ['PRICING_CHANGED', 'GUI-CI-10']]),
  );
});

test('up to three others between its own do not end it; a second stretch is a change of its own', () => {
  expect(promotion(free(10, 11, 12, 13, 17, 20))).toEqual([['PRICING_CHANGED', 'GUI-CI-10']]);
  const changes = [3, 20].map((number) => ['PRICING_CHANGED', `GUI-CI-${number}`]);
  expect(sortedOf(promotion(free(3, 4, 5, 6, 20, 21, 22, 23)))).toEqual(sortedOf(changes));
});

test('four here and there are no stretch', () => {
  const strays = [3, 9, 15, 22].map((number) => ['FEE_NOT_AS_PRICED', `GUI-CI-${number}`]);
  expect(sortedOf(promotion(free(3, 9, 15, 22)))).toEqual(sortedOf(strays));
});

test('an overcharge outside of its stretch is one, and a change says what it moved', () => {
  const dear = (...numbers: readonly number[]) =>
    Object.fromEntries(numbers.map((number) => [number, 1_000]));
  expect(promotion({ ...dear(10, 24) })).toHaveLength(2);
  const { findings } = reconcileSample(`
    profile cashinFeeBps=200
    ${[1, 2, 3, 4, 5].map((i) => `op CI-${i} FAILED ${10_000 + 1_000 * i} fees=${i < 5 ? 250 + 25 * i : 300} failureCode=OPERATOR_REFUSED`).join('\n    ')}`);
  expect(findings.map(({ message }) => message)).toEqual([
    'From operation GUI-CI-1 to GUI-CI-4, 4 CASHIN operations were charged 250 basis points plus 0, another price than the profile states: 250 more in all.',
  ]);
});
