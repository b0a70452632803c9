// Finds the operations of a file by their reference, or by the partner's: a hash table of offsets in typed arrays, which
// takes some 40 bytes an operation and holds no text. A hash that fits proves nothing: whoever asks must compare the operation itself.

import { randomInt } from 'node:crypto';

export interface OperationIndex {
  /** Unlike in every run, so that no file can be made whose references all meet in one place. */
  readonly seed: number;
  hashes: Uint32Array;
  /** Hash of the partner's reference in each slot, 0 where there is none. */
  externals: Uint32Array;
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

/** The memory of the index, to be moved to another thread with it. */
export function buffersOf(index: OperationIndex | null): ArrayBuffer[] {
  return index === null ? [] : ([index.hashes.buffer, index.externals.buffer, index.offsets.buffer] as ArrayBuffer[]);
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

export interface IndexedOperation {
  readonly hash: number;
  readonly external: number;
  readonly offset: number;
}

export function addOperation(index: OperationIndex, operation: IndexedOperation): void {
  if (index.count * 2 >= index.hashes.length) grow(index);
  place(index, operation);
  index.count += 1;
}

/** Another version of the operation in `slot` takes its place. */
export function replaceOperation(index: OperationIndex, slot: number, { external, offset }: IndexedOperation): void {
  index.externals[slot] = external;
  index.offsets[slot] = offset;
}

/** Offsets of the operations whose partner's reference has one of these hashes. */
export function offsetsOfExternals(index: OperationIndex, wanted: ReadonlySet<number>): readonly number[] {
  const mayBeWanted = new Uint8Array(65_536);
  for (const hash of wanted) mayBeWanted[hash & 0xffff] = 1;
  const found: number[] = [];
  for (let slot = 0; slot < index.offsets.length; slot += 1) {
    const hash = index.externals[slot]!;
    if (mayBeWanted[hash & 0xffff] === 0 || index.offsets[slot] === FREE) continue;
    if (wanted.has(hash)) found.push(index.offsets[slot]!);
  }
  return found;
}

function place(index: OperationIndex, { hash, external, offset }: IndexedOperation): void {
  const mask = index.hashes.length - 1;
  let slot = hash & mask;
  while (index.offsets[slot] !== FREE) slot = (slot + 1) & mask;
  index.hashes[slot] = hash;
  index.externals[slot] = external;
  index.offsets[slot] = offset;
}

function grow(index: OperationIndex): void {
  const { hashes, externals, offsets } = index;
  Object.assign(index, allocate(hashes.length * 2));
  for (let slot = 0; slot < hashes.length; slot += 1) {
    if (offsets[slot] === FREE) continue;
    place(index, { hash: hashes[slot]!, external: externals[slot]!, offset: offsets[slot]! });
  }
}

function allocate(capacity: number): Pick<OperationIndex, 'hashes' | 'externals' | 'offsets'> {
  return {
    hashes: new Uint32Array(capacity),
    externals: new Uint32Array(capacity),
    offsets: new Float64Array(capacity).fill(FREE),
  };
}
