// The kinds of section A: what lines alone show. Their order is that of the catalogue.

import type { LineKind } from '../../domain/finding-kind.ts';
import type { KindDeclaration } from './declaration.ts';

export const LINE_KINDS: Readonly<Record<LineKind, KindDeclaration>> = {
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
