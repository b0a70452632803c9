// The catalogue: every kind of finding with what it declares, in order. A kind that is left out does not compile.

import type { FindingDraft, Severity } from '../../domain/finding.ts';
import type {
  FindingKind,
  HistoryKind,
  IntakeKind,
  LineKind,
  LinkKind,
  OperationKind,
  PayoutKind,
  PublishedKind,
  StateKind,
  WalletKind,
} from '../../domain/finding-kind.ts';
import type { Merchant } from '../../domain/merchant.ts';

// What a kind of finding declares of itself: how grave it is, what it is about, what it does to the recorded figures, and
// what it may follow from. The search for roots asks these fields, and never how a kind is spelled.

export type Subject = 'line' | 'operation' | 'wallet' | 'total' | 'notification' | 'report' | 'input';

type Effect =
  /** The recorded figures leave the chain. */
  | 'drift'
  /** A line of the operation ought not to be there. */
  | 'surplus'
  /** The operation's lines are there, but not of the amount, or in the order, that is due. */
  | 'amount'
  /** The operation lacks a line. */
  | 'lack'
  /** The line itself is wrong: what its operation lacks, and the drift that it leaves, are of it. */
  | 'faulty-line'
  /** Several lines carry one number. */
  | 'shared-number'
  /** A hold takes more than there is: what later lines lack may be of it. */
  | 'uncovered'
  | 'below-zero'
  /** The wallet states another figure than the ledger or the operations show. */
  | 'statement'
  /** What earlier drifts have left at the head of the ledger. */
  | 'leftover'
  /** A row could not be read: whatever it may have been is missing. */
  | 'unread'
  | 'none';

interface KindDeclaration {
  readonly severity: Severity;
  readonly subject: Subject;
  readonly effect: Effect;
  /** The figure that a positive difference has made too high (+), or too low (−). Absent: it depends, or it is none. */
  readonly figure?: '+balance' | '-balance' | '+reserved' | '-reserved';
  /**
   * What such a root lacks is in the service's books all the same, only not in what was served or declared: the recorded
   * figures are right, and its item is 0. Absent: the item is what the findings of the root add up to.
   */
  readonly unserved?: true;
  /** Nothing that was read explains its money: an item that is to be justified, which no entry of the service would put right. */
  readonly toJustify?: true;
  /** It is never the root beside one of these, whatever their order in the catalogue. */
  readonly follows?: readonly FindingKind[];
  /** So, beside one of these that stands on an earlier line. */
  readonly followsEarlier?: readonly FindingKind[];
  /** So, on a line that ought not to be there. */
  readonly followsSurplus?: true;
  /**
   * Many operations may deviate in one way for one cause: those whose figures of these names agree are reported once. Absent:
   * each operation has it for itself.
   */
  readonly sharedWhen?: readonly string[];
  /** The account must have been active: of one that is not, nothing of the kind is due. */
  readonly ofActiveAccount?: true;
  /** It names a place that it shares with other findings by chance: it explains none of them, and follows from none. */
  readonly standsAlone?: true;
}

// The kinds of section A: what lines alone show. Their order is that of the catalogue.

