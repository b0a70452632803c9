// Says which lawful interpretations the lines of one operation fit: that is the operation's vote.
// The documents leave some questions open, such as how a hold ends when a cash-out succeeds, and
// clean operations answer them (`domain/assumptions.ts`).
//
// A vote must not depend on the answers that stand: otherwise the first guess would confirm itself,
// and passes over the books might never end. So this file looks only at recorded figures
// (`reservedMove`) and never at the moves that the replay took (`heldMove`), which depend on the
// standing answers.
//
// Example: a cash-out of 1,000 with a fee of 20 holds 1,020. Its debit moves the reserved amount by
// −1,000 and its fee by −20: it votes for DEBIT_AND_FEE. Had the debit moved it by −1,020 and the
// fee by 0, it would vote for DEBIT_ALL. A free cash-out, without a fee line, fits both of them and
// FEE_OUTSIDE: it votes for all three, and so against RELEASE_FIRST and RELEASE_LAST alone.

import { BITS, type Fits, type InterpretationSet, NO_FITS } from '../../domain/assumptions.ts';
import { hasSettled, type Operation } from '../../domain/operation.ts';
import { effectiveType, type OperationFacts } from './operation-facts.ts';

/**
 * Returns the vote of the operation, a set for each question. An empty set (0) does not vote: the
 * operation says nothing about the question, or fits no lawful interpretation. `type` is its
 * effective type, for a caller that knows it already.
 */
export function fitInterpretations(
  operation: Operation,
  facts: OperationFacts,
  type = effectiveType(operation, facts),
): Fits {
  if (facts.unknown.lines.length > 0) return NO_FITS;
  const settled = hasSettled(operation.status);
  if (type === 'CASHIN') {
    if (!settled) return NO_FITS;
    const cashinCredit = fitCredit(operation, facts);
    return {
      holdSettlement: 0,
      holdAmount: 0,
      cashinCredit,
      reversal: fitCashinReversal(operation, facts),
    };
  }
  return {
    holdSettlement: settled ? fitSettlement(facts) : 0,
    holdAmount: fitHold(operation, facts),
    cashinCredit: 0,
    reversal: settled ? fitCashoutReversal(operation, facts) : 0,
  };
}

function fitCredit(operation: Operation, facts: OperationFacts): InterpretationSet {
  const gross = facts.credit.sum === operation.amount && facts.cashinFee.sum === operation.fees;
  const net = facts.credit.sum === operation.amount - operation.fees && facts.cashinFee.sum === 0;
  return (gross ? BITS.cashinCredit.GROSS_AND_FEE : 0) | (net ? BITS.cashinCredit.NET : 0);
}

function fitHold(operation: Operation, facts: OperationFacts): InterpretationSet {
  if (facts.hold.lines.length !== 1) return 0;
  const net = facts.hold.sum === operation.amount + operation.fees;
  const amount = facts.hold.sum === operation.amount;
  return (net ? BITS.holdAmount.NET : 0) | (amount ? BITS.holdAmount.AMOUNT : 0);
}

function fitSettlement(facts: OperationFacts): InterpretationSet {
  const hold = facts.hold.lines[0]?.entry;
  const debit = facts.debit.lines[0];
  const fee = facts.cashoutFee.lines[0];
  const alone =
    facts.hold.lines.length === 1 &&
    facts.debit.lines.length === 1 &&
    facts.cashoutFee.lines.length <= 1;
  if (!alone || hold === undefined || debit === undefined) return 0;
  const debitMove = debit.reservedMove;
  if (debitMove === null || fee?.reservedMove === null) return 0;
  const feeStill = fee === undefined || fee.reservedMove === 0;
  const amount = debit.entry.amount;
  const release = facts.release.lines[0]?.entry;
  if (release !== undefined) {
    if (debitMove !== 0 || !feeStill) return 0;
    const first = release.sequence < debit.entry.sequence;
    return first ? BITS.holdSettlement.RELEASE_FIRST : BITS.holdSettlement.RELEASE_LAST;
  }
  const feeConsumes = fee === undefined || fee.reservedMove === -fee.entry.amount;
  let set = 0;
  if (debitMove === -amount && feeConsumes) set |= BITS.holdSettlement.DEBIT_AND_FEE;
  if (debitMove === -hold.amount && feeStill && hold.amount === amount + facts.cashoutFee.sum) {
    set |= BITS.holdSettlement.DEBIT_ALL;
  }
  if (debitMove === -amount && feeStill && hold.amount === amount)
    set |= BITS.holdSettlement.FEE_OUTSIDE;
  return set;
}

function fitCashinReversal(operation: Operation, facts: OperationFacts): InterpretationSet {
  const debit = facts.reversalDebit.sum;
  const credit = facts.reversalCredit.sum;
  if (operation.status !== 'REVERSED' || debit === 0) return 0;
  let set = 0;
  if (debit === facts.credit.sum && credit === facts.cashinFee.sum) set |= BITS.reversal.LINES;
  if (debit === operation.amount - operation.fees && credit === 0) set |= BITS.reversal.NET;
  if (debit === operation.amount && credit === 0) set |= BITS.reversal.PRINCIPAL;
  return set;
}

function fitCashoutReversal(operation: Operation, facts: OperationFacts): InterpretationSet {
  const credit = facts.reversalCredit.sum;
  if (operation.status !== 'REVERSED' || credit === 0 || facts.reversalDebit.sum !== 0) return 0;
  const many = facts.reversalCredit.lines.length > 1;
  const undone = credit === operation.amount + operation.fees;
  const free = operation.fees === 0;
  let set = 0;
  if (undone && (many || free)) set |= BITS.reversal.LINES;
  if (undone && (!many || free)) set |= BITS.reversal.NET;
  if (credit === operation.amount) set |= BITS.reversal.PRINCIPAL;
  return set;
}
