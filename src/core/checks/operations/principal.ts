// The principal of an operation, which is the credit of a cash-in or the debit of a cash-out, and its commission: posted once,
// whole, and only when the operation succeeded.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import { hasSettled, type Operation } from '../../domain/operation.ts';
import type { KindSum } from '../../replay/operation-facts.ts';
import {
  linesEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  offendingLine,
  operationDraft,
  operationEvidence,
} from '../port/check.ts';

export const checkCredit: OperationCheck = (subject, { standing }) => {
  const { operation, type, facts } = subject;
  if (type !== 'CASHIN' || isPlain(operation, facts.credit, creditDue(operation, standing))) return NO_FINDINGS;
  return judgePrincipal('CREDIT', operation, { posted: facts.credit, due: creditsDue(operation, standing) });
};

export const checkDebit: OperationCheck = ({ operation, type, facts }) => {
  if (type !== 'CASHOUT' || isPlain(operation, facts.debit, operation.amount)) return NO_FINDINGS;
  return judgePrincipal('DEBIT', operation, { posted: facts.debit, due: [operation.amount] });
};

/** Nothing posted without success, or exactly `due` with it. Runs for every operation, so it makes no list. */
function isPlain({ status }: Operation, posted: KindSum, due: Amount): boolean {
  return hasSettled(status) ? isPosted(posted, due) : posted.lines.length === 0;
}

/** A sum of 0 has no line: amounts are always positive. Lines that add up to 0 are not what is due. */
function isPosted({ sum, lines }: KindSum, due: Amount): boolean {
  return sum === due && (lines.length === 0) === (due === 0);
}

/** The credit of a cash-in: the amount, or the amount less fees where no other interpretation applies. */
function creditDue({ amount, fees }: Operation, { cashinCredit }: Standing): Amount {
  return includes(cashinCredit, ~BITS.cashinCredit.NET) ? amount : amount - fees;
}

/** Every lawful credit: where net credits are lawful, also the amount less fees by its own figures or its netAmount. */
function creditsDue(operation: Operation, standing: Standing): readonly Amount[] {
  const due = creditDue(operation, standing);
  if (!includes(standing.cashinCredit, BITS.cashinCredit.NET)) return [due];
  return [due, operation.amount - operation.fees, operation.netAmount];
}

/** `due`: lawful sums, the one to quote first. */
function judgePrincipal(
  name: 'CREDIT' | 'DEBIT',
  { reference, type, status }: Operation,
  { posted, due }: { readonly posted: KindSum; readonly due: readonly Amount[] },
): readonly FindingDraft[] {
  const { sum, lines } = posted;
  const isDue = hasSettled(status);
  if (isDue ? due.some((one) => isPosted(posted, one)) : lines.length === 0) return NO_FINDINGS;
  const evidence = [...linesEvidence(lines), operationEvidence(reference)];
  const [first, second] = lines;
  if (!isDue) {
    const parts = { expected: 0, actual: sum, evidence, sequence: first!.entry.sequence };
    return [operationDraft(`${name}_WITHOUT_SUCCESS`, { reference, type, status, posted: sum }, parts)];
  }
  const [quoted] = due as readonly [Amount];
  const parts = { expected: quoted, actual: sum, evidence };
  if (first === undefined) return [operationDraft(`${name}_MISSING`, { reference, type, status, due: quoted }, parts)];
  const times = due.map((amount) => sum / amount).find((ratio) => Number.isInteger(ratio) && ratio > 1);
  if (times !== undefined && second !== undefined) {
    const figures = { reference, type, times, posted: sum, due: quoted };
    return [operationDraft(`${name}_DUPLICATED`, figures, { ...parts, sequence: second.entry.sequence })];
  }
  const figures = { reference, type, posted: sum, due: quoted };
  return [operationDraft(`${name}_AMOUNT_MISMATCH`, figures, { ...parts, sequence: offendingLine(lines, quoted) })];
}

// The commission lines of an operation, against `fees` and the status. A zero fee has no line: amounts are positive.

export const checkFees: OperationCheck = (subject, { standing }) => {
  const { operation, type, facts } = subject;
  const { sum, lines } = type === 'CASHIN' ? facts.cashinFee : facts.cashoutFee;
  const isDue = hasSettled(operation.status);
  if (isDue ? areFeesDue(sum, subject, standing) : sum === 0) return NO_FINDINGS;
  const due = isDue ? feesDue(subject, standing) : 0;
  const { reference, status, fees } = operation;
  const parts = { expected: due, actual: sum, evidence: [...linesEvidence(lines), operationEvidence(reference)] };
  if (lines.length === 0) return [operationDraft('FEE_MISSING', { reference, fees }, parts)];
  if (!isDue) {
    const { sequence } = lines[0]!.entry;
    return [operationDraft('FEE_WITHOUT_SUCCESS', { reference, status, posted: sum }, { ...parts, sequence })];
  }
  const sequence = offendingLine(lines, due);
  return [operationDraft('FEE_AMOUNT_MISMATCH', { reference, posted: sum, due }, { ...parts, sequence })];
};

/** The sum of an operation's fee lines: a cash-in credited net has none; otherwise it equals `fees`. */
function feesDue({ operation, type }: OperationCase, { cashinCredit }: Standing): Amount {
  return type === 'CASHOUT' || includes(cashinCredit, ~BITS.cashinCredit.NET) ? operation.fees : 0;
}

/** Where both interpretations stand, a cash-in that was not credited whole may also have no fee line. */
function areFeesDue(sum: Amount, subject: OperationCase, standing: Standing): boolean {
  if (sum === feesDue(subject, standing)) return true;
  const { operation, type, facts } = subject;
  const mayBeNet = type === 'CASHIN' && includes(standing.cashinCredit, BITS.cashinCredit.NET);
  return sum === 0 && mayBeNet && facts.credit.sum !== operation.amount;
}
