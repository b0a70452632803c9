// What notifications say of operations is compared with, for millions of them: a few numbers an operation, found by the hash
// of its reference. Only agreement is taken from here; whatever differs is compared with the operation itself.

import { type ComparedOperation, judgeNotification } from '../../checks/notifications/judge-notification.ts';
import { type HashedNotification, isToldOf } from '../../domain/notification.ts';
import {
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
  type OperationStatus,
  type OperationType,
} from '../../domain/operation.ts';
import { createHashTable, enter, firstPlace, type HashTable, nextPlace } from '../../rows/hash-table.ts';

/**
 * A reference is known by 53 bits under a key that nobody outside the process knows, so nobody can choose references that
 * meet. Where chance makes two operations of the books share a hash, neither is compared here. So a fault could hide only
 * behind an operation that is unknown, has the hash of a known one by chance (one in 10^10 with a million operations), and
 * is described as that one is.
 */
export interface OperationTable {
  /** Row of an operation by the hash of its reference. */
  readonly rows: HashTable;
  readonly blocks: Block[];
  count: number;
  /** Currencies and codes of failures, of which there are few. */
  readonly words: (string | null)[];
}

/** A block is never copied to make room for more. */
interface Block {
  readonly amounts: Float64Array;
  readonly fees: Float64Array;
  readonly updatedAt: Float64Array;
  /** 32 bits of the hash of the partner's reference, 0 where there is none: two that differ agree once in 4 × 10^9 times. */
  readonly externals: Int32Array;
  readonly types: Uint8Array;
  readonly statuses: Uint8Array;
  /** By their place among the table's words. */
  readonly currencies: Uint8Array;
  readonly failureCodes: Uint8Array;
  /** A bit for each state that some notification tells. */
  readonly told: Uint8Array;
}

const BLOCK_BITS = 12;
const BLOCK_ROWS = 2 ** BLOCK_BITS;
/** The type of an operation that these few numbers do not describe. */
const ODD = 255;
const MOST_WORDS = 256;

export function createOperationTable(): OperationTable {
  return { rows: createHashTable(), blocks: [], count: 0, words: [null] };
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
  block.amounts[at] = amount;
  block.fees[at] = fees;
  block.updatedAt[at] = operation.updatedAt;
  block.externals[at] = externalReference === null ? 0 : hashOf(externalReference);
  block.types[at] = isOdd ? ODD : OPERATION_TYPES.indexOf(type);
  block.statuses[at] = OPERATION_STATUSES.indexOf(operation.status);
  block.currencies[at] = currency;
  block.failureCodes[at] = failureCode;
  enter(table.rows, hashOf(operation.reference), row);
}

function allocate(): Block {
  return {
    amounts: new Float64Array(BLOCK_ROWS),
    fees: new Float64Array(BLOCK_ROWS),
    updatedAt: new Float64Array(BLOCK_ROWS),
    externals: new Int32Array(BLOCK_ROWS),
    types: new Uint8Array(BLOCK_ROWS),
    statuses: new Uint8Array(BLOCK_ROWS),
    currencies: new Uint8Array(BLOCK_ROWS),
    failureCodes: new Uint8Array(BLOCK_ROWS),
    told: new Uint8Array(BLOCK_ROWS),
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
  { rows, blocks, words }: OperationTable,
  { notification, referenceHash, externalHash }: HashedNotification,
  settings: { readonly clockTolerance: number },
): boolean {
  const { reference, externalReference } = notification.operation!;
  const place = firstPlace(rows, referenceHash);
  if (place < 0 || nextPlace(rows, referenceHash, place) >= 0) return false;
  const row = rows.values[place]!;
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

/** Some notification tells this state of the operation, which need not be in the table. */
export function noteTold({ rows, blocks }: OperationTable, hash: number, status: OperationStatus): void {
  if (!isToldOf(status)) return;
  for (let place = firstPlace(rows, hash); place >= 0; place = nextPlace(rows, hash, place)) {
    const row = rows.values[place]!;
    blocks[row >> BLOCK_BITS]!.told[row % BLOCK_ROWS]! |= bitOf(status);
  }
}

/** Whether some operation is in a state that no notification tells, but should. */
export function hasUntold({ blocks, count }: OperationTable): boolean {
  return blocks.some((block, i) => {
    const rows = Math.min(BLOCK_ROWS, count - i * BLOCK_ROWS);
    for (let at = 0; at < rows; at += 1) if (isUntoldAt(block, at)) return true;
    return false;
  });
}

/** For an operation of the table. Of two that share a hash, both are told when one is: it is not known which. */
export function isUntold({ rows, blocks }: OperationTable, hash: number, status: OperationStatus): boolean {
  const row = rows.values[firstPlace(rows, hash)]!;
  return isToldOf(status) && !isTold(blocks[row >> BLOCK_BITS]!, row % BLOCK_ROWS, status);
}

function isUntoldAt(block: Block, at: number): boolean {
  const status = OPERATION_STATUSES[block.statuses[at]!]!;
  return isToldOf(status) && !isTold(block, at, status);
}

function isTold({ told }: Block, at: number, status: OperationStatus): boolean {
  return (told[at]! & bitOf(status)) !== 0;
}

function bitOf(status: OperationStatus): number {
  return 1 << OPERATION_STATUSES.indexOf(status);
}
