// What a person's decision about a finding rests on, and what of it is otherwise now.

import type { Finding } from '../finding.ts';
import type { DecisionTerms, StandingDecision } from '../settlement.ts';

type Grounds = Pick<DecisionTerms, 'balance' | 'reserved' | 'difference' | 'evidence'>;

type Basis = Pick<StandingDecision, 'terms' | 'linesStand'>;

/**
 * What a decision about the finding rested on and that is otherwise now; null: all of it is as it
 * was.
 */
export function changedSince(
  finding: Finding,
  { terms, linesStand }: Basis,
): 'limit' | 'lines' | 'amount' | 'evidence' | null {
  const grounds = groundsOf(finding);
  // A limit covers what grows below it, by whatever line.
  if (terms.limit !== null) return amountOf(grounds) <= BigInt(terms.limit) ? null : 'limit';
  if (!linesStand) return 'lines';
  const isAsOff = (['balance', 'reserved', 'difference'] as const).every(
    (figure) => grounds[figure] === terms[figure],
  );
  if (!isAsOff) return 'amount';
  return grounds.evidence.join() === terms.evidence.join() ? null : 'evidence';
}

/** What a decision about the finding rests on, besides lines. */
export function groundsOf({ item, difference, evidence }: Finding): Grounds {
  return {
    balance: item?.balance ?? '0',
    reserved: item?.reserved ?? '0',
    difference,
    evidence: evidence
      .map(({ what, sequence, reference }) => [what, sequence ?? '', reference ?? ''].join(':'))
      .sort(),
  };
}

/**
 * The most that is off of any figure, without sign, in whole units; where none is, the difference
 * that the finding names.
 */
export function amountOf({ balance, reserved, difference }: Grounds): bigint {
  const sizeOf = (text: string) => BigInt(text.replace('-', ''));
  const [off, held] = [sizeOf(balance), sizeOf(reserved)];
  return (off > held ? off : held) || sizeOf(difference ?? '0');
}
