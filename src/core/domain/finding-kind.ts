// The kinds of findings, by their section in the catalogue, and the figures that the sentence of
// each kind is made of. A check that leaves out a figure does not compile, nor does a language that
// has no words for a kind. Where a kind has several sentences, `of` or `fault` says which one is
// meant. What a kind does to the books, and which kinds explain which, is declared beside the
// checks.

import type { LineField } from './alteration.ts';
import type { Amount } from './amount.ts';
import type { DeliveryStatus } from './notification.ts';
import type { FixedField } from './operation.ts';
import type { Refusal } from './refusal.ts';

type Money = Amount | bigint;
type Amounts<Names extends string> = { readonly [Name in Names]: Money };
type Numbers<Names extends string> = { readonly [Name in Names]: number };
/** Instants are ISO 8601 texts in UTC. */
type Texts<Names extends string> = { readonly [Name in Names]: string };
type Of<Value extends string> = { readonly of: Value };
type Fault<Value extends string> = { readonly fault: Value };
type Maybe<Figures> = { readonly [Name in keyof Figures]: Figures[Name] | null };

type OfLine = Numbers<'sequence'> & Texts<'kind'> & Amounts<'amount'>;
type OfOperation = Texts<'reference'>;
type InState = Texts<'reference' | 'status'>;
type OfType = Texts<'reference' | 'type'>;
/** Later lines that undo the drift exactly; as a rule there are none. */
type Undone = { readonly undoneBy: readonly (Numbers<'sequence'> & Amounts<'difference'>)[] };
type Drift = OfLine & Undone & Amounts<'expected' | 'actual' | 'difference'>;
type Absent = Numbers<'first' | 'last'>;
type Excusable = { readonly excused: boolean };

export interface LineFigures {
  readonly LINES_MISSING: Absent & Undone & Amounts<'balance' | 'reserved'>;
  readonly SEQUENCE_GAP: Absent;
  readonly SEQUENCE_DUPLICATE: OfLine &
    Texts<'id'> & {
      /**
       * The other lines of the same sequence. `another`: id, kind, direction, amount or currency
       * differ. `figures`: the same line, but with other figures after it, by `balance` and
       * `reserved`. `text`: the same line, but with another description, reference or time.
       */
      readonly others: readonly (Texts<'kind' | 'id'> &
        Amounts<'amount' | 'balance' | 'reserved'> &
        Of<'another' | 'figures' | 'text'>)[];
    };
  readonly ENTRY_ID_REUSED: Numbers<'sequence' | 'first'> & Texts<'id'>;
  readonly BALANCE_DRIFT: Drift;
  readonly RESERVED_DRIFT:
    | (Drift & Fault<'off'>)
    | (OfOperation & Fault<'hold-kept'> & Numbers<'sequence'> & Amounts<'amount'>);
  readonly OPENING_BALANCE_UNEXPLAINED: Undone & Numbers<'sequence'> & Amounts<'opening'>;
  readonly AMOUNT_NOT_POSITIVE: OfLine;
  /** `taken` is the direction that the recorded figures show. */
  readonly KIND_DIRECTION_MISMATCH: Numbers<'sequence'> &
    Texts<'kind' | 'due' | 'direction' | 'taken'>;
  readonly UNKNOWN_KIND: Numbers<'sequence'> & Texts<'kind' | 'direction'> & Amounts<'effect'>;
  readonly CURRENCY_MISMATCH: Texts<'currency'> &
    ((Of<'line'> & Numbers<'sequence'>) | Of<'wallet'>);
  readonly HOLD_EXCEEDS_AVAILABLE: Numbers<'sequence'> &
    Amounts<'amount' | 'available'> &
    (Fault<'hold'> | (OfOperation & Fault<'fees'> & Amounts<'fees' | 'required'>));
  readonly RESERVED_NEGATIVE: OfLine & Amounts<'reserved'>;
  readonly BALANCE_NEGATIVE: OfLine & Excusable & Amounts<'balance'>;
  readonly AVAILABLE_NEGATIVE: OfLine & Excusable & Amounts<'available'>;
  /**
   * `statedAt` is the date of the line before, by which this line is dated instead; `null` when
   * there is no such line. `why` says what is impossible. `early`: before the account was opened.
   * `unopened`: before the account was opened, like many lines around it whose dates are in order.
   * `later`: after the reading. `step`: out of order with the lines around it. `ahead`: out of
   * order, and after the reading too.
   */
  readonly ENTRY_TIME_IMPOSSIBLE: Numbers<'sequence'> &
    Texts<'createdAt'> &
    Maybe<Texts<'statedAt'>> & { readonly why: 'early' | 'unopened' | 'later' | 'step' | 'ahead' };
}

