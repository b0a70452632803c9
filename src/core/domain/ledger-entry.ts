// One line of a merchant's append-only ledger (direct API, "LedgerEntry").

import type { Amount } from './amount.ts';
import type { Instant } from './instant.ts';

export const DIRECTIONS = ['CREDIT', 'DEBIT', 'HOLD', 'RELEASE'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const ENTRY_KINDS = [
  'CASHIN_CREDIT',
  'CASHIN_FEE',
  'CASHOUT_HOLD',
  'CASHOUT_DEBIT',
  'CASHOUT_FEE',
  'CASHOUT_RELEASE',
  'REVERSAL_CREDIT',
  'REVERSAL_DEBIT',
  'ADJUSTMENT_CREDIT',
  'ADJUSTMENT_DEBIT',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/**
 * `direction` and `kind` are plain text: a value outside the document is a finding (UNKNOWN_KIND),
 * not a refusal. `amount` is always positive in a sound ledger, the sense is carried by
 * `direction`; a zero or negative one is a finding (AMOUNT_NOT_POSITIVE). `balanceAfter` and
 * `reservedAfter` are the recorded figures after this line.
 */
export interface LedgerEntry {
  readonly id: string;
  readonly sequence: number;
  readonly direction: string;
  readonly kind: string;
  readonly amount: Amount;
  readonly currency: string;
  readonly balanceAfter: Amount;
  readonly reservedAfter: Amount;
  readonly operationReference: string | null;
  readonly description: string | null;
  readonly createdAt: Instant;
}

/** True for the kinds of lines that belong to no operation. */
export function isAdjustment(kind: string): boolean {
  return kind === 'ADJUSTMENT_CREDIT' || kind === 'ADJUSTMENT_DEBIT';
}

export function isReversal(kind: string): boolean {
  return kind === 'REVERSAL_CREDIT' || kind === 'REVERSAL_DEBIT';
}

export function isEntryKind(kind: string): kind is EntryKind {
  return directionOf(kind as EntryKind) !== undefined;
}

export function isDirection(direction: string): direction is Direction {
  return (
    direction === 'CREDIT' ||
    direction === 'DEBIT' ||
    direction === 'HOLD' ||
    direction === 'RELEASE'
  );
}

/**
 * Returns the one direction that a kind may have: credits are CREDIT, fees and debits DEBIT, the
 * hold HOLD, the release RELEASE. It is a switch, because a computed key costs more time than all
 * other work on a line; the compiler sees that every kind is here.
 */
export function directionOf(kind: EntryKind): Direction {
  switch (kind) {
    case 'CASHIN_CREDIT':
    case 'REVERSAL_CREDIT':
    case 'ADJUSTMENT_CREDIT':
      return 'CREDIT';
    case 'CASHIN_FEE':
    case 'CASHOUT_DEBIT':
    case 'CASHOUT_FEE':
    case 'REVERSAL_DEBIT':
    case 'ADJUSTMENT_DEBIT':
      return 'DEBIT';
    case 'CASHOUT_HOLD':
      return 'HOLD';
    case 'CASHOUT_RELEASE':
      return 'RELEASE';
  }
}

/** Returns the effect of a line on the balance by its direction; signed, whole units. */
export function signedAmount({
  direction,
  amount,
}: Pick<LedgerEntry, 'direction' | 'amount'>): Amount {
  return direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
}
