// Section B of the catalogue: what an operation and its lines show together.

import type { OperationFigures } from '../../domain/finding-kind.ts';
import { about, beside, type KindDeclaration } from './declaration.ts';

export const OPERATION_KINDS: Readonly<Record<keyof OperationFigures, KindDeclaration>> = {
  CREDIT_MISSING: about('operation', 'critical', 'lack +balance'),
  CREDIT_WITHOUT_SUCCESS: about('operation', 'critical', 'surplus +balance'),
  CREDIT_DUPLICATED: about('operation', 'critical', 'surplus +balance'),
  CREDIT_AMOUNT_MISMATCH: about('operation', 'critical', 'amount +balance'),
  // A fee follows from its principal.
  FEE_MISSING: about('operation', 'critical', 'lack -balance', { follows: ['DEBIT_MISSING', 'HOLD_MISSING'] }),
  FEE_AMOUNT_MISMATCH: about('operation', 'critical', 'amount -balance'),
  FEE_WITHOUT_SUCCESS: about('operation', 'critical', 'surplus -balance', { follows: ['DEBIT_WITHOUT_SUCCESS'] }),
  FEE_NOT_AS_PRICED: about('operation', 'error', 'none -balance'),
  PRICING_CHANGED: about('operation', 'info', 'none', { concerns: [] }),
  NET_AMOUNT_INCONSISTENT: about('operation', 'critical'),
  HOLD_MISSING: about('operation', 'critical', 'lack +reserved'),
  HOLD_AMOUNT_MISMATCH: about('operation', 'critical', 'amount +reserved'),
  HOLD_DUPLICATED: about('operation', 'critical', 'surplus +reserved'),
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
  RELEASE_WITHOUT_HOLD: about('operation', 'critical', 'surplus -reserved'),
  // The release that is due does not find what a wrong debit has consumed.
  RELEASE_EXCEEDS_HOLD: about('operation', 'critical', 'surplus -reserved', { follows: ['DEBIT_WITHOUT_SUCCESS'] }),
  DEBIT_WITHOUT_HOLD: about('operation', 'critical', 'surplus -balance'),
  DEBIT_MISSING: about('operation', 'critical', 'lack -balance'),
  DEBIT_DUPLICATED: about('operation', 'critical', 'surplus -balance'),
  DEBIT_AMOUNT_MISMATCH: about('operation', 'critical', 'amount -balance'),
  DEBIT_WITHOUT_SUCCESS: about('operation', 'critical', 'surplus -balance'),
  // The difference of a reversal is what was given back: its effect on the balance depends on the type of the operation.
  REVERSAL_MISSING: about('operation', 'critical', 'lack'),
  REVERSAL_UNANNOUNCED: about('operation', 'critical', 'surplus'),
  REVERSAL_INCOMPLETE: about('operation', 'critical', 'lack'),
  REVERSAL_EXCESSIVE: about('operation', 'critical', 'surplus'),
  REVERSAL_WRONG_DIRECTION: about('operation', 'critical', 'lack'),
  REVERSAL_BEFORE_ORIGINAL: about('operation', 'error', 'amount'),
  OPERATION_UNKNOWN: about('line', 'critical', 'faulty-line'),
  REFERENCE_MISSING: about('line', 'error', 'faulty-line'),
  REFERENCE_TYPE_MISMATCH: about('line', 'error', 'faulty-line'),
  COUNTRY_CURRENCY_MISMATCH: about('operation', 'error'),
  EXTERNAL_REFERENCE_DUPLICATED: beside('operation', 'error'),
  ADJUSTMENT_UNEXPLAINED: about('line', 'warning'),
  // One clock that is ahead is one cause for all operations.
  ENTRY_BEFORE_OPERATION: about('operation', 'warning', 'none', { sharedWhen: [] }),
};
