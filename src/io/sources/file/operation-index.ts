// Where the operations of a file stand, by the hash of their reference. Holds no text: that two operations are one is only
// known once their lines were read (`operation-versions.ts`).

import type { Operation } from '../../../core/domain/operation.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { ColumnBatch } from '../../../core/rows/column-batch.ts';
import { createHashTable, enter, firstPlace, type HashTable } from '../../../core/rows/hash-table.ts';
import { OPERATION_TABLE } from '../../../core/rows/operation-fields.ts';
import { fieldNamed, numberPlaceOf } from '../../../core/rows/row-table.ts';
import { addRow, createRowOrder, type RowOrder } from './row-order.ts';

export interface OperationIndex {
  /** The newest version of each operation, and its createdAt. */
  readonly order: RowOrder;
  /** Of the reference of each row of `order`. */
  hashes: Float64Array;
  /** Rows of `order` by these; null until one is looked up. */
  table: HashTable | null;
  /** By offset: rows that contradict the version that was kept. */
  readonly contradictions: Map<number, Refused>;
}

const REFERENCE_HASH = fieldNamed(OPERATION_TABLE, 'reference').hashPlace;
const CREATED_AT = numberPlaceOf(OPERATION_TABLE, 'createdAt');
/** Few operations take less room in a file; more of them make the index grow. */
const BYTES_AN_OPERATION = 500;

/** For a file of `size` bytes. */
export function createOperationIndex(size: number): OperationIndex {
  const expected = Math.ceil(size / BYTES_AN_OPERATION) + 1;
  return {
    order: createRowOrder(expected),
    hashes: new Float64Array(expected),
    table: null,
    contradictions: new Map(),
  };
}

/** The memory of the index, to be moved to another thread with it. */
export function buffersOf({ order, hashes }: OperationIndex): ArrayBuffer[] {
  return [order.keys, order.offsets, hashes].map(({ buffer }) => buffer as ArrayBuffer);
}

/**
 * Notes the rows of a batch, which must come in the order of the file. `settle` is asked about each row whose hash is there
 * already, and says whether it was another version of one that is; null: they are all noted, for `isEachOnce` to look at.
 */
export function noteOperations(
  index: OperationIndex,
  { numbers, places, rows }: ColumnBatch<Operation>,
  settle: ((offset: number, hash: number) => boolean) | null,
): void {
  const table = settle === null ? null : tableOf(index);
  for (let row = 0; row < rows; row += 1) {
    const at = row * OPERATION_TABLE.numbers;
    const hash = numbers[at + REFERENCE_HASH]!;
    if (table !== null && firstPlace(table, hash) >= 0 && settle!(places[row]!, hash)) continue;
    const noted = addRow(index.order, numbers[at + CREATED_AT]!, places[row]!);
    if (noted >= index.hashes.length) growHashes(index);
    index.hashes[noted] = hash;
    if (table !== null) enter(table, hash, noted);
  }
}

function growHashes(index: OperationIndex): void {
  const { hashes } = index;
  index.hashes = new Float64Array(2 * hashes.length);
  index.hashes.set(hashes);
}

/** False where two rows share a hash: almost always because one operation came twice. */
export function isEachOnce({ hashes, order }: OperationIndex): boolean {
  const sorted = hashes.slice(0, order.count).sort();
  for (let i = 1; i < sorted.length; i += 1) if (sorted[i] === sorted[i - 1]) return false;
  return true;
}

export function tableOf(index: OperationIndex): HashTable {
  if (index.table !== null) return index.table;
  const table = createHashTable(index.order.count);
  for (let row = 0; row < index.order.count; row += 1) enter(table, index.hashes[row]!, row);
  index.table = table;
  return table;
}
