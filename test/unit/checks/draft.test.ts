// What `draftOf` derives: the difference with its sign, and amounts in decimal digits.

import { expect, test } from 'vitest';
import { draftOf, type Parts } from '../../../src/core/kernel/checks/port/check.ts';

const amounts = (parts: Parts) => {
  const { expected, actual, difference } = draftOf('NET_AMOUNT_INCONSISTENT', FIGURES, parts);
  return [expected, actual, difference];
};
const FIGURES = {
  reference: 'GUI-CI-1',
  type: 'CASHIN',
  netAmount: 990,
  due: 980,
  is: 'other',
} as const;

test('a difference is positive when more is recorded than is due, and negative when less is', () => {
  expect(amounts({ expected: 980, actual: 990 })).toEqual(['980', '990', 10n]);
  expect(amounts({ expected: 990n, actual: 980 })).toEqual(['990', '980', -10n]);
  expect(amounts({ expected: 0, actual: -0 })).toEqual(['0', '0', 0n]);
});

test('a part that is given as null stays null, and so does a difference of texts or of one amount', () => {
  expect(amounts({ expected: 980, actual: 990, difference: null })).toEqual(['980', '990', null]);
  expect(amounts({ expected: '980', actual: '990' })).toEqual(['980', '990', null]);
  expect(amounts({ expected: 'XOF', actual: 990 })).toEqual(['XOF', '990', null]);
  expect(amounts({ actual: 990 })).toEqual([null, '990', null]);
});

test('a sum beyond 10^21 is in digits, as its difference is, and a fraction is refused', () => {
  expect(amounts({ expected: 0, actual: 1e21 })).toEqual([
    '0',
    '1000000000000000000000',
    10n ** 21n,
  ]);
  expect(amounts({ expected: -(2n ** 70n), actual: 0 })).toEqual([
    '-1180591620717411303424',
    '0',
    2n ** 70n,
  ]);
  expect(() => amounts({ actual: 0.5 })).toThrow(RangeError);
});
