// Time zones: how far local clocks are from UTC, at which instant a local day begins, and the names
// of months. The one file that uses the runtime's tables of zones and languages; the machine's own
// zone and locale never matter.

import { getTimezoneOffset } from 'date-fns-tz/getTimezoneOffset';
import type { Country } from './amount.ts';
import { DAY, formatInstant, type Instant, MINUTE } from './instant.ts';

export interface Zone {
  /** IANA name, as given. */
  readonly name: string;
  /** Milliseconds that the local clock is ahead of UTC (+) or behind it (−) at that instant. */
  offsetAt(instant: Instant): number;
}

export interface CalendarDay {
  readonly year: number;
  /** 1 … 12. */
  readonly month: number;
  /** 1 … 31; a day past the month's end counts on into the next month. */
  readonly day: number;
}

const ZONES: Readonly<Record<Country, string>> = {
  CI: 'Africa/Abidjan',
  BF: 'Africa/Ouagadougou',
  ML: 'Africa/Bamako',
  SN: 'Africa/Dakar',
  TG: 'Africa/Lome',
  BJ: 'Africa/Porto-Novo',
  NE: 'Africa/Niamey',
  CM: 'Africa/Douala',
  GN: 'Africa/Conakry',
};

/**
 * Returns the zone of a country of the service, UTC for any other: UTC + 1 in BJ, NE and CM, UTC in
 * the rest.
 */
export function zoneNameOf(country: string | null): string {
  return country !== null && Object.hasOwn(ZONES, country) ? ZONES[country as Country] : 'UTC';
}

/** Returns every zone that `zoneNameOf` may return, sorted. */
export function zoneNamesOfCountries(): readonly string[] {
  return [...new Set([...Object.values(ZONES), 'UTC'])].sort();
}

/**
 * Zones by IANA name, as given. They are kept, because opening a zone takes as long as forty calls
 * of its `offsetAt`.
 */
const opened = new Map<string, Zone>();
const MOST_OPENED = 1_000;

/** Returns the zone of that IANA name; `null` when the runtime does not know it. */
export function openZone(name: string): Zone | null {
  const zone = opened.get(name) ?? readZone(name);
  if (zone === null) return null;
  if (opened.size >= MOST_OPENED) opened.clear();
  opened.set(name, zone);
  return zone;
}

/** The local clocks of any two zones differ by less than this, in milliseconds. */
const FAR = 2 * DAY;
/** No zone changes its offset within a quarter of an hour. */
const STEP = 15 * MINUTE;
const MOST_KNOWN = 20_000;

function readZone(name: string): Zone | null {
  const clock = clockOf(name);
  if (clock === null) return null;
  const offsetOfDay = remembered((day) => steadyOffset(name, day * DAY));
  const offsetOfStep = remembered((step) => offsetOn(clock, step * STEP));
  return {
    name,
    offsetAt: (instant) =>
      offsetOfDay(Math.floor(instant / DAY)) ?? offsetOfStep(Math.floor(instant / STEP)),
  };
}

/** Keeps the results of `answer`, because computing one takes as long as a hundred look-ups. */
function remembered<Answer>(answer: (step: number) => Answer): (step: number) => Answer {
  const known = new Map<number, Answer>();
  return (step) => {
    const found = known.get(step);
    if (found !== undefined) return found;
    if (known.size >= MOST_KNOWN) known.clear();
    const given = answer(step);
    known.set(step, given);
    return given;
  };
}

/**
 * Returns the offset of the day that begins at `start` in UTC; `null` when the clocks may change
 * near it. date-fns-tz takes an instant for local clock time, also that of the machine, and is
 * therefore wrong by an hour near a change. Its offset is used only where it is the same on both
 * sides of the day; elsewhere the runtime's own clock decides.
 */
function steadyOffset(name: string, start: Instant): number | null {
  const before = getTimezoneOffset(name, new Date(start - FAR));
  return before === getTimezoneOffset(name, new Date(start + DAY + FAR)) ? before : null;
}

function clockOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      calendar: 'gregory',
      numberingSystem: 'latn',
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null;
  }
}

/** Returns the offset that the runtime's own clock shows. */
function offsetOn(clock: Intl.DateTimeFormat, instant: Instant): number {
  const parts = Object.fromEntries(
    clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  );
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - instant;
}

/**
 * Shows the local clock at that instant: `2026-10-01 00:12:33`. Its first ten characters are the
 * local day.
 */
export function localText(zone: Zone, instant: Instant): string {
  const text = formatInstant(instant + zone.offsetAt(instant));
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

/** Returns `octobre` or `October`; `month` is 1 … 12. */
export function monthName(month: number, language: 'fr' | 'en'): string {
  return MONTHS[language].format(Date.UTC(2000, month - 1));
}

const MONTHS = { fr: monthsIn('fr'), en: monthsIn('en') };

function monthsIn(language: 'fr' | 'en'): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
}

/**
 * Returns the first instant of a local day: midnight, or the instant of the jump where the clocks
 * jump over midnight.
 */
export function startOfDay(zone: Zone, { year, month, day }: CalendarDay): Instant {
  const midnight = Date.UTC(year, month - 1, day);
  const offsets = [zone.offsetAt(midnight - DAY), zone.offsetAt(midnight + DAY)];
  const fits = offsets
    .map((offset) => midnight - offset)
    .filter((at) => at + zone.offsetAt(at) === midnight);
  return fits.length > 0 ? Math.min(...fits) : firstAfter(zone, midnight);
}

/** Returns the instant at which the clocks jump from before the local time `local` to after it. */
function firstAfter(zone: Zone, local: number): Instant {
  let before = (local - 2 * DAY) / MINUTE;
  let after = (local + 2 * DAY) / MINUTE;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle * MINUTE + zone.offsetAt(middle * MINUTE) < local) before = middle;
    else after = middle;
  }
  return after * MINUTE;
}
