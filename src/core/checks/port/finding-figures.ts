// What each kind of finding is worded from: its figures, by name. A check that leaves one out does not compile, nor does a
// language that has no words for a kind. Where a kind has several sentences, `of` or `fault` says which.

import type { Amount } from '../../domain/amount.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import type {
  HistoryFigures,
  LinkFigures,
  NotificationFigures,
  PayoutFigures,
  PublishedFigures,
} from './published-figures.ts';

type Money = Amount | bigint;
/** ISO 8601, UTC. */
type Time = string;

type OfLine = { readonly sequence: number; readonly kind: string; readonly amount: Money };
type OfOperation = { readonly reference: string };
type InState = OfOperation & { readonly status: string };
type OfType = OfOperation & { readonly type: string };
type Undone = {
  /** Later lines that undo the drift exactly; none as a rule. */
  readonly undoneBy: readonly { readonly sequence: number; readonly difference: Money }[];
};
type Drift = OfLine & Undone & { readonly expected: Money; readonly actual: Money; readonly difference: Money };
type Absent = { readonly first: number; readonly last: number };
type Excusable = { readonly excused: boolean };

export interface LineFigures {
  readonly LINES_MISSING: Absent & Undone & { readonly balance: Money; readonly reserved: Money };
  readonly SEQUENCE_GAP: Absent;
  readonly SEQUENCE_DUPLICATE: OfLine & {
    readonly id: string;
    readonly others: readonly {
      readonly kind: string;
      readonly amount: Money;
      readonly id: string;
      /** `figures`: it is the same line, but for what stands after it; `text`: but for words, reference or time. */
      readonly of: 'another' | 'figures' | 'text';
      /** What stands after it, less what stands after the line that is followed. */
      readonly balance: Money;
      readonly reserved: Money;
    }[];
  };
  readonly ENTRY_ID_REUSED: { readonly sequence: number; readonly first: number; readonly id: string };
  readonly BALANCE_DRIFT: Drift;
  readonly RESERVED_DRIFT:
    | (Drift & { readonly fault: 'off' })
    | (OfOperation & { readonly fault: 'hold-kept'; readonly sequence: number; readonly amount: Money });
  readonly OPENING_BALANCE_UNEXPLAINED: Undone & { readonly sequence: number; readonly opening: Money };
  readonly AMOUNT_NOT_POSITIVE: OfLine;
  readonly KIND_DIRECTION_MISMATCH: {
    readonly sequence: number;
    readonly kind: string;
    readonly due: string;
    readonly direction: string;
    /** The direction that the recorded figures show. */
    readonly taken: string;
  };
  readonly UNKNOWN_KIND: {
    readonly sequence: number;
    readonly kind: string;
    readonly direction: string;
    readonly effect: Money;
  };
  readonly CURRENCY_MISMATCH:
    | { readonly of: 'line'; readonly sequence: number; readonly currency: string }
    | { readonly of: 'wallet'; readonly currency: string };
  readonly HOLD_EXCEEDS_AVAILABLE: { readonly sequence: number; readonly amount: Money; readonly available: Money } & (
    | { readonly fault: 'hold' }
    | (OfOperation & { readonly fault: 'fees'; readonly fees: Money; readonly required: Money })
  );
  readonly RESERVED_NEGATIVE: OfLine & { readonly reserved: Money };
  readonly BALANCE_NEGATIVE: OfLine & Excusable & { readonly balance: Money };
  readonly AVAILABLE_NEGATIVE: OfLine & Excusable & { readonly available: Money };
  readonly ENTRY_TIME_IMPOSSIBLE: {
    readonly sequence: number;
    readonly createdAt: Time;
    /** Of the line that it is counted with; null: there is none. */
    readonly statedAt: Time | null;
    /** `step`: by the lines around it; `ahead`: by these too, besides being later than the reading. */
    readonly why: 'early' | 'later' | 'step' | 'ahead';
  };
  readonly REFERENCE_MISSING: OfLine;
  readonly ADJUSTMENT_UNEXPLAINED: { readonly sequence: number; readonly amount: Money; readonly direction: string };
}

