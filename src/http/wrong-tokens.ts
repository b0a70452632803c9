// Guessing tokens is slow: an address that has sent so many wrong ones within a minute is not listened to for the rest of it. Knows
// addresses only, and forgets them.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Instant, MINUTE } from '../domain/instant.ts';
import { DirectError } from './direct-error.ts';

export interface WrongTokens {
  /** Seconds that the address has to wait; 0: it may ask. */
  waitOf(address: string): number;
  /** It has sent a wrong one. */
  note(address: string): void;
}

/** Above it, those that have been still the longest are forgotten: memory is bounded whoever asks. */
const MOST_ADDRESSES = 10_000;

/** `most` within a minute by one address. */
export function openWrongTokens(most: number, clock: () => Instant): WrongTokens {
  const seen = new Map<string, { count: number; readonly until: Instant }>();
  const liveOf = (address: string) => {
    const one = seen.get(address);
    return one === undefined || one.until <= clock() ? null : one;
  };
  return {
    waitOf(address) {
      const one = liveOf(address);
      return one === null || one.count < most ? 0 : Math.ceil((one.until - clock()) / 1_000);
    },
    note(address) {
      const one = liveOf(address) ?? { count: 0, until: clock() + MINUTE };
      one.count += 1;
      seen.delete(address);
      seen.set(address, one);
      if (seen.size > MOST_ADDRESSES) seen.delete(seen.keys().next().value!);
    },
  };
}

/** The call's own check of its token, unless its address has sent too many wrong ones. */
export async function checkGuarded<T>(
  wrong: WrongTokens,
  {
    request,
    reply,
    token,
  }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly token: unknown },
  check: (token: unknown) => T | Promise<T>,
): Promise<T> {
  const wait = wrong.waitOf(request.ip);
  if (wait > 0) {
    reply.header('retry-after', String(wait));
    throw new DirectError(429, 'RATE_LIMITED', 'Too many wrong tokens came from this address; ask again later.');
  }
  try {
    return await check(token);
  } catch (failure) {
    // Who sends none guesses nothing.
    if (token !== undefined && (failure as { status?: unknown }).status === 401) wrong.note(request.ip);
    throw failure;
  }
}
