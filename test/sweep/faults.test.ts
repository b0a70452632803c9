// Every planted fault is what its name says, at the place that it says, and nothing else that a
// naive look could see.

import { expect, test } from 'vitest';
import { MISPLACED_LINE_FAULTS } from '../../src/sandbox/faults/named/lines.ts';
import { ALL_FAULTS, FAULTS, faultNamed, TAMPERINGS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { policyNamed } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { plantInTurn } from '../support/in-turn.ts';
import { plantNamed } from '../support/plant-named.ts';
import { PLANTABLE_KINDS } from '../support/plantable-kinds.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { lookAtLines, type Seen } from '../unit/sandbox/naive-lines.ts';
import { lookAtNotifications } from '../unit/sandbox/naive-notifications.ts';
import { lookAtOperations } from '../unit/sandbox/naive-operations.ts';
import { lookAtReports } from '../unit/sandbox/naive-reports.ts';
import { lookAtWallet } from '../unit/sandbox/naive-wallet.ts';

const POLICIES = [
  'DEBIT_AND_FEE.NET.GROSS_AND_FEE.LINES.GROSS.HALF_UP',
  'RELEASE_FIRST.NET.NET.NET.NET.FLOOR',
  'RELEASE_LAST.NET.GROSS_AND_FEE.PRINCIPAL.GROSS_LESS_REVERSALS.CEILING',
  'DEBIT_ALL.NET.GROSS_AND_FEE.LINES.NET_LESS_REVERSALS.HALF_EVEN',
  'FEE_OUTSIDE.AMOUNT.GROSS_AND_FEE.NET.GROSS.HALF_UP',
  'RELEASE_FIRST.AMOUNT.NET.LINES.GROSS.HALF_UP',
];
const NEEDS_HOLD_OF_AMOUNT = [
  'HOLD_EXCEEDS_AVAILABLE/fees',
  'BALANCE_NEGATIVE',
  'AVAILABLE_NEGATIVE',
];

/**
 * Consequences that concern no particular line or operation, or show only where the money is
 * missed.
 */
const WAKE = /^(OPEN_HOLDS|TOTAL_\w+)_MISMATCH$|^SEQUENCE_GAP$/;
/**
 * Faults that put a line under another's number. It breaks the chain at its place too, and as the
 * last line it breaks the wallet.
 */
const MISPLACES_LINES = MISPLACED_LINE_FAULTS.map(({ name }) => name);
const OF_CHAIN =
  /^(SEQUENCE_DUPLICATE|(BALANCE|RESERVED)_DRIFT|WALLET_(BALANCE|RESERVED)_MISMATCH)$/;
const LOWERS_FIGURES = [
  'HOLD_EXCEEDS_AVAILABLE',
  'RESERVED_NEGATIVE',
  'BALANCE_NEGATIVE',
  'AVAILABLE_NEGATIVE',
];

/**
 * Faults of the reserved amount. What they take from it, later holds do not have; what they hold
 * twice, later debits do not have.
 */
const LOWERS_RESERVED = [
  'RELEASE_EXCEEDS_HOLD/twice',
  'DEBIT_DUPLICATED/consumed',
  'DEBIT_WITHOUT_SUCCESS/consumed',
  'HOLD_DUPLICATED/uncovered',
];

const books: readonly Books[] = POLICIES.map((name) => {
  const plan = planMerchant({
    reference: 'M1',
    policy: policyNamed(name),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 10, reversalRate: 0.06 },
  });
  return freeze(simulateBooks(plan, { seed: 'faults', until: plan.opensAt + 32 * 86_400_000 }));
});

/**
 * Freezes books, because planting must not change the books it is given: a change to a frozen value
 * throws.
 */
function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/**
 * Returns what a naive look sees. Hundreds of operations that do not fit the price are one change
 * of price.
 */
function look(at: Books): Seen[] {
  const seen = [
    ...lookAtLines(at),
    ...lookAtOperations(at),
    ...lookAtWallet(at),
    ...lookAtReports(at),
    ...lookAtNotifications(at),
  ];
  const priced = seen.filter(({ kind }) => kind !== 'FEE_NOT_AS_PRICED');
  if (seen.length - priced.length < 100) return seen;
  const first = seen.find(({ kind }) => kind === 'FEE_NOT_AS_PRICED')!;
  return [...priced, { ...first, kind: 'PRICING_CHANGED' }];
}

