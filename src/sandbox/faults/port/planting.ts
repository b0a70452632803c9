// A fault: a named change to complete books, or to a merchant's dashboard, with the place that an
// audit should name. Several faults are planted in one merchant's books apart from each other.

import { readFileSync } from 'node:fs';
import { invariant } from '../../../core/domain/invariant.ts';
import type { DashboardLife, LinkPayment } from '../../dashboard/state.ts';
import type { Books, Expected, Fault } from '../../model/plan.ts';
import { type Random, seedRandom } from '../../model/random.ts';
import type { Change } from './edit-books.ts';
import { pick } from './find-cases.ts';

/** Returns the changed books; `null` when they offer no place for the fault. */
type ChangeBooks = (books: Books, random: Random) => Change | null;

/**
 * Returns a fault. `name` is the kind of the expected root. A slash and a word follow where there
 * are several ways to plant it: `CREDIT_DUPLICATED/corrected`.
 */
export function defineFault(
  name: string,
  { says, change }: { readonly says: string; readonly change: ChangeBooks },
): Fault {
  return {
    name,
    says,
    plant: (books, random) => {
      const changed = change(books, random);
      if (changed === null) return null;
      const { sequence, operationReference } = changed;
      return {
        books: changed.books,
        expected: { kind: kindOf(name), sequence, operationReference },
      };
    },
  };
}

/** The change of each fault in words, by the name of the fault. */
const WORDS = JSON.parse(
  readFileSync(new URL('../faults.json', import.meta.url), 'utf8'),
) as Record<string, string>;

export function wordsOf(name: string): string {
  const says = WORDS[name];
  invariant(says !== undefined, `faults.json has words for ${name}`);
  return says;
}

/** Returns faults whose words are those of faults.json. */
export function defineFaults(changes: Readonly<Record<string, ChangeBooks>>): readonly Fault[] {
  return Object.entries(changes).map(([name, change]) =>
    defineFault(name, { says: wordsOf(name), change }),
  );
}

/** Draws one of the places that `find` finds, and changes the books there. */
export function atOne<Place>(
  find: (books: Books) => readonly Place[],
  change: (books: Books, place: Place, random: Random) => Change | null,
): ChangeBooks {
  return (books, random) => {
    const place = pick(random, find(books));
    return place === null ? null : change(books, place, random);
  };
}

/**
 * Which readers can see the fault. `AT_ONCE`: any; `AFTER_A_LOOK`: one who has taken an earlier
 * look; `BETWEEN_LOOKS`: one who looks before and after; `WHEN_NOTIFIED`: one who receives
 * notifications of payments.
 */
export type Showing = 'AT_ONCE' | 'AFTER_A_LOOK' | 'BETWEEN_LOOKS' | 'WHEN_NOTIFIED';

export interface DashboardFault {
  readonly name: string;
  readonly says: string;
  readonly shows: Showing;
  /**
   * Plants the fault at once. Returns the name in the evidence of the expected root; `null` when
   * the dashboard offers no place, and nothing was changed. Absent when the fault waits for the
   * next payment that succeeds.
   */
  readonly plantIn?: (life: DashboardLife, random: Random) => string | null;
  /** Returns the results to notify in place of the payment's own, where `plantIn` is absent. */
  readonly notified?: (payment: LinkPayment) => readonly LinkPayment[];
}

export function expectedAt({ name }: DashboardFault, about: string): Expected {
  return { kind: kindOf(name), sequence: null, operationReference: null, about };
}

function kindOf(name: string): string {
  return name.split('/')[0]!;
}

export type AnyFault = Fault | DashboardFault;

/**
 * Plants the faults one after another, each on an operation and a line of its own. `expected` has
 * the order of the faults and is valid for the returned books. Throws RangeError when these books
 * offer no place for a fault.
 */
export function plantFaults(
  books: Books,
  wish: { readonly faults: readonly Fault[]; readonly seed: string },
): { readonly books: Books; readonly expected: readonly Expected[] } {
  let present = books;
  const places: { readonly expected: Expected; readonly entryId: string | null }[] = [];
  for (const fault of wish.faults) {
    const planted = plantApart(present, {
      fault,
      seed: wish.seed,
      taken: places.map(({ expected }) => expected),
    });
    present = planted.books;
    const line = present.entries.findLast(({ sequence }) => sequence === planted.expected.sequence);
    places.push({ expected: planted.expected, entryId: line?.id ?? null });
  }
  const expected = places.map((place) => {
    if (place.entryId === null) return place.expected;
    const line = present.entries.findLast(({ id }) => id === place.entryId);
    return { ...place.expected, sequence: line?.sequence ?? place.expected.sequence };
  });
  return { books: present, expected };
}

/**
 * Tries again with another draw until the fault falls on an operation that no earlier one concerns.
 */
function plantApart(
  books: Books,
  {
    fault,
    seed,
    taken,
  }: { readonly fault: Fault; readonly seed: string; readonly taken: readonly Expected[] },
) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const planted = fault.plant(books, seedRandom(`${seed}/${fault.name}/${attempt}`));
    const reference = planted?.expected.operationReference ?? null;
    const isTaken =
      reference !== null && taken.some((other) => other.operationReference === reference);
    if (planted !== null && !isTaken) return planted;
  }
  throw new RangeError(`the books of ${books.merchant.reference} offer no place for ${fault.name}`);
}