const LINE_KINDS: Readonly<Record<LineKind, KindDeclaration>> = {
  // The difference is of the reserved amount where the balance continues. The missing lines are in the recorded figures.
  LINES_MISSING: { severity: 'critical', subject: 'line', effect: 'drift', figure: '+balance', unserved: true },
  SEQUENCE_GAP: { severity: 'info', subject: 'line', effect: 'none' },
  SEQUENCE_DUPLICATE: { severity: 'critical', subject: 'line', effect: 'shared-number' },
  ENTRY_ID_REUSED: { severity: 'error', subject: 'line', effect: 'none' },
  BALANCE_DRIFT: {
    severity: 'critical',
    subject: 'line',
    effect: 'drift',
    figure: '+balance',
    followsSurplus: true,
  },
  RESERVED_DRIFT: {
    severity: 'critical',
    subject: 'line',
    effect: 'drift',
    figure: '+reserved',
    // What the first line carries in is shown by its balance; where the reserved amount is back, that drift ends.
    follows: ['OPENING_BALANCE_UNEXPLAINED'],
    // A debit that does not consume its hold follows from the hold that was wrong before it.
    followsEarlier: ['HOLD_AMOUNT_MISMATCH', 'HOLD_DUPLICATED'],
    followsSurplus: true,
  },
  OPENING_BALANCE_UNEXPLAINED: {
    severity: 'error',
    subject: 'line',
    effect: 'drift',
    figure: '+balance',
    toJustify: true,
  },
  AMOUNT_NOT_POSITIVE: { severity: 'error', subject: 'line', effect: 'faulty-line' },
  KIND_DIRECTION_MISMATCH: { severity: 'error', subject: 'line', effect: 'faulty-line' },
  UNKNOWN_KIND: { severity: 'warning', subject: 'line', effect: 'faulty-line', toJustify: true },
  CURRENCY_MISMATCH: { severity: 'critical', subject: 'line', effect: 'none' },
  HOLD_EXCEEDS_AVAILABLE: { severity: 'critical', subject: 'line', effect: 'uncovered', followsSurplus: true },
  RESERVED_NEGATIVE: { severity: 'critical', subject: 'line', effect: 'below-zero', followsSurplus: true },
  BALANCE_NEGATIVE: { severity: 'error', subject: 'line', effect: 'below-zero', followsSurplus: true },
  AVAILABLE_NEGATIVE: { severity: 'error', subject: 'line', effect: 'below-zero', followsSurplus: true },
  ENTRY_TIME_IMPOSSIBLE: { severity: 'warning', subject: 'line', effect: 'none' },
};

// The kinds of section I: payments by link against what earlier looks saw of them, against each other, and against what was notified.
// None of them is in the ledger, and none explains a finding there.

export const LINK_KINDS: Readonly<Record<LinkKind, KindDeclaration>> = {
  PAYMENT_OVERDUE: { severity: 'warning', subject: 'report', effect: 'none', standsAlone: true },
  PAYMENT_OUTCOME_CHANGED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYMENT_FIELD_CHANGED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  ORDER_PAID_TWICE: { severity: 'warning', subject: 'report', effect: 'none', standsAlone: true },
  PAYMENT_EVENT_CONTRADICTS: { severity: 'warning', subject: 'notification', effect: 'none', standsAlone: true },
  PAYMENT_EVENT_MISSING: { severity: 'warning', subject: 'notification', effect: 'none', standsAlone: true },
  PAYMENT_EVENT_UNKNOWN: { severity: 'warning', subject: 'notification', effect: 'none', standsAlone: true },
};

// The kinds of section B: what an operation and its lines show together. Their order is that of the catalogue.

type Declared = Omit<KindDeclaration, 'severity' | 'subject'>;

/** Money that an operation's lines moved, or did not: what the recorded figures are off by is read off them. */
function moving(parts: Declared): KindDeclaration {
  return { severity: 'critical', subject: 'operation', ...parts };
}

