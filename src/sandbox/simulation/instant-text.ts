// Date-times as the service writes them, for a million lines at a time: the day's text is made once and kept. Gives what
// `formatInstant` gives, several times faster.

import { DAY, formatInstant, HOUR, type Instant, MINUTE, SECOND } from '../../core/domain/instant.ts';

const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));
const dayTexts = new Map<number, string>();

/** `2026-08-01T00:49:18.020Z`: UTC, milliseconds; for instants from 1970 on. */
export function writeInstant(instant: Instant): string {
  const rest = instant % DAY;
  const hour = Math.floor(rest / HOUR);
  const minute = Math.floor((rest % HOUR) / MINUTE);
  const second = Math.floor((rest % MINUTE) / SECOND);
  const time = `${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]}.${THREE_DIGITS[rest % SECOND]}Z`;
  return dayText((instant - rest) / DAY) + time;
}

function dayText(day: number): string {
  const known = dayTexts.get(day);
  if (known !== undefined) return known;
  const text = formatInstant(day * DAY).slice(0, 11);
  dayTexts.set(day, text);
  return text;
}
