// The facts that a person's decision about a finding rests on, and which of them have changed
// since.

import type { Finding } from '../finding.ts';
import type { DecisionTerms, StandingDecision } from '../settlement.ts';

type Grounds = Pick<DecisionTerms, 'balance' | 'reserved' | 'difference' | 'evidence'>;

type Basis = Pick<StandingDecision, 'terms' | 'linesStand'>;

/**
 * Returns the fact that a decision about the finding rested on and that has changed since; `null`
 * when none has.
 */
export function changedSince(
  finding: Finding,
  { terms, linesStand }: Basis,
): 'limit' | 'lines' | 'amount' | 'evidence' | null {
  const grounds = groundsOf(finding);
  // An acceptance with a limit holds while the amount stays within it, whichever lines change.
  if (terms.limit !== null) return amountOf(grounds) <= BigInt(terms.limit) ? null : 'limit';
  if (!linesStand) return 'lines';
  const isAsOff = (['balance', 'reserved', 'difference'] as const).every(
    (figure) => grounds[figure] === terms[figure],
  );
  if (!isAsOff) return 'amount';
  return grounds.evidence.join() === terms.evidence.join() ? null : 'evidence';
}

/** Returns the facts, besides lines, that a decision about the finding rests on. */
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
 * Returns the larger of the item's two figures, without sign, in whole units. Where both are 0,
 * returns the finding's difference without sign.
 */
export function amountOf({ balance, reserved, difference }: Grounds): bigint {
  const sizeOf = (text: string) => BigInt(text.replace('-', ''));
  const [off, held] = [sizeOf(balance), sizeOf(reserved)];
  return (off > held ? off : held) || sizeOf(difference ?? '0');
}
