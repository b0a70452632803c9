// The principal of an operation, which is the credit of a cash-in or the debit of a cash-out, and
// its commission: posted once, whole, and only when the operation succeeded; and the lines that
// reverse them.

import type { Amount } from '../../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../../domain/assumptions.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import { directionOf, signedAmount } from '../../../domain/ledger-entry.ts';
import { hasSettled, netAmountOf, type Operation } from '../../../domain/operation.ts';
import { type KindSum, undoingLines } from '../../replay/operation-facts.ts';
import type { PostedLine } from '../../replay/tally.ts';
import {
  lineEvidence,
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
  if (type !== 'CASHIN' || isPlain(operation, facts.credit, creditDue(operation, standing)))
    return NO_FINDINGS;
  return judgePrincipal('CREDIT', operation, {
    posted: facts.credit,
    due: creditsDue(subject, standing),
  });
};

export const checkDebit: OperationCheck = ({ operation, type, facts }) => {
  if (type !== 'CASHOUT' || isPlain(operation, facts.debit, operation.amount)) return NO_FINDINGS;
  return judgePrincipal('DEBIT', operation, { posted: facts.debit, due: [operation.amount] });
};

/**
 * Whether the lines are the usual ones: none without success, exactly `due` with it. Runs for every
 * operation, so it makes no list.
 */
function isPlain({ status }: Operation, posted: KindSum, due: Amount): boolean {
  return hasSettled(status) ? isPosted(posted, due) : posted.lines.length === 0;
}

/**
 * Whether the lines sum to `due`. Where 0 is due there must be no line, because amounts are
 * positive; lines that add up to 0 do not count as nothing.
 */
function isPosted({ sum, lines }: KindSum, due: Amount): boolean {
  return sum === due && (lines.length === 0) === (due === 0);
}

/**
 * The credit that a cash-in is due: its amount, or the amount less fees where only net credits
 * stand.
 */
function creditDue({ amount, fees }: Operation, { cashinCredit }: Standing): Amount {
  return includes(cashinCredit, ~BITS.cashinCredit.NET) ? amount : amount - fees;
}

/**
 * Returns every lawful credit, the one to quote first. Where net credits are lawful, these are also
 * the amount less fees and the operation's `netAmount`. A fee line beside the credit shows that the
 * credit is not net, unless only net credits are lawful.
 */
function creditsDue({ operation, facts }: OperationCase, standing: Standing): readonly Amount[] {
  const { amount, fees, netAmount } = operation;
  const due = creditDue(operation, standing);
  const isGross = due === amount && facts.cashinFee.lines.length > 0;
  if (isGross || !includes(standing.cashinCredit, BITS.cashinCredit.NET)) return [due];
  return [due, amount - fees, netAmount];
}

/** Judges the lines of a principal. `due` has the lawful sums, the one to quote first. */
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
    return [
      operationDraft(`${name}_WITHOUT_SUCCESS`, { reference, type, status, posted: sum }, parts),
    ];
  }
  const [quoted] = due as readonly [Amount];
  const parts = { expected: quoted, actual: sum, evidence };
  if (first === undefined)
    return [operationDraft(`${name}_MISSING`, { reference, type, status, due: quoted }, parts)];
  const times = due
    .map((amount) => sum / amount)
    .find((ratio) => Number.isInteger(ratio) && ratio > 1);
  if (times !== undefined && second !== undefined) {
    const figures = { reference, type, times, posted: sum, due: quoted };
    return [
      operationDraft(`${name}_DUPLICATED`, figures, { ...parts, sequence: second.entry.sequence }),
    ];
  }
  const figures = { reference, type, posted: sum, due: quoted };
  return [
    operationDraft(`${name}_AMOUNT_MISMATCH`, figures, {
      ...parts,
      sequence: offendingLine(lines, quoted),
    }),
  ];
}

// The commission lines of an operation, compared with `fees` and the status. A fee of 0 has no
// line, because amounts are positive.

