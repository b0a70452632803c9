// The item of each root: by how much the recorded figures are too high (+) or too low (−) because of it and of all that
// follows from it. Drifts, the wallet's own misstatement, and what lines moved beyond what is required are added up where the
// findings about them have their root, so that nothing is counted twice and nothing is left out.

import { declared } from '../../checks/kinds/catalogue.ts';
import { NOTHING_OFF, type Off, plus } from '../due/excess.ts';
import type { Material } from './material.ts';
import { driftThrough } from './places.ts';

export interface Items {
  /** By the index of the root; absent: nothing is off because of it. */
  readonly byRoot: ReadonlyMap<number, Off>;
  /** What lines have moved that were not served, as far as nothing that was served lacks it: the figures have it rightly. */
  readonly unserved: Off;
}

/** `roots`: of each draft, the index of its root. What no finding is about is in no item. */
export function itemsOf(material: Material, roots: readonly number[]): Items {
  const sums = new Map<number, Off>();
  let unserved = NOTHING_OFF;
  for (const [self, off] of partsOf(material)) {
    if (self === undefined) continue;
    const root = roots[self]!;
    if (declared(material.drafts[root]!).unserved === true) unserved = plus(unserved, off);
    else sums.set(root, plus(sums.get(root) ?? NOTHING_OFF, off));
  }
  return { byRoot: sums, unserved };
}

/** Everything that is off, with the finding that is about it. */
function* partsOf({ drafts, drifts, excesses, places }: Material): Iterable<readonly [number | undefined, Off]> {
  const leftover = drafts.findIndex((draft) => declared(draft).effect === 'leftover');
  for (const { sequence, balance, reserved } of drifts) {
    const self = driftThrough(sequence, places) ?? places.bySequence.get(sequence);
    // What was reserved from the first line on is reported at the last one.
    yield [self ?? (leftover < 0 ? undefined : leftover), { balance: BigInt(balance), reserved: BigInt(reserved) }];
  }
  for (const { reference, sequence, ...off } of excesses) {
    yield [reference === null ? places.bySequence.get(sequence!) : places.byOperation.get(reference), off];
  }
  for (const [self, draft] of drafts.entries()) {
    const { subject, effect, figure } = declared(draft);
    if (subject !== 'wallet' || effect !== 'statement' || figure === undefined) continue;
    const off = draft.difference ?? 0n;
    yield [self, figure === '+balance' ? { balance: off, reserved: 0n } : { balance: 0n, reserved: off }];
  }
}
