// Two lines under one number, both of the chain: the number is wrong, the money is not.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

/**
 * The release of CO-3 has the number of the hold of CO-4. The debit of CO-3 could as well have
 * taken the hold by itself.
 */
const BOOKS = `
    line 1 CASHIN_CREDIT 10000 10000/0 CI-1
    op CI-1 SUCCEEDED 10000
    line 2 CASHOUT_HOLD 820 10000/820 CO-3
    line 3 CASHOUT_HOLD 2050 10000/2870 CO-4
    line 3 CASHOUT_RELEASE 820 10000/2050 CO-3 id=other
    line 5 CASHOUT_DEBIT 800 9200/2050 CO-3
    line 6 CASHOUT_FEE 20 9180/2050 CO-3
    op CO-3 SUCCEEDED 800 fees=20
    line 7 CASHOUT_RELEASE 2050 9180/0 CO-4
    line 8 CASHOUT_DEBIT 2000 7180/0 CO-4
    line 9 CASHOUT_FEE 50 7130/0 CO-4
    op CO-4 SUCCEEDED 2000 fees=50
    line 10 CASHOUT_HOLD 1025 7130/1025 CO-10
    line 11 CASHOUT_RELEASE 1025 7130/0 CO-10
    line 12 CASHOUT_DEBIT 1000 6130/0 CO-10
    line 13 CASHOUT_FEE 25 6105/0 CO-10
    op CO-10 SUCCEEDED 1000 fees=25`;

test('a release that shares a number with a hold is applied, and no line is missing', () => {
  const { findings, recomputed } = reconcileSample(BOOKS);
  const roots = findings.filter(
    ({ causedBy, severity }) => causedBy === null && severity !== 'info',
  );
  expect(roots.map(({ kind, sequence }) => [kind, sequence])).toEqual([
    ['SEQUENCE_DUPLICATE', '3'],
  ]);
  expect([recomputed.balance, recomputed.reserved]).toEqual(['6105', '0']);
});
