// The kinds of findings, by the section of the catalogue that they stand in, and the figures that
// the sentence of each is made of. A check that leaves one out does not compile, nor does a
// language that has no words for a kind. Where a kind has several sentences, `of` or `fault` says
// which. What a kind does to the books, and which explains which, is declared beside the checks.

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
/** Later lines that undo the drift exactly; none as a rule. */
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
       * `figures`: it differs from the line that is followed in the figures after it, by `balance`
       * and `reserved`; `text`: in words, reference or time.
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
  /** `taken`: the direction that the recorded figures show. */
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
   * `statedAt`: date of the line that it is counted with; null: there is none. `step`: by the lines
   * around it; `ahead`: by these too, besides being later than the reading; `unopened`: the account
   * was not open yet, as at many lines in step with it.
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
  /** `is`: what the net amount is instead. */
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
   * `held`: still, when the line was posted; in all, where a debit consumed it too. `consumed`:
   * what the debit and its fee took of the hold besides; null: the releases alone are more than was
   * held.
   */
  readonly RELEASE_EXCEEDS_HOLD: OfOperation &
    Numbers<'sequence'> &
    Amounts<'released' | 'held'> &
    Maybe<Amounts<'consumed'>>;
  /** `holdSequence`: of a hold after the debit. */
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
  /** `by`: who allows these countries. */
  readonly COUNTRY_NOT_ALLOWED: Texts<'reference' | 'country'> & {
    readonly by: 'account' | 'document';
    readonly allowed: readonly string[];
  };
  readonly OPERATED_WHILE_BLOCKED: OfOperation;
}

type Total = Amounts<'stated' | 'nearest'>;

export interface WalletFigures {
  readonly WALLET_IDENTITY_BROKEN: Amounts<'available' | 'due'>;
  /** `head`: the last line; null where there is none. */
  readonly WALLET_BALANCE_MISMATCH: Amounts<'balance' | 'due'> & Maybe<Numbers<'head'>>;
  readonly WALLET_RESERVED_MISMATCH: Amounts<'reserved' | 'due'> & Maybe<Numbers<'head'>>;
  readonly OPEN_HOLDS_MISMATCH: Numbers<'sequence'> & Amounts<'reserved' | 'held'>;
  readonly TOTAL_COLLECTED_MISMATCH: Total;
  readonly TOTAL_DISBURSED_MISMATCH: Total;
  readonly TOTAL_FEES_MISMATCH: Total;
}

/**
 * `status` NONE: the service lists no such delivery; null: that is not known. The others are null
 * where it gives none.
 */
export type ListedFigures = Maybe<
  { readonly listed: DeliveryStatus | 'NONE' } & Numbers<'attempts' | 'lastStatus'> &
    Texts<'nextRetryAt'>
>;
/** The notification's own id and type, both cut to a length that can be shown. */
type OfEvent = Texts<'reference' | 'id' | 'type'>;
/** `undelivered`: how many of them the service lists as not delivered; null: that is not known. */
type ManyMissing = Of<'many'> &
  Numbers<'count'> & { readonly isMore: boolean } & Maybe<Numbers<'undelivered'>>;