type PrincipalMissing = OfType & Texts<'status'> & Amounts<'due'>;
type PrincipalWithoutSuccess = OfType & Texts<'status'> & Amounts<'posted'>;
type PrincipalMismatch = OfType & Amounts<'posted' | 'due'>;
type PrincipalDuplicated = PrincipalMismatch & Numbers<'times'>;
type Reversed = OfOperation & Amounts<'reversed' | 'due'>;

export interface OperationFigures {
  readonly CREDIT_MISSING: PrincipalMissing;
  readonly CREDIT_WITHOUT_SUCCESS: PrincipalWithoutSuccess;
  readonly CREDIT_DUPLICATED: PrincipalDuplicated;
  readonly CREDIT_AMOUNT_MISMATCH: PrincipalMismatch;
  readonly FEE_MISSING: OfOperation & Amounts<'fees'>;
  readonly FEE_AMOUNT_MISMATCH: OfOperation & Amounts<'posted' | 'due'>;
  readonly FEE_WITHOUT_SUCCESS: InState & Amounts<'posted'>;
  readonly FEE_NOT_AS_PRICED: OfOperation &
    Amounts<'amount' | 'fees' | 'flat' | 'due'> &
    Numbers<'bps'>;
  readonly PRICING_CHANGED: OfType &
    Numbers<'charges' | 'bps'> &
    Texts<'last'> &
    Amounts<'flat' | 'moved'> & { readonly than: 'MORE' | 'LESS' | 'AS_MUCH' };
  /** `is`: what the net amount equals instead of `due`. */
  readonly NET_AMOUNT_INCONSISTENT: OfType &
    Amounts<'netAmount' | 'due'> & { readonly is: 'amount' | 'opposite' | 'other' };
  readonly HOLD_MISSING: InState;
  readonly HOLD_AMOUNT_MISMATCH: OfOperation & Amounts<'held' | 'due'>;
  readonly HOLD_DUPLICATED: OfOperation & Numbers<'times'> & Amounts<'held' | 'due'>;
  readonly HOLD_ON_CASHIN: OfOperation & Texts<'kind'> & Amounts<'amount'>;
  readonly HOLD_NOT_RELEASED: InState & Amounts<'held'>;
  readonly HOLD_PAST_EXPIRY: InState & Amounts<'held'>;
  readonly RELEASE_WITHOUT_HOLD: OfOperation & Amounts<'released'>;
  /**
   * `held` is the amount still held when the line was posted, or the whole hold if a debit consumed
   * a part of it. `consumed` is what the debit and its fee took of the hold; `null` when the
   * releases alone exceed the hold.
   */
  readonly RELEASE_EXCEEDS_HOLD: OfOperation &
    Numbers<'sequence'> &
    Amounts<'released' | 'held'> &
    Maybe<Amounts<'consumed'>>;
  /** `holdSequence` is the line of a hold that came after the debit; `null` when there is none. */
  readonly DEBIT_WITHOUT_HOLD: OfOperation &
    Numbers<'sequence'> &
    Amounts<'amount'> &
    Maybe<Numbers<'holdSequence'>>;
  readonly DEBIT_MISSING: PrincipalMissing;
  readonly DEBIT_DUPLICATED: PrincipalDuplicated;
  readonly DEBIT_AMOUNT_MISMATCH: PrincipalMismatch;
  readonly DEBIT_WITHOUT_SUCCESS: PrincipalWithoutSuccess;
  readonly REVERSAL_MISSING: OfOperation & Amounts<'due'>;
  readonly REVERSAL_UNANNOUNCED: InState & Amounts<'reversed'>;
  readonly REVERSAL_INCOMPLETE: Reversed;
  readonly REVERSAL_EXCESSIVE: Reversed;
  readonly REVERSAL_WRONG_DIRECTION: OfOperation & Texts<'kind'> & Amounts<'amount'>;
  readonly REVERSAL_BEFORE_ORIGINAL: OfOperation & Numbers<'sequence' | 'original'>;
  readonly OPERATION_UNKNOWN: OfLine & OfOperation;
  readonly REFERENCE_MISSING: OfLine;
  readonly REFERENCE_TYPE_MISMATCH: OfType &
    (
      | (Of<'reference'> & Maybe<Texts<'announced'>>)
      | (Of<'line'> & Numbers<'sequence'> & Texts<'kind'>)
    );
  readonly COUNTRY_CURRENCY_MISMATCH: Texts<'reference' | 'currency' | 'due'> &
    ((Of<'country'> & Texts<'country'>) | Of<'wallet'>);
  readonly EXTERNAL_REFERENCE_DUPLICATED: Texts<'reference' | 'first' | 'externalReference'>;
  readonly ADJUSTMENT_UNEXPLAINED: Numbers<'sequence'> & Amounts<'amount'> & Texts<'direction'>;
  readonly ENTRY_BEFORE_OPERATION: Texts<'reference' | 'lineCreatedAt' | 'createdAt'> &
    Numbers<'sequence'>;
}

