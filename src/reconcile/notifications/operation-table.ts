// What notifications say of operations is compared with, for millions of them: a few numbers an operation, found by the hash
// of its reference. Only agreement is taken from here; whatever differs is compared with the operation itself.

import { type ComparedOperation, judgeNotification } from '../../checks/notifications/judge-notification.ts';
import { type HashedNotification, isNotifiedState } from '../../domain/notification.ts';
import {
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
  type OperationStatus,
  type OperationType,
} from '../../domain/operation.ts';

/**
 * A reference is known by 53 bits under a key that nobody outside the process knows, so nobody can choose references that
 * meet. Where chance makes two operations of the books share a hash, neither is compared here. So a fault could hide only
 * behind an operation that is unknown, has the hash of a known one by chance (one in 10^10 with a million operations), and
 * is described as that one is.
 */
export interface OperationTable {
  readonly blocks: Block[];
  count: number;
  /** Of all rows, once one was looked for. */
  index: RowIndex | null;
  /** Currencies and codes of failures, of which there are few. */
  readonly words: (string | null)[];
}

/** Rows by the hash of their reference: made when their number is known, so that it takes no more room than they need. */
interface RowIndex {
  /** The last row of each remainder of a hash; −1: there is none. */
  readonly heads: Int32Array;
  /** The row before each row, of the same remainder. */
  readonly before: Int32Array;
}

/** A block is never copied to make room for more. */
interface Block {
  readonly hashes: Float64Array;
  readonly amounts: Int32Array;
  readonly fees: Int32Array;
  readonly updatedAt: Float64Array;
  /** 32 bits of the hash of the partner's reference, 0 where there is none: two that differ agree once in 4 × 10^9 times. */
  readonly externals: Int32Array;
  readonly types: Uint8Array;
  readonly statuses: Uint8Array;
  /** By their place among the table's words. */
  readonly currencies: Uint8Array;
  readonly failureCodes: Uint8Array;
  /** A bit for each state that some notification names. */
  readonly notified: Uint8Array;
}

const BLOCK_BITS = 12;
const BLOCK_ROWS = 2 ** BLOCK_BITS;
/** The type of an operation that these few numbers do not describe. */
const ODD = 255;
const MOST_WORDS = 256;

export function createOperationTable(): OperationTable {
  return { blocks: [], count: 0, index: null, words: [null] };
}

/** Each operation once. */
export function addOperation(table: OperationTable, operation: Operation, hashOf: (text: string) => number): void {
  const row = table.count++;
  const at = row % BLOCK_ROWS;
  if (at === 0) table.blocks.push(allocate());
  const block = table.blocks.at(-1)!;
  const { amount, fees, netAmount, externalReference, type } = operation;
  const currency = wordOf(table, operation.currency);
  const failureCode = wordOf(table, operation.failureCode);
  const isOdd = netAmount !== netAmountOf(type, amount, fees) || currency < 0 || failureCode < 0;
  block.hashes[at] = hashOf(operation.reference);
  block.amounts[at] = amount;
  block.fees[at] = fees;
  block.updatedAt[at] = operation.updatedAt;
  block.externals[at] = externalReference === null ? 0 : hashOf(externalReference);
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

/** What nearly every operation has (direct API, "Operation"). */
function netAmountOf(type: OperationType, amount: number, fees: number): number {
  return type === 'CASHIN' ? amount - fees : amount + fees;
}

/** True when nothing is to be said of the notification, by the very check that would say it; false when that is not known. */
export function agrees(
  table: OperationTable,
  { notification, referenceHash, externalHash }: HashedNotification,
  settings: { readonly clockTolerance: number },
): boolean {
  const { reference, externalReference } = notification.operation!;
  const row = lastRow(table, referenceHash);
  if (row < 0 || rowBefore(table, referenceHash, row) >= 0) return false;
  const { blocks, words } = table;
  const block = blocks[row >> BLOCK_BITS]!;
  const at = row % BLOCK_ROWS;
  const type = OPERATION_TYPES[block.types[at]!];
  if (type === undefined || (externalHash | 0) !== block.externals[at]) return false;
  const amount = block.amounts[at]!;
  const fees = block.fees[at]!;
  const operation: ComparedOperation = {
    reference,
    externalReference,
    type,
    amount,
    fees,
    status: OPERATION_STATUSES[block.statuses[at]!]!,
    netAmount: netAmountOf(type, amount, fees),
    currency: words[block.currencies[at]!]!,
    failureCode: words[block.failureCodes[at]!]!,
    updatedAt: block.updatedAt[at]!,
  };
  return judgeNotification(notification, operation, settings).length === 0;
}

/** Some notification names this state of the operation, which need not be in the table. */
export function noteNotified(table: OperationTable, hash: number, status: OperationStatus): void {
  if (!isNotifiedState(status)) return;
  for (let row = lastRow(table, hash); row >= 0; row = rowBefore(table, hash, row)) {
    table.blocks[row >> BLOCK_BITS]!.notified[row % BLOCK_ROWS]! |= bitOf(status);
  }
}

function lastRow(table: OperationTable, hash: number): number {
  table.index ??= indexOf(table);
  const { heads } = table.index;
  return rowFrom(table, heads[hash & (heads.length - 1)]!, hash);
}

function rowBefore(table: OperationTable, hash: number, row: number): number {
  return rowFrom(table, table.index!.before[row]!, hash);
}

/** The first one of this hash, from `row` back; −1: there is none. */
function rowFrom({ blocks, index }: OperationTable, row: number, hash: number): number {
  let at = row;
  while (at >= 0 && blocks[at >> BLOCK_BITS]!.hashes[at % BLOCK_ROWS] !== hash) at = index!.before[at]!;
  return at;
}

function indexOf({ blocks, count }: OperationTable): RowIndex {
  const heads = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(count, 2)))).fill(-1);
  const before = new Int32Array(count);
  for (let row = 0; row < count; row += 1) {
    const head = blocks[row >> BLOCK_BITS]!.hashes[row % BLOCK_ROWS]! & (heads.length - 1);
    before[row] = heads[head]!;
    heads[head] = row;
  }
  return { heads, before };
}

/** Whether some operation is in a state that no notification names, but one should. */
export function hasUnnotified({ blocks, count }: OperationTable): boolean {
  return blocks.some((block, i) => {
    const rows = Math.min(BLOCK_ROWS, count - i * BLOCK_ROWS);
    for (let at = 0; at < rows; at += 1) if (isUnnotifiedAt(block, at)) return true;
    return false;
  });
}

/** For an operation of the table. Of two that share a hash, both count as notified when one is: it is not known which. */
export function isUnnotifiedIn(table: OperationTable, hash: number, status: OperationStatus): boolean {
  const row = lastRow(table, hash);
  return isNotifiedState(status) && !isNotifiedAt(table.blocks[row >> BLOCK_BITS]!, row % BLOCK_ROWS, status);
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
