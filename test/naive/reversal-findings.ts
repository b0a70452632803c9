// Section B of the catalogue, reversals: whether the inverse lines of an operation undo it, as the
// interpretations that stand ask for it.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import { type Interpretations, sumOf } from './naive-books.ts';

export const REVERSAL_KINDS = [
  'REVERSAL_MISSING',
  'REVERSAL_UNANNOUNCED',
  'REVERSAL_INCOMPLETE',
  'REVERSAL_EXCESSIVE',
  'REVERSAL_WRONG_DIRECTION',
  'REVERSAL_BEFORE_ORIGINAL',
] as const;

export interface Reversal {
  readonly operation: Operation;
  readonly isCashin: boolean;
  readonly of: (kind: string) => readonly LedgerEntry[];
  readonly standing: Interpretations;
}

/** At most one finding. */
export function wrongWithReversal(reversal: Reversal): [string, LedgerEntry | undefined][] {
  const { operation, isCashin, of } = reversal;
  const lines = [...of('REVERSAL_CREDIT'), ...of('REVERSAL_DEBIT')].toSorted(
    (a, b) => a.sequence - b.sequence,
  );
  const isReversed = operation.status === 'REVERSED';
  if (lines.length === 0) return isReversed ? [['REVERSAL_MISSING', undefined]] : [];
  if (!isReversed) return [['REVERSAL_UNANNOUNCED', lines[0]]];
  const wrongWay = lines.find((line) => goesFurther(line, reversal));
  if (wrongWay !== undefined) return [['REVERSAL_WRONG_DIRECTION', wrongWay]];
  const original = of(isCashin ? 'CASHIN_CREDIT' : 'CASHOUT_DEBIT')[0];
  if (original !== undefined && lines[0]!.sequence < original.sequence)
    return [['REVERSAL_BEFORE_ORIGINAL', lines[0]]];
  const asked = reversal.standing.reversal.map((one) => inversesAsked(one, reversal));
  const back = lines.reduce((sum, line) => sum + moneyOf(line), 0);
  if (asked.some((inverses) => total(inverses) === back)) return [];
  // Compared with the first of several interpretations: the money where it asks for one line, else
  // each line.
  const isLess =
    asked[0]!.length === 1 && (isCashin ? back > total(asked[0]!) : back < total(asked[0]!));
  const tooMuch = isLess ? undefined : lineTooMuch(lines, asked[0]!);
  return tooMuch === undefined
    ? [['REVERSAL_INCOMPLETE', lines[0]]]
    : [['REVERSAL_EXCESSIVE', tooMuch]];
}

/**
 * It moves the money further the way that the operation did: of a cash-in, only the fee is undone
 * by a credit.
 */
function goesFurther(line: LedgerEntry, { operation, isCashin, of }: Reversal): boolean {
  if (!isCashin) return line.kind === 'REVERSAL_DEBIT';
  if (line.kind === 'REVERSAL_DEBIT' || line.amount === operation.fees) return false;
  const principals = [operation.amount, operation.amount - operation.fees];
  return principals.includes(line.amount) || of('REVERSAL_DEBIT').length === 0;
}

/** What the inverse lines must move, each signed. */
function inversesAsked(
  interpretation: string,
  { operation, isCashin, of, standing }: Reversal,
): readonly number[] {
  const { amount, fees } = operation;
  if (interpretation === 'PRINCIPAL') return [isCashin ? -amount : amount];
  if (interpretation === 'NET') return [isCashin ? fees - amount : amount + fees];
  if (!isCashin) return [amount, fees].filter((one) => one !== 0);
  const mayBeGross = standing.cashinCredit.includes('GROSS_AND_FEE');
  const isNet =
    standing.cashinCredit.includes('NET') &&
    (!mayBeGross ||
      (sumOf(of('CASHIN_CREDIT')) === amount - fees && of('CASHIN_FEE').length === 0));
  return (isNet ? [fees - amount] : [-amount, fees]).filter((one) => one !== 0);
}

/** The line that undoes too much; of two that undo the same, the second. */
function lineTooMuch(
  lines: readonly LedgerEntry[],
  asked: readonly number[],
): LedgerEntry | undefined {
  const debits = asked.filter((one) => one < 0);
  const credits = asked.filter((one) => one > 0);
  for (const side of [debits, credits]) {
    const own = lines.filter((line) => (side === debits ? moneyOf(line) < 0 : moneyOf(line) > 0));
    const due = Math.abs(total(side));
    if (sumOf(own) <= due) continue;
    const left = side.map(Math.abs);
    const strange = own.filter(({ amount }) => {
      const at = left.indexOf(amount);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    if (strange.length < own.length) return strange[0];
    let sum = 0;
    return own.find(({ amount }) => {
      sum += amount;
      return sum > due;
    });
  }
  return undefined;
}

function moneyOf({ kind, amount }: LedgerEntry): number {
  return kind === 'REVERSAL_CREDIT' ? amount : -amount;
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, one) => sum + one, 0);
}
