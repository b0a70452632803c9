// The hold of a cash-out: there, once, of the right amount, and gone when the cash-out is over.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes } from '../../domain/assumptions.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import { hasLapsed, hasSettled, isFinal, type Operation } from '../../domain/operation.ts';
import type { OperationFacts } from '../../replay/operation-facts.ts';
import type { TalliedLine } from '../../replay/tally.ts';
import { holdTooLargePage } from '../lines/drift.ts';
import {
  type CheckContext,
  compared,
  draftOf,
  type KindPage,
  lineEvidence,
  NO_FINDINGS,
  type OperationCase,
  type OperationCheck,
  operationEvidence,
} from '../port/check.ts';

const funded = 'line 1 ADJUSTMENT_CREDIT 5000 5000/0 - description=opening';
const sound = `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 SUCCEEDED 1000`;

const missing: KindPage<'HOLD_MISSING'> = {
  kind: 'HOLD_MISSING',
  explanation: 'A cash-out went past CREATED without its amount ever being held.',
  fires: `
    ${funded}
    line 2 CASHOUT_DEBIT 1000 4000/0 CO-2
    op CO-2 SUCCEEDED 1000`,
  quiet: sound,
};

const mismatch: KindPage<'HOLD_AMOUNT_MISMATCH'> = {
  kind: 'HOLD_AMOUNT_MISMATCH',
  explanation: 'The hold is not the amount that the wallet’s other cash-outs hold: amount + fees, or the amount alone.',
  fires: `
    ${funded}
    line 2 CASHOUT_HOLD 1100 5000/1100 CO-2
    op CO-2 PENDING 1000
    at +1h`,
  quiet: sound,
};

const duplicated: KindPage<'HOLD_DUPLICATED'> = {
  kind: 'HOLD_DUPLICATED',
  explanation: 'More than one hold was placed for one cash-out.',
  fires: `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_HOLD 1000 5000/2000 CO-2
    op CO-2 PENDING 1000
    at +1h`,
  quiet: sound,
};

