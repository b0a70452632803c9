// The books of a merchant as the simulated service would have them, without the service.

import type { Books, MerchantPlan } from '../../src/sandbox/model/plan.ts';
import { advance, booksOf, openSimulation } from '../../src/sandbox/simulation/simulate.ts';

/**
 * Returns the books of a merchant at `until`, simulated from its opening. No faults are planted;
 * only the plan's slips are in them.
 */
export function simulateBooks(
  plan: MerchantPlan,
  run: { readonly seed: string; readonly until: number },
): Books {
  const simulation = openSimulation(plan, run.seed);
  advance(simulation, run.until);
  return booksOf(simulation);
}
