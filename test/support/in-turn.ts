// Which faults a sweep plants where: each fault once, in one of the books after another, so that
// every book has its share of them. TEST_POLICIES=all plants every fault in all of them.

import type { Books, Fault } from '../../src/sandbox/model/plan.ts';
import { type Random, seedRandom } from '../../src/sandbox/model/random.ts';

export const ALL_POLICIES: boolean = process.env.TEST_POLICIES === 'all';

interface Turn {
  /** Number of the fault, which says which books come first. */
  readonly turn: number;
  /** Returns the seed for the books with that index. */
  readonly seedOf: (index: number) => string;
  /** In how many books the fault is planted, if as many offer a place; by default in one. */
  readonly most?: number;
}

interface PlantedInTurn {
  /** Index of the books. */
  readonly index: number;
  readonly sound: Books;
  readonly planted: NonNullable<ReturnType<Fault['plant']>>;
}

/** Plants a fault in turn. Books that offer no place for it leave their turn to the next. */
export function plantInTurn(
  fault: Fault,
  books: readonly Books[],
  { turn, seedOf, most = 1 }: Turn,
): readonly PlantedInTurn[] {
  const places: PlantedInTurn[] = [];
  for (let i = 0; i < books.length && (ALL_POLICIES || places.length < most); i += 1) {
    const index = (turn + i) % books.length;
    const sound = books[index]!;
    const random: Random = seedRandom(seedOf(index));
    const planted = fault.plant(sound, random);
    if (planted !== null) places.push({ index, sound, planted });
  }
  return places;
}