const OPERATION_KINDS: Readonly<Record<OperationKind, KindDeclaration>> = {
  CREDIT_MISSING: moving({ effect: 'lack', figure: '+balance' }),
  CREDIT_WITHOUT_SUCCESS: moving({ effect: 'surplus', figure: '+balance' }),
  CREDIT_DUPLICATED: moving({ effect: 'surplus', figure: '+balance' }),
  CREDIT_AMOUNT_MISMATCH: moving({ effect: 'amount', figure: '+balance' }),
  // A fee follows from its principal.
  FEE_MISSING: moving({ effect: 'lack', figure: '-balance', follows: ['DEBIT_MISSING', 'HOLD_MISSING'] }),
  FEE_AMOUNT_MISMATCH: moving({ effect: 'amount', figure: '-balance' }),
  FEE_WITHOUT_SUCCESS: moving({ effect: 'surplus', figure: '-balance', follows: ['DEBIT_WITHOUT_SUCCESS'] }),
  FEE_NOT_AS_PRICED: {
    severity: 'error',
    subject: 'operation',
    effect: 'none',
    figure: '-balance',
  },
  PRICING_CHANGED: { severity: 'info', subject: 'operation', effect: 'none' },
  NET_AMOUNT_INCONSISTENT: { severity: 'critical', subject: 'operation', effect: 'none' },
  HOLD_MISSING: moving({ effect: 'lack', figure: '+reserved' }),
  HOLD_AMOUNT_MISMATCH: moving({ effect: 'amount', figure: '+reserved' }),
  HOLD_DUPLICATED: moving({ effect: 'surplus', figure: '+reserved' }),
  HOLD_ON_CASHIN: { severity: 'error', subject: 'operation', effect: 'surplus' },
  // The open hold behind an unfinished settlement follows; it does not explain.
  HOLD_NOT_RELEASED: moving({
    effect: 'lack',
    figure: '+reserved',
    follows: [
      'DEBIT_MISSING',
      'DEBIT_AMOUNT_MISMATCH',
      'DEBIT_DUPLICATED',
      'DEBIT_WITHOUT_HOLD',
      'DEBIT_WITHOUT_SUCCESS',
      'RELEASE_EXCEEDS_HOLD',
    ],
  }),
  HOLD_PAST_EXPIRY: { severity: 'warning', subject: 'operation', effect: 'lack', figure: '+reserved' },
  RELEASE_WITHOUT_HOLD: moving({ effect: 'surplus', figure: '-reserved' }),
  // What a debit has consumed that ought not to be there, the release that is due does not find.
  RELEASE_EXCEEDS_HOLD: moving({ effect: 'surplus', figure: '-reserved', follows: ['DEBIT_WITHOUT_SUCCESS'] }),
  DEBIT_WITHOUT_HOLD: moving({ effect: 'surplus', figure: '-balance' }),
  DEBIT_MISSING: moving({ effect: 'lack', figure: '-balance' }),
  DEBIT_DUPLICATED: moving({ effect: 'surplus', figure: '-balance' }),
  DEBIT_AMOUNT_MISMATCH: moving({ effect: 'amount', figure: '-balance' }),
  DEBIT_WITHOUT_SUCCESS: moving({ effect: 'surplus', figure: '-balance' }),
  // The differences are of what was given back: what that means for the balance depends on the type of the operation.
  REVERSAL_MISSING: moving({ effect: 'lack' }),
  REVERSAL_UNANNOUNCED: moving({ effect: 'surplus' }),
  REVERSAL_INCOMPLETE: moving({ effect: 'lack' }),
  REVERSAL_EXCESSIVE: moving({ effect: 'surplus' }),
  REVERSAL_WRONG_DIRECTION: moving({ effect: 'lack' }),
  REVERSAL_BEFORE_ORIGINAL: { severity: 'error', subject: 'operation', effect: 'amount' },
  OPERATION_UNKNOWN: { severity: 'critical', subject: 'line', effect: 'faulty-line' },
  REFERENCE_MISSING: { severity: 'error', subject: 'line', effect: 'faulty-line' },
  REFERENCE_TYPE_MISMATCH: { severity: 'error', subject: 'line', effect: 'faulty-line' },
  COUNTRY_CURRENCY_MISMATCH: { severity: 'error', subject: 'operation', effect: 'none' },
  EXTERNAL_REFERENCE_DUPLICATED: { severity: 'error', subject: 'operation', effect: 'none', standsAlone: true },
  ADJUSTMENT_UNEXPLAINED: { severity: 'warning', subject: 'line', effect: 'none' },
  // A clock that is ahead is one cause, whatever the operations.
  ENTRY_BEFORE_OPERATION: { severity: 'warning', subject: 'operation', effect: 'none', sharedWhen: [] },
};

// The kinds of sections C to G: states and limits, the wallet, what only memory can see, what the service publishes, and intake. Their order is
// that of the catalogue.

