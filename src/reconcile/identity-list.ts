// Has some text been seen twice? Keeps eight bytes a text, so that the ids of millions of lines need not be held, and
// answers at the end. Equal hashes are a suspicion that is looked up exactly, never a finding by themselves.

/** Hashes in the order of their texts; grows by blocks, so that nothing is copied while lines stream. */
export interface IdentityList {
  readonly blocks: Float64Array[];
  /** Hashes in the last block. */
  held: number;
}

const BLOCK = 1 << 16;

export function beginIdentities(): IdentityList {
  return { blocks: [], held: BLOCK };
}

export function noteIdentity(list: IdentityList, text: string): void {
  if (list.held === BLOCK) {
    list.blocks.push(new Float64Array(BLOCK));
    list.held = 0;
  }
  list.blocks.at(-1)![list.held++] = hashText(text);
}

/** Hashes that more than one text has: almost always because the texts are equal (53 bits). */
export function repeatedHashes(list: IdentityList): ReadonlySet<number> {
  const repeated = new Set<number>();
  if (list.blocks.length === 0) return repeated;
  const all = new Float64Array((list.blocks.length - 1) * BLOCK + list.held);
  list.blocks.forEach((block, i) => {
    const last = i === list.blocks.length - 1;
    all.set(last ? block.subarray(0, list.held) : block, i * BLOCK);
  });
  all.sort();
  for (let i = 1; i < all.length; i++) if (all[i] === all[i - 1]) repeated.add(all[i]!);
  return repeated;
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
