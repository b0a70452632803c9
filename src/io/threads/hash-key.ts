// The key of hashes in this process. Hashes live no longer than the process, and go nowhere: none
// is ever kept.

import { randomInt } from 'node:crypto';
import { type HashKey, hashText } from '../../core/domain/rows/hash-bytes.ts';

/** A thread that reads is given that of the thread which takes in. */
export const HASH_KEY: HashKey = { first: randomInt(2 ** 32) | 0, second: randomInt(2 ** 32) | 0 };

export function hashOf(text: string): number {
  return hashText(HASH_KEY, text);
}
