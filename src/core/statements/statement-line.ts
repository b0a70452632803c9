// What is streamed beside a statement: the month's ledger lines and its wallet operations, one by
// one, as documents show them.

import type { Amount } from '../domain/amount.ts';
import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Operation } from '../domain/operation.ts';
import type { PaidLink } from './comparison.ts';
import type { JournalEntry } from './journal.ts';
import type { StatusCounts } from './summary.ts';

/** What is odd about a line; none in sound books. */
export const LINE_FLAGS = [
  /** The recorded balance, or reserved amount, does not follow from the line before. */
  'BALANCE_DRIFT',
  'RESERVED_DRIFT',
  /** Numbers are missing before it, or other lines carry its number. */
  'AFTER_JUMP',
  'SEQUENCE_SHARED',
  /** A kind or direction outside the document, or a direction that is not its kind's. */
  'UNKNOWN_KIND',
  'WRONG_DIRECTION',
  /** Its date and its sequence lie on different sides of a bound of the month. */
  'CROSSES_BOUND',
  /**
   * It is dated in a month that was closed before it came, and stated at the beginning of the month
   * after.
   */
  'LATE',
  /** Its own date is impossible: it is stated at that of the line it is counted with. */
  'MISDATED',
  /** It names an operation that is not known. */
  'OPERATION_UNKNOWN',
] as const;
export type LineFlag = (typeof LINE_FLAGS)[number];

/**
 * Direction, amount and currency are as recorded; `sequence` is the number by which every document
 * names the line.
 */
export interface StatementLine
  extends Pick<LedgerEntry, 'id' | 'sequence' | 'createdAt' | 'kind' | 'operationReference'>,
    Pick<LedgerEntry, 'direction' | 'amount' | 'currency'> {
  /** `2026-10-01 00:12:33`, in the period's zone. Its first 10 characters are the day. */
  readonly localTime: string;
  /**
   * The line's own description, phone numbers masked; null: none. Formats name the kind in words.
   */
  readonly label: string | null;
  /** The merchant's own reference of the operation, phone numbers masked. */
  readonly externalReference: string | null;
  /** Who paid, or was paid, as the service names them; phone numbers masked. Null: not known. */
  readonly counterpartyName: string | null;
  readonly counterpartyNumber: string | null;
  /** Of the operation; null when there is none, or it is not known. */
  readonly operator: string | null;
  readonly country: string | null;
  /** Holds and releases: no debit, no credit, no entry; formats grey them. */
  readonly isMemo: boolean;
  /** The effect on the balance, one of the two positive; both null when there is none. */
  readonly debit: Amount | null;
  readonly credit: Amount | null;
  /** Of a collection that the service posts net: what it withheld. 0 of every other line. */
  readonly commission: Amount;
  /** Recomputed, after this line: opening + the effects of the month's lines so far. */
  readonly balance: Amount;
  /** Effect on the reserved amount, signed. */
  readonly reservedMove: Amount;
  readonly reserved: Amount;
  /**
   * As recorded. Of all earlier lines by sequence, also those that a date puts in another month.
   */
  readonly recordedBalance: Amount;
  readonly recordedReserved: Amount;
  readonly flags: readonly LineFlag[];
  /** Its accounting entry; null for a line without effect on the balance. */
  readonly entry: JournalEntry | null;
}

/** On the balance, signed. */
export function effectOf({ credit, debit }: Pick<StatementLine, 'credit' | 'debit'>): Amount {
  return (credit ?? 0) - (debit ?? 0);
}

/** What accounts that hold the revision before must be given so that they hold this one. */
export interface EntryChanges {
  readonly added: number;
  /** Taken back, and posted as they are now. */
  readonly changed: number;
  readonly reversed: number;
  /**
   * By date: what is taken back has `-A` and the revision behind its number, what is posted anew
   * `-R`. Null: they are too many.
   */
  readonly entries: readonly JournalEntry[] | null;
  /** Lines that the revision before did not have, by sequence; at most 500. */
  readonly lines: readonly AddedLine[];
  readonly lineCount: number;
  readonly bank: BankChanges;
}

/**
 * What a bank statement that was imported must be given: the new lines, and those that are gone or
 * move another amount.
 */
export interface BankChanges {
  /**
   * The recorded closing of the revision before, and what an opening that is another adds to it.
   */
  readonly opening: Amount;
  /** opening + Σ changes. */
  readonly closing: Amount;
  /** By sequence, as the revision before had them; at most 500. */
  readonly gone: readonly StatementLine[];
  readonly goneCount: number;
  /** Entries without a line that move the wallet's account, new or taken back. */
  readonly differences: readonly JournalEntry[];
}

export interface AddedLine
  extends Pick<StatementLine, 'sequence' | 'id' | 'localTime' | 'kind' | 'operationReference'> {
  /** On the balance, signed. */
  readonly effect: Amount;
  /** Number of its entry; null where it has none. */
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
   * The payer of a cash-in, the beneficiary of a cash-out, as the service names them; phone numbers
   * masked.
   */
  readonly counterpartyName: string | null;
  readonly counterpartyNumber: string | null;
  /** Phone numbers masked, as in the merchant's own reference. */
  readonly description: string | null;
  /**
   * Gross, commission and effect on the wallet as fixed at creation, whether the money has moved or
   * not.
   */
  readonly amount: Amount;
  readonly fees: Amount;
  readonly netAmount: Amount;
  /** At the cut-off, whatever became of it later. */
  readonly status: keyof StatusCounts;
  /** Null: it was open at the cut-off. */
  readonly completedAt: Instant | null;
  /** Both in the period's zone: `2026-10-01 00:12:33`. */
  readonly createdLocal: string;
  readonly completedLocal: string | null;
}

/**
 * A payment by link that succeeded in the period, with its entries; those of a day are among the
 * journal's others.
 */
export interface StatementPayment extends Omit<PaidLink, 'reference'> {
  /** Its reference: the first key, by which a row is known. */
  readonly payment: string;
  /** Of its creation, in the period's zone: `2026-10-01 00:12:33`. */
  readonly localTime: string;
  readonly entries: readonly JournalEntry[];
}

/** By time; none where the journal has none. */
export type PaymentStream = () => Iterable<readonly StatementPayment[]>;

/** `statement.operations.count` of them, by createdAt; each call starts at the first one. */
export type OperationStream = () => AsyncIterable<readonly StatementOperation[]>;
