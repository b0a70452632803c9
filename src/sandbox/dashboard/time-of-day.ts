// When the clocks of a zone next show a time of day.

import { DAY, type Instant, MINUTE } from '../../core/domain/instant.ts';
import { invariant } from '../../core/domain/invariant.ts';
import { openZone } from '../../core/domain/zone.ts';

/** `HH:mm`, of a zone that is known. The first such instant after `from`. */
export function nextTimeOfDay(
  from: Instant,
  { time, timezone }: { readonly time: string; readonly timezone: string },
): Instant {
  const zone = openZone(timezone);
  invariant(zone !== null, `the zone ${timezone} is known`);
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const local = from + zone.offsetAt(from);
  const today = Math.floor(local / DAY) * DAY + (hour * 60 + minute) * MINUTE;
  const instants = [-1, 0, 1, 2].map((day) => {
    const clock = today + day * DAY;
    return clock - zone.offsetAt(clock - zone.offsetAt(clock));
  });
  const next = instants.find((at) => at > from);
  invariant(next !== undefined, 'every day has every time of day, or one nearby');
  return next;
}
