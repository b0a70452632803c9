// The figures of millions of operations, with which notifications are compared: a few numbers for
// each operation, found by the hash of its reference. The table is trusted only where it agrees.
// Whatever differs is compared with the operation itself.

import { type HashedNotification, isNotifiedState } from '../../../domain/notification.ts';
import {
  netAmountOf,
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
  type OperationStatus,
} from '../../../domain/operation.ts';
import {
  type ComparedOperation,
  judgeNotification,
} from '../../checks/notifications/judge-notification.ts';

/**
 * A reference is known by 53 bits of a hash under a secret key of this process, so that no attacker
 * can choose references that collide. Where two operations of the books share a hash by chance,
 * neither is compared here. So a fault can hide only behind an unknown operation that has the hash
 * of a known one by chance (one in 10^10 with a million operations) and the same figures.
 */
export interface OperationTable {
  readonly blocks: Block[];
  count: number;
  /**
   * A hash table with open addressing: the place of a row is `hash & (length − 1)`, or the first
   * free slot after it. −1: the slot is free. It is made once the number of rows is known, so that
   * it is no larger than they need; `null` until then.
   */
  index: Int32Array | null;
  /** The currencies and failure codes met so far, of which there are few. */
  readonly words: (string | null)[];
}

/** The columns of 4,096 operations. Blocks are never copied to make room for more. */
interface Block {
  readonly hashes: Float64Array;
  readonly amounts: Int32Array;
  readonly fees: Int32Array;
  readonly updatedAt: Float64Array;
  /**
   * 32 bits of the hash of the partner's reference, 0 where there is none. Two references that
   * differ have the same bits once in 4 × 10^9 times.
   */
  readonly externals: Int32Array;
  readonly types: Uint8Array;
  readonly statuses: Uint8Array;
  /** Places of the currencies among the table's words. */
  readonly currencies: Uint8Array;
  /** Places of the failure codes among the table's words. */
  readonly failureCodes: Uint8Array;
  /** One bit for each of the eight states, set where some notification names the state. */
  readonly notified: Uint8Array;
}

const BLOCK_BITS = 12;
const BLOCK_ROWS = 2 ** BLOCK_BITS;
/**
 * In place of the type, for an operation that these few numbers do not describe, or that shares its
 * hash with another.
 */
const ODD = 255;
const MOST_WORDS = 256;

export function createOperationTable(): OperationTable {
  return { blocks: [], count: 0, index: null, words: [null] };
}

/**
 * Adds an operation; each must be added once. `hash` is that of its reference, `external` that of
 * the partner's reference, which may be anything where there is none.
 */
export function addOperation(
  table: OperationTable,
  operation: Operation,
  hash: number,
  external: number,
): void {
  const row = table.count++;
  const at = row % BLOCK_ROWS;
  if (at === 0) table.blocks.push(allocate());
  const block = table.blocks.at(-1)!;
  const { amount, fees, netAmount, type } = operation;
  const currency = wordOf(table, operation.currency);
  const failureCode = wordOf(table, operation.failureCode);
  const isOdd = netAmount !== netAmountOf(operation) || currency < 0 || failureCode < 0;
  block.hashes[at] = hash;
  block.amounts[at] = amount;
  block.fees[at] = fees;
  block.updatedAt[at] = operation.updatedAt;
  block.externals[at] = external;
  const isLarge = block.amounts[at] !== amount || block.fees[at] !== fees;
  block.types[at] = isOdd || isLarge ? ODD : OPERATION_TYPES.indexOf(type);
  block.statuses[at] = OPERATION_STATUSES.indexOf(operation.status);
  block.currencies[at] = currency;
  block.failureCodes[at] = failureCode;
  table.index = null;
}

function allocate(): Block {
  return {
    hashes: new Float64Array(BLOCK_ROWS),
    amounts: new Int32Array(BLOCK_ROWS),
    fees: new Int32Array(BLOCK_ROWS),
    updatedAt: new Float64Array(BLOCK_ROWS),
    externals: new Int32Array(BLOCK_ROWS),
    types: new Uint8Array(BLOCK_ROWS),
    statuses: new Uint8Array(BLOCK_ROWS),
    currencies: new Uint8Array(BLOCK_ROWS),
    failureCodes: new Uint8Array(BLOCK_ROWS),
    notified: new Uint8Array(BLOCK_ROWS),
  };
}

/** Returns the place of a word, which is added where it is new; −1 when there are too many. */
function wordOf({ words }: OperationTable, word: string | null): number {
  const known = words.indexOf(word);
  if (known >= 0 || words.length === MOST_WORDS) return known;
  return words.push(word) - 1;
}

