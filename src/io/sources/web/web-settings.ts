// What every client of the web is configured with: how long to wait, how often to ask again, how
// much to read. Refuses an address or a credential that would leak or could never work, without
// repeating its value.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Instant, MINUTE, SECOND } from '../../../core/domain/instant.ts';
import type { Tracing } from '../../../core/domain/measures.ts';
import { type PlaceUnreachable, SourceFailed } from '../port/source.ts';

export interface WebRetries {
  /** Attempts for one request, the first included. */
  readonly attempts: number;
  /** Milliseconds: the longest wait before the second attempt; it doubles for each one after. */
  readonly firstDelay: number;
  /** Milliseconds: no wait of our own choosing is longer. */
  readonly longestDelay: number;
  /** Milliseconds: a longer `Retry-After` is cut to this. */
  readonly longestRetryAfter: number;
  /** Milliseconds from the first attempt on: none begins later. Absent: however late it is. */
  readonly within?: number;
}

/** One line for the operator's log. Holds no credential, no body. */
export interface WebEvent {
  readonly what: 'retry' | 'smaller-pages' | 'login';
  readonly merchant: string;
  readonly request: string;
  readonly why: string;
  /** Milliseconds until the next attempt; 0 when it follows at once. */
  readonly wait: number;
}

export interface WebSettings {
  /** No user, password, query or fragment. */
  readonly baseUrl: string;
  /** Milliseconds for one attempt, from sending to the last byte of the body. */
  readonly deadline: number;
  readonly retries: WebRetries;
  /** A longer body is not read on. */
  readonly maxResponseBytes: number;
  readonly clock: () => Instant;
  /** From 0 up to, not including, 1: the jitter of the waits. */
  readonly random: () => number;
  readonly log: (event: WebEvent) => void;
  /** Absent: calls are not traced. */
  readonly tracing?: Tracing;
  /** Shared by all readers of one address; absent: each finds out by itself that it is down. */
  readonly place?: Place;
}

export const WEB_DEFAULTS = {
  deadline: 30_000,
  retries: { attempts: 6, firstDelay: 500, longestDelay: 20_000, longestRetryAfter: 120_000 },
  maxResponseBytes: 8 * 1024 * 1024,
} as const satisfies Partial<WebSettings>;

/**
 * Throws `SourceFailed` INVALID_SETTINGS. `api`: `the direct API`, for the message. Figures were
 * checked with the configuration.
 */
export function checkBaseUrl(text: string, api: string): void {
  if (!URL.canParse(text)) refuseSettings(api, 'its address is not absolute');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    refuseSettings(api, 'its address must begin with http or https');
  }
  if (url.username !== '' || url.password !== '') {
    refuseSettings(api, 'its address must not hold a user name or a password');
  }
  if (url.search !== '' || url.hash !== '')
    refuseSettings(api, 'its address must not hold a query or a fragment');
}

/** A header that cannot be sent would be quoted, secret and all, in the message of the failure. */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export function refuseSettings(api: string, why: string): never {
  throw new SourceFailed('INVALID_SETTINGS', `The settings of ${api} cannot be used: ${why}.`);
}

// What all askers of one address know together: whether it answers. It is answering until two
// merchants get no connection and one of them was given up, or our patience is over; or until five
// were given up in a row, whatever they were answered with. Then it is down: one request at a time
// asks on, the others wait for it; when it stays away for longer than our patience, they fail at
// once, and one in a minute asks whether it is back. Any answer that is not a failure of the
// service ends all that.

export interface Place {
  /**
   * Before each attempt. Waits while the place is down and may soon be back; throws
   * PlaceUnreachable when it stays away.
   */
  enter(stop: AbortSignal): Promise<void>;
  answered(): void;
  /** A connection could not be made for this merchant. */
  unreached(merchant: string, failure: PlaceUnreachable): void;
  /**
   * No attempt for this merchant is left. True: the place is down, and may soon be back for this
   * one too.
   */
  gaveUp(merchant: string, failure: PlaceUnreachable): boolean;
}

const MOST_GIVEN_UP = 5;
const MOST_PATIENCE = 40 * SECOND;
const ASKED_SOON = SECOND;
const ASKED_LATER = MINUTE;
/** What is not asked for that long is not known to be down. */
const FORGOTTEN = 5 * MINUTE;
const TURN = SECOND / 4;

/**
 * Waited for from its first failure on, as long as the slowest merchant may be tried. `now`:
 * milliseconds of a clock that never goes back.
 */
export function openPlace(
  { attempts, longestDelay }: Pick<WebRetries, 'attempts' | 'longestDelay'>,
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
    (unreached.size > 1 && (givenUp.size > 0 || !isPatient(now()))) ||
    givenUp.size >= MOST_GIVEN_UP;
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
