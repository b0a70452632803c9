// Sections C to E and G of the catalogue: states and limits, the wallet, what only memory can see, and intake.

import type { HistoryKind, IntakeKind, StateKind, StoreKind, WalletKind } from '../../domain/finding-kind.ts';
import { about, beside, CASHIN, CASHIN_WITH_WALLET, type KindDeclaration, TWO_CASHINS } from './declaration.ts';

export const STATE_KINDS: Readonly<Record<StateKind, KindDeclaration>> = {
  OPERATION_OVERDUE: {
    ...about('operation', 'warning'),
    follows: ['OPERATION_VANISHED'],
    // A service that has stopped closing operations is one cause.
    sharedWhen: ['status'],
    explanation: 'The operation is past its expiresAt plus grace and still not final: ask the service for it.',
    fires: 'op CI-1 PENDING 1000',
    quiet: `op CI-1 PENDING 1000
      at +10m`,
  },
  EXPIRY_WINDOW_WRONG: {
    ...about('operation', 'warning'),
    counts: true,
    sharedWhen: ['minutes', 'due'],
    explanation: 'expiresAt is not 30 minutes (cash-in) or 6 hours (cash-out) after createdAt.',
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 expiresAt=+6h`,
    quiet: CASHIN,
  },
  COMPLETION_TIME_INCONSISTENT: {
    ...about('operation', 'warning'),
    sharedWhen: ['status', 'fault'],
    explanation:
      'completedAt is set exactly when the state is final, and is not before createdAt. An operation expires at its expiresAt, not before, and does not succeed more than an hour after it.',
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 completedAt=null`,
    quiet: CASHIN,
  },
  FAILURE_DETAIL_INCONSISTENT: {
    ...about('operation', 'warning'),
    sharedWhen: ['status', 'fault', 'code'],
    // The detail of a failure moves no money, and has nothing to do with a hold of the same operation.
    standsAlone: true,
    explanation: '`failure` is set exactly when the operation FAILED, with a code of the document.',
    fires: 'op CI-1 FAILED 1000 failureCode=null',
    quiet: 'op CI-1 FAILED 1000 failureCode=OPERATOR_REFUSED',
  },
  PAYER_ACTION_INCONSISTENT: {
    ...about('operation', 'warning'),
    sharedWhen: ['status', 'fault'],
    explanation:
      'Only a cash-in waits for its payer, who acts on payerActionUrl: AWAITING_PAYER or payerActionUrl on a cash-out; AWAITING_PAYER without a URL or without requiresPayerAction; requiresPayerAction without a URL, or on an operation that is over.',
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 requiresPayerAction=true`,
    quiet: CASHIN,
  },
  AMOUNT_OUT_OF_BOUNDS: {
    ...about('operation', 'warning'),
    sharedWhen: ['least', 'most'],
    explanation: 'The amount is below the minimum or above the maximum of every version of the profile that is known.',
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
    explanation:
      'Some rolling 24 hours paid out more than dailyCashoutLimit, whichever way one counts. 0 means no ceiling.',
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
    explanation:
      'The operation’s country is in no known version of the account’s allowedCountries, or is none that the document names.',
    fires: `profile allowedCountries=CI,SN
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 country=TG`,
    quiet: `profile allowedCountries=CI,SN
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 country=SN`,
  },
  OPERATED_WHILE_BLOCKED: {
    ...about('operation', 'error'),
    explanation:
      'An operation was created while the wallet was frozen or closed, or by an account that was never activated. The documents keep no history of these states: only what is certain is reported.',
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
    explanation: 'available is not balance − reserved in the wallet itself.',
    fires: `${CASHIN}
      wallet 1000/0 available=900`,
    quiet: CASHIN_WITH_WALLET,
  },
  WALLET_BALANCE_MISMATCH: {
    ...about('wallet', 'critical', 'statement', '+balance'),
    concerns: ['difference'],
    follows: ['WALLET_IDENTITY_BROKEN'],
    explanation:
      'The wallet’s balance is not that of any line between the head of the ledger read before it and the one read after.',
    fires: `${CASHIN}
      wallet 1200/0`,
    quiet: CASHIN_WITH_WALLET,
  },
  WALLET_RESERVED_MISMATCH: {
    ...about('wallet', 'critical', 'statement', '+reserved'),
    concerns: ['difference'],
    follows: ['WALLET_IDENTITY_BROKEN'],
    explanation:
      'The wallet’s reserved amount is not that of any line between the head of the ledger read before it and the one read after.',
    fires: `${CASHIN}
      wallet 1000/300`,
    quiet: CASHIN_WITH_WALLET,
  },
  OPEN_HOLDS_MISMATCH: {
    ...about('wallet', 'critical', 'leftover', '+reserved'),
    concerns: ['difference'],
    explanation:
      'The recorded reserved amount at the head of the ledger is not the sum of the holds that are still open.',
    fires: `line 1 CASHIN_CREDIT 1000 1000/250 CI-1
      op CI-1 SUCCEEDED 1000
      wallet 1000/250`,
    quiet: CASHIN_WITH_WALLET,
  },
  TOTAL_COLLECTED_MISMATCH: {
    ...about('total', 'error', 'statement'),
    concerns: ['difference'],
    explanation:
      'The wallet’s totalCollected fits no lawful interpretation of “cumulative collected since opening”: gross or net, less reversals or not.',
    fires: `${CASHIN}
      wallet 1000/0 totalCollected=777`,
    quiet: CASHIN_WITH_WALLET,
  },
  TOTAL_DISBURSED_MISMATCH: {
    ...about('total', 'error', 'statement'),
    concerns: ['difference'],
    explanation:
      'The wallet’s totalDisbursed fits no lawful interpretation of “cumulative transferred since opening”: gross or net, less reversals or not.',
    fires: `${CASHIN}
      wallet 1000/0 totalDisbursed=777`,
    quiet: CASHIN_WITH_WALLET,
  },
  TOTAL_FEES_MISMATCH: {
    ...about('total', 'error', 'statement'),
    concerns: ['difference'],
    explanation:
      'The wallet’s totalFees fits no lawful interpretation of “cumulative commissions charged”: gross or net, less reversals or not.',
    fires: `${CASHIN}
      wallet 1000/0 totalFees=777`,
    quiet: CASHIN_WITH_WALLET,
  },
};

export const HISTORY_KINDS: Readonly<Record<HistoryKind, KindDeclaration>> = {
  ENTRY_REWRITTEN: {
    ...beside('line', 'critical'),
    rewrites: true,
    explanation:
      'A line that was read before is served with other content: a posted line is never modified, a correction is a new inverse entry. However many lines were served anew with the figures that follow from it, it is one finding at the first; both contents of each line are kept. The books are judged by the first content, until a person has them read anew (pointage run --reread). Ask the service what it changed, and why. Only runs on the mirror and audits of it remember what was served.',
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
    explanation:
      'A line that was read before is no longer served, or later lines were served under its number and those after it. The books are judged with it, until a person has them read anew (pointage run --reread). Ask the service for the line, which its books promise never to lose.',
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
    explanation:
      'A line appeared below the last one that was known. Where the figures around it lacked it, it is a late commit: the books are judged with it, and the finding is information. Where nothing was missing, history was altered, and the books are judged without it until a person has them read anew (pointage run --reread).',
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
    explanation:
      'The ledger ends before a line that was read from it, or went on from there with other lines: it was set back, as after a backup was restored. The books are judged by what was read first, until a person has them read anew (pointage run --reread).',
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 500 1500/0 CI-2
      again 2 CASHIN_CREDIT 900 1900/0 CI-4 id=other at=+40m
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
    quiet: TWO_CASHINS,
  },
  OPERATION_FIELD_CHANGED: {
    ...beside('operation', 'critical'),
    explanation:
      'A field that is fixed when an operation is created is served otherwise than before: type, amount, fees, netAmount, currency, country, operator or createdAt. Only runs on the mirror and audits of it remember what was served.',
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      was CI-1 PENDING 1000 fees=20
      op CI-1 SUCCEEDED 1000`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      was CI-1 PENDING 1000
      op CI-1 SUCCEEDED 1000`,
  },
  OPERATION_VANISHED: {
    ...beside('operation', 'critical'),
    explanation:
      'An operation that was read before is in neither of the last two complete readings: lists of its time lack it, and the service denies it when asked. What was read of it stays in the mirror, and its lines are judged by that. One reading without it is a note. A night over the API or over tables reads a part of the old operations again, all within history.nights; files hold all. Ask the service what became of it; the finding is gone once it is served again.',
    fires: 'was CI-1 FAILED 1000',
    quiet: 'op CI-1 FAILED 1000',
  },
  STATUS_REGRESSION: {
    ...beside('operation', 'critical'),
    explanation:
      'An operation has left a final state: "a succeeded operation never becomes failed; the only move out of SUCCEEDED is to REVERSED". An answer that is older than one before it is passed over. Only runs on the mirror and audits of it remember what was served.',
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
    explanation:
      'Lines of the mirror no longer fit the hash chain that the engine keeps over them, or other rows the digests over them: something was changed, removed, added or moved in the database since it was stored. Triggers and rights keep everybody but the owner of the tables from that. Of lines the first that differs is among those named, of other rows the table is; more may differ. Find out who had the right, and restore the rows from a backup. An audit of the mirror compares everything; a night does so for each merchant within 30 days.',
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 stored=altered
      op CI-1 SUCCEEDED 1000`,
    quiet: CASHIN,
  },
  CLOSED_PERIOD_CHANGED: {
    ...beside('report', 'critical'),
    ofStore: true,
    explanation:
      'The statement of a month was issued, and by lines or operations that came since its figures are others. A month that would only have other findings is not named: they say so themselves. Look at what came: the findings of those lines, or what the service says of them. Then issue the month again (pointage statement issue): the new revision says what changed, and this finding is gone. A month that was closed keeps its statement and is not compared: lines that came later are of the month after it.',
    fires: `${CASHIN}
      issued 2026-09 closingBalance=0 now=1000`,
    quiet: CASHIN,
  },
};

export const INTAKE_KINDS: Readonly<Record<IntakeKind, KindDeclaration>> = {
  INPUT_REJECTED: {
    ...about('input', 'warning', 'unread'),
    unserved: true,
    explanation:
      'A row could not be read exactly, so it was not read at all. Its bytes are kept, its place and the reason are named, and the verdict is at best incomplete. A run looks for it again until the source serves it sound, or no longer serves it.',
    fires: `${CASHIN}
      reject ledger.jsonl:2 amount is 12.5, not a whole number`,
    quiet: CASHIN,
  },
};