const STATE_KINDS: Readonly<Record<StateKind, KindDeclaration>> = {
  // A service that closes nothing any more is one cause.
  OPERATION_OVERDUE: { severity: 'warning', subject: 'operation', effect: 'none', sharedWhen: ['status'] },
  EXPIRY_WINDOW_WRONG: {
    severity: 'warning',
    subject: 'operation',
    effect: 'none',
    sharedWhen: ['minutes', 'due'],
  },
  COMPLETION_TIME_INCONSISTENT: {
    severity: 'warning',
    subject: 'operation',
    effect: 'none',
    sharedWhen: ['status', 'fault'],
  },
  FAILURE_DETAIL_INCONSISTENT: {
    severity: 'warning',
    subject: 'operation',
    effect: 'none',
    sharedWhen: ['status', 'fault', 'code'],
    // What the service says of a failure moves no money: it has nothing to do with a hold of the same operation.
    standsAlone: true,
  },
  PAYER_ACTION_INCONSISTENT: {
    severity: 'warning',
    subject: 'operation',
    effect: 'none',
    sharedWhen: ['status', 'fault'],
  },
  AMOUNT_OUT_OF_BOUNDS: {
    severity: 'warning',
    subject: 'operation',
    effect: 'none',
    sharedWhen: ['least', 'most'],
  },
  DAILY_CASHOUT_LIMIT_EXCEEDED: { severity: 'error', subject: 'operation', effect: 'none' },
  COUNTRY_NOT_ALLOWED: {
    severity: 'warning',
    subject: 'operation',
    effect: 'none',
    sharedWhen: ['by', 'country'],
  },
  OPERATED_WHILE_BLOCKED: { severity: 'error', subject: 'operation', effect: 'none' },
};

/** A figure that the wallet states otherwise than the line it must be that of. */
function stated(figure: '+balance' | '+reserved'): KindDeclaration {
  const follows = ['WALLET_IDENTITY_BROKEN'] as const;
  return { severity: 'critical', subject: 'wallet', effect: 'statement', figure, follows };
}

const WALLET_KINDS: Readonly<Record<WalletKind, KindDeclaration>> = {
  WALLET_IDENTITY_BROKEN: { severity: 'critical', subject: 'wallet', effect: 'statement' },
  WALLET_BALANCE_MISMATCH: stated('+balance'),
  WALLET_RESERVED_MISMATCH: stated('+reserved'),
  OPEN_HOLDS_MISMATCH: {
    severity: 'critical',
    subject: 'wallet',
    effect: 'leftover',
    figure: '+reserved',
  },
  TOTAL_COLLECTED_MISMATCH: { severity: 'error', subject: 'total', effect: 'statement' },
  TOTAL_DISBURSED_MISMATCH: { severity: 'error', subject: 'total', effect: 'statement' },
  TOTAL_FEES_MISMATCH: { severity: 'error', subject: 'total', effect: 'statement' },
};

const HISTORY_KINDS: Readonly<Record<HistoryKind, KindDeclaration>> = {
  OPERATION_FIELD_CHANGED: { severity: 'critical', subject: 'operation', effect: 'none', standsAlone: true },
  STATUS_REGRESSION: { severity: 'critical', subject: 'operation', effect: 'none', standsAlone: true },
};

const PUBLISHED_KINDS: Readonly<Record<PublishedKind, KindDeclaration>> = {
  REPORT_SUMMARY_MISMATCH: { severity: 'error', subject: 'report', effect: 'none' },
  EVENT_MISSING: {
    severity: 'warning',
    subject: 'notification',
    effect: 'lack',
    // The notification that is missing is the one that says something else.
    follows: ['EVENT_CONTRADICTS_OPERATION', 'EVENT_ID_REUSED', 'EVENT_UNKNOWN_OPERATION', 'EVENT_TYPE_MISMATCH'],
    sharedWhen: ['of'],
  },
  EVENT_CONTRADICTS_OPERATION: { severity: 'error', subject: 'notification', effect: 'none' },
  EVENT_ID_REUSED: { severity: 'error', subject: 'notification', effect: 'none' },
  EVENT_UNKNOWN_OPERATION: { severity: 'error', subject: 'notification', effect: 'none' },
  EVENT_TYPE_MISMATCH: { severity: 'error', subject: 'notification', effect: 'none' },
};

