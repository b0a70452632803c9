// Counts the payments by link of one report's month as they stream: how many and how much, by status, operator, country
// and day. Keeps counts and not payments, so that memory does not grow with the month.

import { addTo, type ExactSum, emptySum } from '../../domain/amount.ts';
import { DAY, formatInstant, type Instant } from '../../domain/instant.ts';
import { LINK_END_NOTICED, LINK_LIFETIME, type Payment, type PaymentStatus } from '../../domain/payment.ts';
import { boundsOfReport, monthInUtc, type ServiceReport, type Span } from '../../domain/service-report.ts';
import { openZone, zoneNameOf } from '../../domain/zone.ts';

/** Whose midnights part the days: those that the report's bounds are, those of UTC, those of the payment's country. */
export const DAY_INTERPRETATIONS = ['BOUNDS', 'UTC', 'COUNTRY'] as const;
export type DayInterpretation = (typeof DAY_INTERPRETATIONS)[number];

/** Each `YYYY-MM-DD`. */
export type Days = Readonly<Record<DayInterpretation, string>>;

/** Payments that are alike in everything that a summary may break down by. */
export interface PaymentCell {
  readonly status: PaymentStatus;
  /** May have been PENDING still when the report was made: a link lives for 24 hours. Then all its payments are equal. */
  readonly isYoung: boolean;
  readonly operator: string | null;
  readonly country: string;
  readonly days: Days;
  count: number;
  readonly amount: ExactSum;
}

export interface PaymentTally {
  readonly report: ServiceReport;
  readonly span: Span;
  readonly youngFrom: Instant;
  /** First of the calendar month − first instant of the report's: the days of its bounds are those of UTC, so much later. */
  readonly shift: number;
  readonly cells: Map<string, PaymentCell>;
  /** The days met so far by the numbers they have since 1970, joined, and those numbers as every interpretation names them. */
  readonly days: Map<string, Days>;
  /** Local clock − UTC of the countries met so far. */
  readonly offsets: Map<string, number>;
}

export function beginPaymentTally(report: ServiceReport): PaymentTally {
  const span = boundsOfReport(report);
  const youngFrom = (report.generatedAt ?? span.until) - LINK_LIFETIME - LINK_END_NOTICED;
  const shift = monthInUtc(report.period).from - span.from;
  return { report, span, youngFrom, shift, cells: new Map(), days: new Map(), offsets: new Map() };
}

/** Passes over a payment of another month. Each payment is taken once. */
export function takePayment(tally: PaymentTally, payment: Payment): void {
  const { createdAt, status, operator, country } = payment;
  if (createdAt < tally.span.from || createdAt >= tally.span.until) return;
  const isYoung = createdAt >= tally.youngFrom;
  const dayKey = dayKeyOf(tally, payment);
  // A young payment counts as a whole or not at all, so its amount must stay known.
  const key = `${status}|${isYoung ? payment.amount : ''}|${dayKey}|${country.length}|${country}|${operator}`;
  let cell = tally.cells.get(key);
  if (cell === undefined) {
    const days = tally.days.get(dayKey)!;
    cell = { status, isYoung, operator, country, days, count: 0, amount: emptySum() };
    tally.cells.set(key, cell);
  }
  cell.count += 1;
  addTo(cell.amount, payment.amount);
}

/** One key for a day on which all interpretations agree, as nearly always: only the others part the cells further. */
function dayKeyOf(tally: PaymentTally, { createdAt, country }: Payment): string {
  const { shift, days } = tally;
  // In steps of 24 hours: none of the countries changes its clocks.
  const own = Math.floor((createdAt + shift) / DAY);
  const utc = Math.floor(createdAt / DAY);
  const local = Math.floor((createdAt + offsetOf(tally, country)) / DAY);
  const key = utc === own && local === own ? String(own) : `${own},${utc},${local}`;
  if (!days.has(key)) days.set(key, { BOUNDS: dayText(own), UTC: dayText(utc), COUNTRY: dayText(local) });
  return key;
}

function dayText(day: number): string {
  return formatInstant(day * DAY).slice(0, 10);
}

function offsetOf({ offsets, span }: PaymentTally, country: string): number {
  const known = offsets.get(country);
  if (known !== undefined) return known;
  const name = zoneNameOf(country);
  const offset = name === 'UTC' ? 0 : openZone(name)!.offsetAt(span.from);
  offsets.set(country, offset);
  return offset;
}
