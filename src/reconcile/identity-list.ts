// Has some text been seen twice? Keeps eight bytes a text, so that the ids of millions of lines need not be held, and
// answers at the end. Equal hashes are a suspicion that is looked up exactly, never a finding by themselves.

/**
 * Hashes by their value, in so many parts that each can be sorted by itself: nothing is ever copied as a whole. Each part
 * grows by blocks.
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
const HASHES_A_PART = 2 ** 53 / PARTS;
/** A few hashes take little room, and many take few blocks. */
const FIRST_BLOCK = 32;
const LARGEST_BLOCK = 8_192;

export function beginIdentities(): IdentityList {
  return { parts: Array.from({ length: PARTS }, () => ({ blocks: [], held: 0 })) };
}

export function noteIdentity(list: IdentityList, text: string): void {
  const hash = hashText(text);
  const part = list.parts[Math.floor(hash / HASHES_A_PART)]!;
  let last = part.blocks.at(-1);
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
  const room = new Float64Array(Math.max(...list.parts.map(lengthOf)));
  for (const part of list.parts) {
    const hashes = sortedHashes(part, room);
    for (let i = 1; i < hashes.length; i++) if (hashes[i] === hashes[i - 1]) repeated.add(hashes[i]!);
  }
  return repeated;
}

function lengthOf({ blocks, held }: Part): number {
  return blocks.slice(0, -1).reduce((sum, block) => sum + block.length, held);
}

function sortedHashes(part: Part, room: Float64Array): Float64Array {
  const { blocks, held } = part;
  let at = 0;
  blocks.forEach((block, i) => {
    room.set(i === blocks.length - 1 ? block.subarray(0, held) : block, at);
    at += block.length;
  });
  return room.subarray(0, lengthOf(part)).sort();
}

/** A safe integer ≥ 0 from two independent multiplicative hashes over the UTF-16 units. */
export function hashText(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 15);
  }
  a ^= a >>> 15;
  b = Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  return (a >>> 0) * 0x200000 + ((b ^ (b >>> 16)) >>> 11);
}
