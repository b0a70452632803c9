// Lets simulated time pass: what happens and what is sent, in the order of its instants. What sends nothing is not stepped
// through; it is brought up to date when it is asked for, and at the end.

import type { Instant } from '../../core/domain/instant.ts';
import { type Courier, horizonOf, mayStart, nextDue, oneAnswered, startNext } from './courier.ts';

/** Something that lives in simulated time and may hand parcels to the courier while it does. */
export interface Living {
  /** When something happens next; null: never. */
  readonly nextInstant: () => Instant | null;
  readonly liveTo: (instant: Instant) => void;
}

export interface Time {
  now: Instant;
  readonly courier: Courier;
  /** Those whose notifications have somewhere to go: only they are stepped through. */
  readonly listening: Set<Living>;
}

/**
 * Lets everything happen and be sent that is due up to and including `until`; resolves when every attempt was answered. An
 * attempt begins when all that is due before it has begun, and what an unanswered one may lead to is waited for.
 */
export async function passTime(time: Time, until: Instant): Promise<void> {
  const { courier } = time;
  for (;;) {
    const [life, due] = [nextLife(time.listening), nextDue(courier)];
    const at = Math.min(life ?? Number.POSITIVE_INFINITY, due ?? Number.POSITIVE_INFINITY);
    if (at > until && courier.underway.size === 0) break;
    const isLife = life === at;
    if (at > until || at >= horizonOf(courier) || !(isLife || mayStart(courier))) {
      await oneAnswered(courier);
      continue;
    }
    time.now = Math.max(time.now, at);
    if (isLife) live(time.listening, at);
    else startNext(courier);
  }
  time.now = until;
}

function live(listening: ReadonlySet<Living>, at: Instant): void {
  for (const { nextInstant, liveTo } of listening) if ((nextInstant() ?? at + 1) <= at) liveTo(at);
}

function nextLife(listening: ReadonlySet<Living>): Instant | null {
  let next: Instant | null = null;
  for (const { nextInstant } of listening) {
    const at = nextInstant();
    if (at !== null && (next === null || at < next)) next = at;
  }
  return next;
}