/**
 * Returns the row for each hash, or −1. Where operations share a hash, it is the row of one of
 * them. It reads the likely slots of all hashes before it compares any, so that the processor waits
 * for several memory reads at once.
 */
export function rowsOf(table: OperationTable, hashes: Float64Array): Int32Array {
  table.index ??= indexOf(table);
  const { index, blocks } = table;
  const mask = index.length - 1;
  const rows = new Int32Array(hashes.length);
  for (let i = 0; i < rows.length; i += 1) rows[i] = index[hashes[i]! & mask]!;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i]!;
    if (row >= 0 && hashAt(blocks, row) !== hashes[i])
      rows[i] = index[placeOf(blocks, index, hashes[i]!)]!;
  }
  return rows;
}

function hashAt(blocks: readonly Block[], row: number): number {
  return blocks[row >> BLOCK_BITS]!.hashes[row % BLOCK_ROWS]!;
}

/** Returns the slot of this hash's row, or the free slot for it. */
function placeOf(blocks: readonly Block[], index: Int32Array, hash: number): number {
  const mask = index.length - 1;
  let place = hash & mask;
  for (let row = index[place]!; row >= 0; row = index[place]!) {
    if (hashAt(blocks, row) === hash) return place;
    place = (place + 1) & mask;
  }
  return place;
}

/** Makes the index. Of operations that share a hash the first is indexed, and marked as ODD. */
function indexOf({ blocks, count }: OperationTable): Int32Array {
  const index = new Int32Array(2 ** Math.ceil(Math.log2(1.5 * count + 2))).fill(-1);
  for (let row = 0; row < count; row += 1) {
    const place = placeOf(blocks, index, hashAt(blocks, row));
    const first = index[place]!;
    if (first < 0) index[place] = row;
    else blocks[first >> BLOCK_BITS]!.types[first % BLOCK_ROWS] = ODD;
  }
  return index;
}

/** Notes that some notification names this state of the operation. */
export function noteNotified(
  { blocks }: OperationTable,
  row: number,
  status: OperationStatus,
): void {
  blocks[row >> BLOCK_BITS]!.notified[row % BLOCK_ROWS]! |= bitOf(status);
}

/**
 * True when `judgeNotification` would find no fault. False means only that the table cannot tell.
 */
export function agrees(
  { blocks, words }: OperationTable,
  row: number,
  { notification, externalHash }: HashedNotification,
  settings: { readonly clockTolerance: number },
): boolean {
  const block = blocks[row >> BLOCK_BITS]!;
  const at = row % BLOCK_ROWS;
  const type = OPERATION_TYPES[block.types[at]!];
  const external = externalHash | 0;
  if (type === undefined || (external !== 0 && external !== block.externals[at])) return false;
  const amount = block.amounts[at]!;
  const fees = block.fees[at]!;
  const operation: ComparedOperation = {
    type,
    amount,
    fees,
    status: OPERATION_STATUSES[block.statuses[at]!]!,
    netAmount: netAmountOf({ type, amount, fees }),
    currency: words[block.currencies[at]!]!,
    failureCode: words[block.failureCodes[at]!]!,
    updatedAt: block.updatedAt[at]!,
  };
  return judgeNotification(notification, operation, settings).length === 0;
}

/** Whether some operation is in a state that no notification names, but one should. */
export function hasUnnotified({ blocks, count }: OperationTable): boolean {
  return blocks.some((block, i) => {
    const rows = Math.min(BLOCK_ROWS, count - i * BLOCK_ROWS);
    for (let at = 0; at < rows; at += 1) if (isUnnotifiedAt(block, at)) return true;
    return false;
  });
}

/**
 * Whether the operation, which must be in the table, is in a state that should have been notified
 * and was not. Where two share a hash, both count as notified when one is, because it is not known
 * which.
 */
export function isUnnotifiedIn(
  table: OperationTable,
  hash: number,
  status: OperationStatus,
): boolean {
  const row = rowsOf(table, Float64Array.of(hash))[0]!;
  return (
    isNotifiedState(status) &&
    !isNotifiedAt(table.blocks[row >> BLOCK_BITS]!, row % BLOCK_ROWS, status)
  );
}

function isUnnotifiedAt(block: Block, at: number): boolean {
  const status = OPERATION_STATUSES[block.statuses[at]!]!;
  return isNotifiedState(status) && !isNotifiedAt(block, at, status);
}

function isNotifiedAt({ notified }: Block, at: number, status: OperationStatus): boolean {
  return (notified[at]! & bitOf(status)) !== 0;
}

function bitOf(status: OperationStatus): number {
  return 1 << OPERATION_STATUSES.indexOf(status);
}
