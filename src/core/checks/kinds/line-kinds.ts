// Section A of the catalogue: what lines alone show.

import type { Severity } from '../../domain/finding.ts';
import type { LineFigures } from '../../domain/finding-kind.ts';
import { about, type KindDeclaration } from './declaration.ts';

function belowZero(figure: string, severity: Severity): KindDeclaration {
  return about('line', severity, 'below-zero', { concerns: [figure], followsSurplus: true });
}

export const LINE_KINDS: Readonly<Record<keyof LineFigures, KindDeclaration>> = {
  // The difference is that of the reserved amount where the balance continues. The recorded figures include the missing lines.
  LINES_MISSING: about('line', 'critical', 'drift +balance', { concerns: ['balance', 'reserved'], unserved: true }),
  SEQUENCE_GAP: about('line', 'info', 'none', { concerns: [] }),
  SEQUENCE_DUPLICATE: about('line', 'critical', 'shared-number'),
  ENTRY_ID_REUSED: about('line', 'error'),
  BALANCE_DRIFT: about('line', 'critical', 'drift +balance', { concerns: ['difference'], followsSurplus: true }),
  RESERVED_DRIFT: about('line', 'critical', 'drift +reserved', {
    concerns: ['difference'],
    // The balance of the first line shows what it carries in; where the reserved amount is back, that drift ends.
    follows: ['OPENING_BALANCE_UNEXPLAINED'],
    // A debit that does not consume its hold follows from the hold that was wrong before it.
    followsEarlier: ['HOLD_AMOUNT_MISMATCH', 'HOLD_DUPLICATED'],
    followsSurplus: true,
  }),
  OPENING_BALANCE_UNEXPLAINED: about('line', 'error', 'drift +balance', {
    concerns: ['opening'],
    followsSurplus: true,
    toJustify: true,
  }),
  AMOUNT_NOT_POSITIVE: about('line', 'error', 'faulty-line'),
  KIND_DIRECTION_MISMATCH: about('line', 'error', 'faulty-line'),
  UNKNOWN_KIND: about('line', 'warning', 'faulty-line', { concerns: ['effect'], toJustify: true }),
  CURRENCY_MISMATCH: about('line', 'critical'),
  HOLD_EXCEEDS_AVAILABLE: about('line', 'critical', 'uncovered', { followsSurplus: true }),
  RESERVED_NEGATIVE: belowZero('reserved', 'critical'),
  BALANCE_NEGATIVE: belowZero('balance', 'error'),
  AVAILABLE_NEGATIVE: belowZero('available', 'error'),
  ENTRY_TIME_IMPOSSIBLE: about('line', 'warning'),
};
