// Which texts may have been seen twice? Keeps eight bytes a text, so that a million references need not be held. Equal
// hashes are a suspicion that the caller looks up exactly.

import { createHash } from 'node:crypto';

export interface HashList {
  hashes: Float64Array;
  held: number;
}

export function beginHashes(): HashList {
  return { hashes: new Float64Array(1_024), held: 0 };
}

export function noteHash(list: HashList, hash: number): void {
  if (list.held === list.hashes.length) {
    const wider = new Float64Array(list.hashes.length * 2);
    wider.set(list.hashes);
    list.hashes = wider;
  }
  list.hashes[list.held] = hash;
  list.held += 1;
}

/** A safe integer ≥ 0; nobody can choose texts so that theirs are equal. */
export function hashOfText(text: string): number {
  const digest = createHash('sha256').update(text).digest();
  return digest.readUIntBE(0, 6) * 32 + (digest[6]! >>> 3);
}

export function repeatedIn({ hashes, held }: HashList): ReadonlySet<number> {
  const sorted = hashes.slice(0, held).sort();
  const repeated = new Set<number>();
  for (let i = 1; i < sorted.length; i += 1) if (sorted[i] === sorted[i - 1]) repeated.add(sorted[i]!);
  return repeated;
}
