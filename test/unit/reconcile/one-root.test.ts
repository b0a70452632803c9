// One fault is one root, at its own place, also where what follows from it looks like a fault of
// its own.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

const paidOut = `
    line 1 CASHIN_CREDIT 10000 10000/0 CI-1
    line 2 CASHOUT_HOLD 400 10000/400 CO-2
    line 3 CASHOUT_DEBIT 400 9600/0 CO-2
    op CI-1 SUCCEEDED 10000
    op CO-2 SUCCEEDED 400`;
const three = `
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500
    op CI-3 SUCCEEDED 500`;
const rewritten = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 ADJUSTMENT_CREDIT 200 1200/0 - description=bonus
    line 2 ADJUSTMENT_CREDIT 230 1230/0 - description=bonus
    line 3 CASHIN_CREDIT 500 1700/0 CI-2
    line 3 CASHIN_CREDIT 500 1730/0 CI-2`;
const threeTo5 = `${three}
    op CI-5 SUCCEEDED 500`;
const sixMore = `
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 100
    op CI-3 SUCCEEDED 200
    op CI-4 SUCCEEDED 400
    op CI-5 SUCCEEDED 800
    op CI-6 SUCCEEDED 1600
    op CI-7 SUCCEEDED 5000`;
const undone = `
    line 1 CASHIN_CREDIT 5000 5000/0 CI-1
    line 2 CASHIN_FEE 100 4900/0 CI-1
    line 3 CASHIN_CREDIT 4000 8900/0 CI-3
    line 4 CASHIN_FEE 80 8820/0 CI-3
    line 5 REVERSAL_DEBIT 5000 3820/0 CI-1
    line 6 REVERSAL_CREDIT 100 3920/0 CI-1
    op CI-1 REVERSED 5000 fees=100
    op CI-3 REVERSED 4000 fees=80`;

const CASES: readonly (readonly [string, string, readonly (readonly [string, string | null])[]])[] =
  [
    [
      'a hold of too much, for the next hold, while its operation goes on',
      `${paidOut}
    line 4 CASHOUT_HOLD 8300 9600/8300 CO-4
    line 5 CASHOUT_HOLD 5000 9600/13300 CO-5
    line 6 CASHOUT_DEBIT 5000 4600/8300 CO-5
    line 7 CASHOUT_RELEASE 300 4600/8000 CO-4
    op CO-4 EXPIRED 300
    op CO-5 SUCCEEDED 5000`,
      [['HOLD_AMOUNT_MISMATCH', '4']],
    ],
    [
      'a hold placed twice and given back whole, for the hold between',
      `${paidOut}
    line 4 CASHOUT_HOLD 4000 9600/4000 CO-4
    line 5 CASHOUT_HOLD 4000 9600/8000 CO-4
    line 6 CASHOUT_HOLD 3000 9600/11000 CO-6
    line 7 CASHOUT_DEBIT 3000 6600/8000 CO-6
    line 8 CASHOUT_RELEASE 8000 6600/0 CO-4
    op CO-4 EXPIRED 4000
    op CO-6 SUCCEEDED 3000`,
      [['HOLD_DUPLICATED', '5']],
    ],
    [
      'a hold that is missing, for the reserved amount below zero before its operation is reversed',
      `${paidOut}
    line 4 CASHOUT_DEBIT 300 9300/-300 CO-4
    line 5 CASHOUT_HOLD 500 9300/200 CO-5
    line 6 CASHOUT_DEBIT 500 8800/-300 CO-5
    line 7 REVERSAL_CREDIT 300 9100/-300 CO-4
    op CO-4 REVERSED 300
    op CO-5 SUCCEEDED 500`,
      [['HOLD_MISSING', null]],
    ],
    [
      'a release that names no operation, for every reserved amount below zero after it',
      `${paidOut}
    line 4 CASHOUT_HOLD 300 9600/300 CO-4
    line 5 CASHOUT_RELEASE 50 9600/250 -
    line 6 CASHOUT_DEBIT 300 9300/-50 CO-4
    line 7 CASHOUT_HOLD 100 9300/50 CO-7
    line 8 CASHOUT_DEBIT 100 9200/-50 CO-7
    op CO-4 SUCCEEDED 300
    op CO-7 SUCCEEDED 100`,
      [['REFERENCE_MISSING', '5']],
    ],
    [
      'a reserved amount that is off before a gap, and back after it',
      `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1500/7 CI-2
    line 4 CASHIN_CREDIT 500 2000/0 CI-3${three}`,
      [['RESERVED_DRIFT', '2']],
    ],
    [
      'a reserved amount that is off after a gap, and back after that',
      `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 3 CASHIN_CREDIT 500 1500/7 CI-2
    line 4 CASHIN_CREDIT 500 2000/0 CI-3${three}`,
      [['LINES_MISSING', '3']],
    ],
    [
      'a reserved amount that is off on the first line alone',
      `
    line 1 CASHIN_CREDIT 1000 1000/7 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    line 3 CASHIN_CREDIT 500 2000/0 CI-3${three}`,
      [['RESERVED_DRIFT', '1']],
    ],
    [
      'both figures off on the first line alone',
      `
    line 1 CASHIN_CREDIT 1000 1007/7 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    line 3 CASHIN_CREDIT 500 2000/0 CI-3${three}`,
      [['OPENING_BALANCE_UNEXPLAINED', '1']],
    ],
    [
      'a reserved amount that is off from the first line to the last',
      `
    line 1 CASHIN_CREDIT 1000 1000/1200 CI-1
    line 2 CASHIN_CREDIT 500 1500/1200 CI-2
    line 3 CASHIN_CREDIT 500 2000/1200 CI-3${three}
    wallet 2000/1200`,
      [['OPEN_HOLDS_MISMATCH', null]],
    ],
    [
      'a reserved amount that is off from the first line to the last, and that the wallet does not state',
      `
    line 1 CASHIN_CREDIT 1000 1000/18 CI-1
    line 2 CASHIN_CREDIT 500 1500/18 CI-2
    line 3 CASHIN_CREDIT 500 2000/18 CI-3${three}
    wallet 2000/0`,
      [['OPEN_HOLDS_MISMATCH', null]],
    ],
    [
      'lines of one number, of which one names an operation of the other type',
      `${paidOut}
    line 4 CASHIN_CREDIT 500 10100/0 CO-2
    line 4 CASHIN_CREDIT 500 10100/0 CI-4
    line 5 CASHIN_CREDIT 500 10600/0 CI-5
    op CI-4 SUCCEEDED 500
    op CI-5 SUCCEEDED 500`,
      [['SEQUENCE_DUPLICATE', '4']],
    ],
    [
      'a line that was rewritten, for those after it that follow it',
      `${rewritten}
    line 4 CASHIN_CREDIT 500 2230/0 CI-3
    line 4 CASHIN_CREDIT 500 2200/0 CI-3
    line 5 CASHIN_CREDIT 500 2730/0 CI-5${threeTo5}`,
      [['SEQUENCE_DUPLICATE', '2']],
    ],
    [
      'a line that was rewritten, and not for another one',
      `${rewritten}
    line 4 CASHIN_CREDIT 500 2200/0 CI-3
    line 4 CASHIN_CREDIT 500 2245/0 CI-3
    line 5 CASHIN_CREDIT 500 2700/0 CI-5
    line 5 CASHIN_CREDIT 500 2745/0 CI-5${threeTo5}`,
      [
        ['SEQUENCE_DUPLICATE', '2'],
        ['SEQUENCE_DUPLICATE', '4'],
      ],
    ],
    [
      'a reversal that was posted to another reversed operation',
      `
    line 1 CASHIN_CREDIT 9000 9000/0 CI-1
    line 2 CASHIN_CREDIT 500 9500/0 CI-2
    line 3 REVERSAL_DEBIT 500 9000/0 CI-4
    line 4 CASHIN_CREDIT 700 9700/0 CI-4
    line 5 REVERSAL_DEBIT 700 9000/0 CI-4
    op CI-1 SUCCEEDED 9000
    op CI-2 REVERSED 500
    op CI-4 REVERSED 700`,
      [['REVERSAL_MISSING', null]],
    ],
    [
      'a reversal of which the fee alone was given back',
      `${undone}
    line 7 REVERSAL_CREDIT 80 4000/0 CI-3`,
      [['REVERSAL_INCOMPLETE', '7']],
    ],
    [
      'lines in another currency than wallet and operations',
      `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1 currency=XAF
    line 2 CASHIN_CREDIT 500 1500/0 CI-2 currency=XAF
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500
    wallet 1500/0`,
      [['CURRENCY_MISMATCH', '1']],
    ],
    [
      'a hold that was not covered, and others that would have been without it',
      `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1300 1000/1300 CO-2
    line 3 CASHOUT_DEBIT 1300 -300/0 CO-2
    line 4 CASHIN_CREDIT 500 200/0 CI-4
    line 5 CASHOUT_HOLD 600 200/600 CO-5
    line 6 CASHOUT_DEBIT 600 -400/0 CO-5
    op CI-1 SUCCEEDED 1000
    op CO-2 SUCCEEDED 1300
    op CI-4 SUCCEEDED 500
    op CO-5 SUCCEEDED 600`,
      [['HOLD_EXCEEDS_AVAILABLE', '2']],
    ],
    [
      'a wallet of another moment, whose balance and totals are off by figures that do not go together',
      `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 30 970/0 CI-1
    line 3 CASHIN_CREDIT 500 1470/0 CI-2
    line 4 CASHOUT_HOLD 200 1470/200 CO-3
    line 5 CASHOUT_DEBIT 200 1270/0 CO-3
    op CI-1 SUCCEEDED 1000 fees=30
    op CI-2 SUCCEEDED 500
    op CO-3 SUCCEEDED 200
    wallet 700/0 totalCollected=1100 totalDisbursed=0 totalFees=0`,
      [['WALLET_BALANCE_MISMATCH', null]],
    ],
    [
      'a credit too many on the first line, for the opening that it leaves',
      `
    line 1 CASHIN_CREDIT 700 0/0 CI-1
    line 2 CASHIN_CREDIT 500 500/0 CI-2
    op CI-1 FAILED 700
    op CI-2 SUCCEEDED 500`,
      [['CREDIT_WITHOUT_SUCCESS', '1']],
    ],
    [
      'a debit that was posted twice, for the reserved amount below zero at the next one',
      `${paidOut}
    line 4 CASHOUT_HOLD 100 9600/100 CO-4
    line 5 CASHOUT_DEBIT 100 9500/0 CO-4
    line 6 CASHOUT_DEBIT 100 9400/-100 CO-4
    line 7 CASHOUT_HOLD 300 9400/200 CO-7
    line 8 CASHOUT_DEBIT 300 9100/-100 CO-7
    op CO-4 SUCCEEDED 100
    op CO-7 SUCCEEDED 300`,
      [['DEBIT_DUPLICATED', '6']],
    ],
    [
      'a hold of the amount alone that names no operation, where nothing else shows what is held',
      `
    line 1 CASHIN_CREDIT 9000 9000/0 CI-1
    line 2 CASHOUT_HOLD 400 9000/400 -
    line 3 CASHOUT_RELEASE 400 9000/0 CO-2
    line 4 CASHOUT_DEBIT 400 8600/0 CO-2
    line 5 CASHOUT_FEE 10 8590/0 CO-2
    op CI-1 SUCCEEDED 9000
    op CO-2 SUCCEEDED 400 fees=10`,
      [['REFERENCE_MISSING', '2']],
    ],
    [
      'a wallet that is that of an earlier line',
      `${paidOut}
    wallet 10000/400`,
      [['WALLET_BALANCE_MISMATCH', null]],
    ],
  ];

describe('one root for', () => {
  test.each(CASES)('%s', (_, ledger, roots) => {
    const { findings, verdict } = reconcileSample(ledger);
    const found = findings.filter(
      ({ causedBy, severity }) => causedBy === null && severity !== 'info',
    );
    expect(found.map(({ kind, sequence }) => [kind, sequence])).toEqual(roots);
    expect(verdict).toBe('broken');
  });
});

const TWO: typeof CASES = [
  [
    'a drift, and another operation of that hour whose lines moved what they should',
    `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 0 1500/0 CI-2
    op CI-1 SUCCEEDED 1000 netAmount=1004
    op CI-2 SUCCEEDED 500`,
    [
      ['AMOUNT_NOT_POSITIVE', '2'],
      ['NET_AMOUNT_INCONSISTENT', null],
    ],
  ],
  [
    'a drift of the balance, and a reserved amount below zero',
    `
    line 1 CASHIN_CREDIT 10090 10000/0 CI-1
    line 2 CASHOUT_HOLD 400 10000/400 CO-2
    line 3 CASHOUT_DEBIT 400 9600/0 CO-2
    line 4 CASHIN_CREDIT 500 10090/0 CI-4
    line 5 CASHOUT_HOLD 300 10090/300 CO-5
    line 6 CASHOUT_RELEASE 300 10090/0 CO-5
    line 7 CASHOUT_DEBIT 300 9790/-300 CO-5
    op CI-1 SUCCEEDED 10090
    op CO-2 SUCCEEDED 400
    op CI-4 SUCCEEDED 500
    op CO-5 SUCCEEDED 300`,
    [
      ['OPENING_BALANCE_UNEXPLAINED', '1'],
      ['BALANCE_DRIFT', '4'],
      ['RESERVED_NEGATIVE', '7'],
    ],
  ],
  [
    'a hold that lacks more than an earlier fault took',
    `
    line 1 CASHIN_CREDIT 970 970/0 CI-1
    line 2 CASHOUT_HOLD 1300 970/1300 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 1300
    at +1h`,
    [
      ['CREDIT_AMOUNT_MISMATCH', '1'],
      ['HOLD_EXCEEDS_AVAILABLE', '2'],
    ],
  ],
  [
    'a hold that lacks something, and a release of too much before it, which made the more available',
    `${paidOut}
    line 4 CASHOUT_HOLD 100 9600/100 CO-4
    line 5 CASHOUT_RELEASE 100 9600/0 CO-4
    line 6 CASHOUT_RELEASE 100 9600/-100 CO-4
    line 7 CASHOUT_HOLD 9800 9600/9700 CO-7
    op CO-4 FAILED 100
    op CO-7 PENDING 9800
    at +1h`,
    [
      ['RELEASE_EXCEEDS_HOLD', '6'],
      ['HOLD_EXCEEDS_AVAILABLE', '7'],
    ],
  ],
  [
    'a line of another operation that fits by its amount, days before it was asked for',
    `
    line 1 CASHIN_CREDIT 9000 9000/0 CI-1
    line 2 CASHIN_FEE 30 8970/0 CI-2
    op CI-1 SUCCEEDED 9000
    op CI-2 FAILED 500
    op CI-5000 SUCCEEDED 900 fees=30`,
    [
      ['FEE_WITHOUT_SUCCESS', '2'],
      ['CREDIT_MISSING', null],
    ],
  ],
  [
    'two drifts of opposite amounts, which a line of no amount and a line too many leave',
    `
    line 1 CASHIN_CREDIT 9000 9000/0 CI-1
    line 2 CASHIN_CREDIT 0 9500/0 CI-2
    line 3 CASHIN_CREDIT 700 10200/0 CI-3
    line 4000 CASHIN_CREDIT 500 10700/0 CI-4000
    line 4001 CASHIN_CREDIT 500 10700/0 CI-4000
    op CI-1 SUCCEEDED 9000
    op CI-2 SUCCEEDED 500
    op CI-3 SUCCEEDED 700
    op CI-4000 SUCCEEDED 500`,
    [
      ['AMOUNT_NOT_POSITIVE', '2'],
      ['CREDIT_DUPLICATED', '4001'],
    ],
  ],
  [
    'a reversal that nothing announced, and the lines after it that are missing for four operations',
    `${paidOut}
    line 4 REVERSAL_CREDIT 400 10000/0 CO-2
    line 9 CASHIN_CREDIT 500 10650/0 CI-9
    op CI-5 SUCCEEDED 10
    op CI-6 SUCCEEDED 20
    op CI-7 SUCCEEDED 40
    op CI-8 SUCCEEDED 80
    op CI-9 SUCCEEDED 500`,
    [
      ['REVERSAL_UNANNOUNCED', '4'],
      ['LINES_MISSING', '9'],
    ],
  ],
  [
    'two drifts of one amount, of which the very next line undoes the second',
    `
    line 1 CASHIN_CREDIT 9000 9000/0 CI-1
    line 2 CASHIN_CREDIT 500 9437/0 CI-2
    line 3 CASHIN_CREDIT 500 9937/0 CI-3
    line 4 CASHIN_CREDIT 500 10500/0 CI-4
    line 5 CASHIN_CREDIT 500 10937/0 CI-5
    op CI-1 SUCCEEDED 9000
    op CI-2 SUCCEEDED 500
    op CI-3 SUCCEEDED 500
    op CI-4 SUCCEEDED 500
    op CI-5 SUCCEEDED 500`,
    [
      ['BALANCE_DRIFT', '2'],
      ['BALANCE_DRIFT', '4'],
    ],
  ],
  [
    'a debit of too little, at the line at which an earlier release of too much shows again',
    `${paidOut}
    line 4 CASHOUT_HOLD 100 9600/100 CO-4
    line 5 CASHOUT_RELEASE 200 9600/-100 CO-4
    line 6 CASHOUT_HOLD 500 9600/400 CO-6
    line 7 CASHOUT_DEBIT 413 9187/-100 CO-6
    op CO-4 FAILED 100
    op CO-6 SUCCEEDED 500`,
    [
      ['RELEASE_EXCEEDS_HOLD', '5'],
      ['DEBIT_AMOUNT_MISMATCH', '7'],
    ],
  ],
  [
    'a debit that is missing while its fee consumed its part, and a later hold of more than is available',
    `
    line 1 CASHIN_CREDIT 3000 3000/0 CI-1
    line 2 CASHOUT_HOLD 510 3000/510 CO-2
    line 3 CASHOUT_DEBIT 500 2500/10 CO-2
    line 4 CASHOUT_FEE 10 2490/0 CO-2
    line 5 CASHOUT_HOLD 1020 2490/1020 CO-5
    line 6 CASHOUT_FEE 20 2470/1000 CO-5
    line 7 CASHOUT_HOLD 1530 2470/2530 CO-7
    line 8 CASHOUT_DEBIT 1500 970/1030 CO-7
    line 9 CASHOUT_FEE 30 940/1000 CO-7
    op CI-1 SUCCEEDED 3000
    op CO-2 SUCCEEDED 500 fees=10
    op CO-5 SUCCEEDED 1000 fees=20
    op CO-7 SUCCEEDED 1500 fees=30`,
    [
      ['HOLD_EXCEEDS_AVAILABLE', '7'],
      ['DEBIT_MISSING', null],
    ],
  ],
  [
    'the same where holds are released last, before the release',
    `
    line 1 CASHIN_CREDIT 3000 3000/0 CI-1
    line 2 CASHOUT_HOLD 510 3000/510 CO-2
    line 3 CASHOUT_DEBIT 500 2500/510 CO-2
    line 4 CASHOUT_FEE 10 2490/510 CO-2
    line 5 CASHOUT_RELEASE 510 2490/0 CO-2
    line 6 CASHOUT_HOLD 1020 2490/1020 CO-6
    line 7 CASHOUT_FEE 20 2470/1020 CO-6
    line 8 CASHOUT_HOLD 1530 2470/2550 CO-8
    line 9 CASHOUT_RELEASE 1020 2470/1530 CO-6
    line 10 CASHOUT_DEBIT 1500 970/1530 CO-8
    line 11 CASHOUT_FEE 30 940/1530 CO-8
    line 12 CASHOUT_RELEASE 1530 940/0 CO-8
    op CI-1 SUCCEEDED 3000
    op CO-2 SUCCEEDED 500 fees=10
    op CO-6 SUCCEEDED 1000 fees=20
    op CO-8 SUCCEEDED 1500 fees=30`,
    [
      ['HOLD_EXCEEDS_AVAILABLE', '8'],
      ['DEBIT_MISSING', null],
    ],
  ],
  [
    'the lines of four operations that are missing, and the credit of a fifth beside them',
    `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 7 CASHIN_CREDIT 5000 7500/0 CI-7${sixMore}`,
    [
      ['LINES_MISSING', '7'],
      ['CREDIT_MISSING', null],
    ],
  ],
];

describe('a root each for', () => {
  test.each(TWO)('%s', (_, ledger, roots) => {
    const found = reconcileSample(ledger).findings.filter(
      ({ causedBy, severity }) => causedBy === null && severity !== 'info',
    );
    expect(found.map(({ kind, sequence }) => [kind, sequence])).toEqual(roots);
  });
});

test('a hold that lacks more than an uncovered one before it took is a fault of its own', () => {
  const { findings } = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 1300 1000/1300 CO-2
    line 3 CASHOUT_HOLD 5000 1000/6300 CO-3
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 1300
    op CO-3 PENDING 5000
    at +1h`);
  const roots = findings.filter(({ causedBy }) => causedBy === null);
  expect(roots.map(({ kind, sequence }) => [kind, sequence])).toEqual([
    ['HOLD_EXCEEDS_AVAILABLE', '2'],
    ['HOLD_EXCEEDS_AVAILABLE', '3'],
  ]);
});

test('an operation with a line of a direction outside the document is left unjudged, and the books incomplete', () => {
  const { findings, verdict } = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1500/0 CI-2 direction=TRANSFER
    line 3 CASHIN_CREDIT 500 2000/0 CI-3${three}`);
  expect(findings.map(({ kind, sequence }) => [kind, sequence])).toEqual([['UNKNOWN_KIND', '2']]);
  expect(verdict).toBe('incomplete');
});
