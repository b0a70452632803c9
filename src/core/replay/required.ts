// What an operation's lines must have moved, by its own figures and state alone, and what they did move. Its lines are asked
// only where several interpretations stand, and never add to the figures.

import type { Amount } from '../domain/amount.ts';
import { BITS, includes, type Standing, setOf } from '../domain/assumptions.ts';
import { isFinal, type Operation } from '../domain/operation.ts';
import { effectiveType, type OperationFacts } from './operation-facts.ts';

/** Signed: what is added to the balance, and to the reserved amount; whole units. */
export interface Moved {
  readonly balance: Amount;
  readonly reserved: Amount;
}

const UNDOES_THE_FEE = setOf('reversal', 'LINES', 'NET');

export function requiredOf(operation: Operation, facts: OperationFacts, standing: Standing): Moved {
  return {
    balance: requiredBalance(operation, facts, standing),
    reserved: requiredHold(operation, facts, standing),
  };
}

/** `type`: as the books treat it, where that is known. */
export function requiredBalance(
  operation: Operation,
  facts: OperationFacts,
  standing: Standing,
  type = effectiveType(operation, facts),
): Amount {
  const { status, amount, fees } = operation;
  if (status === 'SUCCEEDED') {
    return type === 'CASHIN' ? amount - fees : -(amount + fees);
  }
  if (status !== 'REVERSED') return 0;
  if (!undoesTheFee(standing)) return -fees;
  return includes(standing.reversal, BITS.reversal.PRINCIPAL) && postedBalance(facts) === -fees ? -fees : 0;
}

/** True when an interpretation stands by which a reversal gives the fee back too. */
export function undoesTheFee({ reversal }: Standing): boolean {
  return includes(reversal, UNDOES_THE_FEE);
}

/** By the kinds of its lines. Adjustments are no part of an operation, and of an unknown kind nothing is known. */
export function postedBalance(facts: OperationFacts): Amount {
  const { credit, cashinFee, debit, cashoutFee, reversalCredit, reversalDebit } = facts;
  return credit.sum - cashinFee.sum - debit.sum - cashoutFee.sum + reversalCredit.sum - reversalDebit.sum;
}

/** A cash-out in flight holds its amount, less what was released of it: partial releases are lawful. */
function requiredHold(operation: Operation, facts: OperationFacts, standing: Standing): Amount {
  const { status, amount, fees } = operation;
  if (isFinal(status) || effectiveType(operation, facts) === 'CASHIN') return 0;
  // Not submitted yet, it need not hold anything.
  if (status === 'CREATED' && facts.hold.lines.length === 0) return 0;
  return Math.max(0, heldAtFirst({ amount, fees, held: facts.hold.sum }, standing) - facts.release.sum);
}

function heldAtFirst(
  { amount, fees, held }: { readonly amount: Amount; readonly fees: Amount; readonly held: Amount },
  { holdAmount }: Standing,
): Amount {
  const mayBeAmount = includes(holdAmount, BITS.holdAmount.AMOUNT);
  if (!includes(holdAmount, BITS.holdAmount.NET)) return amount;
  return mayBeAmount && held === amount ? amount : amount + fees;
}
