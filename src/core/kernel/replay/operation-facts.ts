// What the lines of one operation add up to, by kind. Checks compare sums and not counts, because
// partial releases and corrections in parts are lawful.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing, setOf } from '../../domain/assumptions.ts';
import { directionOf, type EntryKind, isDirection } from '../../domain/ledger-entry.ts';
import {
  isFinal,
  netAmountOf,
  type Operation,
  type OperationType,
  typeOfReference,
} from '../../domain/operation.ts';
import type { TalliedLine } from './tally.ts';

/** Lines of one kind: their sum in whole units, and the lines in ledger order. */
export interface KindSum {
  sum: Amount;
  readonly lines: TalliedLine[];
}

/**
 * `unknown` are lines whose kind or direction is not in the document. An operation with such a line
 * is not judged.
 */
type Fact =
  | ('credit' | 'debit' | 'hold' | 'release' | 'adjustment' | 'unknown')
  | `${'cashin' | 'cashout'}Fee`
  | `reversal${'Credit' | 'Debit'}`;
export type OperationFacts = Readonly<MutableFacts>;
type MutableFacts = Record<Fact, KindSum>;

/** The sum of a kind without lines. All facts share this object, so it must never be added to. */
const NO_LINES: KindSum = { sum: 0, lines: [] };

export function factsOf(lines: readonly TalliedLine[]): OperationFacts {
  const facts: MutableFacts = {
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

/**
 * Each kind is spelled out, because a computed key would cost more than the rest of the work on a
 * line.
 */
function addFact(facts: MutableFacts, line: TalliedLine): void {
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
 * The type by which the operation is judged. It is the operation's own type, unless the prefix of
 * its reference and all its money lines agree on the other one. In that case
 * REFERENCE_TYPE_MISMATCH reports the type once, and all else is judged by what the lines did.
 * `announced` is the type that the prefix says, for a caller that knows it already.
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

// What an operation's lines must have moved, by its own figures and state, and what they did move.
// The lines only decide which of several standing interpretations applies; they never add to the
// required figures.

/** What is added to the balance and to the reserved amount; signed, whole units. */
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

/**
 * Returns what the operation must have moved the balance by, signed. `type` is its effective type,
 * for a caller that knows it already.
 */
export function requiredBalance(
  operation: Operation,
  facts: OperationFacts,
  standing: Standing,
  type = effectiveType(operation, facts),
): Amount {
  const { status, amount, fees } = operation;
  if (status === 'SUCCEEDED') {
    const net = netAmountOf({ type, amount, fees });
    return type === 'CASHIN' ? net : -net;
  }
  if (status !== 'REVERSED') return 0;
  if (!undoesTheFee(standing)) return -fees;
  return includes(standing.reversal, BITS.reversal.PRINCIPAL) && postedBalance(facts) === -fees
    ? -fees
    : 0;
}

/** True when a standing interpretation says that a reversal gives the fee back too. */
export function undoesTheFee({ reversal }: Standing): boolean {
  return includes(reversal, UNDOES_THE_FEE);
}

/**
 * Returns what the operation's lines moved the balance by, signed, each by its kind. Adjustments do
 * not count, because they are no part of an operation. Lines of unknown kind do not count either.
 */
export function postedBalance(facts: OperationFacts): Amount {
  const { credit, cashinFee, debit, cashoutFee, reversalCredit, reversalDebit } = facts;
  return (
    credit.sum - cashinFee.sum - debit.sum - cashoutFee.sum + reversalCredit.sum - reversalDebit.sum
  );
}

/**
 * A cash-out that is not final holds its amount less what was released: partial releases are
 * lawful.
 */
function requiredHold(operation: Operation, facts: OperationFacts, standing: Standing): Amount {
  const { status, amount, fees } = operation;
  if (isFinal(status) || effectiveType(operation, facts) === 'CASHIN') return 0;
  // A CREATED cash-out has not been submitted yet, so it need not hold anything.
  if (status === 'CREATED' && facts.hold.lines.length === 0) return 0;
  return Math.max(
    0,
    heldAtFirst({ amount, fees, held: facts.hold.sum }, standing) - facts.release.sum,
  );
}

function heldAtFirst(
  { amount, fees, held }: { readonly amount: Amount; readonly fees: Amount; readonly held: Amount },
  { holdAmount }: Standing,
): Amount {
  const mayBeAmount = includes(holdAmount, BITS.holdAmount.AMOUNT);
  if (!includes(holdAmount, BITS.holdAmount.NET)) return amount;
  return mayBeAmount && held === amount ? amount : amount + fees;
}

// The lines that a state asks for, by the first standing interpretation.

/**
 * A line that an operation should have. `amount` is in whole units; it is negative where the fees
 * exceed the amount, and 0 means that no line is due.
 */
export interface LineDue<Kind extends EntryKind = EntryKind> {
  readonly kind: Kind;
  readonly amount: Amount;
}
type SettlingKind = 'CASHIN_CREDIT' | 'CASHIN_FEE' | 'CASHOUT_DEBIT' | 'CASHOUT_FEE';

/** Returns the lines that the operation's success posts. */
export function settlingLines(
  operation: Operation,
  facts: OperationFacts,
  standing: Standing,
): readonly LineDue<SettlingKind>[] {
  const { amount, fees } = operation;
  if (effectiveType(operation, facts) === 'CASHOUT') {
    return [
      { kind: 'CASHOUT_DEBIT', amount },
      { kind: 'CASHOUT_FEE', amount: fees },
    ];
  }
  if (isCreditedNet(operation, facts, standing))
    return [{ kind: 'CASHIN_CREDIT', amount: amount - fees }];
  return [
    { kind: 'CASHIN_CREDIT', amount },
    { kind: 'CASHIN_FEE', amount: fees },
  ];
}

/**
 * Whether the cash-in is credited net of its fee, in one line. Where both forms are lawful, the
 * lines that were posted decide.
 */
function isCreditedNet(
  { amount, fees }: Operation,
  { credit, cashinFee }: OperationFacts,
  { cashinCredit }: Standing,
): boolean {
  if (!includes(cashinCredit, BITS.cashinCredit.NET)) return false;
  if (!includes(cashinCredit, BITS.cashinCredit.GROSS_AND_FEE)) return true;
  return credit.sum === amount - fees && cashinFee.lines.length === 0;
}

/** Returns the lines that the operation's reversal posts. */
export function undoingLines(
  operation: Operation,
  facts: OperationFacts,
  standing: Standing,
): readonly LineDue[] {
  if (includes(standing.reversal, BITS.reversal.LINES)) {
    return settlingLines(operation, facts, standing).map(({ kind, amount }) => ({
      kind: directionOf(kind) === 'CREDIT' ? 'REVERSAL_DEBIT' : 'REVERSAL_CREDIT',
      amount,
    }));
  }
  const { amount, fees } = operation;
  const type = effectiveType(operation, facts);
  const isWhole = includes(standing.reversal, BITS.reversal.NET);
  return [
    {
      kind: type === 'CASHIN' ? 'REVERSAL_DEBIT' : 'REVERSAL_CREDIT',
      amount: isWhole ? netAmountOf({ type, amount, fees }) : amount,
    },
  ];
}
