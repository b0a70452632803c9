// Passes simulated time: events and deliveries happen in the order of their instants. Only accounts
// whose notifications have a URL are advanced step by step. A call, or the end, brings the other
// accounts up to date.

import type { Instant } from '../../core/domain/instant.ts';
import { type Courier, horizonOf, mayStart, nextDue, oneAnswered, startNext } from './courier.ts';

/** An account that may hand parcels to the courier as its time passes. */
export interface Steps {
  /** Returns when something happens next; `null` when nothing will. */
  readonly nextInstant: () => Instant | null;
  /** Makes everything happen that is due up to and including the instant. */
  readonly advanceTo: (instant: Instant) => void;
}

export interface Time {
  now: Instant;
  readonly courier: Courier;
  /** Accounts whose notifications have a URL. */
  readonly listening: Set<Steps>;
}

/**
 * Makes everything happen that is due up to and including `until`, sends what is due, and resolves
 * when every attempt was answered. An attempt begins when all that was due before it has begun.
 * Time does not pass beyond what an unanswered attempt may lead to.
 */
export async function passTime(time: Time, until: Instant): Promise<void> {
  const { courier } = time;
  for (;;) {
    const [step, due] = [nextStep(time.listening), nextDue(courier) ?? Number.POSITIVE_INFINITY];
    const at = Math.min(step, due);
    if (at > until && courier.underway.size === 0) break;
    const isStep = step === at;
    if (at > until || at >= horizonOf(courier) || !(isStep || mayStart(courier))) {
      await oneAnswered(courier);
      continue;
    }
    time.now = Math.max(time.now, at);
    if (!isStep) startNext(courier);
    else
      for (const one of time.listening) if ((one.nextInstant() ?? at + 1) <= at) one.advanceTo(at);
  }
  time.now = until;
}

function nextStep(listening: ReadonlySet<Steps>): Instant {
  let next = Number.POSITIVE_INFINITY;
  for (const { nextInstant } of listening) next = Math.min(next, nextInstant() ?? next);
  return next;
}
