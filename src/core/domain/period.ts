// Periods and their bounds in a zone. A period is a calendar month (`YYYY-MM`), a year (`YYYY`), or
// a month up to one of its days (`YYYY-MM-DD`). Knows when a month ends, never what time it is now.

import { formatInstant, type Instant, MINUTE, SECOND } from './instant.ts';
import { inFileName } from './naming/names.ts';
import { localText, monthName, startOfDay, type Zone } from './zone.ts';

export interface Period {
  readonly year: number;
  /** 1 … 12. */
  readonly month: number;
}

export interface Year {
  readonly year: number;
  readonly month: null;
}

/** From the first day of a month to the end of one of its days. */
export interface MonthToDay extends Period {
  /** 1 … 31. */
  readonly day: number;
}

export type StatedPeriod = Period | Year | MonthToDay;

export interface MonthKey {
  readonly merchant: string;
  /** `YYYY-MM`. */
  readonly period: string;
}

export interface Bounds {
  /** Inclusive. */
  readonly start: Instant;
  /** Exclusive: the cut-off. */
  readonly end: Instant;
}

/** Reads `YYYY-MM`; null when the text is not one, or lies before 1970. */
export function parsePeriod(text: string): Period | null {
  const parts = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text);
  if (parts === null || Number(parts[1]) < 1970) return null;
  return { year: Number(parts[1]), month: Number(parts[2]) };
}

/** Reads `YYYY`; null when the text is no year, or one before 1970. */
export function parseYear(text: string): Year | null {
  return /^\d{4}$/.test(text) && Number(text) >= 1970 ? { year: Number(text), month: null } : null;
}

/** Reads `YYYY-MM-DD`; null when there is no such day, or it lies before 1970. */
export function parseDay(text: string): MonthToDay | null {
  const period = parsePeriod(text.slice(0, 7));
  const day = Number(/^\d{4}-\d\d-(\d\d)$/.exec(text)?.[1] ?? 0);
  if (period === null || day === 0) return null;
  const isThere = formatInstant(Date.UTC(period.year, period.month - 1, day)).startsWith(text);
  return isThere ? { ...period, day } : null;
}

/** Formats a period: `2026`, `2026-10` or `2026-10-31`. */
export function formatPeriod(period: StatedPeriod): string {
  const { year, month } = period;
  const parts = [month ?? [], 'day' in period ? period.day : []].flat();
  return [
    String(year).padStart(4, '0'),
    ...parts.map((part) => String(part).padStart(2, '0')),
  ].join('-');
}

/**
 * Names a period for people: `octobre 2026`, `October 2026`; a year `2026`, a month to a day `31
 * octobre 2026`.
 */
export function labelOf(period: StatedPeriod, language: 'fr' | 'en'): string {
  const { year, month } = period;
  if (month === null) return String(year);
  const label = `${monthName(month, language)} ${year}`;
  if (!('day' in period)) return label;
  return `${period.day === 1 && language === 'fr' ? '1er' : period.day} ${label}`;
}

export function periodAfter({ year, month }: Period): Period {
  return month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
}

export function periodBefore({ year, month }: Period): Period {
  return month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
}

/** Returns the month in which an instant lies on the zone's calendar. */
export function periodOf(instant: Instant, zone: Zone): Period {
  return parsePeriod(localText(zone, instant).slice(0, 7))!;
}

/**
 * Returns the bounds of a period on the zone's calendar: from the first instant of its first day to
 * the first instant of the day after its last.
 */
export function boundsOf(period: StatedPeriod, zone: Zone): Bounds {
  const { year, month } = period;
  const first = { year, month: month ?? 1, day: 1 };
  const next =
    month === null
      ? { ...first, year: year + 1 }
      : 'day' in period
        ? { ...first, day: period.day + 1 }
        : { ...periodAfter(period), day: 1 };
  return { start: startOfDay(zone, first), end: startOfDay(zone, next) };
}

