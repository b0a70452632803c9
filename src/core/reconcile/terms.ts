// What books are judged by besides their lines and operations: prices, ceilings, the declared opening. A replay that goes
// on from a checkpoint does not look at old lines again, so it refuses to go on under other terms.

import type { ReconcileSettings } from './books.ts';

/** The form of the books that a checkpoint carries: another one is not gone on from. */
const FORM = 8;

/** Equal texts: a checkpoint taken under the one may be continued under the other. The order of profiles does not matter. */
export function termsOf({ profiles, opening, clockTolerance, currency }: ReconcileSettings): string {
  const known = profiles.map(({ pricing, limits, createdAt }) =>
    JSON.stringify([pricing, limits.dailyCashoutLimit, createdAt]),
  );
  return JSON.stringify([FORM, [...new Set(known)].sort(), opening, clockTolerance, currency]);
}
