// Worlds for the tests that split books into runs: a merchant's complete books with faults, with
// lines that come long after their operation was settled, and the visits by which a mirror gets to
// know the books.

import fc from 'fast-check';
import { DAY } from '../../src/core/domain/instant.ts';
import { type EntryKind, isEntryKind } from '../../src/core/domain/ledger-entry.ts';
import { insertLines } from '../../src/sandbox/faults/port/edit-books.ts';
import { FAULTS, faultNamed } from '../../src/sandbox/faults/register.ts';
import {
  type Books,
  type Expected,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import type { Manner } from './growing-books.ts';
import { type CorrectionWish, postCorrection } from './post-corrections.ts';
import { simulateBooks } from './simulate-books.ts';

export interface Visit {
  /**
   * Where the visit ends: at a share of the lines, or so many lines from the place of the first
   * fault.
   */
  readonly until: { readonly share: number } | { readonly fromFault: number };
  readonly manner: Manner;
  readonly batchRows: number;
  readonly pageRows: number;
  readonly onlyNew: boolean;
  /**
   * Serves every so manieth row unreadable on this visit; `null`: none. The last visit serves all
   * of them sound.
   */
  readonly refusesEvery: number | null;
  /**
   * How the visit ends: whole, killed after so many rows of its reading, or killed before its
   * replay is saved.
   */
  readonly ends: 'whole' | 'before-saving' | number;
}

/**
 * A line that is posted once more: which one and how much later (shares of the ledger), and what it
 * does to the reserved amount.
 */
interface Stray {
  readonly from: number;
  readonly after: number;
  readonly reserved: 'still' | 'falls' | 'falls-by-half';
}

/** What books are made from. */
export interface FaultyWorld {
  readonly seed: number;
  readonly policy: number;
  readonly days: number;
  readonly gaps: boolean;
  readonly ceiling: number;
  readonly faults: readonly string[];
  readonly strays: readonly Stray[];
  /** Corrections that are posted one after another, after everything else. */
  readonly corrections: readonly CorrectionWish[];
}

export interface World extends FaultyWorld {
  readonly visits: readonly Visit[];
  readonly last: Visit;
}

const share = fc.double({ min: 0.02, max: 0.98, noNaN: true });

const visits: fc.Arbitrary<Visit> = fc.record({
  until: fc.oneof(fc.record({ share }), fc.record({ fromFault: fc.integer({ min: -2, max: 3 }) })),
  manner: fc.constantFrom<Manner>('orderly', 'unruly', 'revised'),
  batchRows: fc.constantFrom(1, 7, 60, 5_000),
  pageRows: fc.constantFrom(25, 150, 10_000),
  onlyNew: fc.boolean(),
  refusesEvery: fc.constantFrom(null, null, null, 7, 40),
  ends: fc.oneof(
    { weight: 3, arbitrary: fc.constant('whole' as const) },
    { weight: 1, arbitrary: fc.constant('before-saving' as const) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 400 }) },
  ),
});

/** Faults whose two ends may lie in different runs. */
const LONG_FAULTS = FAULTS.map(({ name }) => name).filter((name) =>
  /^(ENTRY_ID|EXTERNAL_REFERENCE|SEQUENCE_D|DAILY|REVERSAL_|LINES_MISSING|HOLD_NOT|OPERATION_UNKNOWN|KIND_D)/.test(
    name,
  ),
);

export const correctionWishes: fc.Arbitrary<readonly CorrectionWish[]> = fc.array(
  fc.record({
    root: share,
    kind: fc.constantFrom('ADJUSTMENT', 'ADJUSTMENT', 'REVERSAL'),
    names: fc.constantFrom('operation', 'operation in words', 'line', 'nothing'),
    more: fc.constantFrom(0, 0, 0, 1),
    parts: fc.constantFrom(1, 1, 2),
  }),
  { maxLength: 2 },
);

