// The rule that a cash-out is refused when less is available than its amount and its fees (402), where the hold is the
// amount alone: there the line fits what was available, and only the operation shows that its fees did not.

import { BITS, includes, setOf } from '../../domain/assumptions.ts';
import { compared, draftOf, lineEvidence, NO_FINDINGS, type OperationCheck, operationEvidence } from '../check.ts';
import { holdTooLargePage } from '../lines/below-zero.ts';

const RELEASED_LATE = setOf('holdSettlement', 'RELEASE_LAST');

export const holdBalanceCheck: OperationCheck = {
  says: [],
  find({ operation, type, facts }, { standing }) {
    if (type !== 'CASHOUT' || operation.fees === 0 || facts.hold.lines.length !== 1) return NO_FINDINGS;
    const { entry, heldMove } = facts.hold.lines[0]!;
    const { reference, amount, fees } = operation;
    if (entry.amount !== amount || !includes(standing.holdAmount, BITS.holdAmount.AMOUNT)) return NO_FINDINGS;
    // What others still hold may have been debited already, where the hold is released last: then it is not missing.
    const isLate = (standing.holdSettlement & RELEASED_LATE) !== 0;
    const available = entry.balanceAfter - (isLate ? 0 : entry.reservedAfter - heldMove);
    if (amount > available || amount + fees <= available) return NO_FINDINGS;
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
