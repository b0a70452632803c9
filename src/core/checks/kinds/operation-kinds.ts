// The kinds of section B: what an operation and its lines show together. Their order is that of the catalogue.

import type { OperationKind } from '../../domain/finding-kind.ts';
import type { KindDeclaration } from './declaration.ts';

type Declared = Omit<KindDeclaration, 'severity' | 'subject'>;

/** Money that an operation's lines moved, or did not: what the recorded figures are off by is read off them. */
function moving(parts: Declared): KindDeclaration {
  return { severity: 'critical', subject: 'operation', ...parts };
}

export const OPERATION_KINDS: Readonly<Record<OperationKind, KindDeclaration>> = {
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
