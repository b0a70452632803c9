// Every kind of finding, by the sections of the catalogue: what lines alone show (A), what an
// operation and its lines show together (B), states and limits, the wallet, what only memory can
// see (C to E), intake (G), and what is published (F, I, J).

import type { Severity } from '../../../domain/finding.ts';
import type {
  HistoryFigures,
  IntakeFigures,
  LineFigures,
  LinkFigures,
  OperationFigures,
  PayoutFigures,
  PublishedFigures,
  StateFigures,
  StoreFigures,
  WalletFigures,
} from '../../../domain/finding-kind.ts';
import type { Refusal } from '../../../domain/refusal.ts';
import { about, beside, type KindDeclaration } from './declaration.ts';

function belowZero(figure: string, severity: Severity): KindDeclaration {
  return about('line', severity, 'below-zero', { concerns: [figure], followsSurplus: true });
}

export const LINE_KINDS: Readonly<Record<keyof LineFigures, KindDeclaration>> = {
  // Where the balance continues across the jump, the difference is that of the reserved amount. The
  // recorded figures include the missing lines.
  LINES_MISSING: about('line', 'critical', 'drift +balance', {
    concerns: ['balance', 'reserved'],
    unserved: true,
  }),
  // A service whose numbers step by two leaves out one number at each line: these jumps have one
  // cause. A jump of another width has a cause of its own.
  SEQUENCE_GAP: about('line', 'info', 'none', {
    concerns: [],
    sharedWhen: ({ first, last }) => [Number(last) - Number(first)],
  }),
  SEQUENCE_DUPLICATE: about('line', 'critical', 'shared-number'),
  ENTRY_ID_REUSED: about('line', 'error', 'none', { sharedWhen: ['id'] }),
  BALANCE_DRIFT: about('line', 'critical', 'drift +balance', {
    concerns: ['difference'],
    followsSurplus: true,
  }),
  RESERVED_DRIFT: about('line', 'critical', 'drift +reserved', {
    concerns: ['difference'],
    // An opening that is not explained may carry in a reserved amount too, and then the drift where
    // that amount is gone again follows from the opening. A debit of another amount than its hold
    // leaves a part of the hold, or consumes what is not held.
    follows: ['OPENING_BALANCE_UNEXPLAINED', 'DEBIT_AMOUNT_MISMATCH'],
    // A debit that does not consume its hold follows from the hold that was wrong before it.
    followsEarlier: ['HOLD_AMOUNT_MISMATCH', 'HOLD_DUPLICATED'],
    followsSurplus: true,
    // A service that keeps no reserved figure writes 0 at each hold.
    sharedWhen: ({ kind, actual }) => (kind === 'CASHOUT_HOLD' && Number(actual) === 0 ? [] : null),
  }),
  OPENING_BALANCE_UNEXPLAINED: about('line', 'error', 'drift +balance', {
    concerns: ['opening'],
    follows: ['WALLET_REPLACED'],
    followsSurplus: true,
    toJustify: true,
  }),
  // A service may write a line for a fee of 0; a negative amount has a cause of its own.
  AMOUNT_NOT_POSITIVE: about('line', 'error', 'faulty-line', {
    staysWrong: true,
    sharedWhen: ({ kind, amount }) =>
      Number(amount) === 0 ? [/_FEE$/.test(String(kind)) || kind] : null,
  }),
  KIND_DIRECTION_MISMATCH: about('line', 'error', 'faulty-line', {
    staysWrong: true,
    sharedWhen: ['direction'],
  }),
  UNKNOWN_KIND: about('line', 'warning', 'faulty-line', {
    concerns: ['effect'],
    toJustify: true,
    sharedWhen: ['kind', 'direction'],
  }),
  CURRENCY_MISMATCH: about('line', 'critical', 'none', { sharedWhen: ['of', 'currency'] }),
  HOLD_EXCEEDS_AVAILABLE: about('line', 'critical', 'uncovered', { followsSurplus: true }),
  RESERVED_NEGATIVE: belowZero('reserved', 'critical'),
  BALANCE_NEGATIVE: belowZero('balance', 'error'),
  AVAILABLE_NEGATIVE: belowZero('available', 'error'),
  // The opening date of the account is one fact, however many lines are older.
  ENTRY_TIME_IMPOSSIBLE: about('line', 'warning', 'date', {
    sharedWhen: ({ why }) => (why === 'unopened' ? [] : null),
  }),
};

