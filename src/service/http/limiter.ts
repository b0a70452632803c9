// So many calls of one kind work at once, so many wait, and the next one is refused at once: what some ask must not take
// the connections and the processor that everybody else needs.

import pLimit from 'p-limit';

/** Runs `work` when its turn comes. Throws, before it returns a promise, when too many wait already. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export interface LimiterOptions {
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
