// The key of hashes in this process. Hashes do not outlive the process: none is ever stored or sent
// out.

import { randomInt } from 'node:crypto';
import { type HashKey, hashText } from '../../core/domain/rows/hash-bytes.ts';

/** A reading thread is sent the key of the thread that it works for. */
export const HASH_KEY: HashKey = { first: randomInt(2 ** 32) | 0, second: randomInt(2 ** 32) | 0 };

export function hashOf(text: string): number {
  return hashText(HASH_KEY, text);
}
