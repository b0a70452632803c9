// Figures below zero are told with the amount that a person can add up from the lines.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/reconcile/sample.ts';

test('what a fee outside the hold takes the available amount to is counted without the hold that is being released', () => {
  const report = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 300 1000/300 CO-2
    line 3 CASHOUT_HOLD 700 1000/1000 CO-3
    line 4 CASHOUT_DEBIT 700 300/1000 CO-3
    line 5 CASHOUT_FEE 20 280/1000 CO-3
    line 6 CASHOUT_RELEASE 700 280/300 CO-3
    line 7 CASHOUT_RELEASE 300 280/0 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 FAILED 300
    op CO-3 SUCCEEDED 700 fees=20`);
  const below = report.findings.filter(({ kind }) => kind === 'AVAILABLE_NEGATIVE');
  expect(below.map(({ sequence, message }) => [sequence, message])).toEqual([
    ['5', 'Line 5 (CASHOUT_FEE 20) takes the available amount to −20.'],
  ]);
});

test('the available amount is not judged between the debit and the release of one cash-out', () => {
  const report = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1000 1000/1000 CO-2
    line 3 CASHOUT_DEBIT 980 20/1000 CO-2
    line 4 CASHOUT_FEE 20 0/1000 CO-2
    line 5 CASHOUT_RELEASE 1000 0/0 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 SUCCEEDED 980 fees=20`);
  expect(report.findings).toEqual([]);
});
