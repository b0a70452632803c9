// A tally written by hand, for tests that judge one operation by its lines alone. Its recorded
// balances need not add up.

import { directionOf, type EntryKind } from '../../src/core/domain/ledger-entry.ts';
import { netAmountOf, type Operation, typeOfReference } from '../../src/core/domain/operation.ts';
import {
  beginTally,
  postedLine,
  type TalliedLine,
  type Tally,
} from '../../src/core/kernel/replay/tally.ts';
import { line, operation } from './database-books.ts';

/**
 * A kind of line, its amount, and how it moves the hold. By default a hold adds its amount and a
 * release takes it off.
 */
export type Written = readonly [kind: EntryKind, amount: number, heldMove?: number];

/**
 * Returns the tally of these lines. `others` is the amount reserved for other operations all the
 * while.
 */
export function tallyFrom(
  state: Pick<Operation, 'reference' | 'status' | 'amount'> & Partial<Operation>,
  written: readonly Written[],
  others = 0,
): Tally {
  const type = state.type ?? typeOfReference(state.reference)!;
  const { amount, fees = 0 } = state;
  const netAmount = netAmountOf({ type, amount, fees });
  const lines: TalliedLine[] = [];
  let held = 0;
  for (const [kind, posted, taken = 0] of written) {
    const direction = directionOf(kind);
    const move = direction === 'HOLD' ? posted : direction === 'RELEASE' ? -posted : taken;
    held += move;
    const changes = { kind, direction, amount: posted, reservedAfter: others + held };
    const entry = postedLine(line(lines.length + 1, changes));
    lines.push({ entry, reservedMove: move, heldMove: move });
  }
  const { reference } = state;
  return {
    ...beginTally(reference),
    operation: operation(0, { type, fees, netAmount, ...state }),
    lines,
    held,
  };
}
