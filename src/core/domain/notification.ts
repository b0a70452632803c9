// What the service notified (direct API, "Events"): which types there are, and what each says of
// its operation. A notification is a hint of what the service said at some moment, and never part
// of the books.

import type { Instant } from './instant.ts';
import { HOUR, MINUTE } from './instant.ts';
import { isFinal, type Operation, type OperationStatus, type OperationType } from './operation.ts';

/**
 * What a notification carries of its operation, as far as it is compared with the books. Null where
 * the notification does not carry it; use its own createdAt for `updatedAt` then.
 */
export type NotifiedOperation = Pick<Operation, 'reference' | 'type' | 'status' | 'amount'> & {
  readonly [Name in
    | 'fees'
    | 'netAmount'
    | 'currency'
    | 'externalReference'
    | 'failureCode'
    | 'createdAt'
    | 'updatedAt']: Operation[Name] | null;
};

export interface Notification {
  /** The deduplication key: a notification is delivered at least once. */
  readonly id: string;
  readonly type: string;
  readonly createdAt: Instant;
  /** When it was there for certain: `createdAt`, or when it first came if that was earlier. */
  readonly at: Instant;
  /**
   * Null for types that are not about an operation, and for types that the document does not know.
   */
  readonly operation: NotifiedOperation | null;
}

/**
 * A notification as it was delivered, and the hashes that tell it from others: safe integers ≥ 0,
 * which are never kept.
 */
export interface HashedNotification {
  readonly notification: Notification;
  readonly idHash: number;
  /** Of the operation's reference and of the partner's; NaN where there is none. */
  readonly referenceHash: number;
  readonly externalHash: number;
  /** Equal for bodies of equal bytes. Bodies of other bytes may still say the same. */
  readonly bodyHash: number;
}

/**
 * A notification with all that its body says, condensed: equal texts mean equal content, however it
 * was written.
 */
export interface NotificationContent {
  readonly notification: Notification;
  readonly content: string;
}

interface NotifiedState {
  /** Null where the type is about either. */
  readonly type: OperationType | null;
  readonly status: OperationStatus;
}

const STATES_BY_TYPE: ReadonlyMap<string, NotifiedState> = new Map<string, NotifiedState>([
  ['cashin.awaiting_payer', { type: 'CASHIN', status: 'AWAITING_PAYER' }],
  ['cashin.succeeded', { type: 'CASHIN', status: 'SUCCEEDED' }],
  ['cashin.failed', { type: 'CASHIN', status: 'FAILED' }],
  ['cashin.expired', { type: 'CASHIN', status: 'EXPIRED' }],
  ['cashout.succeeded', { type: 'CASHOUT', status: 'SUCCEEDED' }],
  ['cashout.failed', { type: 'CASHOUT', status: 'FAILED' }],
  ['cashout.expired', { type: 'CASHOUT', status: 'EXPIRED' }],
  ['operation.reversed', { type: null, status: 'REVERSED' }],
]);

/** Those that the document names, but for `wallet.adjusted` and `ping`. */
export const TYPES_OF_NOTIFICATIONS: readonly string[] = [...STATES_BY_TYPE.keys()];

/**
 * What a type says of its operation; null for `wallet.adjusted`, `ping` and types outside the
 * document.
 */
export function stateNotifiedBy(type: string): NotifiedState | null {
  return STATES_BY_TYPE.get(type) ?? null;
}

export function isKnownType(type: string): boolean {
  return STATES_BY_TYPE.has(type) || type === 'wallet.adjusted' || type === 'ping';
}

/**
 * CANCELLED has no type of notification, and states that are not final are notified in passing at
 * most.
 */
export function isNotifiedState(status: OperationStatus): boolean {
  return isFinal(status) && status !== 'CANCELLED';
}

/**
 * After so long no attempt to deliver is left: 2 s, 4 s, 8 s, 5 min, 15 min, 1 h, 6 h and 24 h are
 * 31 h 20 min 14 s, and nine answers of 15 s at most 2 min 15 s more (direct API, "Delivery
 * rules"); rounded up.
 */
export const DELIVERY_WINDOW = 31 * HOUR + 30 * MINUTE;

/**
 * "PENDING (sending), SUCCESS, FAILED (replay scheduled), ABANDONED (attempts exhausted or
 * non-retryable)".
 */
export const DELIVERY_STATUSES = ['PENDING', 'SUCCESS', 'FAILED', 'ABANDONED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
