// Plants faults of books by their names.

import { plantFaults } from '../../src/sandbox/faults/port/planting.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';

/** Plants faults as `plantFaults` does, by their names. Throws RangeError for an unknown name. */
export function plantNamed(
  books: Books,
  { names, seed }: { readonly names: readonly string[]; readonly seed: string },
): ReturnType<typeof plantFaults> {
  return plantFaults(books, { faults: names.map(faultNamed), seed });
}
