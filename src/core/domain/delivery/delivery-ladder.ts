// How often a delivery is tried, and what becomes of it after an attempt. Never tries without end.

import { HOUR, type Instant, MINUTE, SECOND } from '../instant.ts';
import type { DeliveryOutcome, DeliveryState } from './delivery.ts';

/**
 * Waits after the first, second, … failed attempt, in milliseconds: "3 immediate attempts after 2
 * s, 4 s, 8 s, then 5 deferred attempts after 5 min, 15 min, 1 h, 6 h, 24 h", about 31 hours
 * (dashboard document, Events, rule 3).
 */
export const LADDER: readonly number[] = [
  2 * SECOND,
  4 * SECOND,
  8 * SECOND,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
];

export interface NextStep {
  readonly state: DeliveryState;
  /** When the next attempt is due; `null` when no attempt is planned. */
  readonly nextAttemptAt: Instant | null;
}

/**
 * Returns what follows an attempt. `attempts` is how many attempts have been made on this ladder,
 * including the one that ended at `at`; at least 1.
 */
export function stepAfter(
  outcome: DeliveryOutcome,
  { attempts, at }: { readonly attempts: number; readonly at: Instant },
): NextStep {
  const wait = outcome === 'RETRY' ? LADDER[attempts - 1] : undefined;
  if (wait !== undefined) return { state: 'FAILED', nextAttemptAt: at + wait };
  return { state: LAST_STATES[outcome], nextAttemptAt: null };
}

/** The state of a delivery after its last attempt, by the outcome of that attempt. */
const LAST_STATES: Readonly<Record<DeliveryOutcome, DeliveryState>> = {
  SUCCESS: 'SUCCESS',
  REFUSED: 'ABANDONED',
  IN_DOUBT: 'IN_DOUBT',
  RETRY: 'ABANDONED',
};