export interface StateFigures {
  readonly OPERATION_OVERDUE: InState & Texts<'expiresAt'>;
  readonly EXPIRY_WINDOW_WRONG: OfOperation & Numbers<'minutes' | 'due'>;
  readonly COMPLETION_TIME_INCONSISTENT: InState &
    (
      | Fault<'missing' | 'not-final' | 'before-creation'>
      | (Fault<'expired-early' | 'succeeded-late'> & Texts<'completedAt' | 'expiresAt'>)
    );
  readonly FAILURE_DETAIL_INCONSISTENT: InState &
    (Fault<'missing'> | (Fault<'did-not-fail' | 'unknown'> & Texts<'code'>));
  readonly PAYER_ACTION_INCONSISTENT: InState &
    Fault<
      'cashout-waits' | 'cashout-url' | 'no-url' | 'waits-without-url' | 'waits-unsaid' | 'over'
    >;
  readonly AMOUNT_OUT_OF_BOUNDS: OfOperation & Amounts<'amount' | 'least' | 'most'>;
  readonly DAILY_CASHOUT_LIMIT_EXCEEDED: OfOperation & Amounts<'sum' | 'ceiling'>;
  /** `by` says whether the merchant's account or the document allows the countries in `allowed`. */
  readonly COUNTRY_NOT_ALLOWED: Texts<'reference' | 'country'> & {
    readonly by: 'account' | 'document';
    readonly allowed: readonly string[];
  };
  readonly OPERATED_WHILE_BLOCKED: OfOperation;
}

type Total = Amounts<'stated' | 'nearest'>;

export interface WalletFigures {
  readonly WALLET_IDENTITY_BROKEN: Amounts<'available' | 'due'>;
  /** `head` is the sequence of the last line; `null` when there are no lines. */
  readonly WALLET_BALANCE_MISMATCH: Amounts<'balance' | 'due'> & Maybe<Numbers<'head'>>;
  readonly WALLET_RESERVED_MISMATCH: Amounts<'reserved' | 'due'> & Maybe<Numbers<'head'>>;
  readonly OPEN_HOLDS_MISMATCH: Numbers<'sequence'> & Amounts<'reserved' | 'held'>;
  readonly TOTAL_COLLECTED_MISMATCH: Total;
  readonly TOTAL_DISBURSED_MISMATCH: Total;
  readonly TOTAL_FEES_MISMATCH: Total;
}

/**
 * How the service lists the missing notification among its deliveries. `listed` is `NONE` when the
 * list does not have it, and `null` when that is not known. The other figures are `null` where the
 * service states none.
 */
export type ListedFigures = Maybe<
  { readonly listed: DeliveryStatus | 'NONE' } & Numbers<'attempts' | 'lastStatus'> &
    Texts<'nextRetryAt'>
