// Reversals: an operation settled in error is undone by inverse lines, and only then (direct API, "States and
// transitions"). A reversal that gives back exactly the money is whole, in one line or in several.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { Operation } from '../../domain/operation.ts';
import type { KindSum, OperationFacts } from '../../replay/operation-facts.ts';
import type { PostedLine } from '../../replay/tally.ts';
import {
  lineEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  offendingLine,
  operationDraft,
  operationEvidence,
} from '../port/check.ts';

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
  return [operationDraft('REVERSAL_UNANNOUNCED', figures, { expected: 0, actual: back, sequence, evidence })];
};

/** A cash-in whose fee took all of it is undone without a line: net it is 0, and amounts are always positive. */
function owesNothing({ operation, facts, type }: OperationCase, standing: Standing): boolean {
  if (type !== 'CASHIN' || operation.amount !== operation.fees) return false;
  const hasNoLines = facts.credit.lines.length + facts.cashinFee.lines.length === 0;
  if (includes(standing.reversal, BITS.reversal.LINES) && hasNoLines) return true;
  return includes(standing.reversal, BITS.reversal.NET);
}

/** The reversal lines in ledger order, and what they give back net. At least one must be there. */
function reversalOf({ operation, facts, type }: OperationCase) {
  const { reversalDebit, reversalCredit } = facts;
  const lines = [...reversalDebit.lines, ...reversalCredit.lines].map((line) => line.entry);
  lines.sort((a, b) => a.sequence - b.sequence);
  const back = type === 'CASHIN' ? reversalDebit.sum - reversalCredit.sum : reversalCredit.sum - reversalDebit.sum;
  const evidence = [...lines.map(({ sequence }) => lineEvidence(sequence)), operationEvidence(operation.reference)];
  return { sequence: lines[0]!.sequence, back, evidence };
}

function draftMissing(subject: OperationCase, standing: Standing): FindingDraft {
  const { reference } = subject.operation;
  const due = reversalsDue(subject, standing)[0]!;
  const evidence = [operationEvidence(reference, 'status REVERSED')];
  return operationDraft('REVERSAL_MISSING', { reference, due }, { expected: due, actual: 0, evidence });
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
    return [operationDraft('REVERSAL_WRONG_DIRECTION', figures, { ...parts, sequence: wrong.sequence })];
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

/** A cash-out is never undone by a debit; a cash-in not by crediting its amount, or its net amount, again. */
function wrongWay({ operation, facts, type }: OperationCase): PostedLine | undefined {
  if (type === 'CASHOUT') return facts.reversalDebit.lines[0]?.entry;
  const { amount, fees } = operation;
  // The fee of a cash-in is given back by a credit, lawfully so where its debit is missing.
  const credits = facts.reversalCredit.lines.map((line) => line.entry).filter((entry) => entry.amount !== fees);
  const again = credits.find((entry) => entry.amount === amount || entry.amount === amount - fees);
  return again ?? (facts.reversalDebit.lines.length === 0 ? credits[0] : undefined);
}

/**
 * Sequence of the line that undoes more than there is to undo; null when all together undo less. Where one line is to undo
 * it all, the money decides; where each line has its inverse, a cash-in whose fee is not given back is incomplete, though
 * more is taken.
 */
function lineTooMuch(subject: OperationCase, standing: Standing, surplus: Amount): number | null {
  const { reversalDebit, reversalCredit } = subject.facts;
  const due = linesDue(subject, standing);
  if (due.length === 1 && surplus <= 0) return null;
  const debits = due.filter((amount) => amount < 0).map((amount) => -amount);
  const credits = due.filter((amount) => amount > 0);
  return excessOf(reversalDebit, debits) ?? excessOf(reversalCredit, credits);
}

/** Of lines that sum to more than is due: the first strange one beside those that are due, else the one that goes too far. */
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

/** The lines of a reversal as the first standing interpretation asks for them: credits positive, debits negative; none is 0. */
function linesDue({ operation, facts, type }: OperationCase, standing: Standing): Amount[] {
  const { amount, fees } = operation;
  const net = type === 'CASHIN' ? fees - amount : amount + fees;
  const principal = type === 'CASHIN' ? -amount : amount;
  if (includes(standing.reversal, BITS.reversal.LINES)) {
    const isOneLine = type === 'CASHIN' && isCreditedNet(operation, facts, standing);
    return (isOneLine ? [net] : [principal, fees]).filter((due) => due !== 0);
  }
  return [includes(standing.reversal, BITS.reversal.NET) ? net : principal];
}

function isCreditedNet(operation: Operation, facts: OperationFacts, { cashinCredit }: Standing): boolean {
  if (!includes(cashinCredit, BITS.cashinCredit.NET)) return false;
  const isOnly = !includes(cashinCredit, BITS.cashinCredit.GROSS_AND_FEE);
  return isOnly || facts.credit.sum === operation.amount - operation.fees;
}

/** Net amounts that a reversal may give back, the one to quote first. */
function reversalsDue({ operation, type }: OperationCase, standing: Standing): Amount[] {
  const { amount, fees } = operation;
  const whole = type === 'CASHIN' ? amount - fees : amount + fees;
  const due: Amount[] = [];
  if (includes(standing.reversal, BITS.reversal.LINES) || includes(standing.reversal, BITS.reversal.NET))
    due.push(whole);
  if (includes(standing.reversal, BITS.reversal.PRINCIPAL)) due.push(amount);
  return due;
}
