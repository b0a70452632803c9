// Planting faults in complete books, apart from each other; and what a fault in payments by link or payouts is: a named change to a
// merchant's living dashboard, of which all that it serves follows. The ledger stays as it is.

import type { DashboardLife, LinkPayment } from '../../dashboard/state.ts';
import type { Books, Expected, Fault } from '../../model/plan.ts';
import { type Random, seedRandom } from '../../model/random.ts';

/**
 * Who sees it: whoever looks once; who has looked before it was planted; who looks before and after what it prevents; who is
 * notified of the results of payments.
 */
export type Showing = 'AT_ONCE' | 'AFTER_A_LOOK' | 'BETWEEN_LOOKS' | 'WHEN_NOTIFIED';

export interface DashboardFault {
  /** The kind of the expected root, and after a slash what tells this way of planting it from the first. */
  readonly name: string;
  /** What is done. */
  readonly says: string;
  readonly shows: Showing;
  /**
   * What the evidence of the root must name; null: the dashboard offers no place, and nothing was changed. Absent: it waits for a
   * payment whose result is notified.
   */
  readonly plantIn?: (life: DashboardLife, random: Random) => string | null;
}

export function expectedAt({ name }: Pick<DashboardFault, 'name'>, about: string): Expected {
  return { kind: name.split('/')[0]!, sequence: null, operationReference: null, about };
}

/** Puts another in its place: what follows from payments follows from that one. It must have ended. */
export function replacePayment(life: DashboardLife, payment: LinkPayment, others: readonly LinkPayment[]): void {
  life.payments.splice(life.payments.indexOf(payment), 1, ...others);
  life.collected += others.reduce((sum, one) => sum + collectedBy(one), 0) - collectedBy(payment);
}

function collectedBy({ outcome, served, fees }: LinkPayment): number {
  return outcome === 'SUCCESS' ? 100 * served.amount - fees : 0;
}

export type AnyFault = Fault | DashboardFault;

/**
 * Plants the faults one after another, each on an operation and a line of its own. `expected` is in the order of the
 * faults and holds for the books that come back. Throws RangeError for a fault that these books offer no place for.
 */
export function plantFaults(
  books: Books,
  wish: { readonly faults: readonly Fault[]; readonly seed: string },
): { readonly books: Books; readonly expected: readonly Expected[] } {
  let present = books;
  const places: { readonly expected: Expected; readonly entryId: string | null }[] = [];
  for (const fault of wish.faults) {
    const planted = plantApart(present, { fault, seed: wish.seed, taken: places.map(({ expected }) => expected) });
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
  { fault, seed, taken }: { readonly fault: Fault; readonly seed: string; readonly taken: readonly Expected[] },
) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const planted = fault.plant(books, seedRandom(`${seed}/${fault.name}/${attempt}`));
    const reference = planted?.expected.operationReference ?? null;
    const isTaken = reference !== null && taken.some((other) => other.operationReference === reference);
    if (planted !== null && !isTaken) return planted;
  }
  throw new RangeError(`the books of ${books.merchant.reference} offer no place for ${fault.name}`);
}
