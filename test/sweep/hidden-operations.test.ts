// The law of ignorance: less knowledge gives no better verdict. Every fault is planted that breaks
// books, and then its operation is hidden, in every way, in one look; and in one way after another
// on the night after the fault was found. TEST_POLICIES=all hides each in every way.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '../../src/core/domain/instant.ts';
import { reconcileInMemory } from '../../src/core/kernel/reconcile-in-memory.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import {
  type Books,
  type Expected,
  type Fault,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { arraySource } from '../support/array-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { HIDINGS, type HiddenBooks, type Hiding, seen } from '../support/hide-operation.ts';
import { ALL_POLICIES, plantInTurn } from '../support/in-turn.ts';
import { outcomeOf, runSource } from '../support/nightly-run.ts';
import { type DecodedBooks, decodeBooks, settingsOf } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const shops: readonly Books[] = Array.from({ length: 4 }, (_, i) => {
  const plan = planMerchant({
    reference: `SHOP_${i}`,
    policy: drawFrom(seedRandom(`${TEST_SEED}/hidden/${i}`), LAWFUL_POLICIES),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.06 },
  });
  return simulateBooks(plan, { seed: `${TEST_SEED}/hidden/${i}`, until: plan.opensAt + 20 * DAY });
});

/**
 * Findings that each way of hiding makes lawful: a notification may be older than the operation,
 * and a day's sum may leave out what ended on another.
 */
const UNDOES: Readonly<Record<string, readonly string[]>> = {
  'it is touched while it is read': ['EVENT_CONTRADICTS_OPERATION/failure'],
  'it ends by a clock that is ahead': [
    'EVENT_CONTRADICTS_OPERATION/failure',
    'DAILY_CASHOUT_LIMIT_EXCEEDED',
  ],
};

interface Broken {
  readonly books: DecodedBooks;
  readonly reference: string;
}

/**
 * Returns books that the fault breaks at an operation; `null`: the fault is at no operation, or
 * does not break them.
 */
function breakBooks(fault: Fault, turn: number): Broken | null {
  const seedOf = (index: number) => `${TEST_SEED}/${index}/${fault.name}`;
  const [place] = plantInTurn(fault, shops, { turn, seedOf });
  if (place === undefined) return null;
  const books = decodeBooks(place.planted.books);
  const reference = operationOf(books, place.planted.expected);
  return reference === null || look(seen(books)).verdict !== 'broken' ? null : { books, reference };
}

function operationOf(
  { entries }: DecodedBooks,
  { operationReference, sequence }: Expected,
): string | null {
  return (
    operationReference ??
    entries.find((line) => line.sequence === sequence)?.operationReference ??
    null
  );
}

function look({ books, rejected, watermark }: HiddenBooks) {
  const { entries, operations, wallet, payments, reports, notifications } = books;
  const published = { payments, reports, payouts: null };
  const rows = { entries, operations, wallet, rejected, absent: [], notifications, published };
  return reconcileInMemory(rows, { ...settingsOf(books), watermark });
}

const breaking = FAULTS.flatMap((fault, turn) => {
  const broken = breakBooks(fault, turn);
  return broken === null ? [] : [{ fault, turn, broken }];
});

test('most faults break the books of an operation', () => {
  expect(breaking.length).toBeGreaterThan(60);
});

describe(`in one look nothing is clean (TEST_SEED=${TEST_SEED})`, () => {
  for (const { fault, broken } of breaking) {
    test(fault.name, () => {
      for (const { name, hide } of HIDINGS) {
        const hidden = UNDOES[name]?.includes(fault.name)
          ? null
          : hide(broken.books, broken.reference);
        if (hidden === null) continue;
        const report = look(hidden);
        expect(report.verdict, name).not.toBe('clean');
        expect(report.unexplained, name).toEqual({ balance: '0', reserved: '0' });
      }
    });
  }
});

describe(`over nights nothing is resolved, and no verdict is better (TEST_SEED=${TEST_SEED})`, () => {
  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestStore();
  });
  afterAll(() => opened.close());

  /** Works a night over the hidden books, and returns what it says. */
  async function night(reference: string, { books, rejected, watermark }: HiddenBooks) {
    const source = arraySource({ ...books, profile: { ...books.profile, reference } });
    source.onlyNew = false;
    const open: typeof source.open = async (merchant, since) => {
      const snapshot = await source.open(merchant, since);
      return { ...snapshot, rejected, watermark };
    };
    const run = await runSource(
      opened.store,
      { ...source, open },
      {
        merchants: [reference],
        clock: () => books.asOf,
        optionsFor: (_, asOf) => ({
          asOf,
          grace: 0,
          clockTolerance: 5 * MINUTE,
          pinned: {},
          opening: null,
        }),
      },
    );
    return outcomeOf(run, reference);
  }

  // The nights are over tables without notifications.
  for (const { fault, turn, broken } of breaking.filter(
    (one) => !one.fault.name.startsWith('EVENT_'),
  )) {
    test(fault.name, async () => {
      const ways: readonly Hiding[] = ALL_POLICIES ? HIDINGS : [HIDINGS[turn % HIDINGS.length]!];
      for (const [i, { name, hide }] of ways.entries()) {
        const later = { ...broken.books, asOf: broken.books.asOf + MINUTE };
        const hidden = UNDOES[name]?.includes(fault.name) ? null : hide(later, broken.reference);
        if (hidden === null) continue;
        const merchant = `HIDDEN_${turn}_${i}`;
        const before = await night(merchant, seen(broken.books));
        expect(before.report.verdict, name).toBe('broken');
        const after = await night(merchant, hidden);
        expect(after.report.verdict, name).toBe('broken');
        expect(after.changes.resolved, name).toEqual([]);
      }
    });
  }
});
