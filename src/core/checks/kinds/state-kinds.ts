// Sections C to E and G of the catalogue: states and limits, the wallet, what only memory can see, and intake.

import type {
  HistoryFigures,
  IntakeFigures,
  StateFigures,
  StoreFigures,
  WalletFigures,
} from '../../domain/finding-kind.ts';
import { about, beside, type KindDeclaration } from './declaration.ts';

const FAULT_OF_STATUS: KindDeclaration = about('operation', 'warning', 'none', { sharedWhen: ['status', 'fault'] });

export const STATE_KINDS: Readonly<Record<keyof StateFigures, KindDeclaration>> = {
  // A service that has stopped closing operations is one cause.
  OPERATION_OVERDUE: about('operation', 'warning', 'none', { follows: ['OPERATION_VANISHED'], sharedWhen: ['status'] }),
  EXPIRY_WINDOW_WRONG: about('operation', 'warning', 'none', { counts: true, sharedWhen: ['minutes', 'due'] }),
  COMPLETION_TIME_INCONSISTENT: FAULT_OF_STATUS,
  // The detail of a failure moves no money, and has nothing to do with a hold of the same operation.
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

const WRONG_TOTAL: KindDeclaration = about('total', 'error', 'statement', { concerns: ['difference'] });

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
  OPEN_HOLDS_MISMATCH: about('wallet', 'critical', 'leftover +reserved', { concerns: ['difference'] }),
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
  OPERATION_FIELD_CHANGED: beside('operation', 'critical'),
  OPERATION_VANISHED: beside('operation', 'critical'),
  STATUS_REGRESSION: beside('operation', 'critical'),
};

export const STORE_KINDS: Readonly<Record<keyof StoreFigures, KindDeclaration>> = {
  MIRROR_TAMPERED: beside('line', 'critical', { ofStore: true }),
  CLOSED_PERIOD_CHANGED: beside('report', 'critical', { ofStore: true }),
};

export const INTAKE_KINDS: Readonly<Record<keyof IntakeFigures, KindDeclaration>> = {
  INPUT_REJECTED: about('input', 'warning', 'unread', { unserved: true }),
};