>;
/** The notification's own id and type, both cut to a length that can be shown. */
type OfEvent = Texts<'reference' | 'id' | 'type'>;
/**
 * `undelivered` is how many of the missing notifications the service lists as not delivered; `null`
 * when that is not known.
 */
type ManyMissing = Of<'many'> &
  Numbers<'count'> & { readonly isMore: boolean } & Maybe<Numbers<'undelivered'>>;

export interface PublishedFigures {
  /**
   * `stated` is a decimal; `null` when the report leaves the figure out. `more` counts the other
   * figures that differ.
   */
  readonly REPORT_SUMMARY_MISMATCH: Texts<'period' | 'name'> &
    Maybe<Texts<'stated'>> &
    Amounts<'due'> &
    Numbers<'more'>;
  readonly EVENT_MISSING:
    | (Texts<'reference' | 'status' | 'since'> & ((Of<'one'> & ListedFigures) | ManyMissing))
    | (Of<'adjustment'> & Numbers<'sequence'> & Amounts<'amount'> & Texts<'direction'>);
  readonly EVENT_CONTRADICTS_OPERATION: OfEvent &
    (
      | (Of<'amount' | 'fees' | 'netAmount'> & Amounts<'stated' | 'due'>)
      | (Of<'currency' | 'externalReference' | 'failureCode'> &
          Texts<'stated'> &
          Maybe<Texts<'due'>>)
      | (Of<'status'> & Texts<'createdAt' | 'stated' | 'status' | 'since'>)
    );
  readonly EVENT_ID_REUSED: Texts<'id'> & Numbers<'contents' | 'more'>;
  readonly EVENT_UNKNOWN_OPERATION: OfEvent;
  readonly EVENT_TYPE_MISMATCH: OfEvent &
    (
      | (Of<'body'> & Texts<'carried'>)
      | (Of<'operation'> & Texts<'carried' | 'due'>)
      | (Of<'status'> & Texts<'status'>)
    );
}

/** A run of `lines` altered lines, from `sequence` to `last`, both included. */
type Altered = Numbers<'sequence' | 'last' | 'lines'>;

/** Findings that only a comparison with earlier readings can make. */
export interface HistoryFigures {
  /**
   * `field` is the first field in which the line differs, and `before` and `now` are its values.
   */
  readonly ENTRY_REWRITTEN: Altered &
    Maybe<Texts<'before' | 'now'>> & { readonly field: LineField };
  readonly ENTRY_DELETED: Altered & Texts<'kind'> & Amounts<'amount'>;
  /** `fillsGap`: the recorded figures around the lines already counted them. */
  readonly ENTRY_INSERTED_LATE: Altered &
    Texts<'kind'> &
    Amounts<'amount'> & { readonly fillsGap: boolean };
  readonly SEQUENCE_RESET: Altered;
  /** `oldest` is the oldest line that is still served, and `since` is when it was posted. */
  readonly HISTORY_NO_LONGER_SERVED: Altered & Numbers<'oldest'> & Texts<'since'>;
  /**
   * `before` and `now` are wallet ids; `balance` and `reserved` are the last figures read of the
   * wallet before.
   */
  readonly WALLET_REPLACED: Texts<'before' | 'now'> & Amounts<'balance' | 'reserved'>;
  readonly OPERATION_FIELD_CHANGED: Texts<'reference' | 'before' | 'now'> & {
    readonly field: FixedField;
  };
  /** `lines` lists the sequences of the lines that name the operation, or is `none`. */
  readonly OPERATION_VANISHED: Texts<'reference' | 'status' | 'lines'> & Amounts<'amount'>;
  readonly STATUS_REGRESSION: Texts<'reference' | 'before' | 'now'>;
}

/** Findings on the mirror itself: what it stores is not what it stored. */
export interface StoreFigures {
  /** The lines or the table that were changed, as in `TamperedLines`. */
  readonly MIRROR_TAMPERED: Maybe<Numbers<'first' | 'last'> & Texts<'table'>> & Numbers<'until'>;
  /** `more` is how many other figures differ. */
  readonly CLOSED_PERIOD_CHANGED: Texts<'period' | 'figure'> &
    Maybe<Texts<'before' | 'now'>> &
    Numbers<'revision' | 'more'>;
}

