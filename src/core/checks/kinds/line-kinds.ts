// Section A of the catalogue: what lines alone show.

import type { LineKind } from '../../domain/finding-kind.ts';
import { about, CASHIN, CASHIN_WITH_WALLET, type KindDeclaration, TWO_CASHINS } from './declaration.ts';

export const LINE_KINDS: Readonly<Record<LineKind, KindDeclaration>> = {
  LINES_MISSING: {
    // The difference is that of the reserved amount where the balance continues. The recorded figures include the missing lines.
    ...about('line', 'critical', 'drift', '+balance'),
    concerns: ['balance', 'reserved'],
    unserved: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 3 CASHIN_CREDIT 500 1700/0 CI-3
      op CI-1 SUCCEEDED 1000
      op CI-3 SUCCEEDED 500`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 3 CASHIN_CREDIT 500 1500/0 CI-3
      op CI-1 SUCCEEDED 1000
      op CI-3 SUCCEEDED 500`,
  },
  SEQUENCE_GAP: {
    ...about('line', 'info'),
    concerns: [],
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 3 CASHIN_CREDIT 500 1500/0 CI-3
      op CI-1 SUCCEEDED 1000
      op CI-3 SUCCEEDED 500`,
    quiet: TWO_CASHINS,
  },
  SEQUENCE_DUPLICATE: {
    ...about('line', 'critical', 'shared-number'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 1 CASHIN_CREDIT 1200 1200/0 CI-1
      line 2 CASHIN_CREDIT 500 1500/0 CI-2
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      op CI-1 SUCCEEDED 1000`,
  },
  ENTRY_ID_REUSED: {
    ...about('line', 'error'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 id=a
      line 2 CASHIN_CREDIT 500 1500/0 CI-2 id=a
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 id=a
      line 2 CASHIN_CREDIT 500 1500/0 CI-2 id=b
      op CI-1 SUCCEEDED 1000 externalReference=x
      op CI-2 SUCCEEDED 500 externalReference=y`,
  },
  BALANCE_DRIFT: {
    ...about('line', 'critical', 'drift', '+balance'),
    concerns: ['difference'],
    followsSurplus: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 500 1547/0 CI-2
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
    quiet: TWO_CASHINS,
  },
  RESERVED_DRIFT: {
    ...about('line', 'critical', 'drift', '+reserved'),
    concerns: ['difference'],
    // The balance of the first line shows what it carries in; where the reserved amount is back, that drift ends.
    follows: ['OPENING_BALANCE_UNEXPLAINED'],
    // A debit that does not consume its hold follows from the hold that was wrong before it.
    followsEarlier: ['HOLD_AMOUNT_MISMATCH', 'HOLD_DUPLICATED'],
    followsSurplus: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 300 1000/333 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 PENDING 300
      at +1h`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 300 1000/300 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 PENDING 300
      at +1h`,
  },
  OPENING_BALANCE_UNEXPLAINED: {
    ...about('line', 'error', 'drift', '+balance'),
    concerns: ['opening'],
    followsSurplus: true,
    toJustify: true,
    fires: `line 1 CASHIN_CREDIT 1000 6000/0 CI-1
      op CI-1 SUCCEEDED 1000`,
    quiet: CASHIN,
  },
  AMOUNT_NOT_POSITIVE: {
    ...about('line', 'error', 'faulty-line'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 0 1500/0 CI-2
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
    quiet: `line 1 CASHIN_CREDIT 1 1/0 CI-1
      op CI-1 SUCCEEDED 1`,
  },
  KIND_DIRECTION_MISMATCH: {
    ...about('line', 'error', 'faulty-line'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 direction=DEBIT
      op CI-1 SUCCEEDED 1000`,
    quiet: CASHIN,
  },
  UNKNOWN_KIND: {
    ...about('line', 'warning', 'faulty-line'),
    concerns: ['effect'],
    toJustify: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 LOYALTY_BONUS 50 1050/0 - direction=CREDIT
      op CI-1 SUCCEEDED 1000`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 ADJUSTMENT_CREDIT 50 1050/0 - description=bonus
      op CI-1 SUCCEEDED 1000`,
  },
  CURRENCY_MISMATCH: {
    ...about('line', 'critical'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 currency=XAF
      op CI-1 SUCCEEDED 1000
      wallet 1000/0`,
    quiet: CASHIN_WITH_WALLET,
  },
  HOLD_EXCEEDS_AVAILABLE: {
    ...about('line', 'critical', 'uncovered'),
    followsSurplus: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 1300 1000/1300 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 PENDING 1300
      at +1h`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 1000 1000/1000 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 PENDING 1000
      at +1h`,
  },
  RESERVED_NEGATIVE: {
    ...about('line', 'critical', 'below-zero'),
    concerns: ['reserved'],
    followsSurplus: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_RELEASE 300 1000/-300 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 CANCELLED 300`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 300 1000/300 CO-2
      line 3 CASHOUT_RELEASE 300 1000/0 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 CANCELLED 300`,
  },
  BALANCE_NEGATIVE: {
    ...about('line', 'error', 'below-zero'),
    concerns: ['balance'],
    followsSurplus: true,
    fires: `line 1 CASHIN_CREDIT 100 100/0 CI-1
      line 2 CASHOUT_HOLD 100 100/100 CO-2
      line 3 CASHOUT_DEBIT 130 -30/0 CO-2
      op CI-1 SUCCEEDED 100
      op CO-2 SUCCEEDED 100`,
    quiet: `line 1 CASHIN_CREDIT 100 100/0 CI-1
      op CI-1 SUCCEEDED 100`,
  },
  AVAILABLE_NEGATIVE: {
    ...about('line', 'error', 'below-zero'),
    concerns: ['available'],
    followsSurplus: true,
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 1300 1000/1300 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 PENDING 1300
      at +1h`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHOUT_HOLD 1000 1000/1000 CO-2
      line 3 CASHOUT_DEBIT 1000 0/1000 CO-2
      line 4 CASHOUT_RELEASE 1000 0/0 CO-2
      op CI-1 SUCCEEDED 1000
      op CO-2 SUCCEEDED 1000`,
  },
  ENTRY_TIME_IMPOSSIBLE: {
    ...about('line', 'warning'),
    fires: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1
      line 2 CASHIN_CREDIT 500 1500/0 CI-2 at=+900d
      line 3 CASHIN_CREDIT 400 1900/0 CI-3
      line 4 CASHIN_CREDIT 300 2200/0 CI-4
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500
      op CI-3 SUCCEEDED 400
      op CI-4 SUCCEEDED 300`,
    quiet: `line 1 CASHIN_CREDIT 1000 1000/0 CI-1 at=+2m
      line 2 CASHIN_CREDIT 500 1500/0 CI-2 at=+1m
      op CI-1 SUCCEEDED 1000
      op CI-2 SUCCEEDED 500`,
  },
};
