// What an operation lacks is what its state requires less what was posted. Where its lines are as
// they should be, it lacks nothing, and no drift beside it is put down to it.

import { expect, test } from 'vitest';
import { EVERY_INTERPRETATION } from '../../../src/core/domain/assumptions.ts';
import { shortfallOf } from '../../../src/core/kernel/reconcile/roots/shortfall.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { tallyFrom, type Written } from '../../support/tally-from.ts';

/** Returns the roots of a ledger whose reserved amount drifts by `drift` right after `lines`. */
function rootsBeside(lines: string, drift: number): readonly (readonly [string, string | null])[] {
  const report = reconcileSample(`
    line 1 CASHIN_CREDIT 9000 9000/0 CI-1
    line 2 CASHOUT_HOLD 1020 9000/1020 CO-2
    ${lines}
    line 4 CASHIN_CREDIT 100 9100/${drift} CI-4
    op CI-1 SUCCEEDED 9000
    op CO-2 PENDING 1000 fees=20
    op CI-4 SUCCEEDED 100`);
  return report.findings
    .filter(({ causedBy }) => causedBy === null)
    .map(({ kind, operationReference }) => [kind, operationReference]);
}

test('a hold of the amount alone is whole where both holds are lawful', () => {
  const other = 'line 3 CASHOUT_HOLD 500 9000/1520 CO-3\n op CO-3 PENDING 500 fees=10';
  expect(rootsBeside(other, 1530)).toEqual([
    ['RESERVED_DRIFT', 'GUI-CI-4'],
    ['HOLD_PAST_EXPIRY', 'GUI-CO-3'],
    ['HOLD_PAST_EXPIRY', 'GUI-CO-2'],
  ]);
});

test('what was released of a hold in part is not asked for again', () => {
  expect(rootsBeside('line 3 CASHOUT_RELEASE 20 9000/1000 CO-2', 1020)).toEqual([
    ['RESERVED_DRIFT', 'GUI-CI-4'],
    ['HOLD_PAST_EXPIRY', 'GUI-CO-2'],
  ]);
});

test('a reversal that keeps the fee lacks nothing where it may also give it back', () => {
  const gross = [
    ['CASHIN_CREDIT', 1000],
    ['CASHIN_FEE', 20],
  ] as const;
  const state = { reference: 'GUI-CI-1', status: 'REVERSED', amount: 1000, fees: 20 } as const;
  const lacks = (...back: readonly Written[]) =>
    shortfallOf(tallyFrom(state, [...gross, ...back]), EVERY_INTERPRETATION).balance;
  expect(lacks(['REVERSAL_DEBIT', 1000])).toBe(0);
  expect(lacks(['REVERSAL_DEBIT', 980])).toBe(0);
  expect(lacks()).toBe(-980);
});
