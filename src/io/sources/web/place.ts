// What all askers of one address know together: whether it answers. It is answering until two merchants get no
// connection and one of them was given up, or our patience is over; or until five were given up in a row, whatever they were
// answered with. Then it is down: one
// request at a time asks on, the others wait for it; when it stays away for longer than our patience, they fail at once, and
// one in a minute asks whether it is back. Any answer that is not a failure of the service ends all that.

import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE, SECOND } from '../../../core/domain/instant.ts';
import type { PlaceUnreachable } from '../source.ts';

export interface Place {
  /** Before each attempt. Waits while the place is down and may soon be back; throws PlaceUnreachable when it stays away. */
  enter(stop: AbortSignal): Promise<void>;
  answered(): void;
  /** A connection could not be made for this merchant. */
  unreached(merchant: string, failure: PlaceUnreachable): void;
  /** No attempt for this merchant is left. True: the place is down, and may soon be back for this one too. */
  gaveUp(merchant: string, failure: PlaceUnreachable): boolean;
}

/** As one merchant is tried: how often, and with how many milliseconds between. */
interface PlaceRetries {
  readonly attempts: number;
  readonly longestDelay: number;
}

const MOST_GIVEN_UP = 5;
const MOST_PATIENCE = 40 * SECOND;
const ASKED_SOON = SECOND;
const ASKED_LATER = MINUTE;
/** What is not asked for that long is not known to be down. */
const FORGOTTEN = 5 * MINUTE;
const TURN = SECOND / 4;

/** Waited for from its first failure on, as long as the slowest merchant may be tried. `now`: milliseconds of a clock that never goes back. */
export function openPlace(
  { attempts, longestDelay }: PlaceRetries,
  now: () => number = () => performance.now(),
): Place {
  const patience = Math.min(attempts * longestDelay, MOST_PATIENCE);
  const unreached = new Set<string>();
  const givenUp = new Set<string>();
  let failure: PlaceUnreachable | null = null;
  let [failingSince, failedAt, nextAsked] = [0, 0, 0];
  const answered = (): void => {
    unreached.clear();
    givenUp.clear();
    failure = null;
  };
  const noteFailure = (why: PlaceUnreachable): void => {
    failedAt = now();
    failure = why;
    if (unreached.size + givenUp.size === 0) failingSince = failedAt;
  };
  const isPatient = (at: number): boolean => at - failingSince < patience;
  const isDown = (): boolean =>
    (unreached.size > 1 && (givenUp.size > 0 || !isPatient(now()))) || givenUp.size >= MOST_GIVEN_UP;
  return {
    async enter(stop) {
      while (isDown()) {
        const at = now();
        if (at - failedAt > FORGOTTEN) return answered();
        if (at >= nextAsked) {
          nextAsked = at + (isPatient(at) ? ASKED_SOON : ASKED_LATER);
          return;
        }
        if (!isPatient(at)) throw failure!;
        // A reading that is closed finds out by its own request.
        await sleep(Math.min(TURN, nextAsked - at), undefined, { signal: stop }).catch(() => {});
        if (stop.aborted) return;
      }
    },
    answered,
    unreached(merchant, why) {
      noteFailure(why);
      unreached.add(merchant);
    },
    gaveUp(merchant, why) {
      noteFailure(why);
      givenUp.add(merchant);
      return isDown() && isPatient(failedAt);
    },
  };
}