type PrincipalMissing = OfType & { readonly status: string; readonly due: Money };
type PrincipalWithoutSuccess = OfType & { readonly status: string; readonly posted: Money };
type PrincipalDuplicated = OfType & { readonly times: number; readonly posted: Money; readonly due: Money };
type PrincipalMismatch = OfType & { readonly posted: Money; readonly due: Money };
type Reversed = OfOperation & { readonly reversed: Money; readonly due: Money };

export interface OperationFigures {
  readonly CREDIT_MISSING: PrincipalMissing;
  readonly CREDIT_WITHOUT_SUCCESS: PrincipalWithoutSuccess;
  readonly CREDIT_DUPLICATED: PrincipalDuplicated;
  readonly CREDIT_AMOUNT_MISMATCH: PrincipalMismatch;
  readonly FEE_MISSING: OfOperation & { readonly fees: Money };
  readonly FEE_AMOUNT_MISMATCH: OfOperation & { readonly posted: Money; readonly due: Money };
  readonly FEE_WITHOUT_SUCCESS: InState & { readonly posted: Money };
  readonly FEE_NOT_AS_PRICED: OfOperation & {
    readonly amount: Money;
    readonly fees: Money;
    readonly bps: number;
    readonly flat: Money;
    readonly due: Money;
  };
  readonly PRICING_CHANGED: OfType & { readonly charges: number; readonly bps: number; readonly flat: Money };
  readonly NET_AMOUNT_INCONSISTENT: OfType & { readonly netAmount: Money; readonly due: Money };
  readonly HOLD_MISSING: InState;
  readonly HOLD_AMOUNT_MISMATCH: OfOperation & { readonly held: Money; readonly due: Money };
  readonly HOLD_DUPLICATED: OfOperation & { readonly times: number; readonly held: Money; readonly due: Money };
  readonly HOLD_ON_CASHIN: OfOperation & { readonly kind: string; readonly amount: Money };
  readonly HOLD_NOT_RELEASED: InState & { readonly held: Money };
  readonly HOLD_PAST_EXPIRY: InState & { readonly held: Money };
  readonly RELEASE_WITHOUT_HOLD: OfOperation & { readonly released: Money };
  readonly RELEASE_EXCEEDS_HOLD: OfOperation & {
    readonly sequence: number;
    readonly released: Money;
    /** Still, when the line was posted; in all, where a debit consumed it too. */
    readonly held: Money;
    /** What the debit and its fee took of the hold besides; null: the releases alone are more than was held. */
    readonly consumed: Money | null;
  };
  readonly DEBIT_WITHOUT_HOLD: OfOperation & {
    readonly sequence: number;
    readonly amount: Money;
    /** Where a hold came after the debit. */
    readonly holdSequence: number | null;
  };
  readonly DEBIT_MISSING: PrincipalMissing;
  readonly DEBIT_DUPLICATED: PrincipalDuplicated;
  readonly DEBIT_AMOUNT_MISMATCH: PrincipalMismatch;
  readonly DEBIT_WITHOUT_SUCCESS: PrincipalWithoutSuccess;
  readonly REVERSAL_MISSING: OfOperation & { readonly due: Money };
  readonly REVERSAL_UNANNOUNCED: InState & { readonly reversed: Money };
  readonly REVERSAL_INCOMPLETE: Reversed;
  readonly REVERSAL_EXCESSIVE: Reversed;
  readonly REVERSAL_WRONG_DIRECTION: OfOperation & { readonly kind: string; readonly amount: Money };
  readonly REVERSAL_BEFORE_ORIGINAL: OfOperation & { readonly sequence: number; readonly original: number };
  readonly OPERATION_UNKNOWN: OfLine & OfOperation;
  readonly REFERENCE_TYPE_MISMATCH: OfType &
    (
      | { readonly of: 'reference'; readonly announced: string | null }
      | { readonly of: 'line'; readonly sequence: number; readonly kind: string }
    );
  readonly COUNTRY_CURRENCY_MISMATCH: OfOperation & { readonly currency: string; readonly due: string } & (
      | { readonly of: 'country'; readonly country: string }
      | { readonly of: 'wallet' }
    );
  readonly EXTERNAL_REFERENCE_DUPLICATED: OfOperation & { readonly first: string; readonly externalReference: string };
  readonly ENTRY_BEFORE_OPERATION: OfOperation & {
    readonly sequence: number;
    readonly lineCreatedAt: Time;
    readonly createdAt: Time;
  };
}

