// Sets of findings that one fault explains: whatever is joined has one root. It does not decide which.

import type { Material } from './material.ts';

export type LinkRule = (links: Links, material: Material) => void;

export interface Links {
  join(a: number, b: number): void;
  /** Members of each set, in the order of the drafts. */
  sets(): Iterable<readonly number[]>;
}

export function beginLinks(size: number): Links {
  const parents = Array.from({ length: size }, (_, i) => i);
  const setOf = (member: number): number => {
    let at = member;
    while (parents[at] !== at) {
      // Each step halves the way for the next search.
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  };
  return {
    join(a, b) {
      parents[setOf(a)] = setOf(b);
    },
    sets: () => Map.groupBy(parents.keys(), setOf).values(),
  };
}
