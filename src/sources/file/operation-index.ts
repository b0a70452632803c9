// Finds the operations of a file by their reference: a hash table of offsets in typed arrays, which takes some 30 bytes an
// operation and holds no text. A hash that fits proves nothing: whoever asks must compare the operation itself.

import { randomInt } from 'node:crypto';

export interface OperationIndex {
  /** Unlike in every run, so that no file can be made whose references all meet in one place. */
  readonly seed: number;
  hashes: Uint32Array;
  /** Offset of the operation's line in the file, −1 where the place is free. */
  offsets: Float64Array;
  count: number;
}

const FREE = -1;
/** Few operations take less room in a file; more of them make the table grow. */
const BYTES_AN_OPERATION = 500;
const SMALLEST = 1_024;
const LARGEST_AT_FIRST = 4_194_304;

/** For a file of `size` bytes. */
export function createOperationIndex(size: number): OperationIndex {
  const wanted = Math.min(Math.max((size / BYTES_AN_OPERATION) * 2, SMALLEST), LARGEST_AT_FIRST);
  return { seed: randomInt(2 ** 31), count: 0, ...allocate(2 ** Math.ceil(Math.log2(wanted))) };
}

/** Hash of the bytes of a reference. */
export function hashReference(index: OperationIndex, bytes: Uint8Array, start: number, end: number): number {
  let hash = index.seed;
  for (let at = start; at < end; at += 1) {
    hash = Math.imul(hash ^ bytes[at]!, 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0x2c1b3c6d);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Slots whose hash is `hash`, which `isIt` is asked about in turn; the first it accepts, or −1. */
export function findSlot(index: OperationIndex, hash: number, isIt: (offset: number, slot: number) => boolean): number {
  const mask = index.hashes.length - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const offset = index.offsets[slot]!;
    if (offset === FREE) return -1;
    if (index.hashes[slot] === hash && isIt(offset, slot)) return slot;
  }
}

export function addOffset(index: OperationIndex, hash: number, offset: number): void {
  if (index.count * 2 >= index.hashes.length) grow(index);
  place(index, hash, offset);
  index.count += 1;
}

function place(index: OperationIndex, hash: number, offset: number): void {
  const mask = index.hashes.length - 1;
  let slot = hash & mask;
  while (index.offsets[slot] !== FREE) slot = (slot + 1) & mask;
  index.hashes[slot] = hash;
  index.offsets[slot] = offset;
}

function grow(index: OperationIndex): void {
  const { hashes, offsets } = index;
  Object.assign(index, allocate(hashes.length * 2));
  for (let slot = 0; slot < hashes.length; slot += 1) {
    if (offsets[slot] !== FREE) place(index, hashes[slot]!, offsets[slot]!);
  }
}

function allocate(capacity: number): Pick<OperationIndex, 'hashes' | 'offsets'> {
  return { hashes: new Uint32Array(capacity), offsets: new Float64Array(capacity).fill(FREE) };
}
