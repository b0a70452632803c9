// A turnstile: so many calls work at once, so many wait, and the next one is told to come back. It keeps what operators ask
// from taking the connections and the processor that everybody else needs.

import { DirectError } from './direct-error.ts';

export interface Turnstile {
  /** Runs `work` when its turn comes. Throws `DirectError` 429 when too many wait already. */
  pass<T>(work: () => Promise<T>): Promise<T>;
}

export function openTurnstile(room: { readonly atOnce: number; readonly mostWaiting: number }): Turnstile {
  const waiting: (() => void)[] = [];
  let working = 0;
  return {
    async pass(work) {
      if (working >= room.atOnce) {
        if (waiting.length >= room.mostWaiting) throw tooMany();
        await new Promise<void>((resolve) => void waiting.push(resolve));
      } else working += 1;
      try {
        return await work();
      } finally {
        // Whoever leaves hands its place to the first that waits.
        const next = waiting.shift();
        if (next === undefined) working -= 1;
        else next();
      }
    },
  };
}

function tooMany(): DirectError {
  return new DirectError(429, 'RATE_LIMITED', 'Too many calls of this kind wait already; ask again in some seconds.');
}
