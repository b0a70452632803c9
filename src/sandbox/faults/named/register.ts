// The register of all faults, of the demonstration and of the tests, and planting them by name.

import type { Books } from '../../books.ts';
import type { Fault } from '../fault.ts';
import { plantFaults } from '../plant-faults.ts';
import { CREDIT_FAULTS } from './credits.ts';
import { DEBIT_FAULTS } from './debits.ts';
import { FEE_FAULTS } from './fees.ts';
import { HISTORY_FAULTS } from './history.ts';
import { HOLD_FAULTS } from './holds.ts';
import { LIMIT_FAULTS } from './limits.ts';
import { LINE_FIELD_FAULTS } from './line-fields.ts';
import { MISPLACED_LINE_FAULTS } from './misplaced-lines.ts';
import { NEGATIVE_FIGURE_FAULTS } from './negative-figures.ts';
import { NOTIFICATION_FAULTS } from './notifications.ts';
import { OPERATED_WHILE_BLOCKED } from './operated-while-blocked.ts';
import { REFERENCE_FAULTS } from './references.ts';
import { REPORT_FAULTS } from './reports.ts';
import { REVERSAL_FAULTS } from './reversals.ts';
import { RUNNING_FIGURE_FAULTS } from './running-figures.ts';
import { SEQUENCE_FAULTS } from './sequence.ts';
import { STATE_FAULTS } from './states.ts';
import { WALLET_FAULTS } from './wallet-figures.ts';

/** Faults in books that one reading can show: every kind of the catalogue's sections A to D and F. */
export const FAULTS: readonly Fault[] = [
  ...SEQUENCE_FAULTS,
  ...MISPLACED_LINE_FAULTS,
  ...RUNNING_FIGURE_FAULTS,
  ...LINE_FIELD_FAULTS,
  ...NEGATIVE_FIGURE_FAULTS,
  ...CREDIT_FAULTS,
  ...FEE_FAULTS,
  ...HOLD_FAULTS,
  ...DEBIT_FAULTS,
  ...REVERSAL_FAULTS,
  ...REFERENCE_FAULTS,
  ...STATE_FAULTS,
  OPERATED_WHILE_BLOCKED,
  ...LIMIT_FAULTS,
  ...WALLET_FAULTS,
  ...REPORT_FAULTS,
  ...NOTIFICATION_FAULTS,
];

/** Faults that show only to a reader who has read before (section E). */
export const TAMPERINGS: readonly Fault[] = HISTORY_FAULTS;

/** The fault or tampering of books of that name. Throws RangeError for any other name. */
export function faultNamed(name: string): Fault {
  const fault = [...FAULTS, ...TAMPERINGS].find((candidate) => candidate.name === name);
  if (fault === undefined) throw new RangeError(`no fault is named '${name}'`);
  return fault;
}

/** As `plantFaults` of the sandbox, by names. Throws RangeError for an unknown one. */
export function plantNamed(
  books: Books,
  { names, seed }: { readonly names: readonly string[]; readonly seed: string },
): ReturnType<typeof plantFaults> {
  return plantFaults(books, { faults: names.map(faultNamed), seed });
}