export const checkFees: OperationCheck = (subject, { standing }) => {
  const { operation, type, facts } = subject;
  const { sum, lines } = type === 'CASHIN' ? facts.cashinFee : facts.cashoutFee;
  const isDue = hasSettled(operation.status);
  if (isDue ? areFeesDue(sum, subject, standing) : sum === 0) return NO_FINDINGS;
  const due = isDue ? feesDue(subject, standing) : 0;
  const { reference, status, fees } = operation;
  const parts = {
    expected: due,
    actual: sum,
    evidence: [...linesEvidence(lines), operationEvidence(reference)],
  };
  if (lines.length === 0) return [operationDraft('FEE_MISSING', { reference, fees }, parts)];
  if (!isDue) {
    const { sequence } = lines[0]!.entry;
    return [
      operationDraft(
        'FEE_WITHOUT_SUCCESS',
        { reference, status, posted: sum },
        { ...parts, sequence },
      ),
    ];
  }
  const sequence = offendingLine(lines, due);
  return [
    operationDraft('FEE_AMOUNT_MISMATCH', { reference, posted: sum, due }, { ...parts, sequence }),
  ];
};

/**
 * The sum of an operation's fee lines: a cash-in credited net has none; otherwise it equals `fees`.
 */
function feesDue({ operation, type }: OperationCase, { cashinCredit }: Standing): Amount {
  return type === 'CASHOUT' || includes(cashinCredit, ~BITS.cashinCredit.NET) ? operation.fees : 0;
}

/**
 * Whether the fee lines sum to what is due. Where both credits are lawful, a cash-in that was not
 * credited its whole amount may also have no fee line.
 */
function areFeesDue(sum: Amount, subject: OperationCase, standing: Standing): boolean {
  if (sum === feesDue(subject, standing)) return true;
  const { operation, type, facts } = subject;
  const mayBeNet = type === 'CASHIN' && includes(standing.cashinCredit, BITS.cashinCredit.NET);
  return sum === 0 && mayBeNet && facts.credit.sum !== operation.amount;
}

// Reversals: an operation settled in error is undone by inverse lines, and only then (direct API,
// "States and transitions"). A reversal that gives back exactly the money is whole, in one line or
// in several.

export const checkReversal: OperationCheck = (subject, { standing }) => {
  const { operation, facts } = subject;
  const none = facts.reversalDebit.lines.length + facts.reversalCredit.lines.length === 0;
  if (operation.status === 'REVERSED') {
    if (!none) return judgeReversal(subject, standing);
    return owesNothing(subject, standing) ? NO_FINDINGS : [draftMissing(subject, standing)];
  }
  if (none) return NO_FINDINGS;
  const { sequence, back, evidence } = reversalOf(subject);
  const figures = { reference: operation.reference, status: operation.status, reversed: back };
  return [
    operationDraft('REVERSAL_UNANNOUNCED', figures, {
      expected: 0,
      actual: back,
      sequence,
      evidence,
    }),
  ];
};

/**
 * Whether a reversal needs no line: the fee took the whole cash-in, so that its net amount is 0.
 */
function owesNothing({ operation, facts, type }: OperationCase, standing: Standing): boolean {
  if (type !== 'CASHIN' || operation.amount !== operation.fees) return false;
  const hasNoLines = facts.credit.lines.length + facts.cashinFee.lines.length === 0;
  if (includes(standing.reversal, BITS.reversal.LINES) && hasNoLines) return true;
  return includes(standing.reversal, BITS.reversal.NET);
}

/**
 * The first reversal line, what all reversal lines give back in net, and their evidence. At least
 * one reversal line must be there.
 */
function reversalOf({ operation, facts, type }: OperationCase) {
  const { reversalDebit, reversalCredit } = facts;
  const lines = [...reversalDebit.lines, ...reversalCredit.lines].map((line) => line.entry);
  lines.sort((a, b) => a.sequence - b.sequence);
  const back =
    type === 'CASHIN'
      ? reversalDebit.sum - reversalCredit.sum
      : reversalCredit.sum - reversalDebit.sum;
  const evidence = [
    ...lines.map(({ sequence }) => lineEvidence(sequence)),
    operationEvidence(operation.reference),
  ];
  return { sequence: lines[0]!.sequence, back, evidence };
}

function draftMissing(subject: OperationCase, standing: Standing): FindingDraft {
  const { reference } = subject.operation;
  const due = reversalsDue(subject, standing)[0]!;
  const evidence = [operationEvidence(reference, 'status REVERSED')];
  return operationDraft(
    'REVERSAL_MISSING',
    { reference, due },
    { expected: due, actual: 0, evidence },
  );
}

