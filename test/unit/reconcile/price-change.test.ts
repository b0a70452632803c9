// A change of price early in the books, of which few operations tell: small amounts may be charged alike under both prices.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

type Charged = readonly [amount: number, fees: number];

/** Cash-ins that failed, one after the other: they are priced as any, and post no line. */
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
  expect(charged(100, [...at95, [1960, 20], [2970, 30]])).toEqual([['PRICING_CHANGED', 'GUI-CI-1']]);
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
