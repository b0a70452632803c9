// The figures of millions of operations that notifications are compared with: a few numbers an
// operation, found by the hash of its reference. Only agreement is taken from here; whatever
// differs is compared with the operation itself.

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
 * A reference is known by 53 bits under a secret key of this process, so no attacker can choose
 * references that collide. Where chance makes two operations of the books share a hash, neither is
 * compared here. So a fault could hide only behind an operation that is unknown, has the hash of a
 * known one by chance (one in 10^10 with a million operations), and is described as that one is.
 */
export interface OperationTable {
  readonly blocks: Block[];
  count: number;
  /**
   * Rows by the hash of their reference, in its place or in the first free one after it; −1: free.
   * Made when the number of rows is known, so that it takes no more room than they need; null: not
   * yet.
   */
  index: Int32Array | null;
  /** Currencies and codes of failures, of which there are few. */
  readonly words: (string | null)[];
}

/** A block is never copied to make room for more. */
interface Block {
  readonly hashes: Float64Array;
  readonly amounts: Int32Array;
  readonly fees: Int32Array;
  readonly updatedAt: Float64Array;
  /**
   * 32 bits of the hash of the partner's reference, 0 where there is none: two that differ agree
   * once in 4 × 10^9 times.
   */
  readonly externals: Int32Array;
  readonly types: Uint8Array;
  readonly statuses: Uint8Array;
  /** By their place among the table's words. */
  readonly currencies: Uint8Array;
  readonly failureCodes: Uint8Array;
  /** A bit for each state that some notification names: of eight. */
  readonly notified: Uint8Array;
}

const BLOCK_BITS = 12;
const BLOCK_ROWS = 2 ** BLOCK_BITS;
/** The type of an operation that these few numbers do not describe, or that shares its hash. */
const ODD = 255;
const MOST_WORDS = 256;

export function createOperationTable(): OperationTable {
  return { blocks: [], count: 0, index: null, words: [null] };
}

/**
 * Each operation once. `hash`: of its reference; `external`: of the partner's, anything where there
 * is none.
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

/** −1 when there are too many. */
function wordOf({ words }: OperationTable, word: string | null): number {
  const known = words.indexOf(word);
  if (known >= 0 || words.length === MOST_WORDS) return known;
  return words.push(word) - 1;
}

/**
 * The row of each of these hashes, or that of one of the operations that share it; −1: there is
 * none. Reads the likely places of all before it compares any, so that the processor waits for
 * several at once.
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

/** The place of the row of this hash, or the free place for it. */
function placeOf(blocks: readonly Block[], index: Int32Array, hash: number): number {
  const mask = index.length - 1;
  let place = hash & mask;
  for (let row = index[place]!; row >= 0; row = index[place]!) {
    if (hashAt(blocks, row) === hash) return place;
    place = (place + 1) & mask;
  }
  return place;
}

/** Of operations that share a hash, the first one. */
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

/** Some notification names this state of the operation. */
export function noteNotified(
  { blocks }: OperationTable,
  row: number,
  status: OperationStatus,
): void {
  blocks[row >> BLOCK_BITS]!.notified[row % BLOCK_ROWS]! |= bitOf(status);
}

/** True when `judgeNotification` would find no fault; false when the table cannot tell. */
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
 * For an operation of the table. Of two that share a hash, both count as notified when one is: it
 * is not known which.
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
