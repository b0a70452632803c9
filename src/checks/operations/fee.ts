// The commission lines of an operation, against `fees` and the status. A zero fee has no line: amounts are positive.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import { hasSettled } from '../../domain/operation.ts';
import {
  draftOf,
  figures,
  type KindPage,
  lineEvidence,
  money,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  offendingLine,
  operationEvidence,
} from '../check.ts';

const sound = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    op CI-1 SUCCEEDED 1000 fees=20`;

const missing: KindPage = {
  kind: 'FEE_MISSING',
  severity: 'critical',
  explanation: 'The operation succeeded with a commission, and no fee line was posted.',
  fires: `${sound}
    line 3 CASHIN_CREDIT 1000 1980/0 CI-3
    op CI-3 SUCCEEDED 1000 fees=20`,
  quiet: sound,
};

const mismatch: KindPage = {
  kind: 'FEE_AMOUNT_MISMATCH',
  severity: 'critical',
  explanation: 'The fee lines of the operation sum to something else than its `fees`.',
  fires: `${sound}
    line 3 CASHIN_CREDIT 1000 1980/0 CI-3
    line 4 CASHIN_FEE 25 1955/0 CI-3
    op CI-3 SUCCEEDED 1000 fees=20`,
  quiet: sound,
};

const withoutSuccess: KindPage = {
  kind: 'FEE_WITHOUT_SUCCESS',
  severity: 'critical',
  explanation: 'A fee line was posted for an operation that did not succeed, or has not yet.',
  fires: `${sound}
    line 3 CASHIN_FEE 20 960/0 CI-3
    op CI-3 FAILED 1000 fees=20`,
  quiet: sound,
};

export const feeCheck: OperationCheck = {
  says: [missing, mismatch, withoutSuccess],
  find(subject, { standing }) {
    const { operation, type, facts } = subject;
    const posted = type === 'CASHIN' ? facts.cashinFee : facts.cashoutFee;
    const settled = hasSettled(operation.status);
    const due = settled ? feesDue(subject, standing) : [0];
    if (due.includes(posted.sum)) return NO_FINDINGS;
    const first = posted.lines[0]?.entry;
    const evidence = [
      ...posted.lines.map((line) => lineEvidence(line.entry.sequence)),
      operationEvidence(operation.reference),
    ];
    const place = { operationReference: operation.reference, evidence };
    const name = `Operation ${operation.reference}`;
    if (!settled && first !== undefined) {
      const message = `${name} is ${operation.status}, but a commission of ${money(posted.sum)} was charged for it.`;
      const amounts = figures({ expected: 0, actual: posted.sum });
      return [draftOf(withoutSuccess, message, { ...place, ...amounts, sequence: first.sequence })];
    }
    const amounts = figures({ expected: due[0]!, actual: posted.sum });
    if (first === undefined) {
      const message = `${name} succeeded with a commission of ${money(operation.fees)}, but no fee line was posted.`;
      return [draftOf(missing, message, { ...place, ...amounts })];
    }
    const message = `${name} was charged ${money(posted.sum)} instead of ${money(due[0]!)}.`;
    const sequence = offendingLine(posted.lines, due[0]!);
    return [draftOf(mismatch, message, { ...place, ...amounts, sequence })];
  },
};

/** A cash-in credited net has no fee line; otherwise the line equals `fees`. */
function feesDue({ operation, type, facts }: OperationCase, standing: Standing): readonly Amount[] {
  const { fees } = operation;
  if (type === 'CASHOUT' || !includes(standing.cashinCredit, BITS.cashinCredit.NET)) return [fees];
  if (!includes(standing.cashinCredit, BITS.cashinCredit.GROSS_AND_FEE)) return [0];
  return facts.credit.sum === operation.amount ? [fees] : [fees, 0];
}
