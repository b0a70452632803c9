// Under which ids did two bodies come? Keeps a hash of each id and body, and answers once all have come.

import { clearTable, createHashTable, enter, firstPlace } from '../../rows/hash-table.ts';
import { addHash, createHashList, eachHash, type HashList, lengthOf } from '../hash-list.ts';

export function createBodyList(): HashList {
  return createHashList(true);
}

/**
 * Of the body's hash 32 bits are kept. Nobody outside the process can foresee them: of two bodies under one id, the second goes
 * unnoticed once in four thousand million times.
 */
export function noteBody(list: HashList, idHash: number, bodyHash: number): void {
  addHash(list, idHash, bodyHash);
}

/** Hashes of the ids. Two ids may share one by chance: those under suspicion are compared by their contents. */
export function idsOfTwoBodies({ parts }: HashList): ReadonlySet<number> {
  const found = new Set<number>();
  const first = createHashTable(Math.max(...parts.map(lengthOf)));
  for (const part of parts) {
    clearTable(first);
    eachHash(part, (id, body) => {
      const place = firstPlace(first, id);
      if (place < 0) enter(first, id, body);
      else if (first.values[place] !== body) found.add(id);
    });
  }
  return found;
}

/** How many there are, those that came more than once counted once. */
export function countBodies({ parts }: HashList): number {
  let count = 0;
  for (const part of parts) {
    const seen = new Map<number, Set<number>>();
    eachHash(part, (id, body) => void seen.set(id, (seen.get(id) ?? new Set()).add(body)));
    for (const { size } of seen.values()) count += size;
  }
  return count;
}
