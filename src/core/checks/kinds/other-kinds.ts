// The kinds of sections C to G: states and limits, the wallet, what only memory can see, what the service publishes, and intake. Their order is
// that of the catalogue.

import type { HistoryKind, IntakeKind, PublishedKind, StateKind, WalletKind } from '../../domain/finding-kind.ts';
import type { KindDeclaration } from './declaration.ts';

export const STATE_KINDS: Readonly<Record<StateKind, KindDeclaration>> = {
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

export const WALLET_KINDS: Readonly<Record<WalletKind, KindDeclaration>> = {
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

export const HISTORY_KINDS: Readonly<Record<HistoryKind, KindDeclaration>> = {
  OPERATION_FIELD_CHANGED: { severity: 'critical', subject: 'operation', effect: 'none', standsAlone: true },
  STATUS_REGRESSION: { severity: 'critical', subject: 'operation', effect: 'none', standsAlone: true },
};

export const PUBLISHED_KINDS: Readonly<Record<PublishedKind, KindDeclaration>> = {
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

export const INTAKE_KINDS: Readonly<Record<IntakeKind, KindDeclaration>> = {
  INPUT_REJECTED: { severity: 'warning', subject: 'input', effect: 'unread', unserved: true },
};
