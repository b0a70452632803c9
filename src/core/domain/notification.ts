// Notifications of the service (direct API, "Events"): which types there are, and what each says of
// its operation. A notification is a hint of what the service said at some moment, and never part
// of the books.

import type { Instant } from './instant.ts';
import { HOUR, MINUTE } from './instant.ts';
import { isFinal, type Operation, type OperationStatus, type OperationType } from './operation.ts';

/**
 * The fields of an operation that a notification carries, as far as they are compared with the
 * books. A field is `null` when the notification does not carry it. Where `updatedAt` is `null`,
 * use the notification's own `createdAt` instead.
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
  /**
   * The earliest instant at which the notification surely existed: `createdAt`, or when it first
   * came if that was earlier.
   */
  readonly at: Instant;
  /**
   * Null for types that are not about an operation, and for types that the document does not know.
   */
  readonly operation: NotifiedOperation | null;
}

/**
 * A notification as it was delivered, with hashes that tell it from others: safe integers ≥ 0,
 * which are keyed anew in each process and never stored.
 */
export interface HashedNotification {
  readonly notification: Notification;
  readonly idHash: number;
  /** Hash of the operation's reference; NaN when there is none. */
  readonly referenceHash: number;
  /** Hash of the partner's reference; NaN when there is none. */
  readonly externalHash: number;
  /** Equal for bodies of equal bytes. Bodies of different bytes may still say the same. */
  readonly bodyHash: number;
}

/**
 * A notification with the whole content of its body in one text. Equal texts mean equal content,
 * however the body was written.
 */
export interface NotificationContent {
  readonly notification: Notification;
  readonly content: string;
}

interface NotifiedState {
  /** `null` when the notification may be about either type. */
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

/** The types in the document that are about an operation: all but `wallet.adjusted` and `ping`. */
export const TYPES_OF_NOTIFICATIONS: readonly string[] = [...STATES_BY_TYPE.keys()];

/**
 * Returns what a type of notification says about its operation; `null` for `wallet.adjusted`,
 * `ping` and types outside the document.
 */
export function stateNotifiedBy(type: string): NotifiedState | null {
  return STATES_BY_TYPE.get(type) ?? null;
}

export function isKnownType(type: string): boolean {
  return STATES_BY_TYPE.has(type) || type === 'wallet.adjusted' || type === 'ping';
}

/**
 * True for states that the service surely notifies: final states, without CANCELLED, for which
 * there is no type of notification.
 */
export function isNotifiedState(status: OperationStatus): boolean {
  return isFinal(status) && status !== 'CANCELLED';
}

/**
 * The time after which the service makes no more attempts to deliver: the waits of 2 s, 4 s, 8 s, 5
 * min, 15 min, 1 h, 6 h and 24 h are 31 h 20 min 14 s, and nine answers of at most 15 s add 2 min
 * 15 s (direct API, "Delivery rules"); rounded up.
 */
export const DELIVERY_WINDOW = 31 * HOUR + 30 * MINUTE;

/**
 * States of a delivery in the service's list: "PENDING (sending), SUCCESS, FAILED (replay
 * scheduled), ABANDONED (attempts exhausted or non-retryable)".
 */
export const DELIVERY_STATUSES = ['PENDING', 'SUCCESS', 'FAILED', 'ABANDONED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