export const OPERATION_KINDS: Readonly<Record<keyof OperationFigures, KindDeclaration>> = {
  CREDIT_MISSING: about('operation', 'critical', 'lack +balance'),
  CREDIT_WITHOUT_SUCCESS: about('operation', 'critical', 'surplus +balance'),
  CREDIT_DUPLICATED: about('operation', 'critical', 'surplus +balance'),
  CREDIT_AMOUNT_MISMATCH: about('operation', 'critical', 'amount +balance'),
  // A missing fee follows from the missing debit or hold of its operation.
  FEE_MISSING: about('operation', 'critical', 'lack -balance', {
    follows: ['DEBIT_MISSING', 'HOLD_MISSING'],
  }),
  FEE_AMOUNT_MISMATCH: about('operation', 'critical', 'amount -balance'),
  FEE_WITHOUT_SUCCESS: about('operation', 'critical', 'surplus -balance', {
    follows: ['DEBIT_WITHOUT_SUCCESS'],
  }),
  FEE_NOT_AS_PRICED: about('operation', 'error', 'none -balance'),
  PRICING_CHANGED: about('operation', 'info', 'none', { concerns: [] }),
  NET_AMOUNT_INCONSISTENT: about('operation', 'critical', 'none', {
    sharedWhen: ({ is }) => (is === 'other' ? null : [is]),
  }),
  HOLD_MISSING: about('operation', 'critical', 'lack +reserved'),
  HOLD_AMOUNT_MISMATCH: about('operation', 'critical', 'amount +reserved'),
  HOLD_DUPLICATED: about('operation', 'critical', 'surplus +reserved', {
    follows: ['STATUS_REGRESSION'],
  }),
  HOLD_ON_CASHIN: about('operation', 'error', 'surplus'),
  // The hold that an unfinished settlement leaves open follows from it.
  HOLD_NOT_RELEASED: about('operation', 'critical', 'lack +reserved', {
    concerns: ['held'],
    follows: [
      'DEBIT_MISSING',
      'DEBIT_AMOUNT_MISMATCH',
      'DEBIT_DUPLICATED',
      'DEBIT_WITHOUT_HOLD',
      'DEBIT_WITHOUT_SUCCESS',
      'RELEASE_EXCEEDS_HOLD',
    ],
  }),
  HOLD_PAST_EXPIRY: about('operation', 'warning', 'lack +reserved', {
    concerns: ['held'],
    follows: ['OPERATION_VANISHED'],
  }),
  RELEASE_WITHOUT_HOLD: about('operation', 'critical', 'surplus -reserved', { lacksHold: true }),
  // A debit without success has consumed the hold, so that the release which is due exceeds what is
  // left.
  RELEASE_EXCEEDS_HOLD: about('operation', 'critical', 'surplus -reserved', {
    follows: ['DEBIT_WITHOUT_SUCCESS'],
    lacksHold: true,
  }),
  DEBIT_WITHOUT_HOLD: about('operation', 'critical', 'surplus -balance', {
    follows: ['STATUS_REGRESSION'],
    lacksHold: true,
  }),
  DEBIT_MISSING: about('operation', 'critical', 'lack -balance'),
  DEBIT_DUPLICATED: about('operation', 'critical', 'surplus -balance'),
  DEBIT_AMOUNT_MISMATCH: about('operation', 'critical', 'amount -balance'),
  DEBIT_WITHOUT_SUCCESS: about('operation', 'critical', 'surplus -balance'),
  // The difference of a reversal is what was given back. Whether that raises or lowers the balance
  // depends on the type of the operation.
  REVERSAL_MISSING: about('operation', 'critical', 'lack'),
  REVERSAL_UNANNOUNCED: about('operation', 'critical', 'surplus'),
  REVERSAL_INCOMPLETE: about('operation', 'critical', 'lack'),
  REVERSAL_EXCESSIVE: about('operation', 'critical', 'surplus'),
  REVERSAL_WRONG_DIRECTION: about('operation', 'critical', 'lack'),
  REVERSAL_BEFORE_ORIGINAL: about('operation', 'error', 'amount', { staysWrong: true }),
  OPERATION_UNKNOWN: about('line', 'critical', 'faulty-line'),
  REFERENCE_MISSING: about('line', 'error', 'faulty-line', { sharedWhen: ['kind'] }),
  REFERENCE_TYPE_MISMATCH: about('line', 'error', 'faulty-line', {
    staysWrong: true,
    sharedWhen: ['of', 'type', 'announced', 'kind'],
  }),
  COUNTRY_CURRENCY_MISMATCH: about('operation', 'error', 'none', {
    sharedWhen: ['of', 'country', 'currency', 'due'],
  }),
  EXTERNAL_REFERENCE_DUPLICATED: beside('operation', 'error', {
    sharedWhen: ['externalReference'],
  }),
  ADJUSTMENT_UNEXPLAINED: about('line', 'warning', 'none', { sharedWhen: ['direction'] }),
  // One clock that is ahead is one cause for all operations.
  ENTRY_BEFORE_OPERATION: about('operation', 'warning', 'date', { sharedWhen: [] }),
};

