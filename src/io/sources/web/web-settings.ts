// The settings of every web client: how long to wait, how often to retry, how much to read. Refuses
// an address or a credential that would leak or could never work, without repeating its value.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Instant, MINUTE, SECOND } from '../../../core/domain/instant.ts';
import type { Tracing } from '../../../core/domain/measures.ts';
import { type PlaceUnreachable, SourceFailed } from '../port/source.ts';

export interface WebRetries {
  /** Most attempts for one request, including the first. */
  readonly attempts: number;
  /**
   * Milliseconds: the longest wait before the second attempt. It doubles for each further attempt.
   */
  readonly firstDelay: number;
  /** Milliseconds: the longest wait, where the service does not advise one. */
  readonly longestDelay: number;
  /** Milliseconds: a longer `Retry-After` is cut to this. */
  readonly longestRetryAfter: number;
  /**
   * Milliseconds after the first attempt, after which no further attempt begins. Absent: there is
   * no such limit.
   */
  readonly within?: number;
}

/** One line for the operator's log. It holds no credential and no body. */
export interface WebEvent {
  readonly what: 'retry' | 'smaller-pages' | 'login';
  readonly merchant: string;
  readonly request: string;
  readonly why: string;
  /** Milliseconds until the next attempt; 0 when it follows at once. */
  readonly wait: number;
}

export interface WebSettings {
  /** The API's address, without user, password, query or fragment. */
  readonly baseUrl: string;
  /** Milliseconds for one attempt, from sending to the last byte of the body. */
  readonly deadline: number;
  readonly retries: WebRetries;
  /** Bytes: reading stops at a body longer than this, and the answer is refused. */
  readonly maxResponseBytes: number;
  readonly clock: () => Instant;
  /** Returns a number from 0 up to, but not including, 1, for the jitter of the waits. */
  readonly random: () => number;
  readonly log: (event: WebEvent) => void;
  /** Absent: calls are not traced. */
  readonly tracing?: Tracing;
  /**
   * The circuit breaker shared by all readers of one address; absent: each reader finds out by
   * itself that the server is down.
   */
  readonly place?: Place;
}

export const WEB_DEFAULTS = {
  deadline: 30_000,
  retries: { attempts: 6, firstDelay: 500, longestDelay: 20_000, longestRetryAfter: 120_000 },
  maxResponseBytes: 8 * 1024 * 1024,
} as const satisfies Partial<WebSettings>;

/**
 * Throws `SourceFailed` INVALID_SETTINGS when the address cannot be used. `api` names the API in
 * the message: `the direct API`. Numbers were checked with the configuration.
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

/**
 * True when a header can carry the text. Otherwise the failure's message would quote it, secret
 * included.
 */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export function refuseSettings(api: string, why: string): never {
  throw new SourceFailed('INVALID_SETTINGS', `The settings of ${api} cannot be used: ${why}.`);
}

// A circuit breaker, shared by all readers of one address. The server counts as down when two
// merchants got no connection and one of them was given up, or the patience is over; or when five
// merchants were given up in a row, for whatever failure. While it is down, one request a second
// tries it, and all others wait. Once it is down for longer than the patience, the others fail at
// once, and one request a minute tries it. Any answer that is not a failure of the service ends the
// state.

export interface Place {
  /**
   * Must be called before each attempt. Waits while the server is down and may be back soon; throws
   * `PlaceUnreachable` when it stays away.
   */
  enter(stop: AbortSignal): Promise<void>;
  answered(): void;
  /** Must be called when no connection could be made for this merchant. */
  unreached(merchant: string, failure: PlaceUnreachable): void;
  /**
   * Must be called when no attempt for this merchant is left. Returns true when the server is down
   * and may be back soon, so that the merchant should be tried further.
   */
  gaveUp(merchant: string, failure: PlaceUnreachable): boolean;
}

const MOST_GIVEN_UP = 5;
const MOST_PATIENCE = 40 * SECOND;
const ASKED_SOON = SECOND;
const ASKED_LATER = MINUTE;
/** Milliseconds without a failure, after which the server is no longer known to be down. */
const FORGOTTEN = 5 * MINUTE;
const TURN = SECOND / 4;

/**
 * Opens a circuit breaker. Its patience is as long as the slowest merchant may be tried, counted
 * from the first failure. `now` returns the milliseconds of a clock that never goes back.
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
        // A reading that is closed fails by its own request.
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
