// Payments that are too old to change are counted once. Whatever the nights were, the sums are
// those of all payments read at once.

import { expect, test } from 'vitest';
import { DAY, type Instant } from '../../../src/core/domain/instant.ts';
import { PAYMENT_STATUSES, type Payment } from '../../../src/core/domain/payment.ts';
import type { KeptTotals } from '../../../src/core/domain/published/payout-place.ts';
import type { PaymentTotals } from '../../../src/core/kernel/checks/payouts/payment-totals.ts';
import {
  beginTotalsOf,
  feesToldIn,
  wantedFrom,
} from '../../../src/core/kernel/reconcile/published/judge-payments.ts';
import { drawFrom, drawInteger, seedRandom } from '../../../src/sandbox/model/random.ts';
import { lookedFrom } from '../../../src/service/workflows/audit/compare-published.ts';
import { TEST_SEED } from '../../support/test-seed.ts';

const START = Date.UTC(2025, 0, 17, 5);

function payments(seed: string, days: number): readonly Payment[] {
  const random = seedRandom(seed);
  return Array.from({ length: 600 }, (_, i) => ({
    reference: `PAY${i}`,
    amount: drawInteger(random, { from: 1, to: 9_000 }),
    country: 'CI',
    operator: 'wave',
    orderId: null,
    status: drawFrom(random, PAYMENT_STATUSES),
    createdAt: START + drawInteger(random, { from: 0, to: days * DAY }),
  }));
}

/** Returns the commission, which is known for two payments of three. */
const feesOf = ({ reference }: Payment) => (Number(reference.slice(3)) % 3 === 0 ? null : '12.5');

function shown({ all, periods, fees, daysFrom }: PaymentTotals, from: string | null) {
  const isShown = (period: string) => period.length === 7 || from === null || period >= from;
  const text = (value: unknown) =>
    JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one));
  const cells = periods.map((some) =>
    [...some].filter(([period]) => isShown(period)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return [text(all), text(cells), text(fees), daysFrom === from];
}

test.each(Array.from({ length: 12 }, (_, i) => i))(
  'nights of world %i count as one reading of everything does',
  (world) => {
    const all = payments(`${TEST_SEED}/${world}`, 420);
    const random = seedRandom(`${TEST_SEED}/nights/${world}`);
    let kept: KeptTotals | null = null;
    let [looks, older] = [0, 0];
    for (
      let at: Instant = START + 90 * DAY;
      at < START + 430 * DAY;
      at += drawFrom(random, [1, 1, 6, 40]) * DAY
    ) {
      const there = all.filter(({ createdAt }) => createdAt < at);
      const window = { from: lookedFrom(at), kept };
      const passed = beginTotalsOf(window, at, feesOf);
      const from = wantedFrom(window);
      const wanted = there.filter(({ createdAt }) => createdAt >= from);
      // Now and then a night reads a report of an older month too.
      const more = looks % 4 === 3 ? 100 * DAY : 0;
      passed.take({
        rows: there.filter(({ createdAt }) => createdAt >= from - more),
        rejected: [],
      });
      if (passed.wantsOlder) {
        passed.takeOlder({
          rows: there.filter(({ createdAt }) => createdAt < from - more),
          rejected: [],
        });
        older += 1;
      }
      const totals = passed.totals()!;
      const whole = beginTotalsOf(null, at, feesOf);
      whole.take({ rows: there, rejected: [] });
      expect(shown(totals, totals.daysFrom)).toEqual(
        shown({ ...whole.totals()!, daysFrom: totals.daysFrom }, totals.daysFrom),
      );
      expect(Date.parse(totals.daysFrom!)).toBeLessThanOrEqual(at - 60 * DAY);
      const news = passed.toKeep();
      // Pass the totals through JSON, as a store gives them back.
      if (news !== null) kept = JSON.parse(JSON.stringify(news));
      if (looks > 0)
        expect(wanted.every(({ createdAt }) => createdAt >= at - 150 * DAY)).toBe(true);
      looks += 1;
    }
    expect([looks > 15, older]).toEqual([true, 1]);
  },
);

test('what could not be read is never taken for whole, and is not read again each night', () => {
  const [at, later] = [START + 200 * DAY, START + 201 * DAY];
  const refused = { rows: [], rejected: [{ place: 'x', reason: 'y', raw: '' }] } as never;
  const first = beginTotalsOf({ from: lookedFrom(at), kept: null }, at);
  first.take({ rows: [], rejected: [] });
  first.takeOlder(refused);
  expect(first.totals()).toBeNull();
  const kept = first.toKeep()!;
  expect(kept.unread).toBe(1);
  const second = beginTotalsOf({ from: lookedFrom(later), kept }, later);
  second.take({ rows: [], rejected: [] });
  expect([second.wantsOlder, second.totals()]).toEqual([false, null]);
  // A row of these days may be read another time, so that nothing is kept of such a night.
  const third = beginTotalsOf({ from: lookedFrom(at), kept: null }, at);
  third.take(refused);
  expect([third.totals(), third.toKeep()]).toEqual([null, null]);
  // An audit of an earlier day does not use what was counted since.
  const before = beginTotalsOf({ from: kept.before - DAY, kept }, at);
  expect(before.wantsOlder).toBe(true);
});

test('fees count where all notifications agree, and agree with the service', () => {
  const payment = { ...payments('fees', 9)[0]!, status: 'SUCCESS', amount: 1_000 } as const;
  const claim = {
    reference: payment.reference,
    status: 'SUCCESS',
    amount: 1_000,
    fees: '15',
    createdAt: null,
  } as const;
  const told = (...claims: Parameters<typeof feesToldIn>[0]) => feesToldIn(claims)(payment);
  expect(told()).toBeNull();
  expect(told(claim, claim)).toBe('15');
  expect(told(claim, { ...claim, amount: null })).toBe('15');
  expect(told(claim, { ...claim, fees: '16' })).toBeNull();
  expect(told(claim, { ...claim, fees: '16', amount: 999 }), 'of another amount').toBe('15');
  expect(told({ ...claim, fees: '16', status: 'FAILED' })).toBeNull();
  expect(told({ ...claim, fees: '1000.01' }), 'more than the payment').toBeNull();
  expect(told({ ...claim, fees: null })).toBeNull();
});