const onCashin: KindPage<'HOLD_ON_CASHIN'> = {
  kind: 'HOLD_ON_CASHIN',
  explanation: 'A HOLD or a RELEASE was posted for a cash-in, which never holds money.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_HOLD 300 1000/300 CI-1
    op CI-1 SUCCEEDED 1000`,
  quiet: sound,
};

export const holdCheck: OperationCheck = {
  says: [missing, mismatch, duplicated, onCashin],
  find(subject, context) {
    const { operation, type, facts } = subject;
    const hold = facts.hold.lines[0]?.entry;
    const second = facts.hold.lines[1]?.entry;
    if (type === 'CASHOUT' && isPlain(subject, context)) return NO_FINDINGS;
    if (type === 'CASHIN' && facts.hold.lines.length + facts.release.lines.length === 0) return NO_FINDINGS;
    const place = { operationReference: operation.reference };
    if (type === 'CASHIN') {
      const strays = [...facts.hold.lines, ...facts.release.lines];
      const stray = strays[0]!.entry;
      const figures = { reference: operation.reference, kind: stray.kind, amount: stray.amount };
      const evidence = strays.map((line) => lineEvidence(line.entry.sequence));
      return [draftOf(onCashin, figures, { ...place, sequence: stray.sequence, evidence })];
    }
    if (hold === undefined) return missesHold(subject) ? [holdMissing(subject)] : NO_FINDINGS;
    const due = holdsDue(subject, context);
    if (second !== undefined) {
      const times = facts.hold.lines.length;
      const figures = { reference: operation.reference, times, held: facts.hold.sum, due: due[0]! };
      const evidence = facts.hold.lines.map((line) => lineEvidence(line.entry.sequence));
      const amounts = compared({ expected: due[0]!, actual: facts.hold.sum });
      return [draftOf(duplicated, figures, { ...place, ...amounts, sequence: second.sequence, evidence })];
    }
    const figures = { reference: operation.reference, held: hold.amount, due: due[0]! };
    const amounts = compared({ expected: due[0]!, actual: hold.amount });
    return [
      draftOf(mismatch, figures, {
        ...place,
        ...amounts,
        sequence: hold.sequence,
        evidence: [lineEvidence(hold.sequence)],
      }),
    ];
  },
};

/** One hold of what is due: said without a list. */
function isPlain({ operation, facts }: OperationCase, { standing }: CheckContext): boolean {
  const { sum, lines } = facts.hold;
  if (lines.length !== 1) return false;
  if (sum === operation.amount && includes(standing.holdAmount, BITS.holdAmount.AMOUNT)) return true;
  return sum === operation.amount + operation.fees && includes(standing.holdAmount, BITS.holdAmount.NET);
}

/** CREATED has not been submitted yet, and CANCELLED may come straight from it: neither must have held. */
function missesHold({ operation, facts }: OperationCase): boolean {
  if (operation.status === 'CREATED') return false;
  return operation.status !== 'CANCELLED' || facts.release.lines.length > 0;
}

function holdMissing({ operation }: OperationCase): FindingDraft {
  const { reference, status } = operation;
  const evidence = [operationEvidence(reference, `status ${status}`)];
  const amounts = compared({ expected: operation.amount + operation.fees, actual: 0 });
  return draftOf(missing, { reference, status }, { operationReference: reference, ...amounts, evidence });
}

function holdsDue({ operation }: OperationCase, { standing }: CheckContext): readonly Amount[] {
  const net = operation.amount + operation.fees;
  if (!includes(standing.holdAmount, BITS.holdAmount.AMOUNT)) return [net];
  return includes(standing.holdAmount, BITS.holdAmount.NET) ? [net, operation.amount] : [operation.amount];
}

const notReleased: KindPage<'HOLD_NOT_RELEASED'> = {
  kind: 'HOLD_NOT_RELEASED',
  explanation:
    'A cash-out is over (failed, expired, cancelled or settled) and still holds money that the merchant cannot use.',
  fires: `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    op CO-2 FAILED 1000`,
  quiet: `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_RELEASE 1000 5000/0 CO-2
    op CO-2 FAILED 1000`,
};

const pastExpiry: KindPage<'HOLD_PAST_EXPIRY'> = {
  kind: 'HOLD_PAST_EXPIRY',
  explanation: 'A cash-out that is not final is past its expiry plus grace and still holds money: poll the operation.',
  fires: `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    op CO-2 PENDING 1000`,
  quiet: `
    ${funded}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    op CO-2 PENDING 1000
    at +1h`,
};

export const openHoldCheck: OperationCheck = {
  says: [notReleased, pastExpiry],
  find({ operation, type, held }, { watermark, grace }) {
    if (type !== 'CASHOUT' || held <= 0) return NO_FINDINGS;
    const place = {
      operationReference: operation.reference,
      evidence: [operationEvidence(operation.reference, `status ${operation.status}`)],
    };
    const amounts = compared({ expected: 0, actual: held });
    const figures = { reference: operation.reference, status: operation.status, held };
    if (hasLapsed(operation.status) || hasSettled(operation.status)) {
      return [draftOf(notReleased, figures, { ...place, ...amounts })];
    }
    if (isFinal(operation.status) || operation.expiresAt === null || watermark <= operation.expiresAt + grace)
      return NO_FINDINGS;
    return [draftOf(pastExpiry, figures, { ...place, ...amounts })];
  },
};

// Releases, and debits, against the hold that they end. Sums, not counts: partial releases are lawful.

const released = `
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
  quiet: released,
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
  quiet: released,
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

// The rule that a cash-out is refused when less is available than its amount and its fees (402), where the hold is the
// amount alone: there the line fits what was available, and only the operation shows that its fees did not.

export const holdBalanceCheck: OperationCheck = {
  says: [],
  find({ operation, type, facts, availableBefore: available }, { standing }) {
    if (type !== 'CASHOUT' || available === null || facts.hold.lines.length !== 1) return NO_FINDINGS;
    const { entry } = facts.hold.lines[0]!;
    const { amount, fees } = operation;
    if (entry.amount !== amount || !includes(standing.holdAmount, BITS.holdAmount.AMOUNT)) return NO_FINDINGS;
    // What is not available for the hold itself is said of its line.
    const isShort = amount <= available && amount + fees > available;
    if (!isShort) return NO_FINDINGS;
    const { reference } = operation;
    const { sequence } = entry;
    const figures = { fault: 'fees', reference, sequence, amount, fees, required: amount + fees, available } as const;
    const place = {
      sequence,
      operationReference: reference,
      evidence: [lineEvidence(sequence), operationEvidence(reference)],
    };
    return [
      draftOf(holdTooLargePage, figures, { ...place, ...compared({ expected: available, actual: amount + fees }) }),
    ];
  },
};
