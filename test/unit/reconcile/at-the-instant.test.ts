// Operations and lines are judged when they are older than the instant of judgement. Those of that
// very instant are not judged yet.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

const kindsAt = (at: string, more: string) =>
  reconcileSample(`
    line 1 CASHIN_CREDIT 3000 3000/0 CI-1
    op CI-1 SUCCEEDED 3000
    ${more}
    at ${at}`).findings.map(({ kind }) => kind);

test.each([
  ['CREDIT_MISSING', 'op CI-2 SUCCEEDED 500 createdAt=+50m completedAt=+60m updatedAt=+60m'],
  ['HOLD_MISSING', 'op CO-2 PENDING 500 createdAt=+60m updatedAt=+60m'],
  ['OPERATION_UNKNOWN', 'line 2 CASHOUT_HOLD 700 3000/700 CO-2 at=+60m'],
])('%s', (kind, more) => {
  expect(kindsAt('+60m', more)).toEqual([]);
  expect(kindsAt('+61m', more)).toEqual([kind]);
});

test('a wallet of that instant is judged', () => {
  expect(kindsAt('+60m', 'wallet 2999/0 updatedAt=+60m')).toEqual(['WALLET_BALANCE_MISMATCH']);
});
