// The register of faults, and planting them by name.

import type { Books } from '../books.ts';
import { seedRandom } from '../random.ts';
import { CREDIT_FAULTS } from './credits.ts';
import { DEBIT_FAULTS } from './debits.ts';
import type { Expected, Fault } from './fault.ts';
import { FEE_FAULTS } from './fees.ts';
import { HISTORY_FAULTS } from './history.ts';
import { HOLD_FAULTS } from './holds.ts';
import { LIMIT_FAULTS } from './limits.ts';
import { LINE_FIELD_FAULTS } from './line-fields.ts';
import { MISPLACED_LINE_FAULTS } from './misplaced-lines.ts';
import { NEGATIVE_FIGURE_FAULTS } from './negative-figures.ts';
import { NOTIFICATION_FAULTS } from './notifications.ts';
import { REFERENCE_FAULTS } from './references.ts';
import { REPORT_FAULTS } from './reports.ts';
import { REVERSAL_FAULTS } from './reversals.ts';
import { RUNNING_FIGURE_FAULTS } from './running-figures.ts';
import { SEQUENCE_FAULTS } from './sequence.ts';
import { STATE_FAULTS } from './states.ts';
import { WALLET_FAULTS } from './wallet-figures.ts';

/**
 * Faults that one reading can show: every kind of the catalogue's sections A to D and F but OPERATED_WHILE_BLOCKED, which
 * takes a history of statuses that the API does not serve.
 */
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
  ...LIMIT_FAULTS,
  ...WALLET_FAULTS,
  ...REPORT_FAULTS,
  ...NOTIFICATION_FAULTS,
];

/** Faults that show only to a reader who has read before (section E). */
export const TAMPERINGS: readonly Fault[] = HISTORY_FAULTS;

/** The fault or tampering of that name. Throws RangeError for any other name. */
export function faultNamed(name: string): Fault {
  const fault = [...FAULTS, ...TAMPERINGS].find((candidate) => candidate.name === name);
  if (fault === undefined) throw new RangeError(`no fault is named '${name}'`);
  return fault;
}

/**
 * Plants the named faults one after another, each on an operation and a line of its own. `expected` is in the order of
 * the names and holds for the books that come back. Throws RangeError for an unknown name, and for a fault that these
 * books offer no place for.
 */
export function plantFaults(
  books: Books,
  wish: { readonly names: readonly string[]; readonly seed: string },
): { readonly books: Books; readonly expected: readonly Expected[] } {
  let present = books;
  const places: { readonly expected: Expected; readonly entryId: string | null }[] = [];
  for (const name of wish.names) {
    const planted = plantApart(present, { name, seed: wish.seed, taken: places.map(({ expected }) => expected) });
    present = planted.books;
    const line = present.entries.findLast(({ sequence }) => sequence === planted.expected.sequence);
    places.push({ expected: planted.expected, entryId: line?.id ?? null });
  }
  const expected = places.map((place) => {
    if (place.entryId === null) return place.expected;
    const line = present.entries.findLast(({ id }) => id === place.entryId);
    return { ...place.expected, sequence: line?.sequence ?? place.expected.sequence };
  });
  return { books: present, expected };
}

/** Draws again until the fault falls on an operation that no earlier one concerns. */
function plantApart(
  books: Books,
  wish: { readonly name: string; readonly seed: string; readonly taken: readonly Expected[] },
) {
  const fault = faultNamed(wish.name);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const planted = fault.plant(books, seedRandom(`${wish.seed}/${wish.name}/${attempt}`));
    const reference = planted?.expected.operationReference ?? null;
    const isTaken = reference !== null && wish.taken.some((other) => other.operationReference === reference);
    if (planted !== null && !isTaken) return planted;
  }
  throw new RangeError(`the books of ${books.merchant.reference} offer no place for ${wish.name}`);
}
