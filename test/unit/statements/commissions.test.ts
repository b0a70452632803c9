// Commissions compared with the price: which fit, which do not, and what happens when the price has
// changed.

import { expect, test } from 'vitest';
import { handBooks } from '../../support/hand-books.ts';
import { auditBooks, snapshotOf, stateBooks } from '../../support/month-of-books.ts';

const books = handBooks(`
  10-02T08:00 CASHIN_CREDIT 10000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 200 GUI-CI-1
  10-03T08:00 CASHIN_CREDIT 10000 GUI-CI-2
  10-03T08:00 CASHIN_FEE 150 GUI-CI-2
  op GUI-CI-1 SUCCEEDED 10000 fees=200 created=10-02T07:59 completed=10-02T08:00
  op GUI-CI-2 SUCCEEDED 10000 fees=150 created=10-03T07:59 completed=10-03T08:00
  op GUI-CI-3 FAILED 10000 fees=200 created=10-04T07:59 completed=10-04T08:00`);

test('what is charged otherwise than priced is listed, with the sign of the difference', async () => {
  const { commissions } = (await stateBooks(books, { period: '2026-10' })).statement;
  expect(commissions.rows).toMatchObject([
    {
      type: 'CASHIN',
      price: { bps: 200, flat: 0 },
      count: 2,
      base: 20_000,
      charged: 350,
      recomputed: 400,
      difference: -50,
    },
    { type: 'CASHOUT', price: { bps: 100, flat: 0 }, count: 0, charged: 0, recomputed: 0 },
  ]);
  expect(commissions.differences).toEqual([
    {
      operationReference: 'GUI-CI-2',
      type: 'CASHIN',
      amount: 10_000,
      charged: 150,
      recomputed: 200,
      difference: -50,
    },
  ]);
  expect(commissions).toMatchObject({ differenceCount: 1, posted: { cashin: 350, cashout: 0 } });
});

test('each operation is under the price that it fits', async () => {
  const newer = {
    ...books.profile,
    pricing: { ...books.profile.pricing, cashin: { bps: 150, flat: 0 } },
  };
  const snapshot = { ...snapshotOf(books), profiles: [books.profile, newer, books.profile] };
  const { statement } = await stateBooks(books, {
    period: '2026-10',
    snapshot,
    report: auditBooks(books),
  });
  expect(
    statement.commissions.rows.map(({ price, count, difference }) => [
      price?.bps,
      count,
      difference,
    ]),
  ).toEqual([
    [150, 1, 0],
    [200, 1, 0],
    [100, 0, 0],
  ]);
  expect(statement.commissions.differenceCount).toBe(0);
});

test('an operation that fits several prices is under the newest of them', async () => {
  const flat = {
    ...books.profile,
    pricing: { ...books.profile.pricing, cashin: { bps: 0, flat: 200 } },
  };
  const snapshot = { ...snapshotOf(books), profiles: [books.profile, flat] };
  const { statement } = await stateBooks(books, {
    period: '2026-10',
    snapshot,
    report: auditBooks(books),
  });
  const rows = statement.commissions.rows.map(({ price, count, differenceCount }) => [
    price?.flat,
    count,
    differenceCount,
  ]);
  expect(rows[0]).toEqual([200, 2, 1]);
});

test('without a profile nothing is recomputed, and nothing differs', async () => {
  const snapshot = { ...snapshotOf(books), profiles: [] };
  const { statement } = await stateBooks(books, { period: '2026-10', snapshot });
  expect(statement.commissions.rows[0]).toMatchObject({
    price: null,
    count: 2,
    charged: 350,
    recomputed: 350,
  });
  expect(statement.merchant).toEqual({
    reference: 'A_LA_MAIN',
    holder: null,
    name: null,
    country: null,
    profile: null,
  });
});
