// Counts the payments by link of one report's month as they stream: how many and how much, by
// status, operator, country and day. Keeps counts and not payments, so that memory does not grow
// with the month.

import { addTo, type ExactSum, emptySum, totalOf } from '../../../domain/amount.ts';
import { DAY, formatInstant, type Instant } from '../../../domain/instant.ts';
import {
  LINK_END_NOTICED,
  LINK_LIFETIME,
  type Payment,
  type PaymentStatus,
} from '../../../domain/payment.ts';
import {
  boundsOfReport,
  monthInUtc,
  type ServiceReport,
  type Span,
} from '../../../domain/service-report.ts';
import type { Measure } from '../../../domain/summary-keys.ts';
import { valueIn } from '../../../domain/value-in.ts';
import { openZone, zoneNameOf } from '../../../domain/zone.ts';

/**
 * Whose midnights separate the days: those of the report's bounds, those of UTC, or those of the
 * payment's country.
 */
export const DAY_INTERPRETATIONS = ['BOUNDS', 'UTC', 'COUNTRY'] as const;
export type DayInterpretation = (typeof DAY_INTERPRETATIONS)[number];

/** The day of a payment under each interpretation, as `YYYY-MM-DD`. */
export type Days = Readonly<Record<DayInterpretation, string>>;

/** Payments that are alike in everything that a summary may break down by. */
export interface PaymentCell extends Pick<Payment, 'status' | 'operator' | 'country'> {
  /**
   * The payments may have been PENDING still when the report was made, because a link lives for 24
   * hours. Young payments share a cell only when their amounts are equal.
   */
  readonly isYoung: boolean;
  readonly days: Days;
  count: number;
  readonly amount: ExactSum;
}

export interface PaymentTally {
  readonly report: ServiceReport;
  readonly span: Span;
  readonly youngFrom: Instant;
  /**
   * Milliseconds to add to an instant so that the days of the report's bounds become days of UTC:
   * the first instant of the calendar month less that of the report.
   */
  readonly shift: number;
  readonly cells: Map<string, PaymentCell>;
  /**
   * The days met so far. The key joins the day numbers since 1970 under all interpretations; where
   * all agree, it is one number.
   */
  readonly days: Map<string, Days>;
  /** Local clock less UTC, in milliseconds, of the countries met so far. */
  readonly offsets: Map<string, number>;
}

export function beginPaymentTally(report: ServiceReport): PaymentTally {
  const span = boundsOfReport(report);
  const youngFrom = (report.generatedAt ?? span.until) - LINK_LIFETIME - LINK_END_NOTICED;
  const shift = monthInUtc(report.period).from - span.from;
  return { report, span, youngFrom, shift, cells: new Map(), days: new Map(), offsets: new Map() };
}

/** Adds a payment; each must be added once. A payment of another month is ignored. */
export function takePayment(tally: PaymentTally, payment: Payment): void {
  const { createdAt, status, operator, country } = payment;
  if (createdAt < tally.span.from || createdAt >= tally.span.until) return;
  const isYoung = createdAt >= tally.youngFrom;
  const dayKey = dayKeyOf(tally, payment);
  // A young payment counts wholly or not at all, so each amount must stay known.
  const key = `${status}|${isYoung ? payment.amount : ''}|${dayKey}|${country.length}|${country}|${operator}`;
  const cell = valueIn(tally.cells, key, () => {
    return {
      status,
      isYoung,
      operator,
      country,
      days: tally.days.get(dayKey)!,
      count: 0,
      amount: emptySum(),
    };
  });
  cell.count += 1;
  addTo(cell.amount, payment.amount);
}

/**
 * Returns the key of the payment's day in `days`. It is one number where all interpretations agree,
 * which is the usual case, so that only other days split the cells further.
 */
function dayKeyOf(tally: PaymentTally, { createdAt, country }: Payment): string {
  const { shift, days } = tally;
  // Days are steps of 24 hours here, because none of the countries changes its clocks.
  const own = Math.floor((createdAt + shift) / DAY);
  const utc = Math.floor(createdAt / DAY);
  const local = Math.floor((createdAt + offsetOf(tally, country)) / DAY);
  const key = utc === own && local === own ? String(own) : `${own},${utc},${local}`;
  if (!days.has(key))
    days.set(key, { BOUNDS: dayText(own), UTC: dayText(utc), COUNTRY: dayText(local) });
  return key;
}

function dayText(day: number): string {
  return formatInstant(day * DAY).slice(0, 10);
}

