// Lets simulated time pass: events and deliveries in the order of their instants. Steps only
// through accounts that notify; a call, or the end, brings the others up to date.

import type { Instant } from '../../core/domain/instant.ts';
import { type Courier, horizonOf, mayStart, nextDue, oneAnswered, startNext } from './courier.ts';

/** An account that may hand parcels to the courier as its time passes. */
export interface Steps {
  /** When something happens next; null: never. */
  readonly nextInstant: () => Instant | null;
  readonly advanceTo: (instant: Instant) => void;
}

export interface Time {
  now: Instant;
  readonly courier: Courier;
  /** Accounts whose notifications have a URL. */
  readonly listening: Set<Steps>;
}

/**
 * Lets everything happen and be sent that is due up to and including `until`; resolves when every
 * attempt was answered. An attempt begins when all that is due before it has begun, and what an
 * unanswered one may lead to is waited for.
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
