// A hash table from hashes of texts to numbers, for millions of texts: 12 bytes a slot and no text.
// One hash may have several values, because two texts may share it: the caller must compare the
// texts.

/**
 * A table with open addressing. Its hashes must be keyed (`hash-bytes.ts`), because a slot is
 * chosen by their lowest bits alone.
 */
export interface HashTable {
  /**
   * Hashes by slot; −1 in a free slot. A hash is in its own slot or in the first free one after it.
   */
  hashes: Float64Array;
  values: Int32Array;
  size: number;
}

const FREE = -1;
const SMALLEST = 64;

export function createHashTable(expected = 0): HashTable {
  return { ...allocate(2 ** Math.ceil(Math.log2(Math.max(2 * expected, SMALLEST)))), size: 0 };
}

/**
 * Returns the slot of a value under `hash`, or −1; `nextPlace` finds further values. Slots are
 * valid until the next `enter`.
 */
export function firstPlace({ hashes }: HashTable, hash: number): number {
  const mask = hashes.length - 1;
  let place = hash & mask;
  while (hashes[place] !== hash && hashes[place] !== FREE) place = (place + 1) & mask;
  return hashes[place] === hash ? place : -1;
}

export function nextPlace({ hashes }: HashTable, hash: number, after: number): number {
  const mask = hashes.length - 1;
  let place = (after + 1) & mask;
  while (hashes[place] !== hash && hashes[place] !== FREE) place = (place + 1) & mask;
  return hashes[place] === hash ? place : -1;
}

export function enter(table: HashTable, hash: number, value: number): void {
  if (2 * (table.size + 1) > table.hashes.length) grow(table);
  put(table, hash, value);
  table.size += 1;
}

function put({ hashes, values }: HashTable, hash: number, value: number): void {
  const mask = hashes.length - 1;
  let place = hash & mask;
  while (hashes[place] !== FREE) place = (place + 1) & mask;
  hashes[place] = hash;
  values[place] = value;
}

function grow(table: HashTable): void {
  const { hashes, values } = table;
  Object.assign(table, allocate(2 * hashes.length));
  for (let place = 0; place < hashes.length; place += 1) {
    if (hashes[place] !== FREE) put(table, hashes[place]!, values[place]!);
  }
}

function allocate(places: number): Pick<HashTable, 'hashes' | 'values'> {
  return { hashes: new Float64Array(places).fill(FREE), values: new Int32Array(places) };
}

// Lists of hashes, by the million: eight bytes each, or twelve with a 32-bit number beside each. A
// list is queried once, after all hashes have been added in any order.

/**
 * Hashes split by their value into 64 parts, so that the table of one part stays in the processor's
 * cache while its hashes are looked up.
 */
export interface HashList {
  readonly parts: readonly Part[];
  readonly hasBeside: boolean;
}

interface Part {
  readonly blocks: Block[];
  /** Number of hashes in the last block; all other blocks are full. */
  used: number;
}

interface Block {
  readonly hashes: Float64Array;
  /** The numbers beside the hashes; empty in a list without such numbers. */
  readonly beside: Int32Array;
}

const PARTS = 64;
/** Factor that turns a hash, which is below 2^53, into the number of its part. */
const PART_OF_HASH = PARTS / 2 ** 53;
/**
 * Hashes in a part's first block. Each further block is twice as large, up to LARGEST_BLOCK, so
 * that few hashes take little room. Full blocks are never copied to make room for more.
 */
const FIRST_BLOCK = 32;
const LARGEST_BLOCK = 8_192;

export function createHashList(hasBeside: boolean): HashList {
  return { parts: Array.from({ length: PARTS }, () => ({ blocks: [], used: 0 })), hasBeside };
}

/** Adds a hash. Only the lowest 32 bits of `beside` are kept. */
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

/** Calls `look` with each hash of the part, in the order in which they were added. */
export function eachHash(
  { blocks, used }: Part,
  look: (hash: number, beside: number) => void,
): void {
  blocks.forEach(({ hashes, beside }, i) => {
    const end = i === blocks.length - 1 ? used : hashes.length;
    for (let at = 0; at < end; at += 1) look(hashes[at]!, beside[at] ?? 0);
  });
}

/**
 * Returns the hashes that were added more than once; in a list with numbers, those added with
 * different numbers. Their texts are almost always equal (53 bits), but the caller must compare
 * them.
 */
export function repeatedHashes({ parts, hasBeside }: HashList): ReadonlySet<number> {
  const repeated = new Set<number>();
  const seen = createHashTable(
    Math.max(
      ...parts.map(({ blocks, used }) =>
        blocks.slice(0, -1).reduce((sum, { hashes }) => sum + hashes.length, used),
      ),
    ),
  );
  for (const part of parts) {
    seen.hashes.fill(FREE);
    seen.size = 0;
    eachHash(part, (hash, beside) => {
      const place = firstPlace(seen, hash);
      if (place < 0) enter(seen, hash, beside);
      else if (!hasBeside || seen.values[place] !== beside) repeated.add(hash);
    });
  }
  return repeated;
}
