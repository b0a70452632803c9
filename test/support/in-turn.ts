// What a sweep over faults plants: each fault once, in one of the books after another, so that
// every book has its share of them; TEST_POLICIES=all plants every fault in all of them.

import type { Books, Fault } from '../../src/sandbox/model/plan.ts';
import { type Random, seedRandom } from '../../src/sandbox/model/random.ts';

export const ALL_POLICIES: boolean = process.env.TEST_POLICIES === 'all';

interface Turn {
  /** Number of the fault: says which books come first. */
  readonly turn: number;
  /** Of the books with that index. */
  readonly seedOf: (index: number) => string;
  /** In so many books, if as many offer a place; by default in one. */
  readonly most?: number;
}

interface PlantedInTurn {
  /** Of the books. */
  readonly index: number;
  readonly sound: Books;
  readonly planted: NonNullable<ReturnType<Fault['plant']>>;
}

/** Books that offer no place for the fault leave their turn to the next. */
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
