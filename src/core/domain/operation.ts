// One cash-in or cash-out (direct API, "Operation"), its states and its limits in time.

import type { Amount } from './amount.ts';
import { DAY, HOUR, type Instant, MINUTE } from './instant.ts';

export const OPERATION_TYPES = ['CASHIN', 'CASHOUT'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const OPERATION_STATUSES = [
  'CREATED',
  'PENDING',
  'AWAITING_PAYER',
  'SUCCEEDED',
  'FAILED',
  'EXPIRED',
  'CANCELLED',
  'REVERSED',
] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

export const OPERATORS = ['ORANGE', 'MTN', 'MOOV', 'WAVE', 'DJAMO'] as const;

export const FAILURE_CODES = [
  'OPERATOR_INSUFFICIENT_FUNDS',
  'OPERATOR_ACCOUNT_UNKNOWN',
  'OPERATOR_ACCOUNT_LIMIT_REACHED',
  'PAYER_CANCELLED',
  'OPERATOR_TIMEOUT',
  'OPERATOR_REFUSED',
  'UPSTREAM_UNAVAILABLE',
  'SETTLEMENT_ACCOUNT_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const;

/** The fields of an Operation that are judged; the others are in `OperationTexts`. */
export interface Operation {
  readonly reference: string;
  readonly type: OperationType;
  readonly status: OperationStatus;
  /** Requested amount. */
  readonly amount: Amount;
  /** Commission, fixed at creation; 0 when free. */
  readonly fees: Amount;
  /** Wallet impact: amount − fees credited on a cash-in, amount + fees debited on a cash-out. */
  readonly netAmount: Amount;
  readonly currency: string;
  readonly country: string;
  readonly operator: string;
  readonly externalReference: string | null;
  readonly payerActionUrl: string | null;
  readonly requiresPayerAction: boolean;
  /**
   * `failure.code`, as served (a code outside the document is a finding); `null` when `failure` is
   * `null`.
   */
  readonly failureCode: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly completedAt: Instant | null;
  readonly expiresAt: Instant | null;
}

/** Returns the wallet impact: amount − fees on a cash-in, amount + fees on a cash-out. */
export function netAmountOf({
  type,
  amount,
  fees,
}: Pick<Operation, 'type' | 'amount' | 'fees'>): Amount {
  return type === 'CASHIN' ? amount - fees : amount + fees;
}

/**
 * Returns the text, or `null` when it is blank: a service without a value may write a blank one.
 */
export function unlessBlank(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}

/**
 * The fields of an Operation that no check judges: kept as they were served, shown to people, and
 * never a fault.
 */
export interface OperationTexts {
  /**
   * Phone number of the payer of a cash-in, or of the beneficiary of a cash-out (direct API,
   * "Counterparty"): E.164, as the service says.
   */
  readonly counterpartyNumber: string | null;
  readonly counterpartyName: string | null;
  readonly description: string | null;
  readonly failureMessage: string | null;
  /** The operation's metadata as JSON text. */
  readonly metadata: string | null;
}

export interface DescribedOperation extends Operation, OperationTexts {}

const NO_TEXTS: OperationTexts = {
  counterpartyNumber: null,
  counterpartyName: null,
  description: null,
  failureMessage: null,
  metadata: null,
};

/** Returns the operation with its texts. They are all `null` when it was read without them. */
export function describedOf(operation: Operation & Partial<OperationTexts>): DescribedOperation {
  return operation.metadata === undefined
    ? { ...operation, ...NO_TEXTS }
    : (operation as DescribedOperation);
}

/**
 * An operation to be fetched again, with the state in which it was last served; `null`s when it
 * never was served.
 */
export interface OpenOperation {
  readonly reference: string;
  readonly status: OperationStatus | null;
  readonly createdAt: Instant | null;
}

/**
 * A known operation that the last complete reading did not serve. `missedAgainAt` is when a second
 * reading did not serve it either; `null` when there was none since.
 */
export interface MissingOperation {
  readonly operation: Operation;
  readonly missedAt: Instant;
  readonly missedAgainAt: Instant | null;
  /** The first sequences of the lines that name the operation, ascending. */
  readonly lines: readonly number[];
}

export function openOf(reference: string, operation: Operation | null): OpenOperation {
  return { reference, status: operation?.status ?? null, createdAt: operation?.createdAt ?? null };
}

/**
 * True for final states. CREATED, PENDING and AWAITING_PAYER can still change (direct API, "States
 * and transitions").
 */
export function isFinal(status: OperationStatus): boolean {
  return status !== 'CREATED' && status !== 'PENDING' && status !== 'AWAITING_PAYER';
}

/**
 * The operators in the document. A service may serve others too, and the document does not say
 * which operator works in which country.
 */
export const KNOWN_OPERATORS: ReadonlySet<string> = new Set(OPERATORS);

/** True when the operation moved money: SUCCEEDED, or REVERSED after it succeeded. */
export function hasSettled(status: OperationStatus): boolean {
  return status === 'SUCCEEDED' || status === 'REVERSED';
}

/** True for the final states in which no money may have moved. */
export function hasLapsed(status: OperationStatus): boolean {
  return status === 'FAILED' || status === 'EXPIRED' || status === 'CANCELLED';
}

/**
 * Returns how long an operation may wait, in milliseconds: 30 minutes for a cash-in, 6 hours for a
 * cash-out (field `expiresAt`).
 */
export function lifetimeOf(type: OperationType): number {
  return type === 'CASHIN' ? 30 * MINUTE : 6 * HOUR;
}

/** Returns the instant until which the operation may succeed. */
export function livesUntil({ type, createdAt, expiresAt }: Operation): Instant {
  return expiresAt ?? createdAt + lifetimeOf(type);
}

/** Returns the instant at which the operation came to its last state. */
export function endOf({ completedAt, updatedAt }: Operation): Instant {
  return completedAt ?? updatedAt;
}

/** Returns the operation as it was before it ended. */
export function asOpen(operation: Operation): Operation {
  return {
    ...operation,
    status: 'PENDING',
    failureCode: null,
    requiresPayerAction: false,
    updatedAt: operation.createdAt,
    completedAt: null,
  };
}

/** This many characters of a reference, all ASCII, decide which type it announces. */
export const ANNOUNCING = 7;

/**
 * Returns the type that a reference's prefix announces (`GUI-CI-`, `GUI-CO-`), or `null` for a
 * reference of another form.
 */
export function typeOfReference(reference: string): OperationType | null {
  if (reference.startsWith('GUI-CI-')) return 'CASHIN';
  if (reference.startsWith('GUI-CO-')) return 'CASHOUT';
  return null;
}

/**
 * How long after an operation succeeds, ends or is reversed its lines may come, in milliseconds. No
 * grace period is longer, and a nightly run has by then seen that a line is missing. The document
 * says only "on execution the debit and the fee are posted".
 */
export const LAWFUL_DELAY = DAY;

const SETTLING: ReadonlySet<string> = new Set([
  'CASHIN_CREDIT',
  'CASHIN_FEE',
  'CASHOUT_DEBIT',
  'CASHOUT_FEE',
  'CASHOUT_RELEASE',
]);

/** True for the kinds of lines that an operation posts when it ends in whatever way. */
export function settles(kind: string): boolean {
  return SETTLING.has(kind);
}

/**
 * Returns since when lines of this kind are due; `null` when none are due, or when that instant is
 * not known.
 */
export function askedAt(
  { status, completedAt, updatedAt }: Pick<Operation, 'status' | 'completedAt' | 'updatedAt'>,
  kind: string,
): Instant | null {
  if (!isFinal(status) || completedAt === null) return null;
  const isReversed = status === 'REVERSED';
  // A reversal has happened by `updatedAt`, whichever instant `completedAt` is.
  if (isReversed && kind.startsWith('REVERSAL_')) return updatedAt;
  // If both are equal, the instant may be that of the success or that of the reversal.
  if (isReversed && completedAt === updatedAt) return null;
  return settles(kind) ? completedAt : null;
}

/**
 * True when an operation in state `from` may later be in state `to`. Of the final states only
 * SUCCEEDED may change, to REVERSED.
 */
export function mayBecome(from: OperationStatus, to: OperationStatus): boolean {
  return from === to || !isFinal(from) || (from === 'SUCCEEDED' && to === 'REVERSED');
}

/** Fields that are fixed at creation (direct API, "Operation"): the request, and the commission. */
const FIXED = [
  'type',
  'amount',
  'fees',
  'netAmount',
  'currency',
  'country',
  'operator',
  'createdAt',
] as const;
export type FixedField = (typeof FIXED)[number];

/** An operation as it was served once, and as it is served now. */
export interface Departure {
  readonly before: Operation;
  readonly now: Operation;
}

/** Returns the first of the fixed fields that has changed, or `null`. */
export function changedField({ before, now }: Departure): FixedField | null {
  return FIXED.find((field) => before[field] !== now[field]) ?? null;
}

/**
 * True when the operation has left a final state in another way than from SUCCEEDED to REVERSED. An
 * answer older than `before` proves nothing.
 */
export function hasRegressed({ before, now }: Departure): boolean {
  return !mayBecome(before.status, now.status) && now.updatedAt >= before.updatedAt;
}

export function hasDeparted(departure: Departure): boolean {
  return changedField(departure) !== null || hasRegressed(departure);
}