/**
 * Returns the first instant after the month whose published Report ends at `periodEnd`. The
 * document does not say whether `periodEnd` belongs to the month. An end in the last second of a
 * minute (…59, …59.999) is taken as inside the month, any other as the first instant after it.
 */
export function endOfReport(periodEnd: Instant): Instant {
  const intoMinute = periodEnd % MINUTE;
  return intoMinute >= MINUTE - SECOND ? periodEnd - intoMinute + MINUTE : periodEnd;
}

/**
 * Returns every local day that the bounds touch, ascending, with its name (`2026-10-31`) and its
 * first instant, which for the first day may lie before the bounds.
 */
export function daysWithin(
  bounds: Bounds,
  zone: Zone,
): readonly { readonly day: string; readonly start: Instant }[] {
  const days: { day: string; start: Instant }[] = [];
  const first = localText(zone, bounds.start);
  const [year, month, day] = [
    Number(first.slice(0, 4)),
    Number(first.slice(5, 7)),
    Number(first.slice(8, 10)),
  ];
  for (let i = 0; ; i++) {
    const start = startOfDay(zone, { year, month, day: day + i });
    if (start >= bounds.end) return days;
    const name = formatInstant(Date.UTC(year, month - 1, day + i)).slice(0, 10);
    // A day that the clocks skip as a whole (30 December 2011 in Samoa) is left out.
    if (localText(zone, start).startsWith(name)) days.push({ day: name, start });
  }
}

/**
 * A month that was closed. A line dated in the month that came after the closing is stated in the
 * month after it.
 */
export interface ClosedMonth {
  /** `YYYY-MM`. */
  readonly period: string;
  /** First instant after the month. */
  readonly end: Instant;
  /** Highest sequence of the lines that had come when the month was closed. */
  readonly lastSequence: number;
  /** When the month was closed. */
  readonly at?: Instant;
  /** Who closed the month. */
  readonly by?: string;
}

/** A line whose own date is impossible, and the instant at which it is stated in its place. */
export interface MovedLine {
  readonly createdAt: Instant;
  readonly at: Instant;
}

/** The two reasons to state a line in another month than that of its date. */
export interface Dating {
  /** Ascending. */
  readonly closed: readonly ClosedMonth[];
  /** The lines with an impossible date, by sequence. */
  readonly moved: ReadonlyMap<number, MovedLine>;
}

type Dated = { readonly sequence: number; readonly createdAt: Instant };

/** Returns the date of a line, or the instant that replaces an impossible date. */
export function possibleAt(
  { sequence, createdAt }: Dated,
  { moved }: Pick<Dating, 'moved'>,
): Instant {
  const known = moved.size === 0 ? undefined : moved.get(sequence);
  return known?.createdAt === createdAt ? known.at : createdAt;
}

/**
 * True when the month of the line's date as served, or a later month, was closed before the line
 * came.
 */
export function cameLate(
  { sequence, createdAt }: Dated,
  { closed }: Pick<Dating, 'closed'>,
): boolean {
  return closed.some(({ end, lastSequence }) => createdAt < end && sequence > lastSequence);
}

/**
 * Returns the instant at which a line is stated: its possible date, or the end of the last closed
 * month that the line came too late for.
 */
export function statedAt(line: Dated, dating: Dating): Instant {
  let at = possibleAt(line, dating);
  for (const { end, lastSequence } of dating.closed)
    if (at < end && line.sequence > lastSequence) at = end;
  return at;
}

/**
 * Returns `RELEVE_M001_2026-10_r1` for a month, `ATTESTATION_M001_2026-10-31_r1` for a month to a
 * day. `named` is the merchant's reference as it is written in file names.
 */
export function statementName(
  key: MonthKey,
  revision: number | string,
  named = inFileName(key.merchant),
): string {
  const kind = key.period.length > 'YYYY-MM'.length ? 'ATTESTATION' : 'RELEVE';
  return `${kind}_${named}_${key.period}_r${revision}`;
}
