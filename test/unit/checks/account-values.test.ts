// The values of an account, one by one. Operations are checked against each price, each bound and
// each state, and an operation just within it is not reported.

import { describe, expect, test } from 'vitest';
import { MERCHANT_STATUSES, WALLET_STATUSES } from '../../../src/core/domain/merchant.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

function said(sample: string): readonly (string | null)[][] {
  const roots = reconcileSample(sample).findings.filter(({ causedBy }) => causedBy === null);
  return roots.map(({ kind, operationReference }) => [kind, operationReference]);
}

describe('each part of the price is what fees are held against', () => {
  test.each([
    ['cashinFeeBps', 'cashinFeeBps=200', 'CI', 20],
    ['cashinFeeFlat', 'cashinFeeFlat=30', 'CI', 30],
    ['cashoutFeeBps', 'cashoutFeeBps=100', 'CO', 10],
    ['cashoutFeeFlat', 'cashoutFeeFlat=50', 'CO', 50],
  ])('%s', (_, price, type, fees) => {
    const charged = (amount: number) =>
      `profile ${price}\nop ${type}-1 CREATED 1000 fees=${amount}\nat +9m`;
    expect(said(charged(fees))).toEqual([]);
    expect(said(charged(fees + 1))).toEqual([['FEE_NOT_AS_PRICED', `GUI-${type}-1`]]);
  });
});

describe('each bound of amounts is', () => {
  test.each([
    ['minCashinAmount', 'CI', 1_000, 999],
    ['maxCashinAmount', 'CI', 1_000, 1_001],
    ['minCashoutAmount', 'CO', 1_000, 999],
    ['maxCashoutAmount', 'CO', 1_000, 1_001],
  ])('%s', (bound, type, amount, beyond) => {
    const of = (one: number) => `profile ${bound}=1000\nop ${type}-1 CREATED ${one}\nat +9m`;
    expect(said(of(amount))).toEqual([]);
    expect(said(of(beyond))).toEqual([['AMOUNT_OUT_OF_BOUNDS', `GUI-${type}-1`]]);
  });

  test('and none holds for operations of the other type, nor is a maximum of 0 one', () => {
    expect(said('profile minCashoutAmount=1000\nop CI-1 FAILED 1')).toEqual([]);
    expect(said('profile maxCashinAmount=1000\nop CO-1 CREATED 5000\nat +9m')).toEqual([]);
    expect(said('profile maxCashinAmount=0\nop CI-1 FAILED 5000')).toEqual([]);
  });
});

describe('of the states of an account', () => {
  const operated = (status: string) => `profile status=${status}\nop CI-1 FAILED 1000`;

  test('one that was never activated has not operated', () => {
    expect(said(operated('PENDING'))).toEqual([['OPERATED_WHILE_BLOCKED', 'GUI-CI-1']]);
  });

  test('no other says when it began, and so none is held against what was before', () => {
    const others = MERCHANT_STATUSES.filter((status) => status !== 'PENDING');
    expect(others.map((status) => said(operated(status)))).toEqual([[], [], []]);
  });
});

test('an operation after the wallet was frozen or closed is a finding, one while it is active is not', () => {
  const told = WALLET_STATUSES.map((status) =>
    said(`op CI-1 FAILED 1000 createdAt=+5d\nwallet 0/0 status=${status} updatedAt=+1d`),
  );
  const blocked = [['OPERATED_WHILE_BLOCKED', 'GUI-CI-1']];
  expect(told).toEqual(WALLET_STATUSES.map((status) => (status === 'ACTIVE' ? [] : blocked)));
});

test('books all in a currency outside the document are found by their country', () => {
  const found = said(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1 currency=EUR
    op CI-1 SUCCEEDED 1000 currency=EUR
    wallet 1000/0 currency=EUR`);
  expect(found).toEqual([['COUNTRY_CURRENCY_MISMATCH', 'GUI-CI-1']]);
});

describe('each type of notification is of one outcome', () => {
  test.each([
    ['cashin.awaiting_payer', 'CI', 'AWAITING_PAYER'],
    ['cashin.succeeded', 'CI', 'SUCCEEDED'],
    ['cashin.failed', 'CI', 'FAILED'],
    ['cashin.expired', 'CI', 'EXPIRED'],
    ['cashout.succeeded', 'CO', 'SUCCEEDED'],
    ['cashout.failed', 'CO', 'FAILED'],
    ['cashout.expired', 'CO', 'EXPIRED'],
    ['operation.reversed', 'CI', 'REVERSED'],
  ])('%s', (type, side, status) => {
    const kindsOf = (of: string, now: string) => {
      const sample = `op ${of}-1 ${now} 1000\nevent ${type} ${of}-1 1000 status=${now}\nat +40m`;
      return reconcileSample(sample).findings.map(({ kind }) => kind);
    };
    expect(kindsOf(side, status)).not.toContain('EVENT_TYPE_MISMATCH');
    // A body may show what became of a cash-in that waited.
    expect(kindsOf(side, 'CANCELLED').includes('EVENT_TYPE_MISMATCH')).toBe(
      type !== 'cashin.awaiting_payer',
    );
    if (type === 'operation.reversed') return;
    expect(kindsOf(side === 'CI' ? 'CO' : 'CI', status)).toContain('EVENT_TYPE_MISMATCH');
  });
});

test('of an account that was never activated the first operation is named, however many follow it', () => {
  const many = Array.from(
    { length: 1_200 },
    (_, i) => `op CI-${i + 1} FAILED 1000 createdAt=+${i}m`,
  );
  expect(said(`profile status=PENDING\n${many.join('\n')}\nat +2d`)).toEqual([
    ['OPERATED_WHILE_BLOCKED', 'GUI-CI-1'],
  ]);
});
