// Two limits. By the minute: how often one address may send wrong tokens, or signals that are not
// signed. It knows addresses only (of IPv6 the network of 64 bits, which is one client's), forgets
// them, and refuses no token that is right. At once: so many calls of one kind work, so many wait,
// and the next one is refused, so that some callers cannot take the connections and the processor
// that all need.

import type { FastifyReply, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { type Instant, MINUTE } from '../../../core/domain/instant.ts';
import { DirectError } from './errors.ts';

export type MinuteCounts = ReturnType<typeof openMinuteCounts>;

/**
 * With more keys than this, those that have been still the longest are forgotten, so that memory
 * stays bounded.
 */
const MOST_KEYS = 10_000;

/** Counts calls by key. Each key may make `most` calls within a minute. */
export function openMinuteCounts(most: number, clock: () => Instant) {
  const seen = new Map<string, { count: number; readonly until: Instant }>();
  return {
    /**
     * Counts one more call of `key`. Returns 0 within the limit, else the seconds until the key's
     * minute is over.
     */
    waitAfter(key: string): number {
      const now = clock();
      const known = seen.get(key);
      const one =
        known === undefined || known.until <= now ? { count: 0, until: now + MINUTE } : known;
      one.count += 1;
      seen.delete(key);
      seen.set(key, one);
      if (seen.size > MOST_KEYS) seen.delete(seen.keys().next().value!);
      return one.count <= most ? 0 : Math.ceil((one.until - now) / 1_000);
    },
  };
}

interface GuardedCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly token: unknown;
}

/**
 * Checks the token of a call. Wrong tokens beyond so many a minute from one address are answered
 * 429.
 */
export async function checkGuarded<T>(
  wrong: MinuteCounts,
  { request, reply, token }: GuardedCall,
  check: (token: unknown) => T | Promise<T>,
): Promise<T> {
  try {
    return await check(token);
  } catch (failure) {
    // A call without a token is not counted, because it guesses nothing.
    const isWrong = token !== undefined && (failure as { status?: unknown }).status === 401;
    const wait = isWrong ? wrong.waitAfter(clientOf(request)) : 0;
    if (wait === 0) throw failure;
    reply.header('retry-after', String(wait));
    throw new DirectError(
      429,
      'RATE_LIMITED',
      'Too many wrong tokens came from this address; ask again later.',
    );
  }
}

/**
 * Returns the address that a call is counted by. Of IPv6 it is the first half, like
 * `2001:db8:0:1::/64`, unless it maps an address of IPv4, which then counts.
 */
export function clientOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined || !ip.includes(':')) return mapped ?? ip;
  const [head = [], tail] = ip
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? [])].slice(
    0,
    4,
  );
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * Runs `work` when its turn comes. Throws, before it returns a promise, when too many wait already.
 */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

interface LimiterOptions {
  readonly atOnce: number;
  readonly mostWaiting: number;
  /** What is thrown at a call that finds no place. */
  readonly refusal: () => Error;
}

export function openLimiter({ atOnce, mostWaiting, refusal }: LimiterOptions): Limiter {
  const limit = pLimit(atOnce);
  return (work) => {
    if (limit.activeCount >= atOnce && limit.pendingCount >= mostWaiting) throw refusal();
    return limit(work);
  };
}
