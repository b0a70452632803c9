// Reversals: an operation settled in error is undone by inverse lines, and only then (direct API, "States and
// transitions"). A reversal that gives back exactly the money is whole, in one line or in several.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { Operation } from '../../domain/operation.ts';
import type { KindSum, OperationFacts } from '../../replay/operation-facts.ts';
import type { PostedLine } from '../../replay/tally.ts';
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

const credited = 'line 1 CASHIN_CREDIT 1000 1000/0 CI-1';
const sound = `
    ${credited}
    line 2 REVERSAL_DEBIT 1000 0/0 CI-1
    op CI-1 REVERSED 1000`;

const missing: KindPage<'REVERSAL_MISSING'> = {
  kind: 'REVERSAL_MISSING',
  explanation: 'The operation is REVERSED and no REVERSAL line was posted: the money is still where it should not be.',
  fires: `
    ${credited}
    op CI-1 REVERSED 1000`,
  quiet: sound,
};
const unannounced: KindPage<'REVERSAL_UNANNOUNCED'> = {
  kind: 'REVERSAL_UNANNOUNCED',
  explanation: 'A REVERSAL line was posted for an operation that is not REVERSED.',
  fires: `
    ${credited}
    line 2 REVERSAL_DEBIT 1000 0/0 CI-1
    op CI-1 SUCCEEDED 1000`,
  quiet: sound,
};
const incomplete: KindPage<'REVERSAL_INCOMPLETE'> = {
  kind: 'REVERSAL_INCOMPLETE',
  explanation: 'The inverse lines undo less than the original, as the wallet’s other reversals do it.',
  fires: `
    ${credited}
    line 2 REVERSAL_DEBIT 900 100/0 CI-1
    op CI-1 REVERSED 1000`,
  quiet: sound,
};
const excessive: KindPage<'REVERSAL_EXCESSIVE'> = {
  kind: 'REVERSAL_EXCESSIVE',
  explanation: 'The inverse lines undo more than the original, as the wallet’s other reversals do it.',
  fires: `
    line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening
    line 2 CASHIN_CREDIT 1000 6000/0 CI-2
    line 3 REVERSAL_DEBIT 1100 4900/0 CI-2
    op CI-2 REVERSED 1000`,
  quiet: sound,
};
const direction: KindPage<'REVERSAL_WRONG_DIRECTION'> = {
  kind: 'REVERSAL_WRONG_DIRECTION',
  explanation:
    'A cash-in’s amount is undone by a debit and a cash-out’s by a credit; this reversal moves the money further the same way.',
  fires: `
    ${credited}
    line 2 REVERSAL_CREDIT 1000 2000/0 CI-1
    op CI-1 REVERSED 1000`,
  quiet: sound,
};
const early: KindPage<'REVERSAL_BEFORE_ORIGINAL'> = {
  kind: 'REVERSAL_BEFORE_ORIGINAL',
  explanation: 'The reversal stands before the line that it undoes.',
  fires: `
    line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening
    line 2 REVERSAL_DEBIT 1000 4000/0 CI-2
    line 3 CASHIN_CREDIT 1000 5000/0 CI-2
    op CI-2 REVERSED 1000`,
  quiet: sound,
};

export const reversalCheck: OperationCheck = {
  says: [missing, unannounced, incomplete, excessive, direction, early],
  find(subject, { standing }) {
    const { operation, facts } = subject;
    const none = facts.reversalDebit.lines.length + facts.reversalCredit.lines.length === 0;
    if (operation.status === 'REVERSED') {
      if (!none) return judgeReversal(subject, standing);
      return owesNothing(subject, standing) ? NO_FINDINGS : [describeMissing(subject, standing)];
    }
    if (none) return NO_FINDINGS;
    const { first, back, evidence } = reversalOf(subject);
    const figures = { reference: operation.reference, status: operation.status, reversed: back };
    const place = { operationReference: operation.reference, sequence: first.sequence, evidence };
    return [draftOf(unannounced, figures, { ...place, ...compared({ expected: 0, actual: back }) })];
  },
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
  const evidence = [...lines.map((line) => lineEvidence(line.sequence)), operationEvidence(operation.reference)];
  return { first: lines[0]!, back, evidence };
}

function describeMissing(subject: OperationCase, standing: Standing): FindingDraft {
  const { reference } = subject.operation;
  const due = reversalsDue(subject, standing)[0]!;
  const evidence = [operationEvidence(reference, 'status REVERSED')];
  return draftOf(
    missing,
    { reference, due },
    {
      ...compared({ expected: due, actual: 0 }),
      operationReference: reference,
      evidence,
    },
  );
}

function judgeReversal(subject: OperationCase, standing: Standing): readonly FindingDraft[] {
  const { operation, facts, type } = subject;
  const { reference } = operation;
  const { first, back, evidence } = reversalOf(subject);
  const due = reversalsDue(subject, standing);
  const amounts = compared({ expected: due[0]!, actual: back });
  const at = { ...amounts, operationReference: reference, sequence: first.sequence, evidence };
  const wrong = wrongWay(subject);
  if (wrong !== undefined) {
    const figures = { reference, kind: wrong.kind, amount: wrong.amount };
    return [draftOf(direction, figures, { ...at, sequence: wrong.sequence })];
  }
  const original = (type === 'CASHIN' ? facts.credit : facts.debit).lines[0]?.entry;
  if (original !== undefined && first.sequence < original.sequence) {
    const figures = { reference, sequence: first.sequence, original: original.sequence };
    return [draftOf(early, figures, at)];
  }
  if (due.includes(back)) return NO_FINDINGS;
  const figures = { reference, reversed: back, due: due[0]! };
  const tooMuch = lineTooMuch(subject, standing, back - due[0]!);
  if (tooMuch === null) return [draftOf(incomplete, figures, at)];
  return [draftOf(excessive, figures, { ...at, sequence: tooMuch })];
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