const FAULT_OF_STATUS: KindDeclaration = about('operation', 'warning', 'none', {
  sharedWhen: ['status', 'fault'],
});

export const STATE_KINDS: Readonly<Record<keyof StateFigures, KindDeclaration>> = {
  // A service that has stopped closing operations is one cause.
  OPERATION_OVERDUE: about('operation', 'warning', 'none', {
    follows: ['OPERATION_VANISHED'],
    sharedWhen: ['status'],
  }),
  EXPIRY_WINDOW_WRONG: about('operation', 'warning', 'none', {
    counts: true,
    sharedWhen: ['minutes', 'due'],
  }),
  COMPLETION_TIME_INCONSISTENT: { ...FAULT_OF_STATUS, follows: ['STATUS_REGRESSION'] },
  // The detail of a failure moves no money, and has nothing to do with a hold of the same
  // operation.
  FAILURE_DETAIL_INCONSISTENT: about('operation', 'warning', 'none', {
    sharedWhen: ['status', 'fault', 'code'],
    standsAlone: true,
  }),
  PAYER_ACTION_INCONSISTENT: FAULT_OF_STATUS,
  AMOUNT_OUT_OF_BOUNDS: about('operation', 'warning', 'none', { sharedWhen: ['least', 'most'] }),
  DAILY_CASHOUT_LIMIT_EXCEEDED: about('operation', 'error', 'none', { concerns: ['sum'] }),
  COUNTRY_NOT_ALLOWED: about('operation', 'warning', 'none', { sharedWhen: ['by', 'country'] }),
  OPERATED_WHILE_BLOCKED: about('operation', 'error'),
};

const WRONG_TOTAL: KindDeclaration = about('total', 'error', 'statement', {
  concerns: ['difference'],
});

export const WALLET_KINDS: Readonly<Record<keyof WalletFigures, KindDeclaration>> = {
  WALLET_IDENTITY_BROKEN: about('wallet', 'critical', 'statement', { concerns: ['difference'] }),
  WALLET_BALANCE_MISMATCH: about('wallet', 'critical', 'statement +balance', {
    concerns: ['difference'],
    follows: ['WALLET_IDENTITY_BROKEN'],
  }),
  WALLET_RESERVED_MISMATCH: about('wallet', 'critical', 'statement +reserved', {
    concerns: ['difference'],
    follows: ['WALLET_IDENTITY_BROKEN'],
  }),
  OPEN_HOLDS_MISMATCH: about('wallet', 'critical', 'leftover +reserved', {
    concerns: ['difference'],
  }),
  TOTAL_COLLECTED_MISMATCH: WRONG_TOTAL,
  TOTAL_DISBURSED_MISMATCH: WRONG_TOTAL,
  TOTAL_FEES_MISMATCH: WRONG_TOTAL,
};

const REWRITES_LINES: KindDeclaration = beside('line', 'critical', { rewrites: true });

