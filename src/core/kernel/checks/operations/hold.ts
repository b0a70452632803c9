// Checks the hold of a cash-out: it must be posted once, of the right amount, before the debit, and
// be gone when the cash-out is over.

import type { Amount } from '../../../domain/amount.ts';
import { BITS, includes } from '../../../domain/assumptions.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import { hasLapsed, hasSettled, isFinal, type Operation } from '../../../domain/operation.ts';
import type { OperationFacts } from '../../replay/operation-facts.ts';
import type { TalliedLine } from '../../replay/tally.ts';
import {
  type CheckContext,
  lineEvidence,
  linesEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  operationDraft,
  operationEvidence,
} from '../port/check.ts';

export const checkHold: OperationCheck = (subject, context) => {
  const { operation, type, facts } = subject;
  if (type === 'CASHIN') return judgeStrays(subject);
  if (hasOneHold(subject, context)) return NO_FINDINGS;
  const { lines, sum } = facts.hold;
  const [first, second] = lines;
  if (first === undefined) return missesHold(subject) ? [draftMissing(operation)] : NO_FINDINGS;
  const { reference } = operation;
  const due = holdDue(subject, context);
  const parts = { expected: due, evidence: linesEvidence(lines) };
  if (second !== undefined) {
    const figures = { reference, times: lines.length, held: sum, due };
    return [
      operationDraft('HOLD_DUPLICATED', figures, {
        ...parts,
        actual: sum,
        sequence: second.entry.sequence,
      }),
    ];
  }
  const { sequence, amount } = first.entry;
  const figures = { reference, held: amount, due };
  return [operationDraft('HOLD_AMOUNT_MISMATCH', figures, { ...parts, actual: amount, sequence })];
};

function judgeStrays({ operation, facts }: OperationCase): readonly FindingDraft[] {
  if (facts.hold.lines.length + facts.release.lines.length === 0) return NO_FINDINGS;
  const strays = [...facts.hold.lines, ...facts.release.lines];
  const { kind, amount, sequence } = strays[0]!.entry;
  const figures = { reference: operation.reference, kind, amount };
  return [operationDraft('HOLD_ON_CASHIN', figures, { sequence, evidence: linesEvidence(strays) })];
}

/**
 * Whether there is exactly one hold, of an amount that a standing interpretation asks for. Runs for
 * every cash-out, so it makes no list.
 */
function hasOneHold({ operation, facts }: OperationCase, { standing }: CheckContext): boolean {
  const { sum, lines } = facts.hold;
  if (lines.length !== 1) return false;
  if (sum === operation.amount && includes(standing.holdAmount, BITS.holdAmount.AMOUNT))
    return true;
  return (
    sum === operation.amount + operation.fees && includes(standing.holdAmount, BITS.holdAmount.NET)
  );
}

/**
 * Whether a cash-out without a hold should have one. CREATED has not been submitted yet, and
 * CANCELLED may come straight from it: neither needs a hold.
 */
function missesHold({ operation, facts }: OperationCase): boolean {
  if (operation.status === 'CREATED') return false;
  return operation.status !== 'CANCELLED' || facts.release.lines.length > 0;
}

function draftMissing({ reference, status, amount, fees }: Operation): FindingDraft {
  const evidence = [operationEvidence(reference, `status ${status}`)];
  return operationDraft(
    'HOLD_MISSING',
    { reference, status },
    { expected: amount + fees, actual: 0, evidence },
  );
}

/** The hold to quote as expected: with fees, unless only the amount is lawful. */
function holdDue({ operation }: OperationCase, { standing }: CheckContext): Amount {
  const { AMOUNT, NET } = BITS.holdAmount;
  const isNet = !includes(standing.holdAmount, AMOUNT) || includes(standing.holdAmount, NET);
  return isNet ? operation.amount + operation.fees : operation.amount;
}

export const checkOpenHold: OperationCheck = (
  { operation, type, held },
  { deadlinesAt, grace },
) => {
  if (type !== 'CASHOUT' || held <= 0) return NO_FINDINGS;
  const { reference, status, expiresAt } = operation;
  const isOver = hasLapsed(status) || hasSettled(status);
  if (!isOver && (isFinal(status) || expiresAt === null || deadlinesAt <= expiresAt + grace))
    return NO_FINDINGS;
  const evidence = [operationEvidence(reference, `status ${status}`)];
  const parts = { expected: 0, actual: held, evidence };
  return [
    operationDraft(
      isOver ? 'HOLD_NOT_RELEASED' : 'HOLD_PAST_EXPIRY',
      { reference, status, held },
      parts,
    ),
  ];
};

// Releases and debits, compared with the hold that they end. Sums are compared and not counts,
// because partial releases are lawful.

