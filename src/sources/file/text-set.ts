// A set of texts that can be asked about bytes: is this one of them? Answers exactly.

import { randomInt } from 'node:crypto';
import { hashBytes } from './hash-bytes.ts';

export interface TextSet {
  readonly size: number;
  readonly seed: number;
  /** Hash and text of each place of the table; a place without a text is free. */
  readonly hashes: Uint32Array;
  readonly texts: readonly (Buffer | undefined)[];
}

export function createTextSet(texts: ReadonlySet<string>): TextSet {
  const capacity = 2 ** Math.ceil(Math.log2(texts.size * 4 + 1));
  const hashes = new Uint32Array(capacity);
  const places = new Array<Buffer | undefined>(capacity).fill(undefined);
  const seed = randomInt(2 ** 31);
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const hash = hashBytes(seed, bytes, 0, bytes.length);
    let place = hash & (capacity - 1);
    while (places[place] !== undefined) place = (place + 1) & (capacity - 1);
    hashes[place] = hash;
    places[place] = bytes;
  }
  return { size: texts.size, seed, hashes, texts: places };
}

/** True when the bytes from `start` to `end` are those of a text in the set. */
export function hasText(set: TextSet, bytes: Buffer, start: number, end: number): boolean {
  if (set.size === 0) return false;
  const mask = set.hashes.length - 1;
  const hash = hashBytes(set.seed, bytes, start, end);
  for (let place = hash & mask; ; place = (place + 1) & mask) {
    const text = set.texts[place];
    if (text === undefined) return false;
    if (set.hashes[place] !== hash || text.length !== end - start) continue;
    if (text.compare(bytes, start, end) === 0) return true;
  }
}