const INTAKE_KINDS: Readonly<Record<IntakeKind, KindDeclaration>> = {
  INPUT_REJECTED: { severity: 'warning', subject: 'input', effect: 'unread', unserved: true },
};

// The kinds of section J: payouts, what was collected by link and not paid out, and the counts of payments. Their order is that of
// the catalogue. None of them is in the ledger, and none explains a finding there.

export const PAYOUT_KINDS: Readonly<Record<PayoutKind, KindDeclaration>> = {
  PAYOUT_LIMITS_INCONSISTENT: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_CEILING_UNEXPECTED: { severity: 'info', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_UNRECORDED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_COUNTERS_MISMATCH: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  PAYOUT_OUTCOME_CHANGED: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
  LINK_BALANCE_MISMATCH: { severity: 'critical', subject: 'report', effect: 'none', standsAlone: true },
  SETTLEMENT_MISSED: {
    severity: 'warning',
    subject: 'report',
    effect: 'none',
    standsAlone: true,
    ofActiveAccount: true,
  },
  PAYMENT_COUNT_MISMATCH: { severity: 'error', subject: 'report', effect: 'none', standsAlone: true },
};

export const KINDS: Readonly<Record<FindingKind, KindDeclaration>> = {
  ...LINE_KINDS,
  ...OPERATION_KINDS,
  ...STATE_KINDS,
  ...WALLET_KINDS,
  ...HISTORY_KINDS,
  ...PUBLISHED_KINDS,
  ...LINK_KINDS,
  ...PAYOUT_KINDS,
  ...INTAKE_KINDS,
};

/** The order of the catalogue: of several findings that one line explains, the first is the root. */
export const CATALOGUE: readonly { readonly section: string; readonly kinds: readonly FindingKind[] }[] = [
  { section: 'A. Lines alone', kinds: kindsOf(LINE_KINDS) },
  { section: 'B. Operation against its lines', kinds: kindsOf(OPERATION_KINDS) },
  { section: 'C. States and limits', kinds: kindsOf(STATE_KINDS) },
  { section: 'D. Wallet', kinds: kindsOf(WALLET_KINDS) },
  { section: 'E. History', kinds: kindsOf(HISTORY_KINDS) },
  { section: 'F. Reports, payments, notifications', kinds: kindsOf(PUBLISHED_KINDS) },
  { section: 'G. Intake', kinds: kindsOf(INTAKE_KINDS) },
  { section: 'I. Payments by link', kinds: kindsOf(LINK_KINDS) },
  { section: 'J. Payouts', kinds: kindsOf(PAYOUT_KINDS) },
];

const RANKS: ReadonlyMap<FindingKind, number> = new Map(kindsOf(KINDS).map((kind, i) => [kind, i]));

/** Where a kind stands in the catalogue; lower is earlier. */
export function rankOf(kind: FindingKind): number {
  return RANKS.get(kind)!;
}

/** What the kind of a finding declares of it. */
export function declared({ kind }: Pick<FindingDraft, 'kind'>): KindDeclaration {
  return KINDS[kind];
}

/** Findings that say something harmless explain nothing and follow from nothing. */
export function standsAlone(draft: FindingDraft): boolean {
  return draft.severity === 'info' || declared(draft).standsAlone === true;
}

/** Of an account that is not active some kinds say nothing; one whose profile is not known counts as active. */
export function appliesTo(draft: Pick<FindingDraft, 'kind'>, profiles: readonly Merchant[]): boolean {
  return declared(draft).ofActiveAccount !== true || (profiles.at(-1)?.status ?? 'ACTIVE') === 'ACTIVE';
}

function kindsOf<Kind extends FindingKind>(kinds: Readonly<Record<Kind, KindDeclaration>>): readonly Kind[] {
  return Object.keys(kinds) as Kind[];
}
