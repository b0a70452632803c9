// What an operation's lines lack, or have too much of: the money that they should have moved, less
// the money that they moved. By this amount a missing line is recognized in a jump, in a drift, in
// the wallet, or under another operation's reference.

import { BITS, includes, type Standing } from '../../../domain/assumptions.ts';
import type { Instant } from '../../../domain/instant.ts';
import { isAdjustment, signedAmount } from '../../../domain/ledger-entry.ts';
import { hasLapsed, isFinal, type Operation } from '../../../domain/operation.ts';
import {
  effectiveType,
  factsOf,
  type OperationFacts,
  requiredOf,
} from '../../replay/operation-facts.ts';
import type { Tally } from '../../replay/tally.ts';

/** A line that should be there: its kind and amount. */
export interface Need {
  readonly kind: string;
  readonly amount: number;
}

export interface Shortfall {
  readonly reference: string;
  /** Due less posted, in whole units: positive when the balance should be higher. */
  readonly balance: number;
  /** Due less held, in whole units: positive when the reserved amount should be higher. */
  readonly reserved: number;
  readonly needs: readonly Need[];
  /** The operation's own lines. One of them may really be another operation's. */
  readonly posted: readonly (Need & { readonly sequence: number; readonly at: Instant })[];
  /**
   * When its lines should have been posted, in the order creation, completion, last update. Empty
   * for an operation that is not served.
   */
  readonly instants: readonly number[];
  readonly fees: number;
  /** Amounts by which a total of the wallet may be off because of this operation; none is 0. */
  readonly figures: readonly number[];
}

export function shortfallOf(tally: Tally, standing: Standing): Shortfall {
  const facts = factsOf(tally.lines);
  const { operation } = tally;
  // Adjustments are no part of an operation.
  const ownLines = tally.lines.filter(({ entry }) => !isAdjustment(entry.kind));
  const posted = ownLines.map(({ entry: { kind, amount, sequence, createdAt: at } }) => ({
    kind,
    amount,
    sequence,
    at,
  }));
  const moved = ownLines.reduce((sum, { entry }) => sum + signedAmount(entry), 0);
  const sums = [facts.credit.sum, facts.debit.sum, facts.cashinFee.sum + facts.cashoutFee.sum];
  const shared = { reference: tally.reference, posted, fees: operation?.fees ?? 0 };
  if (operation === null) {
    const figures = [...sums, sums[0]! - sums[2]!, sums[1]! + sums[2]!].filter(
      (figure) => figure !== 0,
    );
    return { ...shared, balance: -moved, reserved: -tally.held, needs: [], instants: [], figures };
  }
  const { amount, fees, netAmount, createdAt, completedAt, updatedAt } = operation;
  // Lines that were posted twice may have made the service count the whole operation twice.
  const again = Math.max(facts.credit.lines.length, facts.debit.lines.length) - 1;
  const repeated = again > 0 ? [again * amount, again * fees, again * netAmount] : [];
  const required = requiredOf(operation, facts, standing);
  const balance = required.balance - moved;
  return {
    ...shared,
    balance,
    reserved: required.reserved - tally.held,
    needs: needsOf(operation, facts, tally.held, standing),
    instants: [createdAt, ...(completedAt === null ? [] : [completedAt]), updatedAt],
    figures: [
      amount,
      fees,
      netAmount,
      ...sums,
      amount - sums[0]!,
      amount - sums[1]!,
      fees - sums[2]!,
      balance,
      ...repeated,
    ].filter((one) => one !== 0),
  };
}

function needsOf(
  operation: Operation,
  facts: OperationFacts,
  held: number,
  standing: Standing,
): readonly Need[] {
  const { status, amount, fees } = operation;
  const cashin = effectiveType(operation, facts) === 'CASHIN';
  const needs: Need[] = [];
  const need = (kind: string, due: number): void => {
    if (due > 0) needs.push({ kind, amount: due });
  };
  const settled = status === 'SUCCEEDED' || status === 'REVERSED';
  if (cashin && settled) {
    need('CASHIN_CREDIT', amount - facts.credit.sum);
    if (includes(standing.cashinCredit, BITS.cashinCredit.NET))
      need('CASHIN_CREDIT', amount - fees - facts.credit.sum);
    need('CASHIN_FEE', fees - facts.cashinFee.sum);
  }
  if (!cashin && status !== 'CREATED') {
    if (facts.hold.lines.length === 0) {
      if (includes(standing.holdAmount, BITS.holdAmount.AMOUNT)) need('CASHOUT_HOLD', amount);
      if (includes(standing.holdAmount, BITS.holdAmount.NET)) need('CASHOUT_HOLD', amount + fees);
    }
    if (settled) need('CASHOUT_DEBIT', amount - facts.debit.sum);
    if (settled) need('CASHOUT_FEE', fees - facts.cashoutFee.sum);
    if (isFinal(status)) need('CASHOUT_RELEASE', held);
    if (hasLapsed(status) || settled) need('CASHOUT_RELEASE', amount + fees - facts.release.sum);
  }
  if (status === 'REVERSED') {
    const kind = cashin ? 'REVERSAL_DEBIT' : 'REVERSAL_CREDIT';
    const back = cashin ? facts.reversalDebit.sum : facts.reversalCredit.sum;
    for (const due of [amount, amount - fees, amount + fees, fees]) need(kind, due - back);
    need(cashin ? 'REVERSAL_CREDIT' : 'REVERSAL_DEBIT', fees);
  }
  return needs;
}
