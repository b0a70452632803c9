// A cash-out that is settled in another way than the wallet's others: its hold was released, and the debit that must
// consume it left the reserved amount alone. The line fits its own hold, so only the operation as a whole shows it.

import { setOf } from '../../domain/assumptions.ts';
import { compared, draftOf, lineEvidence, NO_FINDINGS, type OperationCheck } from '../check.ts';
import { reservedDriftPage } from '../lines/drift.ts';

const RELEASED = setOf('holdSettlement', 'RELEASE_FIRST', 'RELEASE_LAST');

export const settlementCheck: OperationCheck = {
  says: [],
  find({ operation, type, facts }, { standing }) {
    const debit = facts.debit.lines[0];
    const released = facts.release.lines.length > 0 && facts.hold.lines.length > 0;
    if (type !== 'CASHOUT' || debit === undefined || !released) return NO_FINDINGS;
    if (debit.reservedMove !== 0 || (standing.holdSettlement & RELEASED) !== 0) return NO_FINDINGS;
    const { entry } = debit;
    const { sequence, amount } = entry;
    const figures = { fault: 'hold-kept', reference: operation.reference, sequence, amount } as const;
    const amounts = compared({ expected: entry.reservedAfter - entry.amount, actual: entry.reservedAfter });
    const evidence = [
      lineEvidence(entry.sequence),
      ...facts.release.lines.map((line) => lineEvidence(line.entry.sequence)),
    ];
    const place = { sequence, operationReference: operation.reference, evidence };
    return [draftOf(reservedDriftPage, figures, { ...place, expected: amounts.expected, actual: amounts.actual })];
  },
};
