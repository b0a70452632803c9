// The kinds of findings of which the sandbox owes a planted fault: the catalogue's, but for rows that cannot be read and a mirror that
// was altered, which no service serves.

import { CATALOGUE } from '../../src/core/checks/port/kinds.ts';

export const PLANTABLE_KINDS: readonly string[] = CATALOGUE.flatMap((section) => section.kinds).filter(
  (kind) => kind !== 'INPUT_REJECTED' && kind !== 'MIRROR_TAMPERED' && kind !== 'CLOSED_PERIOD_CHANGED',
);
