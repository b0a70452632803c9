// An operation against its lines, at the edges of what its state makes lawful.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

test('a net credit with a fee line beside it is short of its fee, where both credits are lawful', () => {
  const report = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    line 3 CASHIN_CREDIT 980 1960/0 CI-2
    line 4 CASHIN_CREDIT 980 2940/0 CI-3
    line 5 CASHIN_FEE 20 2920/0 CI-3
    op CI-1 SUCCEEDED 1000 fees=20
    op CI-2 SUCCEEDED 1000 fees=20
    op CI-3 SUCCEEDED 1000 fees=20
    wallet 2920/0`);
  const { findings, due, verdict } = report;
  expect(findings.map(({ kind, sequence, item }) => [kind, sequence, item?.balance])).toEqual([
    ['CREDIT_AMOUNT_MISMATCH', '4', '-20'],
  ]);
  expect([verdict, due?.balance, due?.unexplained.balance]).toEqual(['broken', '2940', '0']);
});
