// Finds the local day of an instant of the month. Lines come nearly in the order of time, so the day before is tried first.

import type { Instant } from '../domain/instant.ts';
import { invariant } from '../domain/invariant.ts';
import { type Bounds, daysWithin } from '../domain/period.ts';
import type { Zone } from '../domain/zone.ts';

export interface DayFinder {
  readonly days: readonly { readonly day: string; readonly start: Instant }[];
  /** Of an instant within the bounds. */
  dayAt(instant: Instant): { readonly day: string; readonly index: number };
}

export function beginDays(bounds: Bounds, zone: Zone): DayFinder {
  const days = daysWithin(bounds, zone);
  let last = 0;
  const holds = (index: number, instant: Instant): boolean =>
    days[index]!.start <= instant && (days[index + 1]?.start ?? bounds.end) > instant;
  return {
    days,
    dayAt(instant) {
      invariant(instant >= bounds.start && instant < bounds.end, 'a day is looked up within the bounds of its month');
      if (!holds(last, instant)) last = days.findLastIndex(({ start }) => start <= instant);
      return { day: days[last]!.day, index: last };
    },
  };
}
