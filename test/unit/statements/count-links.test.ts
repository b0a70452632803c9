// Payments by link, counted: what belongs to the period and to which day, which state counts for
// which figure, and whose money it is.

import { describe, expect, test } from 'vitest';
import type { Payment } from '../../../src/core/domain/payment.ts';
import { boundsOf } from '../../../src/core/domain/period.ts';
import type { Payout } from '../../../src/core/domain/published/payout.ts';
import { openZone } from '../../../src/core/domain/zone.ts';
import { answerableOf } from '../../../src/core/statements/comparison.ts';
import { linkSummary } from '../../../src/core/statements/service/compare-links.ts';
import {
  beginLinks,
  closeAccount,
  takeLink,
} from '../../../src/core/statements/service/link-account.ts';
import { NOTHING_KNOWN } from '../../../src/service/workflows/month/read-links.ts';

const OCTOBER = { year: 2026, month: 10 };

function payment(change: Partial<Payment> = {}): Payment {
  const createdAt = Date.UTC(2026, 9, 5);
  return {
    reference: 'PAY1',
    amount: 100,
    country: 'CI',
    operator: 'wave',
    orderId: null,
    status: 'SUCCESS',
    createdAt,
    ...change,
  };
}

function counted(payments: readonly Partial<Payment>[], zoneName = 'UTC') {
  const zone = openZone(zoneName)!;
  const reading = beginLinks(boundsOf(OCTOBER, zone), NOTHING_KNOWN);
  for (const change of payments) takeLink(reading, payment(change), null);
  return linkSummary(reading, zone, 'XOF');
}

describe('a payment belongs', () => {
  test.each([
    ['UTC', Date.UTC(2026, 9, 31, 23, 30), '2026-10-31'],
    // Porto-Novo is an hour ahead, so that it is November there.
    ['Africa/Porto-Novo', Date.UTC(2026, 9, 31, 23, 30), null],
    ['Africa/Porto-Novo', Date.UTC(2026, 8, 30, 23), '2026-10-01'],
    ['UTC', Date.UTC(2026, 8, 30, 23), null],
    // Clocks go back in the night of 25 October.
    ['Europe/Paris', Date.UTC(2026, 9, 24, 22), '2026-10-25'],
    ['Europe/Paris', Date.UTC(2026, 9, 26, 22, 30), '2026-10-26'],
  ])('by the clocks of %s', (zone, createdAt, day) => {
    expect(counted([{ createdAt }], zone).byDay.map((row) => row.day)).toEqual(
      day === null ? [] : [day],
    );
  });
});

test('only what succeeded is money; every state is counted', () => {
  const summary = counted([
    {},
    { status: 'FAILED' },
    { status: 'PENDING' },
    { amount: 7, operator: null },
  ]);
  expect(summary).toMatchObject({
    totalAmount: 107,
    paymentCount: 2,
    byStatus: { PENDING: 1, SUCCESS: 2, FAILED: 1 },
  });
  expect(summary.byOperator).toEqual([
    { operator: 'wave', count: 1, amount: 100 },
    { operator: '—', count: 1, amount: 7 },
  ]);
});

test.each([
  [[], 'XOF'],
  [['CI', 'ML'], 'XOF'],
  [['CM'], 'XAF'],
  [['CI', 'CM'], 'FCFA'],
  [['CI', 'GN'], 'GNF + XOF'],
])('payments of %j are in %s', (countries, currency) => {
  expect(counted(countries.map((country) => ({ country }))).currency).toBe(currency);
});

test('sums that no double holds are refused', () => {
  const most = Number.MAX_SAFE_INTEGER;
  expect(counted([{ amount: most }]).totalAmount).toBe(most);
  expect(() => counted([{ amount: most }, { amount: 1 }])).toThrow('2^53');
});

test('a month is answerable for what succeeded, and not for what waits or failed', () => {
  const section = (payments: readonly Partial<Payment>[]) => ({
    summary: counted(payments),
    account: null,
    payouts: [],
    unread: 0,
    comparison: null,
  });
  expect(answerableOf(section([{}, { status: 'PENDING' }]))).toEqual(
    answerableOf(section([{}, { status: 'FAILED' }])),
  );
  expect(answerableOf(section([{}]))).not.toEqual(answerableOf(section([{ operator: 'mtn' }])));
  expect([answerableOf(section([{ status: 'FAILED' }])), answerableOf(null)]).toEqual([null, null]);
});

describe('unknown commissions explain a balance', () => {
  // Two payments of 10,000. One has told its commission of 200, so that we count 19,800.
  const sideOf = (balance: string, pending = 0) => {
    const reading = beginLinks(boundsOf(OCTOBER, openZone('UTC')!), NOTHING_KNOWN);
    takeLink(reading, payment({ reference: 'PAY1', amount: 10_000 }), '200');
    takeLink(reading, payment({ reference: 'PAY2', amount: 10_000 }), null);
    const at = Date.UTC(2026, 10, 1);
    const asked = {
      id: 'p',
      reference: 'DEC-1',
      amount: pending,
      fees: '0',
      accountType: 'BANK',
      createdAt: at,
    };
    const payouts = [
      { ...asked, status: 'PENDING' as const, completedAt: null },
    ] as unknown as readonly Payout[];
    return closeAccount(reading, { payouts, isWhole: true, balance, at }).account.service!;
  };

  test.each([
    ['19800', 0, null, true],
    ['19650.5', 0, 149, true],
    ['18799.5', 0, 1_000, true],
    // With one more, it is more than a tenth of the payment.
    ['18798', 0, 1_002, false],
    ['10000', 0, 9_800, false],
    // A payout on its way explains what commissions cannot.
    ['10000', 9_700, 100, true],
    ['10000', 9_800, null, true],
    ['19801', 0, null, false],
  ])('of %s, with %i on its way, at a rate of %s: %s', (balance, pending, rate, isExplained) => {
    expect(sideOf(balance, pending)).toMatchObject({ ours: 19_800, rate, isExplained });
  });
});
