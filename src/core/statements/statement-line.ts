// What is streamed beside a statement: the month's ledger lines, its wallet operations and its
// payments by link, one by one, as documents show them.

import type { Amount } from '../domain/amount.ts';
import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Operation } from '../domain/operation.ts';
import type { PaidLink } from './comparison.ts';
import type { JournalEntry } from './journal.ts';
import type { StatusCounts } from './summary.ts';

/** What is odd about a line; none in sound books. */
export const LINE_FLAGS = [
  /** The recorded balance does not follow from the line before. */
  'BALANCE_DRIFT',
  /** The recorded reserved amount does not follow from the line before. */
  'RESERVED_DRIFT',
  /** Numbers are missing before the line. */
  'AFTER_JUMP',
  /** Other lines have the same number. */
  'SEQUENCE_SHARED',
  /** The document does not know the kind or the direction. */
  'UNKNOWN_KIND',
  /** The direction is not that of the kind. */
  'WRONG_DIRECTION',
  /** The line's date and its sequence lie on different sides of a bound of the month. */
  'CROSSES_BOUND',
  /**
   * The line is dated in a month that was closed before the line came, and is stated at the
   * beginning of the month after.
   */
  'LATE',
  /**
   * The line's own date is impossible, so it is stated at the date of the line that it is counted
   * with.
   */
  'MISDATED',
  /** The line names an operation that is not known. */
  'OPERATION_UNKNOWN',
] as const;
export type LineFlag = (typeof LINE_FLAGS)[number];

/**
 * A line as documents show it. Direction, amount and currency are as recorded. `sequence` is the
 * number by which every document names the line.
 */
export interface StatementLine
  extends Pick<LedgerEntry, 'id' | 'sequence' | 'createdAt' | 'kind' | 'operationReference'>,
    Pick<LedgerEntry, 'direction' | 'amount' | 'currency'> {
  /** `2026-10-01 00:12:33`, in the period's zone. Its first 10 characters are the day. */
  readonly localTime: string;
  /**
   * The line's own description, with phone numbers masked; `null` when it has none. Formats put the
   * kind into words.
   */
  readonly label: string | null;
  /** The merchant's own reference of the operation, phone numbers masked. */
  readonly externalReference: string | null;
  /**
   * Name of who paid, or was paid, as the service gives it, with phone numbers masked; `null` when
   * it is not known.
   */
  readonly counterpartyName: string | null;
  /** Number of who paid, or was paid, masked; `null` when it is not known. */
  readonly counterpartyNumber: string | null;
  /** Operator of the operation; `null` when there is no operation, or it is not known. */
  readonly operator: string | null;
  readonly country: string | null;
  /**
   * True for holds and releases, which have no debit, no credit and no entry. Formats show them in
   * grey.
   */
  readonly isMemo: boolean;
  /** The effect on the balance, when it is negative, as a positive amount; else `null`. */
  readonly debit: Amount | null;
  /** The effect on the balance, when it is positive; else `null`. */
  readonly credit: Amount | null;
  /** What the service withheld from a collection that it posted net; 0 for every other line. */
  readonly commission: Amount;
  /** Recomputed balance after this line: opening + the effects of the month's lines so far. */
  readonly balance: Amount;
  /** Effect on the reserved amount, signed. */
  readonly reservedMove: Amount;
  readonly reserved: Amount;
  /**
   * The balance recorded at the line. It includes all earlier lines by sequence, also those that
   * their date puts in another month.
   */
  readonly recordedBalance: Amount;
  readonly recordedReserved: Amount;
  readonly flags: readonly LineFlag[];
  /** The line's accounting entry; `null` for a line without effect on the balance. */
  readonly entry: JournalEntry | null;
}

/** Returns the signed effect on the balance. */
export function effectOf({ credit, debit }: Pick<StatementLine, 'credit' | 'debit'>): Amount {
  return (credit ?? 0) - (debit ?? 0);
}

/** What must be posted in accounts that hold the revision before, so that they hold this one. */
export interface EntryChanges {
  readonly added: number;
  /** Number of entries that are taken back, and posted anew as they are now. */
  readonly changed: number;
  readonly reversed: number;
  /**
   * The entries to post, by date. An entry that takes one back has the other's number followed by
   * `-A` and the revision, and one that is posted anew `-R` and the revision. `null` when they are
   * too many.
   */
  readonly entries: readonly JournalEntry[] | null;
  /** Lines that the revision before did not have, by sequence; at most 500. */
  readonly lines: readonly AddedLine[];
  readonly lineCount: number;
  readonly bank: BankChanges;
}

/**
 * What must be posted after a bank statement that was imported: the new lines, and the lines that
 * are gone or move another amount.
 */
export interface BankChanges {
  /** The recorded closing of the revision before, plus what a changed opening adds to it. */
  readonly opening: Amount;
  /** opening + Σ changes. */
  readonly closing: Amount;
  /** Lines that are gone, by sequence, as the revision before had them; at most 500. */
  readonly gone: readonly StatementLine[];
  readonly goneCount: number;
  /** Entries without a line that move the wallet's account and are new or taken back. */
  readonly differences: readonly JournalEntry[];
}

export interface AddedLine
  extends Pick<StatementLine, 'sequence' | 'id' | 'localTime' | 'kind' | 'operationReference'> {
  /** Signed effect on the balance. */
  readonly effect: Amount;
  /** Number of the line's entry; `null` where it has none. */
  readonly entry: string | null;
}

/** Lines of one statement, in batches; each call starts at the first one. */
export type LineStream = () => AsyncIterable<readonly StatementLine[]>;

/** One operation that was created in the month, or came to an end or was reversed in it. */
export interface StatementOperation
  extends Pick<
    Operation,
    'reference' | 'type' | 'operator' | 'country' | 'currency' | 'externalReference' | 'createdAt'
  > {
  /**
   * Name of the payer of a cash-in, or of the beneficiary of a cash-out, as the service gives it,
   * with phone numbers masked.
   */
  readonly counterpartyName: string | null;
  readonly counterpartyNumber: string | null;
  /** Description with phone numbers masked, as in the merchant's own reference. */
  readonly description: string | null;
  /** Gross amount, fixed at creation, whether the money has moved or not. */
  readonly amount: Amount;
  /** Commission, fixed at creation. */
  readonly fees: Amount;
  /** Effect on the wallet, fixed at creation; positive also for a cash-out. */
  readonly netAmount: Amount;
  /** Status at the cut-off, whatever became of the operation later. */
  readonly status: keyof StatusCounts;
  /** `null` when the operation was open at the cut-off. */
  readonly completedAt: Instant | null;
  /** `createdAt` in the period's zone: `2026-10-01 00:12:33`. */
  readonly createdLocal: string;
  readonly completedLocal: string | null;
}

/**
 * A payment by link that succeeded in the period, with its entries. With entries by day it has
 * none, because the journal's `others` has the entries of the day.
 */
export interface StatementPayment extends Omit<PaidLink, 'reference'> {
  /** The payment's reference. It is the first key, so that a row is known by it. */
  readonly payment: string;
  /** When the payment was created, in the period's zone: `2026-10-01 00:12:33`. */
  readonly localTime: string;
  readonly entries: readonly JournalEntry[];
}

/** Payments by time; none where the journal lists none. Each call starts at the first one. */
export type PaymentStream = () => Iterable<readonly StatementPayment[]>;

/**
 * Operations by createdAt, `statement.operations.count` of them. Each call starts at the first one.
 */
export type OperationStream = () => AsyncIterable<readonly StatementOperation[]>;
