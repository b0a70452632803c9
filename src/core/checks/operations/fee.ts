// The commission lines of an operation, against `fees` and the status. A zero fee has no line: amounts are positive.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import { hasSettled } from '../../domain/operation.ts';
import {
  compared,
  draftOf,
  type KindPage,
  lineEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  offendingLine,
  operationEvidence,
} from '../port/check.ts';

const sound = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    op CI-1 SUCCEEDED 1000 fees=20`;

const missing: KindPage<'FEE_MISSING'> = {
  kind: 'FEE_MISSING',
  explanation: 'The operation succeeded with a commission, and no fee line was posted.',
  fires: `${sound}
    line 3 CASHIN_CREDIT 1000 1980/0 CI-3
    op CI-3 SUCCEEDED 1000 fees=20`,
  quiet: sound,
};

const mismatch: KindPage<'FEE_AMOUNT_MISMATCH'> = {
  kind: 'FEE_AMOUNT_MISMATCH',
  explanation: 'The fee lines of the operation sum to something else than its `fees`.',
  fires: `${sound}
    line 3 CASHIN_CREDIT 1000 1980/0 CI-3
    line 4 CASHIN_FEE 25 1955/0 CI-3
    op CI-3 SUCCEEDED 1000 fees=20`,
  quiet: sound,
};

const withoutSuccess: KindPage<'FEE_WITHOUT_SUCCESS'> = {
  kind: 'FEE_WITHOUT_SUCCESS',
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
    if (!settled && posted.sum === 0) return NO_FINDINGS;
    if (settled && isDue(posted.sum, subject, standing)) return NO_FINDINGS;
    const due = settled ? feeDue(subject, standing) : 0;
    const first = posted.lines[0]?.entry;
    const evidence = [
      ...posted.lines.map((line) => lineEvidence(line.entry.sequence)),
      operationEvidence(operation.reference),
    ];
    const place = { operationReference: operation.reference, evidence };
    const { reference, status, fees } = operation;
    if (!settled && first !== undefined) {
      const figures = { reference, status, posted: posted.sum };
      const amounts = compared({ expected: 0, actual: posted.sum });
      return [draftOf(withoutSuccess, figures, { ...place, ...amounts, sequence: first.sequence })];
    }
    const amounts = compared({ expected: due, actual: posted.sum });
    if (first === undefined) {
      return [draftOf(missing, { reference, fees }, { ...place, ...amounts })];
    }
    const figures = { reference, posted: posted.sum, due };
    const sequence = offendingLine(posted.lines, due);
    return [draftOf(mismatch, figures, { ...place, ...amounts, sequence })];
  },
};

/** The sum of an operation's fee lines: a cash-in credited net has none; otherwise it equals `fees`. */
function feeDue({ operation, type }: OperationCase, { cashinCredit }: Standing): Amount {
  return type === 'CASHOUT' || includes(cashinCredit, ~BITS.cashinCredit.NET) ? operation.fees : 0;
}

/** Where both interpretations stand, a cash-in that was not credited whole may also have no fee line. */
function isDue(sum: Amount, subject: OperationCase, standing: Standing): boolean {
  if (sum === feeDue(subject, standing)) return true;
  const { operation, type, facts } = subject;
  const mayBeNet = type === 'CASHIN' && includes(standing.cashinCredit, BITS.cashinCredit.NET);
  return sum === 0 && mayBeNet && facts.credit.sum !== operation.amount;
}
