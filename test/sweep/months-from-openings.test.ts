// A month stated from an opening that was kept is the month stated from the first line, to the
// byte: whatever is wrong with the books, whatever became of them since the opening was made, and
// under whichever settings it was made.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { assertProperty, runsOf } from '../support/assert-property.ts';
import { createShelf, type OpeningShelf, rowsWithOpenings } from '../support/kept-openings.ts';
import { auditBooks, type MonthWish, stateBooks } from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const OPENS = Date.UTC(2026, 9, 1);
const DAYS = 28;

/**
 * A journal in which the wallet has accounts of its own, by what lines and their operations say.
 */
const journal: JournalSettings = {
  ...DEFAULT_JOURNAL,
  rules: [
    {
      role: 'wallet',
      when: { kind: ['CASHOUT_FEE'] },
      account: { number: '5520', label: 'Frais' },
      auxiliary: null,
    },
    {
      role: 'wallet',
      when: { operator: ['WAVE'] },
      account: { number: '5521', label: 'Wave' },
      auxiliary: null,
    },
    {
      role: 'wallet',
      when: { operator: ['O*'] },
      account: { number: '5522', label: 'Orange' },
      auxiliary: null,
    },
  ],
};

const worlds = fc.record({
  seed: fc.string({ maxLength: 8 }),
  policy: fc.constantFrom(...LAWFUL_POLICIES),
  faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 6 }),
  /** Lines whose dates are moved: each by its rank in ten thousand, with the hours. */
  moved: fc.array(fc.tuple(fc.nat(9_999), fc.integer({ min: -100, max: 100 })), { maxLength: 3 }),
  /**
   * Operations, by their rank, that end so many hours later than their lines; `null`: nothing says
   * when they end.
   */
  ended: fc.array(fc.tuple(fc.nat(9_999), fc.constantFrom(null, 5, 50, 200)), { maxLength: 20 }),
  /**
   * Ranks of the lines at which a month ends and the next begins: anywhere, also in the middle of
   * an operation.
   */
  cuts: fc.uniqueArray(fc.integer({ min: 500, max: 9_500 }), { minLength: 4, maxLength: 4 }),
  /** The rank up to which the books had come when the openings were made. */
  known: fc.integer({ min: 3_000, max: 10_000 }),
  /** Ranks of lines that were not there yet when the openings were made. */
  late: fc.array(fc.nat(9_999), { maxLength: 2 }),
  /** For each month that is closed in the end, the rank at which it is closed. */
  closed: fc.array(fc.nat(9_999), { maxLength: 2 }),
  declared: fc.constantFrom(null, { balance: 5_000, reserved: 700 }),
});
type World = typeof worlds extends fc.Arbitrary<infer One> ? One : never;

test('is what it is from the first line', { timeout: 300_000 }, async () => {
  let taken = 0;
  const RUNS = 1;
  await assertProperty(
    fc.asyncProperty(worlds, async (world) => {
      const { known, late, declared } = world;
      const books = booksOf(world);
      const { entries } = books;
      const at = (rank: number) => entries[Math.floor((rank * entries.length) / 10_000)]!;
      const head = at(known - 1).sequence;
      const missing = new Set(late.map(at));
      const then = {
        ...books,
        entries: entries.filter((line) => line.sequence <= head && !missing.has(line)),
      };
      const starts = world.cuts.map((rank) => dateNear(entries, at(rank))).sort((a, b) => a - b);
      const months = starts
        .slice(1)
        .map((end, i) => ({ journal, bounds: { start: starts[i]!, end } }));
      const closed = world.closed.map((rank, i) => ({
        period: `2026-0${i + 1}`,
        end: starts[i]!,
        lastSequence: at(rank).sequence,
      }));
      const shelf = createShelf();
      const first = auditBooks(then);
      for (const month of months)
        await stateBooks(then, {
          period: '2026-10',
          month,
          report: first,
          rows: rowsWithOpenings(then, shelf),
        });

      const arrived = [...missing].filter((line) => line.sequence <= head);
      shelf.forget(Math.min(...arrived.map(({ sequence }) => sequence)));
      for (const settings of [{}, { closed }, { closed, opening: declared }]) {
        const report = auditBooks(books, settings.opening ?? null);
        const wishes = months.map((month) => ({
          period: '2026-10',
          report,
          month: { ...settings, ...month },
        }));
        // The months are also stated in reverse order, and from what was just kept.
        for (const wish of [...wishes, ...wishes.toReversed()])
          await expectSame(books, wish, shelf);
      }
      taken += shelf.taken;
    }),
    { runs: RUNS },
  );
  expect(taken).toBeGreaterThan(5 * runsOf(RUNS));
});

