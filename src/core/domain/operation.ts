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

/** The parts of an Operation that are judged; the rest of it is `OperationTexts`. */
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
   * `failure.code`, as served (a code outside the document is a finding); null when `failure` is
   * null.
   */
  readonly failureCode: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly completedAt: Instant | null;
  readonly expiresAt: Instant | null;
}

/** Wallet impact: amount − fees on a cash-in, amount + fees on a cash-out. */
export function netAmountOf({
  type,
  amount,
  fees,
}: Pick<Operation, 'type' | 'amount' | 'fees'>): Amount {
  return type === 'CASHIN' ? amount - fees : amount + fees;
}

/** Null for a blank text: a service that has none may write it so. */
export function unlessBlank(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}

/**
 * What an Operation says beside what is judged: kept as it was served, shown to people, and never a
 * fault.
 */
export interface OperationTexts {
  /**
   * Of the payer of a cash-in, of the beneficiary of a cash-out (direct API, "Counterparty"):
   * E.164, as the service says.
   */
  readonly counterpartyNumber: string | null;
  readonly counterpartyName: string | null;
  readonly description: string | null;
  readonly failureMessage: string | null;
  /** JSON text. */
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

/**
 * The operation with its texts: none of them is known where it comes from a reading that was not
 * asked for them.
 */
export function describedOf(operation: Operation & Partial<OperationTexts>): DescribedOperation {
  return operation.metadata === undefined
    ? { ...operation, ...NO_TEXTS }
    : (operation as DescribedOperation);
}

/** An operation that is to be asked for again, and how it was served last; nulls: it never was. */
export interface OpenOperation {
  readonly reference: string;
  readonly status: OperationStatus | null;
  readonly createdAt: Instant | null;
}

/**
 * A known operation that the last complete reading did not serve, nor, unless null, another one
 * since.
 */
export interface MissingOperation {
  readonly operation: Operation;
  readonly missedAt: Instant;
  readonly missedAgainAt: Instant | null;
  /** Ascending, the first sequences of the lines that name it. */
  readonly lines: readonly number[];
}

export function openOf(reference: string, operation: Operation | null): OpenOperation {
  return { reference, status: operation?.status ?? null, createdAt: operation?.createdAt ?? null };
}

/**
 * CREATED, PENDING and AWAITING_PAYER can still move; the others are final (direct API, "States and
 * transitions").
 */
export function isFinal(status: OperationStatus): boolean {
  return status !== 'CREATED' && status !== 'PENDING' && status !== 'AWAITING_PAYER';
}

/**
 * Another one is served all the same; which operator there is in which country the document does
 * not show.
 */
export const KNOWN_OPERATORS: ReadonlySet<string> = new Set(OPERATORS);

/** True when the money of the operation moved: SUCCEEDED, or REVERSED after having succeeded. */
export function hasSettled(status: OperationStatus): boolean {
  return status === 'SUCCEEDED' || status === 'REVERSED';
}

/** True for the final states in which no money may have moved. */
export function hasLapsed(status: OperationStatus): boolean {
  return status === 'FAILED' || status === 'EXPIRED' || status === 'CANCELLED';
}

/**
 * How long an operation may wait: 30 minutes for a cash-in, 6 hours for a cash-out (field
 * `expiresAt`).
 */
export function lifetimeOf(type: OperationType): number {
  return type === 'CASHIN' ? 30 * MINUTE : 6 * HOUR;
}

/** Until when it may succeed. */
export function livesUntil({ type, createdAt, expiresAt }: Operation): Instant {
  return expiresAt ?? createdAt + lifetimeOf(type);
}

/** When it came to its last state. */
export function endOf({ completedAt, updatedAt }: Operation): Instant {
  return completedAt ?? updatedAt;
}

/** As it was before it ended. */
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

/** Characters of a reference, none of them beyond ASCII, that decide what it announces. */
export const ANNOUNCING = 7;

/**
 * The type that a reference's prefix announces (`GUI-CI-`, `GUI-CO-`), or null for another form.
 */
export function typeOfReference(reference: string): OperationType | null {
  if (reference.startsWith('GUI-CI-')) return 'CASHIN';
  if (reference.startsWith('GUI-CO-')) return 'CASHOUT';
  return null;
}

/**
 * How long after an operation's move its lines may come: no grace is longer, and a nightly run has
 * seen by then that a line is missing. The document says "on execution the debit and the fee are
 * posted", and no more.
 */
export const LAWFUL_DELAY = DAY;

const SETTLING: ReadonlySet<string> = new Set([
  'CASHIN_CREDIT',
  'CASHIN_FEE',
  'CASHOUT_DEBIT',
  'CASHOUT_FEE',
  'CASHOUT_RELEASE',
]);

/** True for the kinds that an operation posts when it ends, whichever its end is. */
export function settles(kind: string): boolean {
  return SETTLING.has(kind);
}

/** Since when lines of the kind are due; null: none are, or the instant is unknown. */
export function askedAt(
  { status, completedAt, updatedAt }: Pick<Operation, 'status' | 'completedAt' | 'updatedAt'>,
  kind: string,
): Instant | null {
  if (!isFinal(status) || completedAt === null) return null;
  const isReversed = status === 'REVERSED';
  // Whichever of the two the instants are, it was reversed by then.
  if (isReversed && kind.startsWith('REVERSAL_')) return updatedAt;
  // Where both are one instant, it may be that of the success or that of the reversal.
  if (isReversed && completedAt === updatedAt) return null;
  return settles(kind) ? completedAt : null;
}

/**
 * True when an operation in the one state may be in the other later: only REVERSED follows a final
 * state, SUCCEEDED.
 */
export function mayBecome(from: OperationStatus, to: OperationStatus): boolean {
  return from === to || !isFinal(from) || (from === 'SUCCEEDED' && to === 'REVERSED');
}

/** Fixed at creation (direct API, "Operation"): what was asked for, and the commission. */
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

/** The first of the fields fixed at creation that is another now. */
export function changedField({ before, now }: Departure): FixedField | null {
  return FIXED.find((field) => before[field] !== now[field]) ?? null;
}

/**
 * True where it has left a final state, but for SUCCEEDED to REVERSED. An answer that is older than
 * `before` says nothing.
 */
export function hasRegressed({ before, now }: Departure): boolean {
  return !mayBecome(before.status, now.status) && now.updatedAt >= before.updatedAt;
}

export function hasDeparted(departure: Departure): boolean {
  return changedField(departure) !== null || hasRegressed(departure);
}
