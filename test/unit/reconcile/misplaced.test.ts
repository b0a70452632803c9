// A line under another number than its own breaks the chain at up to four places. It is one root,
// which says where the line belongs.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

const OPERATIONS = `
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 100
    op CI-3 SUCCEEDED 200
    op CI-4 SUCCEEDED 400
    op CI-5 SUCCEEDED 800
    op CI-6 SUCCEEDED 1600
    wallet 4100/0`;

function rootsOf(ledger: string) {
  const { findings, unexplained } = reconcileSample(ledger);
  expect(unexplained).toEqual({ balance: '0', reserved: '0' });
  return findings
    .filter(({ causedBy }) => causedBy === null)
    .map(({ kind, sequence, evidence }) => {
      const where = evidence.filter(({ note }) => note?.startsWith('by its figures') === true);
      return [
        kind,
        sequence,
        where.map((one) => `${one.sequence} ${one.note!.split(' ').slice(-3).join(' ')}`),
      ];
    });
}

describe('one root for', () => {
  test('a line behind all others, for the wallet that does not end with it', () => {
    const roots = rootsOf(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 100 1100/0 CI-2
    line 4 CASHIN_CREDIT 400 1700/0 CI-4
    line 5 CASHIN_CREDIT 800 2500/0 CI-5
    line 6 CASHIN_CREDIT 1600 4100/0 CI-6
    line 9 CASHIN_CREDIT 200 1300/0 CI-3${OPERATIONS}`);
    expect(roots).toEqual([['LINES_MISSING', '4', ['9 before line 4']]]);
  });

  test('a line before all others', () => {
    const roots = rootsOf(`
    line 1 CASHIN_CREDIT 400 1700/0 CI-4
    line 2 CASHIN_CREDIT 1000 1000/0 CI-1
    line 3 CASHIN_CREDIT 100 1100/0 CI-2
    line 4 CASHIN_CREDIT 200 1300/0 CI-3
    line 6 CASHIN_CREDIT 800 2500/0 CI-5
    line 7 CASHIN_CREDIT 1600 4100/0 CI-6${OPERATIONS}`);
    expect(roots).toEqual([['LINES_MISSING', '6', ['1 before line 6']]]);
  });

  test('a line that bears the number of another one', () => {
    const roots = rootsOf(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 3 CASHIN_CREDIT 200 1300/0 CI-3
    line 4 CASHIN_CREDIT 400 1700/0 CI-4
    line 5 CASHIN_CREDIT 800 2500/0 CI-5
    line 5 CASHIN_CREDIT 100 1100/0 CI-2 id=moved
    line 6 CASHIN_CREDIT 1600 4100/0 CI-6${OPERATIONS}`);
    expect(roots).toEqual([['LINES_MISSING', '3', ['5 before line 3']]]);
  });

  test('two lines that bear each other’s numbers', () => {
    const roots = rootsOf(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 400 1700/0 CI-4
    line 3 CASHIN_CREDIT 200 1300/0 CI-3
    line 4 CASHIN_CREDIT 100 1100/0 CI-2
    line 5 CASHIN_CREDIT 800 2500/0 CI-5
    line 6 CASHIN_CREDIT 1600 4100/0 CI-6${OPERATIONS}`);
    expect(roots).toEqual([['BALANCE_DRIFT', '2', ['4 at line 2', '2 at line 4']]]);
  });

  test('a line and the last one that bear each other’s numbers, for the open holds', () => {
    const roots = rootsOf(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 40 1000/70 CO-4
    line 3 CASHOUT_HOLD 20 1000/30 CO-3
    line 4 CASHOUT_HOLD 10 1000/10 CO-2
    op CI-1 SUCCEEDED 1000
    op CO-2 PENDING 10
    op CO-3 PENDING 20
    op CO-4 PENDING 40
    wallet 1000/70
    at +6m`);
    expect(roots).toEqual([['RESERVED_DRIFT', '2', ['4 at line 2']]]);
  });
});

describe('a root each for', () => {
  test('a line that is missing and another that is off by other money', () => {
    const roots = rootsOf(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 100 1100/0 CI-2
    line 4 CASHIN_CREDIT 400 1700/0 CI-4
    line 5 CASHIN_CREDIT 800 2555/0 CI-5
    line 6 CASHIN_CREDIT 1600 4155/0 CI-6
    ${OPERATIONS.replace('wallet 4100/0', 'wallet 4155/0')}`);
    expect(roots).toEqual([
      ['LINES_MISSING', '4', []],
      ['BALANCE_DRIFT', '5', []],
    ]);
  });

  test('the breaks around two lines that do not quite fit each other’s places', () => {
    const exchanged = (figures: readonly [number, number]) =>
      rootsOf(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 1600 ${figures[0]}/0 CI-6
    line 3 CASHIN_CREDIT 200 1300/0 CI-3
    line 4 CASHIN_CREDIT 400 1700/0 CI-4
    line 5 CASHIN_CREDIT 800 2500/0 CI-5
    line 6 CASHIN_CREDIT 100 ${figures[1]}/0 CI-2
    line 7 CASHIN_CREDIT 3200 7300/0 CI-7
    op CI-7 SUCCEEDED 3200
    ${OPERATIONS.replace('wallet 4100/0', 'wallet 7300/0')}`).map(
        ([kind, sequence]) => `${kind} ${sequence}`,
      );
    expect(exchanged([4100, 1100])).toEqual(['BALANCE_DRIFT 2']);
    expect(exchanged([4101, 1102])).toEqual(
      [2, 3, 6, 7].map((sequence) => `BALANCE_DRIFT ${sequence}`),
    );
  });
});
