// A merchant of the living service: what is planted stays, what comes later is sound, and a slip is one slip.

import { expect, test } from 'vitest';
import { FAULTS, TAMPERINGS } from '../../../src/sandbox/faults/register.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant, SLIPS } from '../../../src/sandbox/plan.ts';
import { policyNamed } from '../../../src/sandbox/policy.ts';
import { advanceAccount, expectedOf, openAccount } from '../../../src/sandbox/service/account.ts';
import { booksOf } from '../../../src/sandbox/simulation/state.ts';
import { lookAtLines, type Seen } from './naive-lines.ts';
import { lookAtOperations } from './naive-operations.ts';
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

const ONE_READING = FAULTS.filter(
  ({ name }) => !['BALANCE_NEGATIVE', 'AVAILABLE_NEGATIVE', 'PRICING_CHANGED'].includes(name),
);

test('a planted fault is served the same after three more days, and the lines served before are not touched', () => {
  for (const { name } of ONE_READING) {
    const { account, before, after } = live({ faults: [name] }, 3);
    expect(JSON.stringify(after.entries.slice(0, before.entries.length)), name).toBe(JSON.stringify(before.entries));
    expect(after.entries.length, name).toBeGreaterThan(before.entries.length + 20);
    expect(look(after), name).toContainEqual(expectedOf(account)[0]);
  }
});

test('what is posted after a planted fault is sound in itself', () => {
  for (const { name } of ONE_READING) {
    const { before, after } = live({ faults: [name] }, 3);
    const head = before.entries.at(-1)!.sequence;
    const known = new Set(before.operations.map(({ reference }) => reference));
    const fresh = look(after).filter(
      ({ sequence, operationReference }) =>
        (sequence !== null && sequence > head) || (operationReference !== null && !known.has(operationReference)),
    );
    const own = expectedOf(openAccount({ ...plan, faults: [name] }, { seed: 'account', start }))[0]!;
    // An open cash-out that a fault left short is released in full when it expires: still the same operation.
    const strays = fresh.filter(
      ({ kind, operationReference }) =>
        kind !== 'AVAILABLE_NEGATIVE' && kind !== 'RESERVED_NEGATIVE' && operationReference !== own.operationReference,
    );
    expect(strays, name).toEqual([]);
  }
});

test('advancing in hours gives what advancing in days gives, faults and slips included', () => {
  const changes: Partial<MerchantPlan> = {
    faults: ['HOLD_NOT_RELEASED', 'CREDIT_DUPLICATED'],
    slips: SLIPS.map((kind) => ({ kind, from: start + DAY / 2 })),
    laterFaults: [
      { name: 'ENTRY_REWRITTEN/carried', at: start + 2 * DAY },
      { name: 'OPERATION_VANISHED', at: start + DAY },
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
      expect(look(before)).toEqual([]);
      expect(account.simulation.slipped.map((slipped) => slipped.kind)).toEqual([kind]);
      expect(account.simulation.slipped[0]!.at).toBeGreaterThanOrEqual(start + DAY);
      const [expected] = expectedOf(account);
      const seen = look(after);
      expect(seen).toContainEqual(expected);
      const strays = seen.filter(
        ({ kind: other, operationReference }) =>
          other !== 'OPEN_HOLDS_MISMATCH' && operationReference !== expected!.operationReference,
      );
      expect(strays).toEqual([]);
    }
  });
}

test('a tampering changes what was served, and only memory can tell', () => {
  for (const { name } of TAMPERINGS) {
    const sound = live({}, 2);
    const tampered = live({ laterFaults: [{ name, at: start + DAY }] }, 2);
    expect(JSON.stringify(tampered.before)).toBe(JSON.stringify(sound.before));
    expect(look(tampered.after), name).toEqual([]);
    const [expected] = expectedOf(tampered.account);
    const line = (books: typeof sound.after) => books.entries.find(({ sequence }) => sequence === expected!.sequence);
    const operation = (books: typeof sound.after) =>
      books.operations.find(({ reference }) => reference === expected!.operationReference);
    const place = expected!.sequence === null ? operation : line;
    expect(place(tampered.before), name).toBeDefined();
    expect(place(tampered.after), name).not.toEqual(place(tampered.before));
  }
});