export interface LinkFigures {
  /** `due` is the instant at which the link should have ended. */
  readonly PAYMENT_OVERDUE: Texts<'reference' | 'due'> & Amounts<'amount'>;
  /** `now` is `null` when the payment is not served any more. */
  readonly PAYMENT_OUTCOME_CHANGED: Texts<'reference' | 'before'> &
    Amounts<'amount'> &
    Maybe<Texts<'now'>>;
  /** `name` is the service's own name for the field. */
  readonly PAYMENT_FIELD_CHANGED: Texts<'reference' | 'name' | 'before' | 'now'>;
  readonly ORDER_PAID_TWICE: Texts<'order' | 'first' | 'second'> &
    Amounts<'amount'> &
    Numbers<'count'>;
  /**
   * A notification states another outcome than the service serves; `amount` is `null` when the
   * notification states none.
   */
  readonly PAYMENT_EVENT_CONTRADICTS: Texts<'reference' | 'status' | 'servedStatus'> &
    Amounts<'servedAmount'> &
    Maybe<Amounts<'amount'>>;
  /**
   * `listed` is the state of the notification in the service's list of deliveries; `null` when the
   * list does not have it.
   */
  readonly PAYMENT_EVENT_MISSING: OfOperation &
    Amounts<'amount'> &
    Maybe<Texts<'listed'>> &
    Numbers<'more'>;
  readonly PAYMENT_EVENT_UNKNOWN: InState & Numbers<'more'>;
}

export interface PayoutFigures {
  readonly PAYOUT_LIMITS_INCONSISTENT:
    | (Of<'sum'> & Amounts<'ceiling' | 'used' | 'remaining'>)
    | (Of<'over'> & Amounts<'ceiling' | 'used'>)
    | (Of<'fell' | 'carried'> & Texts<'month'> & Amounts<'before' | 'used'>)
    | (Of<'list'> & Texts<'month'> & Amounts<'used' | 'listed'>);
  /** `compliance` is the status of the compliance file; `null` when none was deposited. */
  readonly PAYOUT_CEILING_UNEXPECTED: Amounts<'ceiling' | 'due'> & Maybe<Texts<'compliance'>>;
  readonly PAYOUT_UNRECORDED: Numbers<'counted' | 'listed'>;
  /** `name` is the service's own name for the counter. */
  readonly PAYOUT_COUNTERS_MISMATCH: Texts<'name'> &
    Numbers<'counted'> &
    ((Of<'list'> & Numbers<'listed'>) | (Of<'fell'> & Texts<'month'> & Numbers<'before'>));
  /** `name` is the name of the field that changed. */
  readonly PAYOUT_OUTCOME_CHANGED: Texts<'id' | 'name' | 'before' | 'now'> & Amounts<'amount'>;
  /** The texts are decimals. `untold` counts the payments whose fees are not known. */
  readonly LINK_BALANCE_MISMATCH: Texts<'balance' | 'due' | 'difference'> & Numbers<'untold'>;
  readonly SETTLEMENT_MISSED: Texts<'mode' | 'time' | 'timezone' | 'due'> & Maybe<Texts<'last'>>;
  /** `period` is `all`, a month (`2026-10`) or a day (`2026-10-31`). */
  readonly PAYMENT_COUNT_MISMATCH: Texts<'period' | 'name'> & Amounts<'stated' | 'due'>;
}

export interface IntakeFigures {
  readonly INPUT_REJECTED: Texts<'part' | 'place' | 'reason'> & {
    readonly refusal: Refusal | null;
  };
}

export interface FindingFigures
  extends LineFigures,
    OperationFigures,
    StateFigures,
    WalletFigures,
    HistoryFigures,
    StoreFigures,
    PublishedFigures,
    LinkFigures,
    PayoutFigures,
    IntakeFigures {}

export type FindingKind = keyof FindingFigures;

/**
 * The figures of a finding that represents many of its kind: what they are, how many, and which is
 * the last. `sum` is the sum of their differences; `null` when these are no money, or some are too
 * high and others too low.
 */
export type GatheredFigures = Of<'lines' | 'operations' | 'rows'> &
  Numbers<'count'> & { readonly last: string | null; readonly sum: Money | null };
