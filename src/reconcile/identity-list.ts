// Has some text been seen twice? Keeps eight bytes a text, so that the ids of millions of lines need not be held, and
// answers at the end. Equal hashes are a suspicion that is looked up exactly, never a finding by themselves.

import { hashText } from '../domain/text-hash.ts';

/**
 * Hashes by their value, in so many parts that each can be looked through by itself, in a table that stays in the
 * processor's cache. Each part grows by blocks.
 */
export interface IdentityList {
  readonly parts: readonly Part[];
}

interface Part {
  readonly blocks: Float64Array[];
  /** Hashes in the last block. */
  held: number;
}

const PARTS = 64;
/** Hashes are below 2^53. */
const PART_OF_HASH = PARTS / 2 ** 53;
/** A few hashes take little room, and many take few blocks. */
const FIRST_BLOCK = 32;
const LARGEST_BLOCK = 8_192;

export function beginIdentities(): IdentityList {
  return { parts: Array.from({ length: PARTS }, () => ({ blocks: [], held: 0 })) };
}

/** The hash that came with a row, or the text's own where none did. */
export function hashAt(hashes: ArrayLike<number> | undefined, index: number, text: string): number {
  const hash = hashes?.[index] ?? Number.NaN;
  return Number.isNaN(hash) ? hashText(text) : hash;
}

/** `hash`: of the text, by one function for all. */
export function noteIdentity(list: IdentityList, hash: number): void {
  const part = list.parts[Math.floor(hash * PART_OF_HASH)]!;
  let last = part.blocks[part.blocks.length - 1];
  if (last === undefined || part.held === last.length) {
    last = new Float64Array(last === undefined ? FIRST_BLOCK : Math.min(2 * last.length, LARGEST_BLOCK));
    part.blocks.push(last);
    part.held = 0;
  }
  last[part.held++] = hash;
}

/** Hashes that more than one text has: almost always because the texts are equal (53 bits). */
export function repeatedHashes(list: IdentityList): ReadonlySet<number> {
  const repeated = new Set<number>();
  const longest = Math.max(...list.parts.map(lengthOf));
  const table = new Float64Array(2 ** Math.ceil(Math.log2(2 * longest + 1)));
  for (const part of list.parts) noteRepeated(part, table, repeated);
  return repeated;
}

function lengthOf({ blocks, held }: Part): number {
  return blocks.slice(0, -1).reduce((sum, block) => sum + block.length, held);
}

const FREE = -1;

/** `table` has more than twice as many places as the part has hashes, so that a free one is always near. */
function noteRepeated({ blocks, held }: Part, table: Float64Array, repeated: Set<number>): void {
  table.fill(FREE);
  const last = table.length - 1;
  blocks.forEach((block, i) => {
    const end = i === blocks.length - 1 ? held : block.length;
    for (let at = 0; at < end; at += 1) {
      const hash = block[at]!;
      // A part has its high bits in common: the place is taken from the low ones (`|` keeps 32 of them).
      let place = (hash | 0) & last;
      while (table[place] !== FREE && table[place] !== hash) place = (place + 1) & last;
      if (table[place] === hash) repeated.add(hash);
      else table[place] = hash;
    }
  });
}