export interface PublishedFigures {
  /** `stated`: a decimal; null where the figure is left out. */
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

/** `lines` are altered, from `sequence` to `last`. */
type Altered = Numbers<'sequence' | 'last' | 'lines'>;

/** What only memory can see. */
export interface HistoryFigures {
  /** `field`: the first in which the line differs. */
  readonly ENTRY_REWRITTEN: Altered &
    Maybe<Texts<'before' | 'now'>> & { readonly field: LineField };
  readonly ENTRY_DELETED: Altered & Texts<'kind'> & Amounts<'amount'>;
  /** `fillsGap`: the figures around lacked it. */
  readonly ENTRY_INSERTED_LATE: Altered &
    Texts<'kind'> &
    Amounts<'amount'> & { readonly fillsGap: boolean };
  readonly SEQUENCE_RESET: Altered;
  /** `oldest`: the line that is still served, and when it was posted. */
  readonly HISTORY_NO_LONGER_SERVED: Altered & Numbers<'oldest'> & Texts<'since'>;
  /** Ids; `balance` and `reserved`: what the one before had when it was last read. */
  readonly WALLET_REPLACED: Texts<'before' | 'now'> & Amounts<'balance' | 'reserved'>;
  readonly OPERATION_FIELD_CHANGED: Texts<'reference' | 'before' | 'now'> & {
    readonly field: FixedField;
  };
  /** `lines`: the numbers of those that name it; `none`. */
  readonly OPERATION_VANISHED: Texts<'reference' | 'status' | 'lines'> & Amounts<'amount'>;
  readonly STATUS_REGRESSION: Texts<'reference' | 'before' | 'now'>;
}

/** What the mirror shows of itself. */
export interface StoreFigures {
  /** `TamperedLines`. */
  readonly MIRROR_TAMPERED: Maybe<Numbers<'first' | 'last'> & Texts<'table'>> & Numbers<'until'>;
  /** `more`: how many other figures differ. */
  readonly CLOSED_PERIOD_CHANGED: Texts<'period' | 'figure'> &
    Maybe<Texts<'before' | 'now'>> &
    Numbers<'revision' | 'more'>;
}

export interface LinkFigures {
  /** `due`: when the link should have ended. */
  readonly PAYMENT_OVERDUE: Texts<'reference' | 'due'> & Amounts<'amount'>;
  /** `now` null: the payment is not served any more. */
  readonly PAYMENT_OUTCOME_CHANGED: Texts<'reference' | 'before'> &
    Amounts<'amount'> &
    Maybe<Texts<'now'>>;
  /** `name`: as the service calls the field. */
  readonly PAYMENT_FIELD_CHANGED: Texts<'reference' | 'name' | 'before' | 'now'>;
  readonly ORDER_PAID_TWICE: Texts<'order' | 'first' | 'second'> &
    Amounts<'amount'> &
    Numbers<'count'>;
  /** Of a notification; `amount` null: it states none. */
  readonly PAYMENT_EVENT_CONTRADICTS: Texts<'reference' | 'status' | 'servedStatus'> &
    Amounts<'servedAmount'> &
    Maybe<Amounts<'amount'>>;
  /** `listed`: the state of its delivery in the service's list; null: it is not there. */
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
  /** `compliance`: the status of the file; null where none was deposited. */
  readonly PAYOUT_CEILING_UNEXPECTED: Amounts<'ceiling' | 'due'> & Maybe<Texts<'compliance'>>;
  readonly PAYOUT_UNRECORDED: Numbers<'counted' | 'listed'>;
  /** `name`: as the service calls the counter. */
  readonly PAYOUT_COUNTERS_MISMATCH: Texts<'name'> &
    Numbers<'counted'> &
    ((Of<'list'> & Numbers<'listed'>) | (Of<'fell'> & Texts<'month'> & Numbers<'before'>));
  /** `name`: of the field that has changed. */
  readonly PAYOUT_OUTCOME_CHANGED: Texts<'id' | 'name' | 'before' | 'now'> & Amounts<'amount'>;
  /** Decimals. `untold`: payments whose fees are not known. */
  readonly LINK_BALANCE_MISMATCH: Texts<'balance' | 'due' | 'difference'> & Numbers<'untold'>;
  readonly SETTLEMENT_MISSED: Texts<'mode' | 'time' | 'timezone' | 'due'> & Maybe<Texts<'last'>>;
  /** `period`: `all`, a month, or a day. */
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
 * Of a finding that speaks for many: of what, how many, the last of them, and what they differ by
 * where it is money.
 */
export type GatheredFigures = Of<'lines' | 'operations' | 'rows'> &
  Numbers<'count'> & { readonly last: string | null; readonly sum: Money | null };
