// What the simulated service says in each field is what the document allows there, and every value
// that the document lists occurs.

import { describe, expect, test } from 'vitest';
import { COUNTRIES } from '../../../src/core/domain/amount.ts';
import { ENTRY_KINDS } from '../../../src/core/domain/ledger-entry.ts';
import { FAILURE_CODES, OPERATORS } from '../../../src/core/domain/operation.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../../src/sandbox/model/policy.ts';
import { LINK_COUNTRIES } from '../../../src/sandbox/model/served-dashboard.ts';
import { simulateBooks } from '../../support/simulate-books.ts';
import { TEST_SEED } from '../../support/test-seed.ts';

const DAY = 86_400_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const traffic = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 40,
  cashoutShare: 0.4,
  reversalRate: 0.08,
  adjustmentsPerMonth: 20,
};
/** Two policies that post differently, so that every kind of line occurs. */
const policies = ['DEBIT_AND_FEE', 'RELEASE_FIRST'].map(
  (way) =>
    LAWFUL_POLICIES.find(
      ({ holdSettlement, reversal }) => holdSettlement === way && reversal === 'LINES',
    )!,
);
const books = policies.map((policy, i) => {
  const plan = planMerchant({
    reference: `V${i}`,
    policy,
    traffic,
    allowedCountries: i === 0 ? ['CI', 'SN'] : ['CI'],
  });
  return simulateBooks(plan, { seed: TEST_SEED, until: plan.opensAt + 40 * DAY });
});
const operations = books.flatMap((one) => one.operations);
const entries = books.flatMap((one) => one.entries);
const notifications = books.flatMap((one) => one.notifications);

const isTextOrNull = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && value !== '');
const isPlain = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && !Array.isArray(value));
const without = <T>(rows: readonly T[], rule: (row: T) => boolean): readonly T[] =>
  rows.filter((row) => !rule(row));

describe(`operations (TEST_SEED=${TEST_SEED})`, () => {
  test('have a number in E.164 and a name or none', () => {
    expect(
      without(operations, (o) => /^\+[1-9]\d{7,14}$/.test(o.counterparty.phoneNumber)),
    ).toEqual([]);
    expect(without(operations, (o) => isTextOrNull(o.counterparty.name))).toEqual([]);
    const names = operations.map((o) => o.counterparty.name === null);
    expect(new Set(names)).toEqual(new Set([true, false]));
  });

  test('are with each of the five operators, in countries of the document', () => {
    expect(new Set(operations.map(({ operator }) => operator))).toEqual(new Set(OPERATORS));
    expect(
      without(operations, ({ country }) => (COUNTRIES as readonly string[]).includes(country)),
    ).toEqual([]);
  });

  test('fail with each of the nine codes, and a message', () => {
    const failures = operations.flatMap(({ failure }) => failure ?? []);
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(FAILURE_CODES));
    expect(without(failures, ({ message }) => message !== '')).toEqual([]);
  });

  test('have whole amounts, texts or none, and metadata of any kind', () => {
    const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
    expect(without(operations, (o) => [o.amount, o.fees, o.netAmount].every(isWhole))).toEqual([]);
    expect(
      without(operations, (o) => [o.externalReference, o.description].every(isTextOrNull)),
    ).toEqual([]);
    expect(without(operations, ({ metadata }) => isPlain(metadata))).toEqual([]);
    for (const field of ['externalReference', 'description', 'metadata'] as const) {
      expect(new Set(operations.map((o) => o[field] === null)), field).toEqual(
        new Set([true, false]),
      );
    }
  });

  test('are created before they change, and end between the two', () => {
    const isInOrder = ({
      createdAt,
      updatedAt,
      completedAt,
    }: (typeof operations)[number]): boolean =>
      [createdAt, updatedAt, completedAt ?? createdAt].every((at) => INSTANT.test(at)) &&
      createdAt <= updatedAt &&
      (completedAt === null || (createdAt <= completedAt && completedAt <= updatedAt));
    expect(without(operations, isInOrder)).toEqual([]);
  });
});

test('lines are of each of the ten kinds, and named by UUID', () => {
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(ENTRY_KINDS));
  expect(without(entries, ({ id }) => UUID.test(id))).toEqual([]);
  expect(without(entries, ({ description }) => isTextOrNull(description))).toEqual([]);
});

test('the profile and the wallet name the account in each field', () => {
  for (const { merchant, wallet } of books) {
    expect([merchant.name, merchant.email]).toEqual([
      expect.stringMatching(/\S/),
      expect.stringMatching(/^\S+@\S+\.\S+$/),
    ]);
    expect(
      [merchant.legalName, merchant.phoneNumber, merchant.webhookUrl].every(isTextOrNull),
    ).toBe(true);
    expect(isPlain(merchant.metadata)).toBe(true);
    expect(merchant.allowedCountries).toContain(merchant.country);
    expect([wallet.walletId, wallet.merchantId]).toEqual([
      expect.stringMatching(UUID),
      expect.stringMatching(UUID),
    ]);
    expect([merchant.createdAt, wallet.updatedAt]).toEqual([
      expect.stringMatching(INSTANT),
      expect.stringMatching(INSTANT),
    ]);
  }
});

test('notifications have an id of their own, their account, and the operation as it was then', () => {
  expect(without(notifications, ({ id }) => /^evt_/.test(id))).toEqual([]);
  expect(new Set(notifications.map(({ id }) => id)).size).toBe(notifications.length);
  for (const { merchant, notifications: own } of books) {
    expect(
      without(own, ({ merchantReference }) => merchantReference === merchant.reference),
    ).toEqual([]);
  }
  const carried = notifications.flatMap(({ data }) => data.operation ?? []);
  expect(new Set(carried.map((operation) => Object.keys(operation).join()))).toEqual(
    new Set([Object.keys(operations[0]!).join()]),
  );
  expect(new Set(notifications.map(({ type }) => type))).toEqual(
    new Set([
      ...['cashin.awaiting_payer', 'cashin.succeeded', 'cashin.failed', 'cashin.expired'],
      ...[
        'cashout.succeeded',
        'cashout.failed',
        'cashout.expired',
        'operation.reversed',
        'wallet.adjusted',
      ],
    ]),
  );
});

test("payments by link have what the dashboard's document allows", () => {
  const payments = books.flatMap((one) => one.payments);
  expect(payments.length).toBeGreaterThan(50);
  expect(without(payments, ({ id, reference }) => UUID.test(id) && /^PAY/.test(reference))).toEqual(
    [],
  );
  expect(without(payments, ({ amount }) => Number.isSafeInteger(amount) && amount >= 101)).toEqual(
    [],
  );
  expect(without(payments, ({ country }) => LINK_COUNTRIES.includes(country))).toEqual([]);
  expect(without(payments, (one) => one.provider !== '' && one.order_id !== '')).toEqual([]);
  expect(without(payments, ({ senderNumber }) => /^\+?\d{8,15}$/.test(senderNumber))).toEqual([]);
  expect(without(payments, ({ metadata }) => metadata !== null && isPlain(metadata))).toEqual([]);
  expect(without(payments, ({ createdAt }) => INSTANT.test(createdAt))).toEqual([]);
});
