// The faults that the benchmark plants: its own, and those of the simulated service that one
// reading of ledger, operations, wallet and profile can show. Each says what it does, and gives the
// kind and the place of what it damaged.

import { FAULTS } from '../../src/sandbox/faults/register.ts';
import type { Fault } from '../../src/sandbox/model/plan.ts';
import { OWN_FAULTS } from './own-faults.ts';

/**
 * Faults of notifications and published reports, which no case has, and changes that are lawful,
 * which are among the oddities.
 */
const ELSEWHERE = /^(EVENT_|REPORT_|SEQUENCE_GAP|PRICING_CHANGED)/;

export const PLANTED: readonly Fault[] = [
  ...FAULTS.filter(({ name }) => !ELSEWHERE.test(name)),
  ...OWN_FAULTS,
].map((fault) => (fault.name === 'AVAILABLE_NEGATIVE' ? atItsFee(fault) : fault));

/**
 * Returns the fault with its place at the fee, because the fee is the line that goes too far; a
 * release may come after it.
 */
function atItsFee(fault: Fault): Fault {
  return {
    ...fault,
    plant: (books, random) => {
      const planted = fault.plant(books, random);
      if (planted === null) return null;
      const { operationReference } = planted.expected;
      const fee = planted.books.entries.findLast(
        (line) => line.operationReference === operationReference && line.kind === 'CASHOUT_FEE',
      );
      return { ...planted, expected: { ...planted.expected, sequence: fee!.sequence } };
    },
  };
}
