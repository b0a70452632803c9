// The kinds of findings of which the sandbox owes a planted fault: the catalogue's, but for those that no service's books
// can show to one reading.

import { CATALOGUE } from '../../src/checks/kinds/catalogue.ts';
import { LINK_KINDS } from '../../src/checks/kinds/link-kinds.ts';
import { PAYOUT_KINDS } from '../../src/checks/kinds/payout-kinds.ts';

/**
 * Rows that cannot be read, which no service posts; what only memory sees; and what is in no ledger: `integration/payments-by-link`
 * plants faults in payments by link, `unit/checks/payouts` in payouts.
 */
const UNPLANTABLE: readonly string[] = [
  'INPUT_REJECTED',
  'OPERATION_FIELD_CHANGED',
  'STATUS_REGRESSION',
  ...Object.keys(LINK_KINDS),
  ...Object.keys(PAYOUT_KINDS),
];

export const PLANTABLE_KINDS: readonly string[] = CATALOGUE.flatMap((section) => section.kinds).filter(
  (kind) => !UNPLANTABLE.includes(kind),
);
