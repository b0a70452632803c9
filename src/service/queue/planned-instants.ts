// When a plan is due, by the same calculation as the queue's own. Asks no clock and no database.

import { PgBoss } from 'pg-boss';
import { DAY, HOUR, type Instant } from '../../core/domain/instant.ts';
import type { Plan } from '../workflows/jobs.ts';

type Recurrence = Pick<Plan, 'cron' | 'zone'>;

/** Calculates instants only: this queue is never started. */
const calendar = new PgBoss({ schema: 'pgboss' });
const MOST_AT_ONCE = 100;
/**
 * Milliseconds to look back for the last instant, the next span if the one before had none: so a
 * plan of every minute need not be walked through for a year.
 */
const SPANS_BACK = [HOUR, DAY, 8 * DAY, 40 * DAY, 400 * DAY];

/** Returns the instants of a plan after `from`, up to and with `to`, ascending. */
export function plannedBetween(
  { cron, zone }: Recurrence,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): readonly Instant[] {
  const found: Instant[] = [];
  let last = from;
  for (;;) {
    // Asks for few instants at first, because each instant of a rare plan takes long to find and
    // those after `to` are not wanted.
    const count = Math.min(MOST_AT_ONCE, 2 + found.length);
    const some = calendar.previewSchedule(cron, { tz: zone, from: new Date(last), count });
    for (const date of some) {
      last = date.getTime();
      if (last > to) return found;
      found.push(last);
    }
    if (some.length === 0) return found;
  }
}

/** The last instant at or before `now`; null when there was none for more than a year. */
export function lastPlanned(plan: Recurrence, now: Instant): Instant | null {
  for (const span of SPANS_BACK) {
    const last = plannedBetween(plan, { from: now - span, to: now }).at(-1);
    if (last !== undefined) return last;
  }
  return null;
}

export function nextPlanned({ cron, zone }: Recurrence, now: Instant): Instant {
  return calendar.previewSchedule(cron, { tz: zone, from: new Date(now), count: 1 })[0]!.getTime();
}
