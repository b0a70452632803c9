// The pages of the principal's kinds: CREDIT_* of a cash-in and DEBIT_* of a cash-out, word for word alike.

import type { KindPage } from '../check.ts';

const soundCredit = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`;

const soundDebit = `
    line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 SUCCEEDED 1000`;

const held = `
    line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2`;

export const creditPages: PrincipalPages = {
  missing: {
    kind: 'CREDIT_MISSING',
    explanation:
      'A cash-in succeeded (or was reversed after succeeding) and its CASHIN_CREDIT was never posted: the wallet is owed its amount.',
    fires: `
    op CI-1 SUCCEEDED 1000`,
    quiet: soundCredit,
  },
  withoutSuccess: {
    kind: 'CREDIT_WITHOUT_SUCCESS',
    explanation:
      'A CASHIN_CREDIT was posted for a cash-in that did not succeed, or has not yet: money that was never collected.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 FAILED 1000`,
    quiet: soundCredit,
  },
  duplicated: {
    kind: 'CREDIT_DUPLICATED',
    explanation: 'One cash-in was credited more than once: the credits sum to a multiple of what is due.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 1000 2000/0 CI-1
    op CI-1 SUCCEEDED 1000`,
    quiet: soundCredit,
  },
  mismatch: {
    kind: 'CREDIT_AMOUNT_MISMATCH',
    explanation: 'The credits of a cash-in sum to something else than is due.',
    fires: `
    line 1 CASHIN_CREDIT 1100 1100/0 CI-1
    op CI-1 SUCCEEDED 1000`,
    quiet: soundCredit,
  },
};

export const debitPages: PrincipalPages = {
  missing: {
    kind: 'DEBIT_MISSING',
    explanation:
      'A cash-out succeeded (or was reversed after succeeding) and its CASHOUT_DEBIT was never posted. The hold that stays open behind it is reported as its consequence.',
    fires: `${held}
    op CO-2 SUCCEEDED 1000`,
    quiet: soundDebit,
  },
  withoutSuccess: {
    kind: 'DEBIT_WITHOUT_SUCCESS',
    explanation: 'A CASHOUT_DEBIT was posted for a cash-out that did not succeed, or has not yet.',
    fires: `${held}
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 EXPIRED 1000`,
    quiet: soundDebit,
  },
  duplicated: {
    kind: 'DEBIT_DUPLICATED',
    explanation: 'One cash-out was debited more than once: the debits sum to a multiple of its amount.',
    fires: `${held}
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    line 4 CASHOUT_DEBIT 1000 3000/0 CO-2
    op CO-2 SUCCEEDED 1000`,
    quiet: soundDebit,
  },
  mismatch: {
    kind: 'DEBIT_AMOUNT_MISMATCH',
    explanation: 'The debits of a cash-out sum to something else than its amount.',
    fires: `${held}
    line 3 CASHOUT_DEBIT 900 4100/100 CO-2
    op CO-2 SUCCEEDED 1000`,
    quiet: soundDebit,
  },
};

export interface PrincipalPages {
  readonly missing: KindPage<'CREDIT_MISSING' | 'DEBIT_MISSING'>;
  readonly withoutSuccess: KindPage<'CREDIT_WITHOUT_SUCCESS' | 'DEBIT_WITHOUT_SUCCESS'>;
  readonly duplicated: KindPage<'CREDIT_DUPLICATED' | 'DEBIT_DUPLICATED'>;
  readonly mismatch: KindPage<'CREDIT_AMOUNT_MISMATCH' | 'DEBIT_AMOUNT_MISMATCH'>;
}