test('books without a planted fault show nothing', () => {
  for (const sound of books) {
    expect(sound.entries.length).toBeGreaterThan(400);
    expect(look(sound)).toEqual([]);
  }
});

test('fault names are unique and planting is deterministic', () => {
  const names = ALL_FAULTS.map((fault) => fault.name);
  expect(new Set(names).size).toBe(names.length);
  const [once, again] = [0, 1].map(() =>
    plantNamed(books[0]!, { names: ['CREDIT_DUPLICATED'], seed: 'x' }),
  );
  expect(JSON.stringify(once)).toBe(JSON.stringify(again));
});

for (const [turn, fault] of FAULTS.entries()) {
  test(`${fault.name}: ${fault.says}`, () => {
    const least = NEEDS_HOLD_OF_AMOUNT.includes(fault.name) ? 1 : 3;
    const places = plantInTurn(fault, books, { turn, seedOf: () => fault.name, most: least });
    for (const { sound, planted: result } of places) {
      const seen = look(result.books);
      const context = `${JSON.stringify(sound.policy)} ${JSON.stringify(result.expected)}`;
      expect(seen, context).toContainEqual(result.expected);
      const { kind, sequence, operationReference } = result.expected;
      const strays = seen.filter(
        (other) =>
          other.kind !== kind &&
          !WAKE.test(other.kind) &&
          !(MISPLACES_LINES.includes(fault.name) && OF_CHAIN.test(other.kind)) &&
          !(
            (LOWERS_FIGURES.includes(kind) || LOWERS_RESERVED.includes(fault.name)) &&
            /^(AVAILABLE|RESERVED)_NEGATIVE$/.test(other.kind)
          ) &&
          (other.sequence === null || other.sequence !== sequence) &&
          (other.operationReference === null || other.operationReference !== operationReference),
      );
      expect(explained(strays, { result, sound }), context).toEqual([]);
    }
    expect(places.length, 'places found').toBeGreaterThanOrEqual(least);
  });
}

/** Returns what is left when the operations whose lines the fault took away or hid are left out. */
function explained(
  strays: readonly Seen[],
  { result, sound }: { readonly result: { readonly books: Books }; readonly sound: Books },
): readonly Seen[] {
  const key = (line: Books['entries'][number]) => `${line.id} ${line.operationReference}`;
  const kept = new Set(result.books.entries.map(key));
  const touched = new Set(
    sound.entries.filter((line) => !kept.has(key(line))).map((line) => line.operationReference),
  );
  return strays.filter((stray) => !touched.has(stray.operationReference));
}

test('every kind that a service can show has a fault that bears its plain name, and no fault an unknown kind', () => {
  const names = ALL_FAULTS.map(({ name }) => name);
  expect(PLANTABLE_KINDS.length).toBeGreaterThan(50);
  expect(PLANTABLE_KINDS.filter((kind) => !names.includes(kind))).toEqual([]);
  expect(names.filter((name) => !PLANTABLE_KINDS.includes(name.split('/')[0]!))).toEqual([]);
});

test('several faults fall on operations of their own and their places hold together', () => {
  const names = [
    'BALANCE_DRIFT/persistent',
    'CREDIT_DUPLICATED',
    'HOLD_NOT_RELEASED',
    'FEE_AMOUNT_MISMATCH',
    'SEQUENCE_GAP',
  ];
  for (let seed = 0; seed < 5; seed += 1) {
    const { books: planted, expected } = plantNamed(books[0]!, { names, seed: String(seed) });
    const seen = look(planted);
    expect(expected.map(({ kind }) => kind)).toEqual(names.map((name) => name.split('/')[0]));
    for (const root of expected) expect(seen).toContainEqual(root);
  }
});

test('a fault that is not known, or has no place, is refused by name', () => {
  expect(() => faultNamed('NO_SUCH_FAULT')).toThrow(/NO_SUCH_FAULT/);
  const empty = { ...books[0]!, entries: [], operations: [], notifications: [], reports: [] };
  expect(() => plantNamed(empty, { names: ['CREDIT_MISSING'], seed: 'x' })).toThrow(
    /offer no place for CREDIT_MISSING/,
  );
  for (const fault of [...FAULTS, ...TAMPERINGS]) {
    if (fault.name.startsWith('WALLET_') || fault.name.startsWith('TOTAL_')) continue;
    expect(fault.plant(empty, seedRandom('x')), fault.name).toBeNull();
  }
});
