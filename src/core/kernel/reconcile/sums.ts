// Sums over settled operations, kept as operations come, change and are settled: the wallet's
// totals are compared with them. Everything added can be taken back exactly.

import { addTo, type ExactSum, emptySum, totalOf } from '../../domain/amount.ts';
import { hasSettled, type Operation } from '../../domain/operation.ts';
import type { SettledSums, TypeSums } from '../checks/port/check.ts';
import type { OperationFacts } from '../replay/operation-facts.ts';

export type MutableTypeSums = Record<keyof TypeSums, ExactSum>;
export interface MutableSums {
  succeeded: MutableTypeSums;
  reversed: MutableTypeSums;
  /** Operations of status REVERSED. */
  reversedCount: number;
}

export function emptySums(): MutableSums {
  const type = (): MutableTypeSums => ({
    collected: emptySum(),
    collectedFees: emptySum(),
    disbursed: emptySum(),
    disbursedFees: emptySum(),
  });
  return { succeeded: type(), reversed: type(), reversedCount: 0 };
}

/** Adds (1) or takes back (−1) an operation's own figures. */
export function sumOperation(sums: MutableSums, operation: Operation, sign: 1 | -1): void {
  if (!hasSettled(operation.status)) return;
  const isReversed = operation.status === 'REVERSED';
  if (isReversed) sums.reversedCount += sign;
  const part = isReversed ? sums.reversed : sums.succeeded;
  if (operation.type === 'CASHIN') {
    addTo(part.collected, sign * operation.amount);
    addTo(part.collectedFees, sign * operation.fees);
  } else {
    addTo(part.disbursed, sign * operation.amount);
    addTo(part.disbursedFees, sign * operation.fees);
  }
}

/**
 * Adds (1) or takes back (−1) the figures of an operation's lines. Where a cash-in was credited
 * net, its fee counts as collected.
 */
export function sumLines(
  sums: MutableSums,
  settled: { readonly operation: Operation; readonly facts: OperationFacts },
  sign: 1 | -1,
): void {
  const { operation, facts } = settled;
  const reversed = facts.reversalCredit.lines.length + facts.reversalDebit.lines.length > 0;
  const part = reversed ? sums.reversed : sums.succeeded;
  const net = facts.credit.lines.length > 0 && facts.cashinFee.lines.length === 0;
  const fee =
    net && facts.credit.sum === operation.amount - operation.fees
      ? operation.fees
      : facts.cashinFee.sum;
  addTo(part.collected, sign * (facts.credit.sum + (fee === facts.cashinFee.sum ? 0 : fee)));
  addTo(part.collectedFees, sign * fee);
  addTo(part.disbursed, sign * facts.debit.sum);
  addTo(part.disbursedFees, sign * facts.cashoutFee.sum);
}

export function settledSums(sums: MutableSums): SettledSums {
  return { succeeded: typeSums(sums.succeeded), reversed: typeSums(sums.reversed) };
}

function typeSums(part: MutableTypeSums): TypeSums {
  return {
    collected: totalOf(part.collected),
    collectedFees: totalOf(part.collectedFees),
    disbursed: totalOf(part.disbursed),
    disbursedFees: totalOf(part.disbursedFees),
  };
}