function judgeReversal(subject: OperationCase, standing: Standing): readonly FindingDraft[] {
  const { operation, facts, type } = subject;
  const { reference } = operation;
  const { sequence, back, evidence } = reversalOf(subject);
  const due = reversalsDue(subject, standing);
  const parts = { expected: due[0]!, actual: back, sequence, evidence };
  const wrong = wrongWay(subject);
  if (wrong !== undefined) {
    const figures = { reference, kind: wrong.kind, amount: wrong.amount };
    return [
      operationDraft('REVERSAL_WRONG_DIRECTION', figures, { ...parts, sequence: wrong.sequence }),
    ];
  }
  const original = (type === 'CASHIN' ? facts.credit : facts.debit).lines[0]?.entry.sequence;
  if (original !== undefined && sequence < original) {
    return [operationDraft('REVERSAL_BEFORE_ORIGINAL', { reference, sequence, original }, parts)];
  }
  if (due.includes(back)) return NO_FINDINGS;
  const figures = { reference, reversed: back, due: due[0]! };
  const tooMuch = lineTooMuch(subject, standing, back - due[0]!);
  if (tooMuch === null) return [operationDraft('REVERSAL_INCOMPLETE', figures, parts)];
  return [operationDraft('REVERSAL_EXCESSIVE', figures, { ...parts, sequence: tooMuch })];
}

/**
 * Finds a reversal line that goes the wrong way: a debit of a cash-out, or a credit of a cash-in
 * that pays its amount or its net amount again.
 */
function wrongWay({ operation, facts, type }: OperationCase): PostedLine | undefined {
  if (type === 'CASHOUT') return facts.reversalDebit.lines[0]?.entry;
  const { amount, fees } = operation;
  // The fee of a cash-in is lawfully given back by a credit, even where the debit is missing.
  const credits = facts.reversalCredit.lines
    .map((line) => line.entry)
    .filter((entry) => entry.amount !== fees);
  const again = credits.find((entry) => entry.amount === amount || entry.amount === amount - fees);
  return again ?? (facts.reversalDebit.lines.length === 0 ? credits[0] : undefined);
}

/**
 * Returns the sequence of the line that undoes more than there is to undo; `null` when all lines
 * together undo less. Where one line should undo everything, the sum decides. Where each line has
 * its inverse, a cash-in whose fee is not given back is incomplete, though more than the net is
 * taken.
 */
function lineTooMuch(subject: OperationCase, standing: Standing, surplus: Amount): number | null {
  const { operation, facts } = subject;
  const { reversalDebit, reversalCredit } = facts;
  // Credits are positive, debits negative.
  const due = undoingLines(operation, facts, standing)
    .map(({ kind, amount }) => signedAmount({ direction: directionOf(kind), amount }))
    .filter((effect) => effect !== 0);
  if (due.length === 1 && surplus <= 0) return null;
  const debits = due.filter((effect) => effect < 0).map((effect) => -effect);
  const credits = due.filter((effect) => effect > 0);
  return excessOf(reversalDebit, debits) ?? excessOf(reversalCredit, credits);
}

/**
 * Returns the line with which the lines exceed what is due: the first one of an amount that is not
 * due, where others are due, else the line with which the running sum passes it.
 */
function excessOf({ sum, lines }: KindSum, due: readonly Amount[]): number | null {
  const whole = due.reduce((total, amount) => total + amount, 0);
  if (sum <= whole) return null;
  const left = [...due];
  const strange = lines.filter(({ entry }) => {
    const at = left.indexOf(entry.amount);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return strange.length < lines.length ? strange[0]!.entry.sequence : offendingLine(lines, whole);
}

/** Net amounts that a reversal may give back, the one to quote first. */
function reversalsDue({ operation, type }: OperationCase, standing: Standing): Amount[] {
  const { amount, fees } = operation;
  const whole = netAmountOf({ type, amount, fees });
  const due: Amount[] = [];
  if (
    includes(standing.reversal, BITS.reversal.LINES) ||
    includes(standing.reversal, BITS.reversal.NET)
  )
    due.push(whole);
  if (includes(standing.reversal, BITS.reversal.PRINCIPAL)) due.push(amount);
  return due;
}