export const checkReleases: OperationCheck = ({ operation, type, lines, facts }) => {
  const { release } = facts;
  if (type !== 'CASHOUT' || release.lines.length === 0) return NO_FINDINGS;
  if (facts.hold.lines.length === 0) {
    const figures = { reference: operation.reference, released: release.sum };
    const parts = {
      sequence: release.lines[0]!.entry.sequence,
      evidence: linesEvidence(release.lines),
    };
    return [
      operationDraft('RELEASE_WITHOUT_HOLD', figures, {
        expected: 0,
        actual: release.sum,
        ...parts,
      }),
    ];
  }
  let held = 0;
  for (const line of lines) {
    const left = held;
    held += line.heldMove;
    if (line.entry.kind !== 'CASHOUT_RELEASE' || held >= 0 || left < 0) continue;
    return [draftExcess(operation, facts, line, { held: left, consumed: null, left })];
  }
  return hasSettled(operation.status) ? judgeConsumed(operation, facts) : NO_FINDINGS;
};

/**
 * Judges a success whose hold was both consumed and released: a hold can end only once. The release
 * may come first, and the reserved amount of other cash-outs may hide the fault; where none hides
 * it, RESERVED_NEGATIVE reports the line. Repeated debits are findings of their own.
 */
function judgeConsumed(operation: Operation, facts: OperationFacts): readonly FindingDraft[] {
  const { hold, release, debit, cashoutFee } = facts;
  const consuming = [...debit.lines.slice(0, 1), ...cashoutFee.lines.slice(0, 1)];
  if (
    consuming.some(
      ({ entry: { reservedAfter: after }, reservedMove }) =>
        after < 0 && after >= (reservedMove ?? 0),
    )
  )
    return NO_FINDINGS;
  const consumed = -consuming.reduce((sum, { heldMove }) => sum + heldMove, 0);
  let left = hold.sum - consumed;
  for (const line of release.lines) {
    if (consumed > 0 && line.entry.amount > left) {
      return [
        draftExcess(operation, facts, line, { held: hold.sum, consumed, left: Math.max(0, left) }),
      ];
    }
    left -= line.entry.amount;
  }
  return NO_FINDINGS;
}

function draftExcess(
  { reference }: Operation,
  { release }: OperationFacts,
  { entry: { sequence, amount } }: TalliedLine,
  {
    held,
    consumed,
    left,
  }: { readonly held: Amount; readonly consumed: Amount | null; readonly left: Amount },
): FindingDraft {
  const figures = { reference, sequence, released: amount, held, consumed };
  const parts = { sequence, evidence: linesEvidence(release.lines) };
  return operationDraft('RELEASE_EXCEEDS_HOLD', figures, {
    expected: left,
    actual: amount,
    ...parts,
  });
}

export const checkDebitHasHold: OperationCheck = ({ operation, type, facts }) => {
  const first = facts.debit.lines[0]?.entry;
  if (type !== 'CASHOUT' || first === undefined) return NO_FINDINGS;
  const hold = facts.hold.lines[0]?.entry;
  if (hold !== undefined && hold.sequence < first.sequence) return NO_FINDINGS;
  const { sequence, amount } = first;
  const figures = {
    reference: operation.reference,
    sequence,
    amount,
    holdSequence: hold?.sequence ?? null,
  };
  const evidence = [lineEvidence(sequence)];
  return [
    operationDraft('DEBIT_WITHOUT_HOLD', figures, {
      expected: 0,
      actual: amount,
      sequence,
      evidence,
    }),
  ];
};

/**
 * The service refuses a cash-out when less is available than its amount and its fees (402). Where
 * the hold is the amount alone, its line fits what was available, and only the operation shows that
 * its fees did not.
 */
export const checkFeesAvailable: OperationCheck = (subject, { standing }) => {
  const { operation, type, facts, availableBefore: available } = subject;
  if (type !== 'CASHOUT' || available === null || facts.hold.lines.length !== 1) return NO_FINDINGS;
  const { sequence, amount: held } = facts.hold.lines[0]!.entry;
  const { amount, fees } = operation;
  if (held !== amount || !includes(standing.holdAmount, BITS.holdAmount.AMOUNT)) return NO_FINDINGS;
  const required = amount + fees;
  // A hold that exceeds what was available by its own amount is a finding of its line.
  if (amount > available || required <= available) return NO_FINDINGS;
  const { reference } = operation;
  const figures = {
    fault: 'fees',
    reference,
    sequence,
    amount,
    fees,
    required,
    available,
  } as const;
  const parts = { sequence, evidence: [lineEvidence(sequence), operationEvidence(reference)] };
  return [
    operationDraft('HOLD_EXCEEDS_AVAILABLE', figures, {
      expected: available,
      actual: required,
      ...parts,
    }),
  ];
};
