// Hashes, with a number beside each where one is wanted, by the million: eight bytes each, or twelve. What is asked of them is
// asked once all have come, whatever their order.

/** Hashes by their value, in so many parts that what is looked up in one stays in the processor's cache. */
export interface HashList {
  readonly parts: readonly Part[];
  readonly hasBeside: boolean;
}

interface Part {
  readonly blocks: Block[];
  /** Hashes in the last block. */
  used: number;
}

interface Block {
  readonly hashes: Float64Array;
  /** Empty in a list that has no numbers beside its hashes. */
  readonly beside: Int32Array;
}

const PARTS = 64;
/** Hashes are below 2^53. */
const PART_OF_HASH = PARTS / 2 ** 53;
/** A few hashes take little room, and many take few blocks, which are never copied to make room for more. */
const FIRST_BLOCK = 32;
const LARGEST_BLOCK = 8_192;

export function createHashList(hasBeside: boolean): HashList {
  return { parts: Array.from({ length: PARTS }, () => ({ blocks: [], used: 0 })), hasBeside };
}

/** Of `beside` 32 bits are kept. */
export function addHash({ parts, hasBeside }: HashList, hash: number, beside = 0): void {
  const part = parts[Math.floor(hash * PART_OF_HASH)]!;
  let last = part.blocks[part.blocks.length - 1];
  if (last === undefined || part.used === last.hashes.length) {
    const size = last === undefined ? FIRST_BLOCK : Math.min(2 * last.hashes.length, LARGEST_BLOCK);
    last = { hashes: new Float64Array(size), beside: new Int32Array(hasBeside ? size : 0) };
    part.blocks.push(last);
    part.used = 0;
  }
  last.hashes[part.used] = hash;
  if (hasBeside) last.beside[part.used] = beside;
  part.used += 1;
}

export function lengthOf({ blocks, used }: Part): number {
  return blocks.slice(0, -1).reduce((sum, { hashes }) => sum + hashes.length, used);
}

/** Calls `look` with each hash of the part, in the order in which they came. */
export function eachHash({ blocks, used }: Part, look: (hash: number, beside: number) => void): void {
  blocks.forEach(({ hashes, beside }, i) => {
    const end = i === blocks.length - 1 ? used : hashes.length;
    for (let at = 0; at < end; at += 1) look(hashes[at]!, beside[at] ?? 0);
  });
}