export const HISTORY_KINDS: Readonly<Record<keyof HistoryFigures, KindDeclaration>> = {
  ENTRY_REWRITTEN: REWRITES_LINES,
  ENTRY_DELETED: REWRITES_LINES,
  ENTRY_INSERTED_LATE: REWRITES_LINES,
  SEQUENCE_RESET: REWRITES_LINES,
  HISTORY_NO_LONGER_SERVED: beside('line', 'error', { concerns: [], goesOn: true }),
  WALLET_REPLACED: beside('wallet', 'critical', { concerns: ['balance'], toJustify: true }),
  OPERATION_FIELD_CHANGED: beside('operation', 'critical'),
  OPERATION_VANISHED: beside('operation', 'critical'),
  STATUS_REGRESSION: beside('operation', 'critical'),
};

export const STORE_KINDS: Readonly<Record<keyof StoreFigures, KindDeclaration>> = {
  MIRROR_TAMPERED: beside('line', 'critical', { ofStore: true }),
  CLOSED_PERIOD_CHANGED: beside('report', 'critical', { ofStore: true }),
};

function refusedFor(refusal: Refusal | null): readonly unknown[] {
  return refusal === null ? [null] : [refusal.code, 'field' in refusal && refusal.field];
}

export const INTAKE_KINDS: Readonly<Record<keyof IntakeFigures, KindDeclaration>> = {
  INPUT_REJECTED: about('input', 'warning', 'unread', {
    unserved: true,
    // A column in another notation is refused in each row of the file: that is one cause.
    sharedWhen: ({ part, refusal }) => [part, ...refusedFor(refusal as Refusal | null)],
  }),
};

export const PUBLISHED_KINDS: Readonly<Record<keyof PublishedFigures, KindDeclaration>> = {
  REPORT_SUMMARY_MISMATCH: about('report', 'error', 'none', { counts: true }),
  // The notification that seems missing may be the one that contradicts the operation.
  EVENT_MISSING: about('notification', 'warning', 'lack', {
    follows: [
      'EVENT_CONTRADICTS_OPERATION',
      'EVENT_ID_REUSED',
      'EVENT_UNKNOWN_OPERATION',
      'EVENT_TYPE_MISMATCH',
    ],
    sharedWhen: ['of'],
  }),
  EVENT_CONTRADICTS_OPERATION: about('notification', 'error'),
  EVENT_ID_REUSED: about('notification', 'error'),
  EVENT_UNKNOWN_OPERATION: about('notification', 'error'),
  EVENT_TYPE_MISMATCH: about('notification', 'error'),
};

export const LINK_KINDS: Readonly<Record<keyof LinkFigures, KindDeclaration>> = {
  PAYMENT_OVERDUE: beside('report', 'warning'),
  PAYMENT_OUTCOME_CHANGED: beside('report', 'error'),
  PAYMENT_FIELD_CHANGED: beside('report', 'error'),
  ORDER_PAID_TWICE: beside('report', 'warning'),
  PAYMENT_EVENT_CONTRADICTS: beside('notification', 'warning'),
  PAYMENT_EVENT_MISSING: beside('notification', 'warning', { concerns: ['amount'] }),
  PAYMENT_EVENT_UNKNOWN: beside('notification', 'warning'),
};

const WRONG_COUNT: KindDeclaration = beside('report', 'error', { counts: true });

export const PAYOUT_KINDS: Readonly<Record<keyof PayoutFigures, KindDeclaration>> = {
  PAYOUT_LIMITS_INCONSISTENT: beside('report', 'error'),
  PAYOUT_CEILING_UNEXPECTED: beside('report', 'info'),
  PAYOUT_UNRECORDED: WRONG_COUNT,
  PAYOUT_COUNTERS_MISMATCH: WRONG_COUNT,
  PAYOUT_OUTCOME_CHANGED: beside('report', 'error', { concerns: ['amount'] }),
  LINK_BALANCE_MISMATCH: beside('report', 'critical', { concerns: ['difference'] }),
  SETTLEMENT_MISSED: beside('report', 'warning', { ofActiveAccount: true }),
  PAYMENT_COUNT_MISMATCH: WRONG_COUNT,
};
