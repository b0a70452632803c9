// Releases, and debits, against the hold that they end. Sums, not counts: partial releases are lawful.

import type { FindingDraft } from '../../domain/finding.ts';
import { hasSettled, type Operation } from '../../domain/operation.ts';
import type { OperationFacts } from '../../replay/operation-facts.ts';
import type { TalliedLine } from '../../replay/tally.ts';
import { compared, draftOf, type KindPage, lineEvidence, NO_FINDINGS, type OperationCheck } from '../check.ts';

const funded = 'line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening';
const sound = `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_RELEASE 400 5000/600 CO-2
    line 4 CASHOUT_RELEASE 600 5000/0 CO-2
    op CO-2 FAILED 1000`;

const without: KindPage<'RELEASE_WITHOUT_HOLD'> = {
  kind: 'RELEASE_WITHOUT_HOLD',
  explanation: 'A release was posted for a cash-out that never held anything.',
  fires: `
    ${funded}
    line 2 CASHOUT_HOLD 700 5000/700 CO-2
    line 3 CASHOUT_RELEASE 300 5000/400 CO-3
    op CO-2 PENDING 700
    op CO-3 CANCELLED 300
    at +1h`,
  quiet: sound,
};

const exceeds: KindPage<'RELEASE_EXCEEDS_HOLD'> = {
  kind: 'RELEASE_EXCEEDS_HOLD',
  explanation: 'More was released for a cash-out than was still held for it, or than its debit took of the hold left.',
  fires: `
    ${funded}
    line 2 CASHOUT_HOLD 700 5000/700 CO-2
    line 3 CASHOUT_HOLD 300 5000/1000 CO-3
    line 4 CASHOUT_RELEASE 400 5000/600 CO-3
    op CO-2 PENDING 700
    op CO-3 FAILED 300
    at +1h`,
  quiet: sound,
};

export const releaseCheck: OperationCheck = {
  says: [without, exceeds],
  find({ operation, type, lines, facts }) {
    if (type !== 'CASHOUT' || facts.release.lines.length === 0) return NO_FINDINGS;
    if (facts.hold.lines.length === 0) {
      const figures = { reference: operation.reference, released: facts.release.sum };
      const amounts = compared({ expected: 0, actual: facts.release.sum });
      return [draftOf(without, figures, { ...placeOf(facts, operation), ...amounts })];
    }
    let held = 0;
    for (const { entry, heldMove } of lines) {
      const left = held;
      held += heldMove;
      if (entry.kind !== 'CASHOUT_RELEASE' || held >= 0 || left < 0) continue;
      const { sequence, amount } = entry;
      const figures = { reference: operation.reference, sequence, released: amount, held: left, consumed: null };
      const amounts = compared({ expected: left, actual: amount });
      return [draftOf(exceeds, figures, { ...placeOf(facts, operation), ...amounts, sequence })];
    }
    return hasSettled(operation.status) ? releasedBesideDebit(operation, facts) : NO_FINDINGS;
  },
};

/**
 * A hold is ended once: what a success consumed of it was not there to be released as well, also where the release came first
 * and the reserved amount of other cash-outs hides it: where none does, a line says that it fell below zero. Debits that were
 * posted again are said by themselves.
 */
function releasedBesideDebit(operation: Operation, facts: OperationFacts): readonly FindingDraft[] {
  const { hold, release, debit, cashoutFee } = facts;
  const consuming = [...debit.lines.slice(0, 1), ...cashoutFee.lines.slice(0, 1)];
  if (consuming.some(fellBelowZero)) return NO_FINDINGS;
  const consumed = -consuming.reduce((sum, { heldMove }) => sum + heldMove, 0);
  let left = hold.sum - consumed;
  for (const { entry } of release.lines) {
    const { sequence, amount } = entry;
    if (consumed > 0 && amount > left) {
      const figures = { reference: operation.reference, sequence, released: amount, held: hold.sum, consumed };
      const amounts = compared({ expected: Math.max(0, left), actual: amount });
      return [draftOf(exceeds, figures, { ...placeOf(facts, operation), ...amounts, sequence })];
    }
    left -= amount;
  }
  return NO_FINDINGS;
}

function fellBelowZero({ entry: { reservedAfter }, reservedMove }: TalliedLine): boolean {
  return reservedAfter < 0 && reservedAfter - (reservedMove ?? 0) >= 0;
}

function placeOf({ release }: OperationFacts, { reference }: Operation) {
  const evidence = release.lines.map((line) => lineEvidence(line.entry.sequence));
  return { operationReference: reference, sequence: release.lines[0]!.entry.sequence, evidence };
}

const debit: KindPage<'DEBIT_WITHOUT_HOLD'> = {
  kind: 'DEBIT_WITHOUT_HOLD',
  explanation: 'A cash-out was debited before, or without, holding the money: the balance rule (402) was bypassed.',
  fires: `
    ${funded}
    line 2 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 SUCCEEDED 1000`,
  quiet: `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 SUCCEEDED 1000`,
};

export const debitWithoutHoldCheck: OperationCheck = {
  says: [debit],
  find({ operation, type, facts }) {
    const first = facts.debit.lines[0]?.entry;
    if (type !== 'CASHOUT' || first === undefined) return NO_FINDINGS;
    const hold = facts.hold.lines[0]?.entry;
    if (hold !== undefined && hold.sequence < first.sequence) return NO_FINDINGS;
    const { sequence, amount } = first;
    const figures = { reference: operation.reference, sequence, amount, holdSequence: hold?.sequence ?? null };
    const place = {
      operationReference: operation.reference,
      sequence,
      evidence: [lineEvidence(sequence)],
    };
    return [draftOf(debit, figures, { ...place, ...compared({ expected: 0, actual: amount }) })];
  },
};
