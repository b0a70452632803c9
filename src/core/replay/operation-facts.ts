// What the lines of one operation add up to. Sums, not counts: partial releases and corrections in parts are lawful.

import type { Amount } from '../domain/amount.ts';
import { isDirection } from '../domain/ledger-entry.ts';
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

/** Nobody adds to it: a kind without lines has no list of its own. */
const NO_LINES: KindSum = { sum: 0, lines: [] };

export function factsOf(lines: readonly TalliedLine[]): OperationFacts {
  const facts: { -readonly [Kind in keyof OperationFacts]: KindSum } = {
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
  for (const line of lines) addFact(facts, line);
  return facts;
}

/** Spelled out, because a key that is computed costs more than all the rest of a line. */
function addFact(facts: { -readonly [Kind in keyof OperationFacts]: KindSum }, line: TalliedLine): void {
  switch (isDirection(line.entry.direction) ? line.entry.kind : null) {
    case 'CASHIN_CREDIT':
      facts.credit = withLine(facts.credit, line);
      break;
    case 'CASHIN_FEE':
      facts.cashinFee = withLine(facts.cashinFee, line);
      break;
    case 'CASHOUT_HOLD':
      facts.hold = withLine(facts.hold, line);
      break;
    case 'CASHOUT_DEBIT':
      facts.debit = withLine(facts.debit, line);
      break;
    case 'CASHOUT_FEE':
      facts.cashoutFee = withLine(facts.cashoutFee, line);
      break;
    case 'CASHOUT_RELEASE':
      facts.release = withLine(facts.release, line);
      break;
    case 'REVERSAL_CREDIT':
      facts.reversalCredit = withLine(facts.reversalCredit, line);
      break;
    case 'REVERSAL_DEBIT':
      facts.reversalDebit = withLine(facts.reversalDebit, line);
      break;
    case 'ADJUSTMENT_CREDIT':
    case 'ADJUSTMENT_DEBIT':
      facts.adjustment = withLine(facts.adjustment, line);
      break;
    default:
      facts.unknown = withLine(facts.unknown, line);
  }
}

function withLine(known: KindSum, line: TalliedLine): KindSum {
  if (known === NO_LINES) return { sum: line.entry.amount, lines: [line] };
  known.sum += line.entry.amount;
  known.lines.push(line);
  return known;
}

/**
 * The type that the books treat the operation as: its own, unless its reference's prefix and all its money lines agree
 * on the other one (then REFERENCE_TYPE_MISMATCH says so, once, and the rest is judged by what happened). `announced`: what
 * the prefix says, where that is known.
 */
export function effectiveType(
  operation: Operation,
  facts: OperationFacts,
  announced = typeOfReference(operation.reference),
): OperationType {
  if (announced === null || announced === operation.type) return operation.type;
  const cashin = facts.credit.lines.length + facts.cashinFee.lines.length;
  const cashout = facts.hold.lines.length + facts.debit.lines.length;
  if (announced === 'CASHIN' && cashin > 0 && cashout === 0) return 'CASHIN';
  if (announced === 'CASHOUT' && cashout > 0 && cashin === 0) return 'CASHOUT';
  return operation.type;
}
