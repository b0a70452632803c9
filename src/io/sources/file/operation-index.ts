// An index of where the operations of a file stand, by the hash of their reference. It holds no
// text: whether two rows are one operation is known only after their lines were read.

import type { Operation } from '../../../core/domain/operation.ts';
import type { ColumnBatch } from '../../../core/domain/rows/column-batch.ts';
import {
  addHash,
  createHashList,
  createHashTable,
  enter,
  type HashTable,
  repeatedHashes,
} from '../../../core/domain/rows/hash-table.ts';
import { OPERATION_TABLE } from '../../../core/domain/rows/operation-fields.ts';
import { fieldNamed } from '../../../core/domain/rows/row-table.ts';

export interface OperationIndex {
  /** Offset of each row's line in the file. */
  offsets: Float64Array;
  /** Hash of each row's reference. */
  hashes: Float64Array;
  count: number;
  /** Rows by the hash of their reference; `null` until one is looked up. */
  table: HashTable | null;
}

const REFERENCE_HASH = fieldNamed(OPERATION_TABLE, 'reference').hashPlace;
/**
 * Bytes of a file for which the index has room for one operation. Shorter operations make it grow.
 */
const BYTES_AN_OPERATION = 500;

/** Makes an index for a file of `size` bytes. */
export function createOperationIndex(size: number): OperationIndex {
  const expected = Math.ceil(size / BYTES_AN_OPERATION) + 1;
  return {
    offsets: new Float64Array(expected),
    hashes: new Float64Array(expected),
    count: 0,
    table: null,
  };
}

/** Returns the memory of the index, so that it can be moved to another thread. */
export function buffersOf({ offsets, hashes }: OperationIndex): ArrayBuffer[] {
  return [offsets, hashes].map(({ buffer }) => buffer as ArrayBuffer);
}

/** Adds the rows of a batch, also those that repeat an operation: `isEachOnce` finds them later. */
export function noteOperations(
  index: OperationIndex,
  { numbers, places, rows }: ColumnBatch<Operation>,
): void {
  while (index.count + rows > index.hashes.length) grow(index);
  const { offsets, hashes } = index;
  for (let row = 0; row < rows; row += 1) {
    offsets[index.count] = places[row]!;
    hashes[index.count] = numbers[row * OPERATION_TABLE.numbers + REFERENCE_HASH]!;
    index.count += 1;
  }
}

function grow(index: OperationIndex): void {
  const { offsets, hashes } = index;
  index.offsets = new Float64Array(2 * offsets.length);
  index.offsets.set(offsets);
  index.hashes = new Float64Array(2 * hashes.length);
  index.hashes.set(hashes);
}

/** Returns false when two rows share a hash, almost always because one operation came twice. */
export function isEachOnce({ hashes, count }: OperationIndex): boolean {
  const list = createHashList(false);
  for (let row = 0; row < count; row += 1) addHash(list, hashes[row]!);
  return repeatedHashes(list).size === 0;
}

export function tableOf(index: OperationIndex): HashTable {
  if (index.table !== null) return index.table;
  const table = createHashTable(index.count);
  for (let row = 0; row < index.count; row += 1) enter(table, index.hashes[row]!, row);
  index.table = table;
  return table;
}
