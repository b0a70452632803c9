// Periods: calendar months, `YYYY-MM`, years, `YYYY`, months up to a day, `YYYY-MM-DD`, and their
// bounds in a zone. Says when a month has ended, never what time it is.

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

/** `2026`, `2026-10`, `2026-10-31`. */
export function formatPeriod(period: StatedPeriod): string {
  const { year, month } = period;
  const parts = [month ?? [], 'day' in period ? period.day : []].flat();
  return [
    String(year).padStart(4, '0'),
    ...parts.map((part) => String(part).padStart(2, '0')),
  ].join('-');
}

/** `octobre 2026`, `October 2026`; of a year `2026`, of a day `31 octobre 2026`. */
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

/** The month in which an instant lies, on the zone's calendar. */
export function periodOf(instant: Instant, zone: Zone): Period {
  return parsePeriod(localText(zone, instant).slice(0, 7))!;
}

/**
 * From the first instant of the period's first day to that of the day after its last, on the zone's
 * calendar.
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
 * The first instant after a month whose published Report ends at `periodEnd`. The document does not
 * say whether that is in the month: an end in the last second of a minute (…59, …59.999) is taken
 * as inside, any other as the first instant after.
 */
export function endOfReport(periodEnd: Instant): Instant {
  const intoMinute = periodEnd % MINUTE;
  return intoMinute >= MINUTE - SECOND ? periodEnd - intoMinute + MINUTE : periodEnd;
}

/**
 * Every local day that the bounds touch, ascending: its name and its first instant (the first one's
 * may lie before).
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
    // A day that the clocks jump over whole, as Samoa's 30 December 2011, there was not.
    if (localText(zone, start).startsWith(name)) days.push({ day: name, start });
  }
}

/** A month that is closed: what is dated in it and comes later belongs to the month after it. */
export interface ClosedMonth {
  /** `YYYY-MM`. */
  readonly period: string;
  /** First instant after it. */
  readonly end: Instant;
  /** Of the lines that were stated when it was closed, the highest. */
  readonly lastSequence: number;
  /** When it was closed, and by whom. */
  readonly at?: Instant;
  readonly by?: string;
}

/** A line whose own date is impossible, and the instant at which it is stated in its place. */
export interface MovedLine {
  readonly createdAt: Instant;
  readonly at: Instant;
}

/** What puts lines into another month than that of their date. */
export interface Dating {
  /** Ascending. */
  readonly closed: readonly ClosedMonth[];
  /** By sequence. */
  readonly moved: ReadonlyMap<number, MovedLine>;
}

type Dated = { readonly sequence: number; readonly createdAt: Instant };

/** The date of a line, or the one that replaces an impossible date. */
export function possibleAt(
  { sequence, createdAt }: Dated,
  { moved }: Pick<Dating, 'moved'>,
): Instant {
  const known = moved.size === 0 ? undefined : moved.get(sequence);
  return known?.createdAt === createdAt ? known.at : createdAt;
}

/**
 * By its date as it was served: a month that it lies in, or a later one, was closed before it came.
 */
export function cameLate(
  { sequence, createdAt }: Dated,
  { closed }: Pick<Dating, 'closed'>,
): boolean {
  return closed.some(({ end, lastSequence }) => createdAt < end && sequence > lastSequence);
}

/**
 * The instant at which a line is stated: its possible date, or the end of the last closed month
 * that it came too late for.
 */
export function statedAt(line: Dated, dating: Dating): Instant {
  let at = possibleAt(line, dating);
  for (const { end, lastSequence } of dating.closed)
    if (at < end && line.sequence > lastSequence) at = end;
  return at;
}

/**
 * Returns `RELEVE_M001_2026-10_r1`, `ATTESTATION_M001_2026-10-31_r1`. `named`: the merchant as it
 * is in names of files.
 */
export function statementName(
  key: MonthKey,
  revision: number | string,
  named = inFileName(key.merchant),
): string {
  const kind = key.period.length > 'YYYY-MM'.length ? 'ATTESTATION' : 'RELEVE';
  return `${kind}_${named}_${key.period}_r${revision}`;
}
