// How the closing that a month's lines make leads on to what the service recorded, and from there to what is due. Empty where
// the three are one.

import type { StatementSummary } from '../../../core/statements/summary.ts';
import type { Labels } from '../../../core/words/tree.ts';

export interface ClosingStep {
  readonly name: keyof Labels['due']['closing'];
  readonly balance: number;
  readonly reserved: number;
  /** A figure to rest at, and no difference. */
  readonly isBalance: boolean;
}

type Closing = Pick<StatementSummary, 'closingBalance' | 'closingReserved' | 'recorded' | 'due'>;

export function closingSteps({ closingBalance, closingReserved, recorded, due }: Closing): readonly ClosingStep[] {
  const closing = { balance: closingBalance, reserved: closingReserved };
  const toRecorded = stepsTo('gap', 'recorded', closing, recorded);
  const toDue = due === null ? [] : stepsTo('suspense', 'due', recorded, due);
  const isSound = due !== null && toDue.length === 0 && toRecorded.length > 0;
  return isSound ? [toRecorded[0]!, { ...toRecorded[1]!, name: 'both' }] : [...toRecorded, ...toDue];
}

type Sides = Pick<ClosingStep, 'balance' | 'reserved'>;

function stepsTo(
  difference: ClosingStep['name'],
  name: ClosingStep['name'],
  from: Sides,
  { balance, reserved }: Sides,
): readonly ClosingStep[] {
  const off = { balance: balance - from.balance, reserved: reserved - from.reserved };
  if (off.balance === 0 && off.reserved === 0) return [];
  return [
    { name: difference, ...off, isBalance: false },
    { name, balance, reserved, isBalance: true },
  ];
}
