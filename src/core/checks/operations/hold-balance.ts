// The rule that a cash-out is refused when less is available than its amount and its fees (402), where the hold is the
// amount alone: there the line fits what was available, and only the operation shows that its fees did not.

import { BITS, includes } from '../../domain/assumptions.ts';
import { compared, draftOf, lineEvidence, NO_FINDINGS, type OperationCheck, operationEvidence } from '../check.ts';
import { holdTooLargePage } from '../lines/below-zero.ts';

export const holdBalanceCheck: OperationCheck = {
  says: [],
  find({ operation, type, facts, availableBefore: available }, { standing }) {
    if (type !== 'CASHOUT' || available === null || facts.hold.lines.length !== 1) return NO_FINDINGS;
    const { entry } = facts.hold.lines[0]!;
    const { amount, fees } = operation;
    if (entry.amount !== amount || !includes(standing.holdAmount, BITS.holdAmount.AMOUNT)) return NO_FINDINGS;
    // What is not available for the hold itself is said of its line.
    const isShort = amount <= available && amount + fees > available;
    if (!isShort) return NO_FINDINGS;
    const { reference } = operation;
    const { sequence } = entry;
    const figures = { fault: 'fees', reference, sequence, amount, fees, required: amount + fees, available } as const;
    const place = {
      sequence,
      operationReference: reference,
      evidence: [lineEvidence(sequence), operationEvidence(reference)],
    };
    return [
      draftOf(holdTooLargePage, figures, { ...place, ...compared({ expected: available, actual: amount + fees }) }),
    ];
  },
};
