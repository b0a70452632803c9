// The laws of the kernel hold after every single line of books in which a fault was planted, and
// whatever was settled on the way: every list of lines is one that could have ended there.

import { describe, expect, test } from 'vitest';
import { addTo, totalOf } from '../../src/core/domain/amount.ts';
import { EVERY_INTERPRETATION } from '../../src/core/domain/assumptions.ts';
import type { Finding } from '../../src/core/domain/finding.ts';
import { DAY } from '../../src/core/domain/instant.ts';
import { hashText } from '../../src/core/domain/rows/hash-bytes.ts';
import { beginBooks } from '../../src/core/kernel/reconcile/books.ts';
import { assertFindings, assertLaws } from '../../src/core/kernel/reconcile/laws.ts';
import {
  finishEntries,
  type Memory,
  openMemory,
  takeEntries,
  takeOperations,
} from '../../src/core/kernel/reconcile/memory.ts';
import { settle } from '../../src/core/kernel/reconcile/settle.ts';
import { TALLY } from '../../src/core/kernel/replay/tally-table.ts';
import { reconcileSample } from '../../src/core/samples/read-sample.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { runsOf } from '../support/assert-property.ts';
import { type DecodedBooks, decodeBooks, settingsOf } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const hashOf = (text: string): number => hashText({ first: 1, second: 2 }, text);

/** Of a policy of its own in each run; settled operations are let go after every so many lines. */
const RUNS = runsOf(2);
const SETTLED_EVERY = 10;

function shopOf(run: number) {
  const random = seedRandom(`${TEST_SEED}/laws/${run}`);
  const plan = planMerchant({
    reference: 'SHOP',
    policy: drawFrom(random, LAWFUL_POLICIES),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 12, reversalRate: 0.1, cashoutShare: 0.5 },
  });
  return simulateBooks(plan, { seed: `${TEST_SEED}/laws/${run}`, until: plan.opensAt + 8 * DAY });
}

const batchOf = <Row>(rows: readonly Row[]) => ({ rows, rejected: [], view: null });

/** Gives the books after each of their lines, the last ones applied. */
function* everyLine(books: DecodedBooks): Generator<Memory> {
  const memory = openMemory(beginBooks(EVERY_INTERPRETATION), settingsOf(books), {
    ...{ resumed: false, cut: null, hashOf },
  });
  const operations = books.operations.map((operation) => ({ operation, previous: null }));
  takeOperations(memory, batchOf(operations));
  const lines = books.entries.toSorted((a, b) => a.sequence - b.sequence);
  for (const [i, line] of lines.entries()) {
    takeEntries(memory, batchOf([line]));
    if (i % SETTLED_EVERY === SETTLED_EVERY - 1) settle(memory);
    yield memory;
  }
  finishEntries(memory);
  yield memory;
}

describe.each(Array.from({ length: RUNS }, (_, run) => run))('the laws hold in shop %i', (run) => {
  const shop = shopOf(run);
  const planted = FAULTS.flatMap(({ name, plant }) => {
    const faulty = plant(shop, seedRandom(`${TEST_SEED}/laws/${run}/${name}`));
    return faulty === null ? [] : [{ name, books: faulty.books }];
  });

  test('most faults find a place', () => {
    expect(planted.length).toBeGreaterThan(FAULTS.length / 2);
  });

  test.each([{ name: 'no fault', books: shop }, ...planted])('with $name', ({ books }) => {
    let lines = 0;
    for (const memory of everyLine(decodeBooks(books))) {
      assertLaws(memory);
      lines += 1;
    }
    expect(lines).toBeGreaterThan(20);
  });
});

const DRIFT = `line 1 ADJUSTMENT_CREDIT 5000 5040/0 -
wallet 5040/0`;

describe('a law is broken', () => {
  const last = (): Memory => [...everyLine(decodeBooks(shopOf(0)))].at(-1)!;
  const holding = (memory: Memory): number => {
    const { figures, count } = memory.books.replay.tallies;
    const rows = Array.from({ length: count }, (_, row) => row * TALLY.width);
    return rows.find((at) => figures[at + TALLY.lines]! > 0)!;
  };

  test.each<[string, RegExp, (memory: Memory) => void]>([
    [
      'by a unit of the balance',
      /balance of the last line/,
      ({ books }) => addTo(books.replay.recomputed, 1),
    ],
    [
      'by a unit of the reserved amount',
      /reserved of the last line/,
      ({ books }) => addTo(books.replay.held, 1),
    ],
    [
      'by a hold that is let go with its operation',
      /sum of the open holds/,
      ({ books }) => addTo(books.adjusted.reserved, 1),
    ],
    [
      'by an operation that holds more than its lines moved',
      /what its lines moved/,
      (memory) => {
        memory.books.replay.tallies.figures[holding(memory) + TALLY.held]! += 1;
      },
    ],
  ])('%s, and is told', (_, told, spoil) => {
    const memory = last();
    expect(totalOf(memory.books.replay.recomputed)).not.toBe(0n);
    expect(() => assertLaws(memory)).not.toThrow();
    spoil(memory);
    expect(() => assertLaws(memory)).toThrow(told);
  });

  test.each<[string, RegExp, (finding: Finding) => readonly Finding[]]>([
    ['by a finding that is reported twice', /one fingerprint/, (one) => [one, one]],
    [
      'by a root that is not there',
      /a root that is there/,
      (one) => [{ ...one, causedBy: '0000000000000000' }],
    ],
    [
      'by a part that is in no item',
      /parts of an item/,
      (one) => [{ ...one, itemParts: one.itemParts.slice(1) }],
    ],
  ])('%s, and is told', (_, told, spoil) => {
    const { findings } = reconcileSample(DRIFT);
    expect(findings[0]!.itemParts).toHaveLength(1);
    expect(() => assertFindings(findings)).not.toThrow();
    expect(() => assertFindings(spoil(findings[0]!))).toThrow(told);
  });
});
