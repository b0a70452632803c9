// The principal of an operation: the credit of a cash-in, the debit of a cash-out. It must be there once, whole, and only
// when the operation succeeded.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import { hasSettled, type Operation } from '../../domain/operation.ts';
import type { KindSum } from '../../replay/operation-facts.ts';
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

// The pages of the principal's kinds: CREDIT_* of a cash-in and DEBIT_* of a cash-out, word for word alike.

const soundCredit = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`;

const soundDebit = `
    line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 SUCCEEDED 1000`;

const held = `
    line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2`;

const creditPages: PrincipalPages = {
  missing: {
    kind: 'CREDIT_MISSING',
    explanation:
      'A cash-in succeeded (or was reversed after succeeding) and its CASHIN_CREDIT was never posted: the wallet is owed its amount.',
    fires: `
    op CI-1 SUCCEEDED 1000`,
    quiet: soundCredit,
  },
  withoutSuccess: {
    kind: 'CREDIT_WITHOUT_SUCCESS',
    explanation:
      'A CASHIN_CREDIT was posted for a cash-in that did not succeed, or has not yet: money that was never collected.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 FAILED 1000`,
    quiet: soundCredit,
  },
  duplicated: {
    kind: 'CREDIT_DUPLICATED',
    explanation: 'One cash-in was credited more than once: the credits sum to a multiple of what is due.',
    fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 1000 2000/0 CI-1
    op CI-1 SUCCEEDED 1000`,
    quiet: soundCredit,
  },
  mismatch: {
    kind: 'CREDIT_AMOUNT_MISMATCH',
    explanation: 'The credits of a cash-in sum to something else than is due.',
    fires: `
    line 1 CASHIN_CREDIT 1100 1100/0 CI-1
    op CI-1 SUCCEEDED 1000`,
    quiet: soundCredit,
  },
};

const debitPages: PrincipalPages = {
  missing: {
    kind: 'DEBIT_MISSING',
    explanation:
      'A cash-out succeeded (or was reversed after succeeding) and its CASHOUT_DEBIT was never posted. The hold that stays open behind it is reported as its consequence.',
    fires: `${held}
    op CO-2 SUCCEEDED 1000`,
    quiet: soundDebit,
  },
  withoutSuccess: {
    kind: 'DEBIT_WITHOUT_SUCCESS',
    explanation: 'A CASHOUT_DEBIT was posted for a cash-out that did not succeed, or has not yet.',
    fires: `${held}
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 EXPIRED 1000`,
    quiet: soundDebit,
  },
  duplicated: {
    kind: 'DEBIT_DUPLICATED',
    explanation: 'One cash-out was debited more than once: the debits sum to a multiple of its amount.',
    fires: `${held}
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    line 4 CASHOUT_DEBIT 1000 3000/0 CO-2
    op CO-2 SUCCEEDED 1000`,
    quiet: soundDebit,
  },
  mismatch: {
    kind: 'DEBIT_AMOUNT_MISMATCH',
    explanation: 'The debits of a cash-out sum to something else than its amount.',
    fires: `${held}
    line 3 CASHOUT_DEBIT 900 4100/100 CO-2
    op CO-2 SUCCEEDED 1000`,
    quiet: soundDebit,
  },
};

interface PrincipalPages {
  readonly missing: KindPage<'CREDIT_MISSING' | 'DEBIT_MISSING'>;
  readonly withoutSuccess: KindPage<'CREDIT_WITHOUT_SUCCESS' | 'DEBIT_WITHOUT_SUCCESS'>;
  readonly duplicated: KindPage<'CREDIT_DUPLICATED' | 'DEBIT_DUPLICATED'>;
  readonly mismatch: KindPage<'CREDIT_AMOUNT_MISMATCH' | 'DEBIT_AMOUNT_MISMATCH'>;
}

interface Principal {
  readonly posted: KindSum;
  /** Lawful sums, the one to quote first. */
  readonly due: readonly Amount[];
}

/** Nothing was posted for an operation that did not succeed, or exactly `due` for one that did: said without a list. */
function isPlain({ status }: Operation, posted: KindSum, due: Amount): boolean {
  return hasSettled(status) ? isPosted(posted, due) : posted.lines.length === 0;
}

/** A sum of 0 has no line: amounts are always positive. Lines that add up to 0 are not what is due. */
function isPosted({ sum, lines }: KindSum, due: Amount): boolean {
  return sum === due && (lines.length === 0) === (due === 0);
}

function judgePrincipal(subject: OperationCase, principal: Principal, pages: PrincipalPages): readonly FindingDraft[] {
  const { operation } = subject;
  const { posted, due } = principal;
  const settled = hasSettled(operation.status);
  const first = posted.lines[0]?.entry;
  if (settled ? due.some((sum) => isPosted(posted, sum)) : first === undefined) return NO_FINDINGS;
  const evidence = [
    ...posted.lines.map((line) => lineEvidence(line.entry.sequence)),
    operationEvidence(operation.reference),
  ];
  const place = { operationReference: operation.reference, evidence };
  const { reference, type, status } = operation;
  if (!settled && first !== undefined) {
    const figures = { reference, type, status, posted: posted.sum };
    const amounts = compared({ expected: 0, actual: posted.sum });
    return [draftOf(pages.withoutSuccess, figures, { ...place, ...amounts, sequence: first.sequence })];
  }
  const quoted = due[0]!;
  const amounts = compared({ expected: quoted, actual: posted.sum });
  if (first === undefined) {
    const figures = { reference, type, status, due: quoted };
    return [draftOf(pages.missing, figures, { ...place, ...amounts })];
  }
  const times = due.map((amount) => posted.sum / amount).find((ratio) => Number.isInteger(ratio) && ratio > 1);
  if (times !== undefined && posted.lines.length > 1) {
    const figures = { reference, type, times, posted: posted.sum, due: quoted };
    return [draftOf(pages.duplicated, figures, { ...place, ...amounts, sequence: posted.lines[1]!.entry.sequence })];
  }
  const figures = { reference, type, posted: posted.sum, due: quoted };
  return [draftOf(pages.mismatch, figures, { ...place, ...amounts, sequence: offendingLine(posted.lines, quoted) })];
}

/** What a cash-in credits: the amount, or the amount less fees where no other interpretation stands. */
function creditDue({ amount, fees }: Operation, { cashinCredit }: Standing): Amount {
  return includes(cashinCredit, ~BITS.cashinCredit.NET) ? amount : amount - fees;
}

/** Everything that it may credit: where net credits are lawful, the amount less fees by its own figures or its netAmount. */
function creditsDue(operation: Operation, standing: Standing): readonly Amount[] {
  const due = creditDue(operation, standing);
  if (!includes(standing.cashinCredit, BITS.cashinCredit.NET)) return [due];
  return [due, operation.amount - operation.fees, operation.netAmount];
}

export const creditCheck: OperationCheck = {
  says: Object.values(creditPages),
  find(subject, context) {
    if (subject.type !== 'CASHIN') return NO_FINDINGS;
    const { operation, facts } = subject;
    if (isPlain(operation, facts.credit, creditDue(operation, context.standing))) return NO_FINDINGS;
    const due = creditsDue(operation, context.standing);
    return judgePrincipal(subject, { posted: facts.credit, due }, creditPages);
  },
};

export const debitCheck: OperationCheck = {
  says: Object.values(debitPages),
  find(subject) {
    if (subject.type !== 'CASHOUT') return NO_FINDINGS;
    const { operation, facts } = subject;
    if (isPlain(operation, facts.debit, operation.amount)) return NO_FINDINGS;
    return judgePrincipal(subject, { posted: facts.debit, due: [operation.amount] }, debitPages);
  },
};

// The commission lines of an operation, against `fees` and the status. A zero fee has no line: amounts are positive.

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
