// Plants faults in complete books, apart from each other, and says where an audit should point for each.

import type { Books } from '../books.ts';
import { seedRandom } from '../random.ts';
import type { Expected, Fault } from './fault.ts';

/**
 * Plants the faults one after another, each on an operation and a line of its own. `expected` is in the order of the
 * faults and holds for the books that come back. Throws RangeError for a fault that these books offer no place for.
 */
export function plantFaults(
  books: Books,
  wish: { readonly faults: readonly Fault[]; readonly seed: string },
): { readonly books: Books; readonly expected: readonly Expected[] } {
  let present = books;
  const places: { readonly expected: Expected; readonly entryId: string | null }[] = [];
  for (const fault of wish.faults) {
    const planted = plantApart(present, { fault, seed: wish.seed, taken: places.map(({ expected }) => expected) });
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

/** Draws again until the fault falls on an operation that no earlier one concerns. */
function plantApart(
  books: Books,
  { fault, seed, taken }: { readonly fault: Fault; readonly seed: string; readonly taken: readonly Expected[] },
) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const planted = fault.plant(books, seedRandom(`${seed}/${fault.name}/${attempt}`));
    const reference = planted?.expected.operationReference ?? null;
    const isTaken = reference !== null && taken.some((other) => other.operationReference === reference);
    if (planted !== null && !isTaken) return planted;
  }
  throw new RangeError(`the books of ${books.merchant.reference} offer no place for ${fault.name}`);
}
