// Figures below zero are told with the amount that a person can add up from the lines.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

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

test('a fee before its debit takes no more than itself, where the hold of both is released last', () => {
  const report = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1000 1000/1000 CO-2
    line 3 CASHOUT_FEE 20 980/1000 CO-2
    line 4 CASHIN_CREDIT 50 1030/1000 CI-4
    line 5 CASHOUT_HOLD 50 1030/1050 CO-5
    line 6 CASHOUT_DEBIT 980 50/1050 CO-2
    line 7 CASHOUT_RELEASE 1000 50/50 CO-2
    op CI-1 SUCCEEDED 1000
    op CI-4 SUCCEEDED 50
    op CO-2 SUCCEEDED 980 fees=20
    op CO-5 PENDING 50
    at +1h`);
  expect(report.findings).toEqual([]);
});

const errors = (ledger: string) =>
  reconcileSample(ledger)
    .findings.filter(({ severity }) => severity === 'error' || severity === 'critical')
    .map(({ kind, sequence }) => [kind, sequence]);

test('a line of another operation between the fee and the debit of a cash-out does not end its group', () => {
  const settled = (rows: string) => `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1000 1000/1000 CO-2
    line 3 CASHOUT_FEE 10 990/1000 CO-2
    line 4 CASHIN_CREDIT 500 1490/1000 CI-3
    ${rows}
    op CI-1 SUCCEEDED 1000
    op CO-2 SUCCEEDED 990 fees=10
    op CI-3 SUCCEEDED 500`;
  expect(errors(settled('line 5 CASHOUT_DEBIT 990 500/0 CO-2'))).toEqual([]);
  const released = `line 5 CASHOUT_DEBIT 990 500/1000 CO-2
    line 6 CASHOUT_RELEASE 1000 500/0 CO-2`;
  expect(errors(settled(released))).toEqual([]);
});

test('a correction explains what an operation that had begun before it takes below zero afterwards', () => {
  expect(
    errors(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 900 1000/900 CO-2
    line 3 ADJUSTMENT_DEBIT 100 900/900 - description=correction
    line 4 CASHOUT_DEBIT 900 0/0 CO-2
    line 5 CASHOUT_FEE 100 -100/0 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 SUCCEEDED 900 fees=100`),
  ).toEqual([]);
});

test('a reversal explains an episode that its next cash-in interrupts for a moment', () => {
  expect(
    errors(`
    line 1 CASHIN_CREDIT 500 500/0 CI-1
    line 2 CASHIN_CREDIT 500 1000/0 CI-2
    line 3 CASHOUT_HOLD 900 1000/900 CO-3
    line 4 REVERSAL_DEBIT 500 500/900 CI-1
    line 5 CASHIN_CREDIT 450 950/900 CI-5
    line 6 CASHOUT_DEBIT 900 50/0 CO-3
    line 7 CASHOUT_FEE 100 -50/0 CO-3
    op CI-1 REVERSED 500
    op CI-2 SUCCEEDED 500
    op CO-3 SUCCEEDED 900 fees=100
    op CI-5 SUCCEEDED 450`),
  ).toEqual([]);
});

test('a correction explains a balance below zero also where the reserved amount is below zero too', () => {
  expect(
    errors(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 500 1000/500 CO-2
    line 3 CASHOUT_RELEASE 500 1000/0 CO-2
    line 4 CASHOUT_RELEASE 500 1000/-500 CO-2
    line 5 ADJUSTMENT_DEBIT 1200 -200/-500 - description=correction
    op CI-1 SUCCEEDED 1000
    op CO-2 FAILED 500`),
  ).toEqual([
    ['RELEASE_EXCEEDS_HOLD', '4'],
    ['RESERVED_NEGATIVE', '4'],
  ]);
});

test('a correction explains nothing that an operation begun after it takes below zero', () => {
  expect(
    errors(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 ADJUSTMENT_DEBIT 100 900/0 - description=correction
    line 3 CASHOUT_HOLD 900 900/900 CO-3
    line 4 CASHOUT_DEBIT 900 0/0 CO-3
    line 5 CASHOUT_FEE 100 -100/0 CO-3
    op CI-1 SUCCEEDED 1000
    op CO-3 SUCCEEDED 900 fees=100`),
  ).toEqual([
    ['HOLD_EXCEEDS_AVAILABLE', '3'],
    ['AVAILABLE_NEGATIVE', '5'],
    ['BALANCE_NEGATIVE', '5'],
  ]);
});

