// A merchant of the living service: what is planted stays, what comes later is sound, and a slip is
// one slip.

import { expect, test } from 'vitest';
import { FAULTS, faultNamed, TAMPERINGS } from '../../../src/sandbox/faults/register.ts';
import {
  type MerchantPlan,
  ORDINARY_TRAFFIC,
  planMerchant,
  SLIPS,
} from '../../../src/sandbox/model/plan.ts';
import { policyNamed } from '../../../src/sandbox/model/policy.ts';
import {
  advanceAccount,
  expectedOf,
  openAccount,
} from '../../../src/sandbox/service/account/account.ts';
import { booksOf } from '../../../src/sandbox/simulation/simulate.ts';
import { lookAtLines, type Seen } from './naive-lines.ts';
import { lookAtNotifications } from './naive-notifications.ts';
import { lookAtOperations } from './naive-operations.ts';
import { lookAtReports } from './naive-reports.ts';
import { lookAtWallet } from './naive-wallet.ts';

const DAY = 86_400_000;

const plan = planMerchant({
  reference: 'M1',
  traffic: {
    ...ORDINARY_TRAFFIC,
    operationsPerDay: 12,
    cancellationRate: 0.08,
    reversalRate: 0.05,
    adjustmentsPerMonth: 9,
  },
});
const start = plan.opensAt + 20 * DAY;

function live(changes: Partial<MerchantPlan>, days: number) {
  const account = openAccount({ ...plan, ...changes }, { seed: 'account', start });
  const before = booksOf(account.simulation);
  advanceAccount(account, start + days * DAY);
  return { account, before, after: booksOf(account.simulation) };
}

function look(books: Parameters<typeof lookAtLines>[0]): Seen[] {
  return [...lookAtLines(books), ...lookAtOperations(books), ...lookAtWallet(books)];
}

/** Faults after which the books go on as before. An account that is shut does not go on. */
const ONE_READING = FAULTS.filter(
  ({ name }) =>
    !/^(HOLD_EXCEEDS_AVAILABLE\/fees|BALANCE_NEGATIVE|AVAILABLE_NEGATIVE|PRICING_CHANGED|OPERATED_WHILE_BLOCKED|REPORT_SUMMARY_MISMATCH(\/.*)?)$/.test(
      name,
    ),
);

test('a wrong report stays wrong in the living service, and the reports after it are right', () => {
  const faults = ['REPORT_SUMMARY_MISMATCH'];
  const account = openAccount(
    { ...plan, faults: faults.map(faultNamed) },
    { seed: 'account', start: plan.opensAt + 33 * DAY },
  );
  expect(expectedOf(account).map(({ kind }) => kind)).toEqual(faults);
  expect(lookAtReports(booksOf(account.simulation))).toHaveLength(1);
  advanceAccount(account, plan.opensAt + 63 * DAY);
  const books = booksOf(account.simulation);
  expect(books.reports.map(({ period, status }) => [period, status])).toEqual([
    ['2026-09', 'READY'],
    ['2026-08', 'READY'],
  ]);
  expect(lookAtReports(books)).toHaveLength(1);
});

test('a planted fault stays, lines served before are not touched, and what is posted after is sound in itself', () => {
  for (const { name } of ONE_READING) {
    const { account, before, after } = live({ faults: [faultNamed(name)] }, 3);
    const seen = [...look(after), ...lookAtNotifications(after)];
    const [expected] = expectedOf(account);
    expect(seen, name).toContainEqual(expected);
    expect(after.entries.slice(0, before.entries.length), name).toEqual(before.entries);
    expect(after.entries.length, name).toBeGreaterThan(before.entries.length + 20);
    const head = before.entries.at(-1)!.sequence;
    const known = new Set(before.operations.map(({ reference }) => reference));
    const strays = seen.filter(({ kind, sequence, operationReference }) => {
      const isNew =
        operationReference === null ? (sequence ?? 0) > head : !known.has(operationReference);
      // Figures that a fault pushed below zero stay there on later lines: that is one drift, which
      // a naive look sees again.
      return (
        isNew &&
        !/^(AVAILABLE|RESERVED)_NEGATIVE$/.test(kind) &&
        operationReference !== expected!.operationReference
      );
    });
    expect(strays, name).toEqual([]);
  }
});

test('advancing in hours gives what advancing in days gives, faults and slips included', () => {
  const changes: Partial<MerchantPlan> = {
    faults: ['HOLD_NOT_RELEASED', 'CREDIT_DUPLICATED'].map(faultNamed),
    slips: SLIPS.map((kind) => ({ kind, from: start + DAY / 2 })),
    laterFaults: [
      { fault: faultNamed('ENTRY_REWRITTEN/carried'), at: start + 2 * DAY },
      { fault: faultNamed('OPERATION_VANISHED'), at: start + DAY },
    ],
  };
  const whole = live(changes, 6);
  const account = openAccount({ ...plan, ...changes }, { seed: 'account', start });
  for (let hour = 1; hour <= 6 * 24; hour += 1) advanceAccount(account, start + hour * (DAY / 24));
  expect(JSON.stringify(booksOf(account.simulation))).toBe(JSON.stringify(whole.after));
  expect(expectedOf(account)).toEqual(expectedOf(whole.account));
});

for (const kind of SLIPS) {
  test(`the slip ${kind} happens once, after its instant, and nothing else does`, () => {
    const policies = [
      'DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP',
      'RELEASE_LAST.AMOUNT.GROSS_AND_FEE.NET.NET.FLOOR',
    ];
    for (const policy of policies.map(policyNamed)) {
      const { account, before, after } = live({ policy, slips: [{ kind, from: start + DAY }] }, 8);
      expect([...look(before), ...lookAtNotifications(before)]).toEqual([]);
      expect(account.simulation.slipped.map((slipped) => slipped.kind)).toEqual([kind]);
      expect(account.simulation.slipped[0]!.at).toBeGreaterThanOrEqual(start + DAY);
      const [expected] = expectedOf(account);
      const seen = [...look(after), ...lookAtNotifications(after)];
      expect(seen).toContainEqual(expected);
      const strays = seen.filter(
        ({ kind: other, operationReference }) =>
          other !== 'OPEN_HOLDS_MISMATCH' && operationReference !== expected!.operationReference,
      );
      expect(strays).toEqual([]);
    }
  });
}

test('a tampering changes what was served, and neither one reading shows it nor what was notified before', () => {
  // The merchant is so busy that something is open at any time.
  const busy = { traffic: { ...plan.traffic, operationsPerDay: 100, expiryRate: 0.5 } };
  const sound = live(busy, 2);
  for (const { name } of TAMPERINGS) {
    const tampered = live({ ...busy, laterFaults: [{ fault: faultNamed(name), at: start }] }, 2);
    expect(JSON.stringify(tampered.before)).toBe(JSON.stringify(sound.before));
    expect(look(tampered.after), name).toEqual([]);
    const [expected] = expectedOf(tampered.account);
    const line = (books: typeof sound.after) =>
      books.entries.find(({ sequence }) => sequence === expected!.sequence);
    const operation = (books: typeof sound.after) =>
      books.operations.find(({ reference }) => reference === expected!.operationReference);
    const place = expected!.sequence === null ? operation : line;
    expect(place(tampered.before), name).toBeDefined();
    expect(place(tampered.after), name).not.toEqual(place(tampered.before));
  }
});