/**
 * Books with one fault, cut at the lines of the operations that findings name: before, between and
 * after them.
 */
test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
  '%s, cut where it lies',
  async (name, fault) => {
    const policy = drawFrom(seedRandom(`${TEST_SEED}/openings/${name}`), LAWFUL_POLICIES);
    const books = booksOf({
      seed: TEST_SEED,
      policy,
      faults: [fault],
      moved: [],
      ended: [],
      days: 8,
    });
    const report = auditBooks(books);
    const named = new Set(
      report.findings.flatMap(({ operationReference }) => operationReference ?? []),
    );
    const sequences = new Set(
      report.findings.map(({ sequence }) => Number(sequence ?? Number.NaN)),
    );
    const lines = books.entries.filter(
      ({ sequence, operationReference }) =>
        sequences.has(sequence) || named.has(operationReference ?? ''),
    );
    // What comes after one of these lines comes before the next.
    const dates = lines.slice(0, 4).map(({ createdAt }) => createdAt);
    const cuts = new Set([...dates, ...dates.slice(-1).map((last) => last + 1)]);
    for (const cut of cuts) {
      const shelf = createShelf();
      const end = OPENS + 60 * DAY;
      const [before, after] = [
        { bounds: { start: OPENS, end: cut }, journal },
        { bounds: { start: cut, end }, journal },
      ];
      if (cut <= OPENS || cut >= end) continue;
      await stateBooks(books, {
        period: '2026-10',
        month: before,
        report,
        rows: rowsWithOpenings(books, shelf),
      });
      await expectSame(books, { period: '2026-10', month: after, report }, shelf);
    }
  },
);

async function expectSame(
  books: DecodedBooks,
  wish: MonthWish,
  shelf: OpeningShelf,
): Promise<void> {
  const whole = await stateBooks(books, wish);
  const short = await stateBooks(books, { ...wish, rows: rowsWithOpenings(books, shelf) });
  expect(short).toEqual(whole);
  expect(JSON.stringify(short)).toBe(JSON.stringify(whole));
  // The pass for the documents agrees with the pass that made the figures.
  const { openingBalance, openingReserved, closingBalance, closingReserved, entryCount } =
    whole.statement.summary;
  expect(whole.lines.length).toBe(entryCount);
  const last = whole.lines.at(-1) ?? { balance: openingBalance, reserved: openingReserved };
  expect([last.balance, last.reserved]).toEqual([closingBalance, closingReserved]);
}

/**
 * Returns a date near the line at which an operation has lines on both sides, where there is one.
 */
function dateNear(entries: readonly LedgerEntry[], line: LedgerEntry): number {
  const from = entries.indexOf(line);
  const near = entries.slice(from, from + 12);
  const split = near.find(
    ({ operationReference }, i) => i > 0 && operationReference === near[i - 1]!.operationReference,
  );
  return (split ?? line).createdAt;
}

type Changes = Pick<World, 'seed' | 'policy' | 'faults' | 'moved' | 'ended'>;

function booksOf({
  seed,
  policy,
  faults,
  moved,
  ended,
  days = DAYS,
}: Changes & { readonly days?: number }): DecodedBooks {
  const plan = planMerchant({
    reference: 'OUVERT',
    policy,
    opensAt: OPENS,
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 8, reversalRate: 0.25, cashoutShare: 0.5 },
  });
  const sound = simulateBooks(plan, { seed, until: OPENS + days * DAY });
  const planted = faults.reduce<Books>(
    (books, fault) => fault.plant(books, seedRandom(seed + fault.name))?.books ?? books,
    sound,
  );
  const decoded = decodeBooks(planted);
  const entries = decoded.entries.toSorted((a, b) => a.sequence - b.sequence);
  for (const [rank, hours] of moved) {
    const i = Math.floor((rank * entries.length) / 10_000);
    entries[i] = { ...entries[i]!, createdAt: entries[i]!.createdAt + hours * 3_600_000 };
  }
  const operations = [...decoded.operations];
  for (const [rank, hours] of ended) {
    const i = Math.floor((rank * operations.length) / 10_000);
    const { completedAt, updatedAt, ...rest } = operations[i]!;
    const later = (hours ?? 100) * 3_600_000;
    const ends = hours === null || completedAt === null ? null : completedAt + later;
    operations[i] = { ...rest, completedAt: ends, updatedAt: updatedAt + later };
  }
  return { ...decoded, entries, operations, asOf: Math.max(decoded.asOf, OPENS + 60 * DAY) };
}