const faultyWorld = {
  seed: fc.nat(1_000_000),
  policy: fc.nat(LAWFUL_POLICIES.length - 1),
  days: fc.integer({ min: 3, max: 9 }),
  gaps: fc.boolean(),
  ceiling: fc.constantFrom(0, 0, 60_000, 150_000),
  faults: fc.array(
    fc.oneof(fc.constantFrom(...FAULTS.map(({ name }) => name)), fc.constantFrom(...LONG_FAULTS)),
    {
      maxLength: 3,
    },
  ),
  strays: fc.array(
    fc.record({
      from: share,
      after: share,
      reserved: fc.constantFrom('still', 'falls', 'falls-by-half'),
    }),
    { maxLength: 2 },
  ),
  corrections: correctionWishes,
};

/** Draws books with up to three faults and two strays. */
export const faultyWorlds: fc.Arbitrary<FaultyWorld> = fc.record(faultyWorld);

export const worlds: fc.Arbitrary<World> = fc.record({
  ...faultyWorld,
  visits: fc.array(visits, { minLength: 1, maxLength: 3 }),
  last: visits,
});

export interface MadeBooks {
  readonly books: Books;
  /** Index of the line with the first fault; of the middle line, when there is none. */
  readonly faultAt: number;
  /** The same books before anything was done to them. */
  readonly sound: Books;
  readonly planted: readonly Expected[];
}

/** Returns the complete books of a world. */
export function booksOfWorld(world: FaultyWorld, reference: string): MadeBooks {
  const traffic = {
    ...ORDINARY_TRAFFIC,
    operationsPerDay: 14,
    reversalRate: 0.15,
    cashoutShare: 0.4,
    adjustmentsPerMonth: 8,
    sequenceGapRate: world.gaps ? 0.03 : 0,
  };
  const plan = planMerchant({ reference, policy: LAWFUL_POLICIES[world.policy]!, traffic });
  const limits = { ...plan.limits, dailyCashoutLimit: world.ceiling };
  const seed = String(world.seed);
  const sound = simulateBooks(
    { ...plan, limits },
    { seed, until: plan.opensAt + world.days * DAY },
  );
  let books = sound;
  const places: Expected[] = [];
  for (const name of world.faults) {
    // A fault that these books, or those with the faults before it, offer no place for is left out.
    const planted = faultNamed(name).plant(books, seedRandom(`${seed}/${name}`));
    if (planted === null) continue;
    books = planted.books;
    places.push(planted.expected);
  }
  const first = places.find(({ sequence }) => sequence !== null)?.sequence;
  const faultAt = books.entries.findIndex((entry) => entry.sequence === first);
  for (const stray of world.strays) books = repeatLate(books, stray, seed);
  world.corrections.forEach((wish, i) => {
    books = postCorrection(books, wish, `${seed}/${i}`);
  });
  const middle = Math.floor(books.entries.length / 2);
  return { books, faultAt: faultAt < 0 ? middle : faultAt, sound, planted: places };
}

/**
 * Posts a line of an operation once more, later, so that a reference is named again that the engine
 * may have put away.
 */
function repeatLate(books: Books, stray: Stray, seed: string): Books {
  const { entries } = books;
  const from = Math.floor(stray.from * entries.length);
  const entry = entries[from];
  const index = from + 1 + Math.floor(stray.after * (entries.length - from - 1));
  const like = entries[index - 1];
  if (entry === undefined || like === undefined || !isEntryKind(entry.kind) || entry.amount <= 0)
    return books;
  const signed =
    entry.direction === 'CREDIT' ? entry.amount : entry.direction === 'DEBIT' ? -entry.amount : 0;
  const falls = stray.reserved === 'falls' ? entry.amount : Math.floor(entry.amount / 2);
  const moves = {
    HOLD: entry.amount,
    RELEASE: -entry.amount,
    DEBIT: stray.reserved === 'still' ? 0 : -falls,
  };
  const reserved = moves[entry.direction as keyof typeof moves] ?? 0;
  const post = { kind: entry.kind as EntryKind, amount: entry.amount, balance: signed, reserved };
  const { currency, createdAt } = like;
  const { operationReference, description } = entry;
  return insertLines(books, seedRandom(`${seed}/stray ${index}`), {
    index,
    posts: [post],
    like: { currency, createdAt, operationReference, description },
  });
}
