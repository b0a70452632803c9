// Sections C to E and G of the catalogue: states and limits, the wallet, what only memory can see, and intake.

import type { HistoryKind, IntakeKind, StateKind, StoreKind, WalletKind } from '../../domain/finding-kind.ts';
import { about, beside, CASHIN, CASHIN_WITH_WALLET, type KindDeclaration, TWO_CASHINS } from './declaration.ts';

export const STATE_KINDS: Readonly<Record<StateKind, KindDeclaration>> = {
  OPERATION_OVERDUE: {
    ...about('operation', 'warning'),
    follows: ['OPERATION_VANISHED'],
    // A service that has stopped closing operations is one cause.
    sharedWhen: ['status'],
    fires: 'op CI-1 PENDING 1000',
    quiet: `op CI-1 PENDING 1000
      at +10m`,
  },
  EXPIRY_WINDOW_WRONG: {
    ...about('operation', 'warning'),
    counts: true,
    sharedWhen: ['minutes', 'due'],
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 expiresAt=+6h`,
    quiet: CASHIN,
  },
  COMPLETION_TIME_INCONSISTENT: {
    ...about('operation', 'warning'),
    sharedWhen: ['status', 'fault'],
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 completedAt=null`,
    quiet: CASHIN,
  },
  FAILURE_DETAIL_INCONSISTENT: {
    ...about('operation', 'warning'),
    sharedWhen: ['status', 'fault', 'code'],
    // The detail of a failure moves no money, and has nothing to do with a hold of the same operation.
    standsAlone: true,
    fires: 'op CI-1 FAILED 1000 failureCode=null',
    quiet: 'op CI-1 FAILED 1000 failureCode=OPERATOR_REFUSED',
  },
  PAYER_ACTION_INCONSISTENT: {
    ...about('operation', 'warning'),
    sharedWhen: ['status', 'fault'],
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 requiresPayerAction=true`,
    quiet: CASHIN,
  },
  AMOUNT_OUT_OF_BOUNDS: {
    ...about('operation', 'warning'),
    sharedWhen: ['least', 'most'],
    fires: `profile minCashinAmount=100 maxCashinAmount=5000
      line 1 CASHIN_CREDIT 9000 9000/0 CI-1
      op CI-1 SUCCEEDED 9000`,
    quiet: `profile minCashinAmount=100 maxCashinAmount=5000
      line 1 CASHIN_CREDIT 5000 5000/0 CI-1
      op CI-1 SUCCEEDED 5000`,
  },
  DAILY_CASHOUT_LIMIT_EXCEEDED: {
    ...about('operation', 'error'),
    concerns: ['sum'],
    fires: `profile dailyCashoutLimit=1500
      line 1 ADJUSTMENT_CREDIT 9000 9000/0 - description=opening
      line 2 CASHOUT_HOLD 1000 9000/1000 CO-2
      line 3 CASHOUT_DEBIT 1000 8000/0 CO-2
      line 4 CASHOUT_HOLD 1000 8000/1000 CO-4
      line 5 CASHOUT_DEBIT 1000 7000/0 CO-4
      op CO-2 SUCCEEDED 1000
      op CO-4 SUCCEEDED 1000`,
    quiet: `profile dailyCashoutLimit=1500
      line 1 ADJUSTMENT_CREDIT 9000 9000/0 - description=opening
      line 2 CASHOUT_HOLD 1000 9000/1000 CO-2
      line 3 CASHOUT_DEBIT 1000 8000/0 CO-2
      op CO-2 SUCCEEDED 1000`,
  },
  COUNTRY_NOT_ALLOWED: {
    ...about('operation', 'warning'),
    sharedWhen: ['by', 'country'],
    fires: `profile allowedCountries=CI,SN
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 country=TG`,
    quiet: `profile allowedCountries=CI,SN
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 country=SN`,
  },
  OPERATED_WHILE_BLOCKED: {
    ...about('operation', 'error'),
    fires: `${CASHIN}
      op CI-2 FAILED 1000 createdAt=+5d
      wallet 1000/0 status=FROZEN updatedAt=+1d`,
    quiet: `${CASHIN}
      wallet 1000/0 status=FROZEN updatedAt=+1d`,
  },
};

export const WALLET_KINDS: Readonly<Record<WalletKind, KindDeclaration>> = {
  WALLET_IDENTITY_BROKEN: {
    ...about('wallet', 'critical', 'statement'),
    concerns: ['difference'],
    fires: `${CASHIN}
      wallet 1000/0 available=900`,
    quiet: CASHIN_WITH_WALLET,
  },
  WALLET_BALANCE_MISMATCH: {
    ...about('wallet', 'critical', 'statement', '+balance'),
    concerns: ['difference'],
    follows: ['WALLET_IDENTITY_BROKEN'],
    fires: `${CASHIN}
      wallet 1200/0`,
    quiet: CASHIN_WITH_WALLET,
  },
  WALLET_RESERVED_MISMATCH: {
    ...about('wallet', 'critical', 'statement', '+reserved'),
    concerns: ['difference'],
    follows: ['WALLET_IDENTITY_BROKEN'],
    fires: `${CASHIN}
      wallet 1000/300`,
    quiet: CASHIN_WITH_WALLET,
  },
  OPEN_HOLDS_MISMATCH: {
    ...about('wallet', 'critical', 'leftover', '+reserved'),
    concerns: ['difference'],
    fires: `line 1 CASHIN_CREDIT 1000 1000/250 CI-1
      op CI-1 SUCCEEDED 1000
      wallet 1000/250`,
    quiet: CASHIN_WITH_WALLET,
  },
  TOTAL_COLLECTED_MISMATCH: {
    ...about('total', 'error', 'statement'),
    concerns: ['difference'],
    fires: `${CASHIN}
      wallet 1000/0 totalCollected=777`,
    quiet: CASHIN_WITH_WALLET,
  },
  TOTAL_DISBURSED_MISMATCH: {
    ...about('total', 'error', 'statement'),
    concerns: ['difference'],
    fires: `${CASHIN}
      wallet 1000/0 totalDisbursed=777`,
    quiet: CASHIN_WITH_WALLET,
  },
  TOTAL_FEES_MISMATCH: {
    ...about('total', 'error', 'statement'),
    concerns: ['difference'],
    fires: `${CASHIN}
      wallet 1000/0 totalFees=777`,
    quiet: CASHIN_WITH_WALLET,
  },
};

export const HISTORY_KINDS: Readonly<Record<HistoryKind, KindDeclaration>> = {
  ENTRY_REWRITTEN: {
    ...beside('line', 'critical'),
    rewrites: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 description=a
      again 1 CASHIN_CREDIT 1000 1000/0 CI-1 description=b
      op CI-1 SUCCEEDED 1000`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 description=a
      again 1 CASHIN_CREDIT 1000 1000/0 CI-1 description=a
      op CI-1 SUCCEEDED 1000`,
  },
  ENTRY_DELETED: {
    ...beside('line', 'critical'),
    rewrites: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 500 1500/0 CI-2
      gone 2
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
    quiet: TWO_CASHINS,
  },
  ENTRY_INSERTED_LATE: {
    ...beside('line', 'critical'),
    rewrites: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 3 CASHIN_CREDIT 500 1500/0 CI-3
      again 2 ADJUSTMENT_CREDIT 70 1070/0 -
      op CI-1 SUCCEEDED 1000
      op CI-3 SUCCEEDED 500`,
    quiet: TWO_CASHINS,
  },
  SEQUENCE_RESET: {
    ...beside('line', 'critical'),
    rewrites: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 500 1500/0 CI-2
      again 2 CASHIN_CREDIT 900 1900/0 CI-4 id=other at=+40m
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
    quiet: TWO_CASHINS,
  },
  OPERATION_FIELD_CHANGED: {
    ...beside('operation', 'critical'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      was CI-1 PENDING 1000 fees=20
      op CI-1 SUCCEEDED 1000`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      was CI-1 PENDING 1000
      op CI-1 SUCCEEDED 1000`,
  },
  OPERATION_VANISHED: {
    ...beside('operation', 'critical'),
    fires: 'was CI-1 FAILED 1000',
    quiet: 'op CI-1 FAILED 1000',
  },
  STATUS_REGRESSION: {
    ...beside('operation', 'critical'),
    fires: `was CI-1 FAILED 1000
      op CI-1 EXPIRED 1000 completedAt=+31m`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 REVERSAL_DEBIT 1000 0/0 CI-1
      was CI-1 SUCCEEDED 1000
      op CI-1 REVERSED 1000`,
  },
};

export const STORE_KINDS: Readonly<Record<StoreKind, KindDeclaration>> = {
  MIRROR_TAMPERED: {
    ...beside('line', 'critical'),
    ofStore: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 stored=altered
      op CI-1 SUCCEEDED 1000`,
    quiet: CASHIN,
  },
  CLOSED_PERIOD_CHANGED: {
    ...beside('report', 'critical'),
    ofStore: true,
    fires: `${CASHIN}
      issued 2026-09 closingBalance=0 now=1000`,
    quiet: CASHIN,
  },
};

export const INTAKE_KINDS: Readonly<Record<IntakeKind, KindDeclaration>> = {
  INPUT_REJECTED: {
    ...about('input', 'warning', 'unread'),
    unserved: true,
    fires: `${CASHIN}
      reject ledger.jsonl:2 amount is 12.5, not a whole number`,
    quiet: CASHIN,
  },
};
