// Time zones: how far local clocks are from UTC, at which instant a local day begins; the names of
// months. The one file that asks the runtime's tables of zones and languages; the machine's own
// zone, and its locale, never matter.

import { getTimezoneOffset } from 'date-fns-tz/getTimezoneOffset';
import type { Country } from './amount.ts';
import { DAY, formatInstant, type Instant, MINUTE } from './instant.ts';

export interface Zone {
  /** IANA name, as given. */
  readonly name: string;
  /** Local clock − UTC at that instant, in milliseconds. */
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
 * The zone of a country of the service, UTC for any other: UTC + 1 in BJ, NE and CM, UTC in the
 * rest.
 */
export function zoneNameOf(country: string | null): string {
  return country !== null && Object.hasOwn(ZONES, country) ? ZONES[country as Country] : 'UTC';
}

/** Every zone that `zoneNameOf` may give, sorted. */
export function zoneNamesOfCountries(): readonly string[] {
  return [...new Set([...Object.values(ZONES), 'UTC'])].sort();
}

/** By name, as given. Kept, because opening a zone takes as long as forty of its answers. */
const opened = new Map<string, Zone>();
const MOST_OPENED = 1_000;

/** The zone of that IANA name; null when the runtime does not know it. */
export function openZone(name: string): Zone | null {
  const zone = opened.get(name) ?? readZone(name);
  if (zone === null) return null;
  if (opened.size >= MOST_OPENED) opened.clear();
  opened.set(name, zone);
  return zone;
}

/** The local clocks of two zones never differ by this much. */
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

/** Keeps answers, because one takes as long as a hundred that are kept. */
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
 * The offset of a whole day that begins at `start` in UTC; `null` when the clocks may change near
 * it. date-fns-tz reads an instant as a time of local clocks, those of the machine among them, and
 * is wrong by an hour near a change: what it says is taken where it says the same on both sides of
 * the day, and the runtime's own clock decides where it does not.
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
 * The local clock at that instant: `2026-10-01 00:12:33`. Its first ten characters are the local
 * day.
 */
export function localText(zone: Zone, instant: Instant): string {
  const text = formatInstant(instant + zone.offsetAt(instant));
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}

/** `octobre`, `October`; `month` from 1. */
export function monthName(month: number, language: 'fr' | 'en'): string {
  return MONTHS[language].format(Date.UTC(2000, month - 1));
}

const MONTHS = { fr: monthsIn('fr'), en: monthsIn('en') };

function monthsIn(language: 'fr' | 'en'): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
}

/**
 * The first instant of a local day: midnight, or where the clocks jump over midnight, the instant
 * at which they do.
 */
export function startOfDay(zone: Zone, { year, month, day }: CalendarDay): Instant {
  const midnight = Date.UTC(year, month - 1, day);
  const offsets = [zone.offsetAt(midnight - DAY), zone.offsetAt(midnight + DAY)];
  const fits = offsets
    .map((offset) => midnight - offset)
    .filter((at) => at + zone.offsetAt(at) === midnight);
  return fits.length > 0 ? Math.min(...fits) : firstAfter(zone, midnight);
}

/** The clocks jump from before `local` to after it: the instant at which they do. */
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