test('a cash-in that began below zero does not end the episode by its credit, whatever comes before its fee', () => {
  expect(
    errors(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 10 990/0 CI-1
    line 3 ADJUSTMENT_DEBIT 500 490/0 - description=correction
    line 4 REVERSAL_DEBIT 1000 -510/0 CI-1
    line 5 REVERSAL_CREDIT 10 -500/0 CI-1
    line 6 CASHIN_CREDIT 505 5/0 CI-6
    line 7 CASHIN_CREDIT 12 17/0 CI-7
    line 8 CASHIN_FEE 10 7/0 CI-7
    line 9 CASHIN_FEE 10 -3/0 CI-6
    op CI-1 REVERSED 1000 fees=10
    op CI-6 SUCCEEDED 505 fees=10
    op CI-7 SUCCEEDED 12 fees=10`),
  ).toEqual([]);
});

describe('where only the amount is held, a cash-out is taken on for its amount and fees', () => {
  const uncovered = (ledger: string) =>
    reconcileSample(ledger)
      .findings.filter(({ kind }) => kind === 'HOLD_EXCEEDS_AVAILABLE')
      .map(({ sequence, expected, actual }) => [sequence, expected, actual]);

  test('what others hold is not available, where holds are released last either', () => {
    expect(
      uncovered(`
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 300 1000/300 CO-2
      line 3 CASHOUT_HOLD 700 1000/1000 CO-3
      line 4 CASHOUT_DEBIT 700 300/1000 CO-3
      line 5 CASHOUT_FEE 20 280/1000 CO-3
      line 6 CASHOUT_RELEASE 700 280/300 CO-3
      line 7 CASHOUT_RELEASE 300 280/0 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 FAILED 300
      op CO-3 SUCCEEDED 700 fees=20`),
    ).toEqual([['3', '700', '720']]);
  });

  test('what is about to be released for a cash-out that was debited is', () => {
    expect(
      uncovered(`
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 300 1000/300 CO-2
      line 3 CASHOUT_DEBIT 300 700/300 CO-2
      line 4 CASHOUT_HOLD 600 700/900 CO-3
      line 5 CASHOUT_RELEASE 300 700/600 CO-2
      line 6 CASHOUT_DEBIT 600 100/600 CO-3
      line 7 CASHOUT_FEE 20 80/600 CO-3
      line 8 CASHOUT_RELEASE 600 80/0 CO-3
      op CI-1 SUCCEEDED 1000
      op CO-2 SUCCEEDED 300
      op CO-3 SUCCEEDED 600 fees=20`),
    ).toEqual([]);
  });

  test('what a second hold keeps of a debited one is that fault alone, whatever the others ask for', () => {
    expect(
      uncovered(`
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 300 1000/300 CO-2
      line 3 CASHOUT_HOLD 300 1000/600 CO-2
      line 4 CASHOUT_DEBIT 300 700/300 CO-2
      line 5 CASHOUT_FEE 10 690/300 CO-2
      line 6 CASHOUT_HOLD 380 690/680 CO-3
      line 7 CASHOUT_DEBIT 380 310/300 CO-3
      line 8 CASHOUT_FEE 20 290/300 CO-3
      op CI-1 SUCCEEDED 1000
      op CO-2 SUCCEEDED 300 fees=10
      op CO-3 SUCCEEDED 380 fees=20`),
    ).toEqual([]);
  });
});
