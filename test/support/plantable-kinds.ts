// The kinds of findings of which the sandbox owes a planted fault: the catalogue's, but for those that no service's books
// can show to one reading.

import { CATALOGUE } from '../../src/checks/kinds/catalogue.ts';

/** Rows that cannot be read, which no service posts. */
const UNPLANTABLE = ['INPUT_REJECTED'];

export const PLANTABLE_KINDS: readonly string[] = CATALOGUE.flatMap((section) => section.kinds).filter(
  (kind) => !UNPLANTABLE.includes(kind),
);
