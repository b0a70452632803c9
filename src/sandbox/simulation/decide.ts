// Somebody decides what becomes of an operation, at the present instant, instead of chance. Refuses what the document's state
// machine does not have.

import { isFinal } from '../../core/domain/operation.ts';
import type { Step } from './fates.ts';
import { canReverse, partLife, takeStep } from './simulate.ts';
import type { Life, Simulation } from './state.ts';

export const DECISIONS = ['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVERSED'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Null when it was done, else the sentence that refuses it. `failureCode` is for FAILED alone. */
export function decide(
  simulation: Simulation,
  life: Life,
  decision: { readonly to: Decision; readonly failureCode: string | null },
): string | null {
  const { to, failureCode } = decision;
  const { operation } = life;
  if (to === 'REVERSED') {
    if (operation.status !== 'SUCCEEDED') return `is ${operation.status}: only what has SUCCEEDED is reversed`;
    if (!canReverse(simulation, operation)) return 'cannot be reversed: the wallet has not enough available';
  } else if (isFinal(operation.status)) return `is ${operation.status} already`;
  partLife(simulation, life);
  const step: Step = { at: simulation.now, to, failureCode };
  life.steps = [step];
  takeStep(simulation, life);
  return null;
}
