// Section B of the catalogue: what an operation and its lines show together.

import type { OperationKind } from '../../domain/finding-kind.ts';
import {
  about,
  beside,
  CASHIN,
  CASHIN_WITH_FEE,
  CASHOUT,
  FUNDED,
  HELD,
  type KindDeclaration,
  PRICED,
  RELEASED,
  REVERSED,
} from './declaration.ts';

export const OPERATION_KINDS: Readonly<Record<OperationKind, KindDeclaration>> = {
  CREDIT_MISSING: {
    ...about('operation', 'critical', 'lack', '+balance'),
    fires: 'op CI-1 SUCCEEDED 1000',
    quiet: CASHIN,
  },
  CREDIT_WITHOUT_SUCCESS: {
    ...about('operation', 'critical', 'surplus', '+balance'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 FAILED 1000`,
    quiet: CASHIN,
  },
  CREDIT_DUPLICATED: {
    ...about('operation', 'critical', 'surplus', '+balance'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 1000 2000/0 CI-1
      op CI-1 SUCCEEDED 1000`,
    quiet: CASHIN,
  },
  CREDIT_AMOUNT_MISMATCH: {
    ...about('operation', 'critical', 'amount', '+balance'),
    fires: `line 1 CASHIN_CREDIT 1100 1100/0 CI-1
      op CI-1 SUCCEEDED 1000`,
    quiet: CASHIN,
  },
  FEE_MISSING: {
    ...about('operation', 'critical', 'lack', '-balance'),
    // A fee follows from its principal.
    follows: ['DEBIT_MISSING', 'HOLD_MISSING'],
    fires: `${CASHIN_WITH_FEE}
      line 3 CASHIN_CREDIT 1000 1980/0 CI-3
      op CI-3 SUCCEEDED 1000 fees=20`,
    quiet: CASHIN_WITH_FEE,
  },
  FEE_AMOUNT_MISMATCH: {
    ...about('operation', 'critical', 'amount', '-balance'),
    fires: `${CASHIN_WITH_FEE}
      line 3 CASHIN_CREDIT 1000 1980/0 CI-3
      line 4 CASHIN_FEE 25 1955/0 CI-3
      op CI-3 SUCCEEDED 1000 fees=20`,
    quiet: CASHIN_WITH_FEE,
  },
  FEE_WITHOUT_SUCCESS: {
    ...about('operation', 'critical', 'surplus', '-balance'),
    follows: ['DEBIT_WITHOUT_SUCCESS'],
    fires: `${CASHIN_WITH_FEE}
      line 3 CASHIN_FEE 20 960/0 CI-3
      op CI-3 FAILED 1000 fees=20`,
    quiet: CASHIN_WITH_FEE,
  },
  FEE_NOT_AS_PRICED: {
    ...about('operation', 'error', 'none', '-balance'),
    fires: `${PRICED}
      line 3 CASHIN_CREDIT 1000 1980/0 CI-3
      line 4 CASHIN_FEE 33 1947/0 CI-3
      op CI-3 SUCCEEDED 1000 fees=33`,
    quiet: PRICED,
  },
  PRICING_CHANGED: {
    ...about('operation', 'info'),
    concerns: [],
    fires: `profile cashinFeeBps=200
      op CI-1 FAILED 1000 fees=10
      op CI-2 FAILED 2000 fees=20
      op CI-3 FAILED 3000 fees=30
      op CI-4 FAILED 4000 fees=40
      op CI-5 FAILED 5000 fees=100`,
    quiet: PRICED,
  },
  NET_AMOUNT_INCONSISTENT: {
    ...about('operation', 'critical'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_FEE 20 980/0 CI-1
      op CI-1 SUCCEEDED 1000 fees=20 netAmount=990`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_FEE 20 980/0 CI-1
      op CI-1 SUCCEEDED 1000 fees=20 netAmount=980`,
  },
  HOLD_MISSING: {
    ...about('operation', 'critical', 'lack', '+reserved'),
    fires: `${FUNDED}
      line 2 CASHOUT_DEBIT 1000 4000/0 CO-2
      op CO-2 SUCCEEDED 1000`,
    quiet: CASHOUT,
  },
  HOLD_AMOUNT_MISMATCH: {
    ...about('operation', 'critical', 'amount', '+reserved'),
    fires: `${FUNDED}
      line 2 CASHOUT_HOLD 1100 5000/1100 CO-2
      op CO-2 PENDING 1000
      at +1h`,
    quiet: CASHOUT,
  },
  HOLD_DUPLICATED: {
    ...about('operation', 'critical', 'surplus', '+reserved'),
    fires: `${HELD}
      line 3 CASHOUT_HOLD 1000 5000/2000 CO-2
      op CO-2 PENDING 1000
      at +1h`,
    quiet: CASHOUT,
  },
  HOLD_ON_CASHIN: {
    ...about('operation', 'error', 'surplus'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 300 1000/300 CI-1
      op CI-1 SUCCEEDED 1000`,
    quiet: CASHOUT,
  },
  HOLD_NOT_RELEASED: {
    ...about('operation', 'critical', 'lack', '+reserved'),
    concerns: ['held'],
    // The hold that an unfinished settlement leaves open follows from it.
    follows: [
      'DEBIT_MISSING',
      'DEBIT_AMOUNT_MISMATCH',
      'DEBIT_DUPLICATED',
      'DEBIT_WITHOUT_HOLD',
      'DEBIT_WITHOUT_SUCCESS',
      'RELEASE_EXCEEDS_HOLD',
    ],
    fires: `${HELD}
      op CO-2 FAILED 1000`,
    quiet: `${HELD}
      line 3 CASHOUT_RELEASE 1000 5000/0 CO-2
      op CO-2 FAILED 1000`,
  },
  HOLD_PAST_EXPIRY: {
    ...about('operation', 'warning', 'lack', '+reserved'),
    concerns: ['held'],
    follows: ['OPERATION_VANISHED'],
    fires: `${HELD}
      op CO-2 PENDING 1000`,
    quiet: `${HELD}
      op CO-2 PENDING 1000
      at +1h`,
  },
  RELEASE_WITHOUT_HOLD: {
    ...about('operation', 'critical', 'surplus', '-reserved'),
    fires: `${FUNDED}
      line 2 CASHOUT_HOLD 700 5000/700 CO-2
      line 3 CASHOUT_RELEASE 300 5000/400 CO-3
      op CO-2 PENDING 700
      op CO-3 CANCELLED 300
      at +1h`,
    quiet: RELEASED,
  },
  RELEASE_EXCEEDS_HOLD: {
    ...about('operation', 'critical', 'surplus', '-reserved'),
    // The release that is due does not find what a wrong debit has consumed.
    follows: ['DEBIT_WITHOUT_SUCCESS'],
    fires: `${FUNDED}
      line 2 CASHOUT_HOLD 700 5000/700 CO-2
      line 3 CASHOUT_HOLD 300 5000/1000 CO-3
      line 4 CASHOUT_RELEASE 400 5000/600 CO-3
      op CO-2 PENDING 700
      op CO-3 FAILED 300
      at +1h`,
    quiet: RELEASED,
  },
  DEBIT_WITHOUT_HOLD: {
    ...about('operation', 'critical', 'surplus', '-balance'),
    fires: `${FUNDED}
      line 2 CASHOUT_DEBIT 1000 4000/0 CO-2
      op CO-2 SUCCEEDED 1000`,
    quiet: CASHOUT,
  },
  DEBIT_MISSING: {
    ...about('operation', 'critical', 'lack', '-balance'),
    fires: `${HELD}
      op CO-2 SUCCEEDED 1000`,
    quiet: CASHOUT,
  },
  DEBIT_DUPLICATED: {
    ...about('operation', 'critical', 'surplus', '-balance'),
    fires: `${HELD}
      line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
      line 4 CASHOUT_DEBIT 1000 3000/0 CO-2
      op CO-2 SUCCEEDED 1000`,
    quiet: CASHOUT,
  },
  DEBIT_AMOUNT_MISMATCH: {
    ...about('operation', 'critical', 'amount', '-balance'),
    fires: `${HELD}
      line 3 CASHOUT_DEBIT 900 4100/100 CO-2
      op CO-2 SUCCEEDED 1000`,
    quiet: CASHOUT,
  },
  DEBIT_WITHOUT_SUCCESS: {
    ...about('operation', 'critical', 'surplus', '-balance'),
    fires: `${HELD}
      line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
      op CO-2 EXPIRED 1000`,
    quiet: CASHOUT,
  },
  REVERSAL_MISSING: {
    // The difference of a reversal is what was given back: its effect on the balance depends on the type of the operation.
    ...about('operation', 'critical', 'lack'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 REVERSED 1000`,
    quiet: REVERSED,
  },
  REVERSAL_UNANNOUNCED: {
    ...about('operation', 'critical', 'surplus'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 REVERSAL_DEBIT 1000 0/0 CI-1
      op CI-1 SUCCEEDED 1000`,
    quiet: REVERSED,
  },
  REVERSAL_INCOMPLETE: {
    ...about('operation', 'critical', 'lack'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 REVERSAL_DEBIT 900 100/0 CI-1
      op CI-1 REVERSED 1000`,
    quiet: REVERSED,
  },
  REVERSAL_EXCESSIVE: {
    ...about('operation', 'critical', 'surplus'),
    fires: `${FUNDED}
      line 2 CASHIN_CREDIT 1000 6000/0 CI-2
      line 3 REVERSAL_DEBIT 1100 4900/0 CI-2
      op CI-2 REVERSED 1000`,
    quiet: REVERSED,
  },
  REVERSAL_WRONG_DIRECTION: {
    ...about('operation', 'critical', 'lack'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 REVERSAL_CREDIT 1000 2000/0 CI-1
      op CI-1 REVERSED 1000`,
    quiet: REVERSED,
  },
  REVERSAL_BEFORE_ORIGINAL: {
    ...about('operation', 'error', 'amount'),
    fires: `${FUNDED}
      line 2 REVERSAL_DEBIT 1000 4000/0 CI-2
      line 3 CASHIN_CREDIT 1000 5000/0 CI-2
      op CI-2 REVERSED 1000`,
    quiet: REVERSED,
  },
  OPERATION_UNKNOWN: {
    ...about('line', 'critical', 'faulty-line'),
    fires: 'line 1 CASHIN_CREDIT 1000 1000/0 CI-1',
    quiet: CASHIN,
  },
  REFERENCE_MISSING: {
    ...about('line', 'error', 'faulty-line'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 -
      op CI-1 SUCCEEDED 1000`,
    quiet: 'line 1 ADJUSTMENT_CREDIT 1000 1000/0 - description=opening',
  },
  REFERENCE_TYPE_MISMATCH: {
    ...about('line', 'error', 'faulty-line'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_FEE 20 980/0 CI-1
      op CI-1 SUCCEEDED 1000 fees=20`,
    quiet: CASHIN_WITH_FEE,
  },
  COUNTRY_CURRENCY_MISMATCH: {
    ...about('operation', 'error'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 country=CM`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000 country=SN`,
  },
  EXTERNAL_REFERENCE_DUPLICATED: {
    ...beside('operation', 'error'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 500 1500/0 CI-2
      op CI-1 SUCCEEDED 1000 externalReference=x
      op CI-2 SUCCEEDED 500 externalReference=x`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 id=a
      line 2 CASHIN_CREDIT 500 1500/0 CI-2 id=b
      op CI-1 SUCCEEDED 1000 externalReference=x
      op CI-2 SUCCEEDED 500 externalReference=y`,
  },
  ADJUSTMENT_UNEXPLAINED: {
    ...about('line', 'warning'),
    fires: 'line 1 ADJUSTMENT_CREDIT 1000 1000/0 -',
    quiet: `line 1 ADJUSTMENT_CREDIT 1000 1000/0 - description=regularization
      wallet 1000/0`,
  },
  ENTRY_BEFORE_OPERATION: {
    ...about('operation', 'warning'),
    // One clock that is ahead is one cause for all operations.
    sharedWhen: [],
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 at=+1h
      op CI-1 SUCCEEDED 1000 createdAt=+3h`,
    quiet: CASHIN,
  },
};
