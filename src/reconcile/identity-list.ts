// Has some text been seen twice? Keeps a hash of each, so that the ids of millions of lines need not be held, and answers at
// the end. Equal hashes are a suspicion that is looked up exactly, never a finding by themselves.

import { eachHash, type HashList, lengthOf } from './hash-list.ts';

/** The hash that came with a row, or the text's own where none did. */
export function hashAt(
  hashes: ArrayLike<number> | undefined,
  index: number,
  own: { readonly text: string; readonly hashOf: (text: string) => number },
): number {
  const hash = hashes?.[index] ?? Number.NaN;
  return Number.isNaN(hash) ? own.hashOf(own.text) : hash;
}

const FREE = -1;

/** Hashes that more than one text has: almost always because the texts are equal (53 bits). */
export function repeatedHashes({ parts }: HashList): ReadonlySet<number> {
  const repeated = new Set<number>();
  // More than twice as many places as a part has hashes, so that a free one is always near.
  const table = new Float64Array(2 ** Math.ceil(Math.log2(2 * Math.max(...parts.map(lengthOf)) + 1)));
  const last = table.length - 1;
  for (const part of parts) {
    table.fill(FREE);
    eachHash(part, (hash) => {
      // A part has its high bits in common: the place is taken from the low ones (`|` keeps 32 of them).
      let place = (hash | 0) & last;
      while (table[place] !== FREE && table[place] !== hash) place = (place + 1) & last;
      if (table[place] === hash) repeated.add(hash);
      else table[place] = hash;
    });
  }
  return repeated;
}
