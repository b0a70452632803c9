// Under which ids did two bodies come? Keeps a hash of each id and body, and answers once all have come.

import { addHash, createHashList, eachHash, type HashList } from '../hash-list.ts';

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
  for (const part of parts) {
    const first = new Map<number, number>();
    eachHash(part, (id, body) => {
      const known = first.get(id);
      if (known === undefined) first.set(id, body);
      else if (known !== body) found.add(id);
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
