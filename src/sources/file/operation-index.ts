// Where the operations of a file stand, by the hash of their reference. Holds no text: that two operations are one is only
// known once their lines were read (`operation-versions.ts`).

import type { Operation } from '../../domain/operation.ts';
import type { ColumnBatch } from '../../rows/column-batch.ts';
import { createHashTable, enter, firstPlace, type HashTable } from '../../rows/hash-table.ts';
import { OPERATION_TABLE } from '../../rows/operation-fields.ts';
import { fieldNamed, numberPlaceOf } from '../../rows/row-table.ts';
import { addRow, createRowOrder, type RowOrder } from './row-order.ts';

export interface OperationIndex {
  /** The newest version of each operation, and its createdAt. */
  readonly order: RowOrder;
  /** Rows of `order` by the hash of their reference. */
  readonly table: HashTable;
  /** Offset → reason, for rows that contradict the version that was kept. */
  readonly contradictions: Map<number, string>;
}

const REFERENCE_HASH = fieldNamed(OPERATION_TABLE, 'reference').hashPlace;
const CREATED_AT = numberPlaceOf(OPERATION_TABLE, 'createdAt');
/** Few operations take less room in a file; more of them make the index grow. */
const BYTES_AN_OPERATION = 500;

/** For a file of `size` bytes. */
export function createOperationIndex(size: number): OperationIndex {
  const expected = Math.ceil(size / BYTES_AN_OPERATION) + 1;
  return { order: createRowOrder(expected), table: createHashTable(expected), contradictions: new Map() };
}

/** The memory of the index, to be moved to another thread with it. */
export function buffersOf({ order, table }: OperationIndex): ArrayBuffer[] {
  return [order.keys, order.offsets, table.hashes, table.values].map(({ buffer }) => buffer as ArrayBuffer);
}

/**
 * Enters the rows of a batch, which must come in the order of the file. `settle` is asked about an operation whose hash is
 * there already, and gives the row that it is another version of, or −1; null gives up at the first such.
 */
export function noteOperations(
  index: OperationIndex,
  batch: ColumnBatch<Operation>,
  settle: ((offset: number, hash: number) => boolean) | null,
): boolean {
  const { numbers, places, rows } = batch;
  for (let row = 0; row < rows; row += 1) {
    const at = row * OPERATION_TABLE.numbers;
    const hash = numbers[at + REFERENCE_HASH]!;
    if (firstPlace(index.table, hash) >= 0) {
      if (settle === null) return false;
      if (settle(places[row]!, hash)) continue;
    }
    enter(index.table, hash, addRow(index.order, numbers[at + CREATED_AT]!, places[row]!));
  }
  return true;
}
