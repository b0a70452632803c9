// Holds the hashes that come with lines against their ids.

import { expect } from 'vitest';
import type { LedgerEntry } from '../../src/domain/ledger-entry.ts';
import type { Batch } from '../../src/domain/snapshot.ts';
import { hashText } from '../../src/domain/text-hash.ts';

/** Returns how many lines came with the hash of their id. */
export async function expectIdHashes(batches: AsyncIterable<Batch<LedgerEntry>>): Promise<number> {
  let known = 0;
  for await (const { rows, idHashes } of batches) {
    if (idHashes === undefined) continue;
    expect(idHashes.length).toBe(rows.length);
    rows.forEach(({ id }, i) => {
      if (Number.isNaN(idHashes[i])) return;
      if (idHashes[i] !== hashText(id)) throw new Error(`${id} came with the hash of another id`);
      known += 1;
    });
  }
  return known;
}
