// A reversal that undoes too much is told at the line that does so, whatever the interpretation by
// which reversals are posted.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

/** Returns kind and place of each finding of a ledger. */
function placeIn(sample: string): readonly (readonly [string, string | null])[] {
  return reconcileSample(sample).findings.map(({ kind, sequence }) => [kind, sequence]);
}

test('a principal taken back twice from a net credit is a finding at its second line', () => {
  const place = placeIn(`
    line 1 CASHIN_CREDIT 900 900/0 CI-1
    line 2 CASHIN_CREDIT 1800 2700/0 CI-2
    line 3 REVERSAL_DEBIT 1000 1700/0 CI-1
    line 4 REVERSAL_DEBIT 1000 700/0 CI-1
    line 5 CASHIN_CREDIT 450 1150/0 CI-5
    line 6 REVERSAL_DEBIT 500 650/0 CI-5
    op CI-1 REVERSED 1000 fees=100
    op CI-2 SUCCEEDED 2000 fees=200
    op CI-5 REVERSED 500 fees=50`);
  expect(place).toEqual([['REVERSAL_EXCESSIVE', '4']]);
});

test('of the lines that undo a cash-out one by one, the one that is too large is the finding', () => {
  const cashout = (number: number, amount: number) => [
    `line ${number}0 CASHOUT_HOLD 110 ${amount}/110 CO-${number}`,
    `line ${number}1 CASHOUT_DEBIT 100 ${amount - 100}/10 CO-${number}`,
    `line ${number}2 CASHOUT_FEE 10 ${amount - 110}/0 CO-${number}`,
  ];
  const sample = [
    'line 9 CASHIN_CREDIT 5000 5000/0 CI-1',
    ...cashout(1, 5000),
    ...cashout(2, 4890),
    'line 30 REVERSAL_CREDIT 103 4883/0 CO-1',
    'line 31 REVERSAL_CREDIT 10 4893/0 CO-1',
    'line 32 REVERSAL_CREDIT 100 4993/0 CO-2',
    'line 33 REVERSAL_CREDIT 10 5003/0 CO-2',
    'op CI-1 SUCCEEDED 5000',
    'op CO-1 REVERSED 100 fees=10',
    'op CO-2 REVERSED 100 fees=10',
  ];
  const told = placeIn(sample.join('\n')).filter(([kind]) => kind !== 'SEQUENCE_GAP');
  expect(told).toEqual([['REVERSAL_EXCESSIVE', '30']]);
});

test('a reversal in parts that goes too far is a finding at that part, and one that does not is none', () => {
  const parts = (...amounts: readonly number[]) => {
    let balance = 3000;
    const lines = amounts.map((amount, i) => {
      balance -= amount;
      return `line ${i + 3} REVERSAL_DEBIT ${amount} ${balance}/0 CI-1`;
    });
    return placeIn(`
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 2000 3000/0 CI-2
      ${lines.join('\n')}
      op CI-1 REVERSED 1000
      op CI-2 SUCCEEDED 2000`);
  };
  expect(parts(400, 600)).toEqual([]);
  expect(parts(400, 500, 300)).toEqual([['REVERSAL_EXCESSIVE', '5']]);
});

test('a reversal posted twice is a finding at its second debit, of a cash-in that was credited twice too', () => {
  expect(
    placeIn(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    line 3 CASHIN_CREDIT 1000 1980/0 CI-1
    line 4 CASHIN_CREDIT 500 2480/0 CI-2
    line 5 CASHIN_FEE 10 2470/0 CI-2
    line 6 REVERSAL_DEBIT 500 1970/0 CI-2
    line 7 REVERSAL_CREDIT 10 1980/0 CI-2
    line 8 REVERSAL_DEBIT 1000 980/0 CI-1
    line 9 REVERSAL_CREDIT 20 1000/0 CI-1
    line 10 REVERSAL_DEBIT 1000 0/0 CI-1
    line 11 REVERSAL_CREDIT 20 20/0 CI-1
    op CI-1 REVERSED 1000 fees=20
    op CI-2 REVERSED 500 fees=10`),
  ).toEqual([
    ['CREDIT_DUPLICATED', '3'],
    ['REVERSAL_EXCESSIVE', '10'],
  ]);
});

test('a net amount that is credited again beside the debit that undoes it moves the money the same way', () => {
  expect(
    placeIn(`
    line 1 CASHIN_CREDIT 980 980/0 CI-1
    line 2 CASHIN_CREDIT 490 1470/0 CI-2
    line 3 REVERSAL_DEBIT 490 980/0 CI-2
    line 4 REVERSAL_DEBIT 980 0/0 CI-1
    line 5 REVERSAL_CREDIT 980 980/0 CI-1
    op CI-1 REVERSED 1000 fees=20
    op CI-2 REVERSED 500 fees=10`),
  ).toEqual([['REVERSAL_WRONG_DIRECTION', '5']]);
});

test('a cash-in whose fee is not given back is incomplete, where the line of its fee is lost too', () => {
  expect(
    placeIn(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 3 CASHIN_CREDIT 500 1480/0 CI-2
    line 4 CASHIN_FEE 10 1470/0 CI-2
    line 5 REVERSAL_DEBIT 500 970/0 CI-2
    line 6 REVERSAL_CREDIT 10 980/0 CI-2
    line 7 CASHIN_CREDIT 800 1780/0 CI-3
    line 8 CASHIN_FEE 16 1764/0 CI-3
    line 9 REVERSAL_DEBIT 800 964/0 CI-3
    line 10 REVERSAL_CREDIT 16 980/0 CI-3
    line 11 REVERSAL_DEBIT 990 -10/0 CI-1
    op CI-1 REVERSED 1000 fees=20
    op CI-2 REVERSED 500 fees=10
    op CI-3 REVERSED 800 fees=16`).filter(([kind]) => kind?.startsWith('REVERSAL')),
  ).toEqual([['REVERSAL_INCOMPLETE', '11']]);
});
