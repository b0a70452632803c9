// A commission that takes all of a cash-in leaves nothing to credit, and nothing to give back,
// because no line can say 0.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

const kinds = (ledger: string) => reconcileSample(ledger).findings.map(({ kind }) => kind);

const credited = `
    line 1 CASHIN_CREDIT 677 677/0 CI-1
    op CI-1 SUCCEEDED 777 fees=100
    op CI-2 SUCCEEDED 100 fees=100`;
const net = `
    line 1 ADJUSTMENT_CREDIT 1000 1000/0 - description=opening
    line 2 CASHIN_CREDIT 500 1500/0 CI-2
    line 3 CASHIN_FEE 100 1400/0 CI-2
    line 4 CASHIN_CREDIT 100 1500/0 CI-4
    line 5 CASHIN_FEE 100 1400/0 CI-4
    line 6 REVERSAL_DEBIT 400 1000/0 CI-2
    op CI-2 REVERSED 500 fees=100
    op CI-4 REVERSED 100 fees=100`;
const linesUndone = `
    line 1 CASHIN_CREDIT 500 500/0 CI-1
    line 2 CASHIN_FEE 100 400/0 CI-1
    line 3 REVERSAL_DEBIT 500 -100/0 CI-1
    line 4 REVERSAL_CREDIT 100 0/0 CI-1
    line 5 CASHIN_CREDIT 100 100/0 CI-5
    line 6 CASHIN_FEE 100 0/0 CI-5
    op CI-1 REVERSED 500 fees=100
    op CI-5 REVERSED 100 fees=100`;

describe('a cash-in whose commission is its whole amount', () => {
  test('needs no credit where credits are net', () => expect(kinds(credited)).toEqual([]));

  test('needs one where the amount and the fee are posted', () =>
    expect(kinds(`${net}\n    op CI-9 SUCCEEDED 100 fees=100`)).toEqual([
      'CREDIT_MISSING',
      'FEE_MISSING',
    ]));

  test('needs no reversal where reversals are net', () => expect(kinds(net)).toEqual([]));

  test('needs one where every line is undone', () =>
    expect(kinds(linesUndone)).toContain('REVERSAL_MISSING'));
});
