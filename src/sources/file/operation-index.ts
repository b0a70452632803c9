// Finds the operations of a file by their reference, or by the partner's: a hash table of rows that takes some 40 bytes an
// operation and holds no text. A hash that fits proves nothing: whoever asks must compare the operation itself.

import { randomInt } from 'node:crypto';

/**
 * Rows stand one after another as they came. To find one is to look into `heads` at random, which costs more than all else
 * where the table does not fit in the processor's cache: so rows are entered there many at once, part by part.
 */
export interface OperationIndex {
  /** Unlike in every run, so that no file can be made whose references all meet in one place. */
  readonly seed: number;
  /** The row that was entered last under each remainder of a hash, and one more; 0 where there is none. */
  heads: Int32Array;
  /** In the same way, the row entered before it under the same remainder. */
  previous: Int32Array;
  hashes: Uint32Array;
  /** Hash of the partner's reference, 0 where there is none. */
  externals: Uint32Array;
  /** Offset of the operation's line in the file. */
  offsets: Float64Array;
  count: number;
  /** Rows before this one are entered. */
  entered: number;
}

export const NONE = -1;
/** Few operations take less room in a file; more of them make the table grow. */
const BYTES_AN_OPERATION = 500;
const SMALLEST = 1_024;
const LARGEST_AT_FIRST = 2_097_152;
const PARTS = 64;

/** For a file of `size` bytes. */
export function createOperationIndex(size: number): OperationIndex {
  const wanted = Math.min(Math.max(size / BYTES_AN_OPERATION, SMALLEST), LARGEST_AT_FIRST);
  return { seed: randomInt(2 ** 31), count: 0, entered: 0, ...allocate(2 ** Math.ceil(Math.log2(wanted))) };
}

/** The memory of the index, to be moved to another thread with it. */
export function buffersOf(index: OperationIndex | null): ArrayBuffer[] {
  if (index === null) return [];
  const { heads, previous, hashes, externals, offsets } = index;
  return [heads, previous, hashes, externals, offsets].map(({ buffer }) => buffer as ArrayBuffer);
}

/** The row entered last under `hash`, or −1. */
export function lastRow(index: OperationIndex, hash: number): number {
  return rowFrom(index, hash, index.heads[headOf(index, hash)]! - 1);
}

/** The row entered before `row` under the same hash, or −1. */
export function rowBefore(index: OperationIndex, hash: number, row: number): number {
  return rowFrom(index, hash, index.previous[row]! - 1);
}

function rowFrom({ hashes, previous }: OperationIndex, hash: number, first: number): number {
  let row = first;
  while (row !== NONE && hashes[row] !== hash) row = previous[row]! - 1;
  return row;
}

export interface IndexedOperation {
  readonly hash: number;
  readonly external: number;
  readonly offset: number;
}

/** It is found once it is entered. */
export function addOperation(index: OperationIndex, { hash, external, offset }: IndexedOperation): void {
  if (index.count === index.hashes.length) grow(index);
  const row = index.count;
  index.hashes[row] = hash;
  index.externals[row] = external;
  index.offsets[row] = offset;
  index.count = row + 1;
}

/**
 * Enters the rows that were added since, unless `isKnown` finds that one is a version of an operation entered before; of one
 * hash, rows are asked about in the order in which they came.
 */
export function enterOperations(index: OperationIndex, isKnown: (row: number) => boolean): void {
  const { entered, count } = index;
  for (const row of byPart(index, entered, count)) {
    const hash = index.hashes[row]!;
    if (lastRow(index, hash) === NONE || !isKnown(row)) enter(index, row);
    // It is nobody's any more, and no partner's reference leads to it.
    else index.externals[row] = 0;
  }
  index.entered = count;
}

/** The rows from `start` to `end`, those whose heads are near each other together. */
function byPart(index: OperationIndex, start: number, end: number): Int32Array {
  const shift = Math.log2(index.heads.length / PARTS);
  const places = new Int32Array(PARTS + 1);
  for (let row = start; row < end; row += 1) places[(headOf(index, index.hashes[row]!) >>> shift) + 1]! += 1;
  for (let part = 1; part <= PARTS; part += 1) places[part]! += places[part - 1]!;
  const rows = new Int32Array(end - start);
  for (let row = start; row < end; row += 1) rows[places[headOf(index, index.hashes[row]!) >>> shift]!++] = row;
  return rows;
}

/** What was given before as the operation of `row` is now at another place. */
export function replaceOperation(index: OperationIndex, row: number, by: number): void {
  index.externals[row] = index.externals[by]!;
  index.offsets[row] = index.offsets[by]!;
}

/** Offsets of the operations whose partner's reference has one of these hashes. */
export function offsetsOfExternals(index: OperationIndex, wanted: ReadonlySet<number>): readonly number[] {
  const mayBeWanted = new Uint8Array(65_536);
  for (const hash of wanted) mayBeWanted[hash & 0xffff] = 1;
  const found: number[] = [];
  for (let row = 0; row < index.count; row += 1) {
    const hash = index.externals[row]!;
    if (mayBeWanted[hash & 0xffff] === 1 && wanted.has(hash)) found.push(index.offsets[row]!);
  }
  return found;
}

function headOf({ heads }: OperationIndex, hash: number): number {
  return hash & (heads.length - 1);
}

function enter(index: OperationIndex, row: number): void {
  const head = headOf(index, index.hashes[row]!);
  index.previous[row] = index.heads[head]!;
  index.heads[head] = row + 1;
}

function grow(index: OperationIndex): void {
  const { hashes, externals, offsets, previous, heads, entered, count } = index;
  Object.assign(index, allocate(count * 2));
  index.hashes.set(hashes);
  index.externals.set(externals);
  index.offsets.set(offsets);
  // Rows that are nobody's any more were never entered, and are not now: only what leads from a head is.
  for (let head = 0; head < heads.length && entered > 0; head += 1) {
    for (let row = heads[head]! - 1; row !== NONE; row = previous[row]! - 1) enter(index, row);
  }
}

function allocate(rows: number): Pick<OperationIndex, 'heads' | 'previous' | 'hashes' | 'externals' | 'offsets'> {
  return {
    heads: new Int32Array(rows * 2),
    previous: new Int32Array(rows),
    hashes: new Uint32Array(rows),
    externals: new Uint32Array(rows),
    offsets: new Float64Array(rows),
  };
}