function offsetOf({ offsets, span }: PaymentTally, country: string): number {
  return valueIn(offsets, country, () => {
    const name = zoneNameOf(country);
    return name === 'UTC' ? 0 : openZone(name)!.offsetAt(span.from);
  });
}

// Which figures a summary may lawfully state for a selection of payments. A payment that had ended
// a day before the report was made surely counts. Each younger payment may have been pending then,
// and counts wholly or not at all.

/** What a summary counts: the payments that succeeded, or all. */
export type Population = 'SUCCESS' | 'ALL';

export interface Lawful {
  readonly least: bigint;
  readonly most: bigint;
  /** The figure by the payments as they are now. */
  readonly now: bigint;
  /**
   * Every lawful figure, where they are few enough to be listed; `null` where all from `least` to
   * `most` are lawful.
   */
  readonly figures: ReadonlySet<bigint> | null;
}

/**
 * How many sums of young payments are listed. If there are more, nearly every figure between the
 * ends is one of them.
 */
const MOST_FIGURES = 20_000;

/** What a figure counts: `measure` over the payments that match every field that is not `null`. */
export interface Meaning {
  readonly measure: Measure;
  readonly status: PaymentStatus | null;
  /** In lower case. */
  readonly operator: string | null;
  readonly country: string | null;
  /** `YYYY-MM-DD`. */
  readonly day: string | null;
}

/** A meaning together with the interpretation of the summary. */
interface Selection extends Meaning {
  readonly population: Population;
  readonly days: DayInterpretation;
}

export function lawfulFigures(wanted: Selection, cells: readonly PaymentCell[]): Lawful {
  let sure = 0n;
  let young = 0n;
  const open: { readonly each: bigint; readonly times: number }[] = [];
  for (const cell of cells) {
    const part = partOf(cell, wanted);
    const whole = wanted.measure === 'count' ? BigInt(cell.count) : totalOf(cell.amount);
    if (part === 'sure') sure += whole;
    if (part === 'open' && cell.status === (wanted.status ?? 'SUCCESS')) young += whole;
    // Young payments stand in one cell only when their amounts are equal.
    if (part === 'open') open.push({ each: whole / BigInt(cell.count), times: cell.count });
  }
  const most = open.reduce((sum, { each, times }) => sum + each * BigInt(times), sure);
  return {
    least: sure,
    most,
    now: sure + young,
    figures: wanted.measure === 'count' ? null : reachable(sure, open),
  };
}

/**
 * Says whether the payments of the cell count. `open` means that each of them may have had the
 * wanted status when the report was made, or another.
 */
function partOf(cell: PaymentCell, wanted: Selection): 'sure' | 'open' | 'out' {
  if (wanted.operator !== null && cell.operator !== wanted.operator) return 'out';
  if (wanted.country !== null && cell.country.toLowerCase() !== wanted.country) return 'out';
  if (wanted.day !== null && cell.days[wanted.days] !== wanted.day) return 'out';
  const status = wanted.status ?? (wanted.population === 'ALL' ? null : 'SUCCESS');
  if (status === null) return 'sure';
  const mayHaveBeenPending = cell.isYoung && cell.status !== 'PENDING';
  if (!mayHaveBeenPending) return cell.status === status ? 'sure' : 'out';
  return cell.status === status || status === 'PENDING' ? 'open' : 'out';
}

function reachable(
  sure: bigint,
  open: readonly { readonly each: bigint; readonly times: number }[],
): ReadonlySet<bigint> | null {
  let figures = new Set([sure]);
  for (const { each, times } of open) {
    if (figures.size * (times + 1) > MOST_FIGURES) return null;
    const wider = new Set<bigint>();
    for (const figure of figures) {
      for (let taken = 0; taken <= times; taken += 1) wider.add(figure + each * BigInt(taken));
    }
    figures = wider;
  }
  return figures;
}

export function isLawful({ least, most, figures }: Lawful, stated: bigint): boolean {
  return figures === null ? stated >= least && stated <= most : figures.has(stated);
}

/** Returns the lawful figure nearest to `stated`; of two as near, the lower. */
export function nearestLawful({ least, most, figures }: Lawful, stated: bigint): bigint {
  if (figures === null) return stated < least ? least : stated > most ? most : stated;
  const far = (figure: bigint): bigint => (figure < stated ? stated - figure : figure - stated);
  let nearest = least;
  for (const figure of figures) if (far(figure) < far(nearest)) nearest = figure;
  return nearest;
}