export interface StateFigures {
  readonly OPERATION_OVERDUE: InState & { readonly expiresAt: Time };
  readonly EXPIRY_WINDOW_WRONG: OfOperation & { readonly minutes: number; readonly due: number };
  readonly COMPLETION_TIME_INCONSISTENT: InState &
    (
      | { readonly fault: 'missing' | 'not-final' | 'before-creation' }
      | { readonly fault: 'expired-early' | 'succeeded-late'; readonly completedAt: Time; readonly expiresAt: Time }
    );
  readonly FAILURE_DETAIL_INCONSISTENT: InState &
    (
      | { readonly fault: 'missing' }
      | { readonly fault: 'did-not-fail'; readonly code: string }
      | { readonly fault: 'unknown'; readonly code: string }
    );
  readonly PAYER_ACTION_INCONSISTENT: InState & {
    readonly fault: 'cashout-waits' | 'cashout-url' | 'no-url' | 'waits-without-url' | 'waits-unsaid' | 'over';
  };
  readonly AMOUNT_OUT_OF_BOUNDS: OfOperation & { readonly amount: Money; readonly least: Money; readonly most: Money };
  readonly DAILY_CASHOUT_LIMIT_EXCEEDED: OfOperation & { readonly sum: Money; readonly ceiling: Money };
  /** `by`: who allows these countries. */
  readonly COUNTRY_NOT_ALLOWED: OfOperation & {
    readonly by: 'account' | 'document';
    readonly country: string;
    readonly allowed: readonly string[];
  };
  readonly OPERATED_WHILE_BLOCKED: OfOperation;
}

type Total = { readonly stated: Money; readonly nearest: Money };

export interface WalletFigures {
  readonly WALLET_IDENTITY_BROKEN: { readonly available: Money; readonly due: Money };
  /** `head`: the last line; null where there is none. */
  readonly WALLET_BALANCE_MISMATCH: { readonly balance: Money; readonly head: number | null; readonly due: Money };
  readonly WALLET_RESERVED_MISMATCH: { readonly reserved: Money; readonly head: number | null; readonly due: Money };
  readonly OPEN_HOLDS_MISMATCH: { readonly sequence: number; readonly reserved: Money; readonly held: Money };
  readonly TOTAL_COLLECTED_MISMATCH: Total;
  readonly TOTAL_DISBURSED_MISMATCH: Total;
  readonly TOTAL_FEES_MISMATCH: Total;
}

type LedgerFigures = LineFigures & OperationFigures & StateFigures & WalletFigures;
type AllFigures = LedgerFigures & HistoryFigures & NotificationFigures & PublishedFigures & LinkFigures & PayoutFigures;

/** A kind that is left out above can be neither found nor worded: no figures fit `never`. */
export type FindingFigures = {
  readonly [Kind in FindingKind]: Kind extends keyof AllFigures ? AllFigures[Kind] : never;
};

/** Of a finding that speaks for many operations: how many, the last of them, and what they differ by where it is money. */
export type GatheredFigures = {
  readonly count: number;
  readonly last: string | null;
  readonly sum: Money | null;
};
