// Trouble on demand: slow answers, refusals for haste, internal errors. All of it follows from the seed and the number of
// calls, never from a clock.

import { setTimeout } from 'node:timers/promises';
import { chance, drawInteger, type Random } from '../random.ts';
import type { Account } from './account.ts';
import { ApiError } from './api-error.ts';
import type { Misbehaviour } from './settings.ts';

export interface Mood {
  readonly random: Random;
  readonly misbehaviour: Misbehaviour;
  readonly callsOf: Map<Account, number>;
}

/** Waits, and throws 429 or 500 when it is their turn. */
export async function misbehave(mood: Mood, account: Account): Promise<void> {
  const { failureRate, rateLimit, latency } = mood.misbehaviour;
  if (latency !== null) await setTimeout(drawInteger(mood.random, latency));
  if (rateLimit !== null) {
    const calls = mood.callsOf.get(account) ?? 0;
    mood.callsOf.set(account, calls + 1);
    if (calls % (rateLimit.calls + rateLimit.refusals) >= rateLimit.calls) {
      const headers = { 'retry-after': String(rateLimit.retryAfterSeconds) };
      throw new ApiError({ status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests.', headers });
    }
  }
  if (failureRate > 0 && chance(mood.random, failureRate)) {
    throw new ApiError({ status: 500, code: 'INTERNAL_ERROR', message: 'Internal error.' });
  }
}
