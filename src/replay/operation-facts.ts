// What the lines of one operation add up to. Sums, not counts: partial releases and corrections in parts are lawful.

import type { Amount } from '../domain/amount.ts';
import type { Operation, OperationType } from '../domain/operation.ts';
import { typeOfReference } from '../domain/operation.ts';
import type { TalliedLine } from './tally.ts';

/** Lines of one kind: their sum in whole units, and the lines in ledger order. */
export interface KindSum {
  sum: Amount;
  readonly lines: TalliedLine[];
}

export interface OperationFacts {
  readonly credit: KindSum;
  readonly cashinFee: KindSum;
  readonly hold: KindSum;
  readonly debit: KindSum;
  readonly cashoutFee: KindSum;
  readonly release: KindSum;
  readonly reversalCredit: KindSum;
  readonly reversalDebit: KindSum;
  readonly adjustment: KindSum;
  /** A kind or direction outside the document stands among the lines: the operation is left unjudged. */
  readonly unknown: KindSum;
}

type Bucket = keyof OperationFacts;

const BUCKET_OF_KIND: Readonly<Record<string, Bucket>> = {
  CASHIN_CREDIT: 'credit',
  CASHIN_FEE: 'cashinFee',
  CASHOUT_HOLD: 'hold',
  CASHOUT_DEBIT: 'debit',
  CASHOUT_FEE: 'cashoutFee',
  CASHOUT_RELEASE: 'release',
  REVERSAL_CREDIT: 'reversalCredit',
  REVERSAL_DEBIT: 'reversalDebit',
  ADJUSTMENT_CREDIT: 'adjustment',
  ADJUSTMENT_DEBIT: 'adjustment',
};

const NO_LINES: KindSum = { sum: 0, lines: [] };

export function factsOf(lines: readonly TalliedLine[]): OperationFacts {
  const facts: Record<Bucket, KindSum> = {
    credit: NO_LINES,
    cashinFee: NO_LINES,
    hold: NO_LINES,
    debit: NO_LINES,
    cashoutFee: NO_LINES,
    release: NO_LINES,
    reversalCredit: NO_LINES,
    reversalDebit: NO_LINES,
    adjustment: NO_LINES,
    unknown: NO_LINES,
  };
  for (const line of lines) {
    const bucket = BUCKET_OF_KIND[line.entry.kind] ?? 'unknown';
    const known = facts[bucket];
    if (known === NO_LINES) facts[bucket] = { sum: line.entry.amount, lines: [line] };
    else {
      known.sum += line.entry.amount;
      known.lines.push(line);
    }
  }
  return facts;
}

/**
 * The type that the books treat the operation as: its own, unless its reference's prefix and all its money lines agree
 * on the other one (then REFERENCE_TYPE_MISMATCH says so, once, and the rest is judged by what happened).
 */
export function effectiveType(operation: Operation, facts: OperationFacts): OperationType {
  const announced = typeOfReference(operation.reference);
  if (announced === null || announced === operation.type) return operation.type;
  const cashin = facts.credit.lines.length + facts.cashinFee.lines.length;
  const cashout = facts.hold.lines.length + facts.debit.lines.length;
  if (announced === 'CASHIN' && cashin > 0 && cashout === 0) return 'CASHIN';
  if (announced === 'CASHOUT' && cashout > 0 && cashin === 0) return 'CASHOUT';
  return operation.type;
}
