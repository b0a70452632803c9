// Counts the payments by link of one report's month as they stream: how many and how much, by status, operator, country
// and day. Keeps counts and not payments, so that memory does not grow with the month.

import { addTo, type ExactSum, emptySum } from '../../domain/amount.ts';
import { DAY, formatInstant, type Instant } from '../../domain/instant.ts';
import { LINK_LIFETIME, type Payment, type PaymentStatus } from '../../domain/payment.ts';
import { boundsOfReport, type ServiceReport, type Span } from '../../domain/service-report.ts';

/** Payments that are alike in everything that a summary may break down by. */
export interface PaymentCell {
  readonly status: PaymentStatus;
  /** May have been PENDING still when the report was made: a link lives for 24 hours. Then all its payments are equal. */
  readonly isYoung: boolean;
  readonly operator: string | null;
  readonly country: string;
  /** `YYYY-MM-DD` in the zone whose midnights the report's bounds are. */
  readonly day: string;
  count: number;
  readonly amount: ExactSum;
}

export interface PaymentTally {
  readonly report: ServiceReport;
  readonly span: Span;
  readonly youngFrom: Instant;
  readonly cells: Map<string, PaymentCell>;
  /** Names of the days met so far, by their number in the month from 0. */
  readonly days: string[];
}

export function beginPaymentTally(report: ServiceReport): PaymentTally {
  const span = boundsOfReport(report);
  return { report, span, youngFrom: (report.generatedAt ?? span.until) - LINK_LIFETIME, cells: new Map(), days: [] };
}

/** Passes over a payment of another month. Each payment is taken once. */
export function takePayment(tally: PaymentTally, payment: Payment): void {
  const { createdAt, status, operator, country } = payment;
  if (createdAt < tally.span.from || createdAt >= tally.span.until) return;
  const isYoung = createdAt > tally.youngFrom;
  const day = dayOf(tally, createdAt);
  // A young payment counts as a whole or not at all, so its amount must stay known.
  const key = `${status}|${isYoung ? payment.amount : ''}|${day}|${country.length}|${country}|${operator}`;
  let cell = tally.cells.get(key);
  if (cell === undefined) {
    cell = { status, isYoung, operator, country, day, count: 0, amount: emptySum() };
    tally.cells.set(key, cell);
  }
  cell.count += 1;
  addTo(cell.amount, payment.amount);
}

/** Counted from the first day of the month in steps of 24 hours: none of the countries changes its clocks. */
function dayOf({ report, span, days }: PaymentTally, createdAt: Instant): string {
  const number = Math.floor((createdAt - span.from) / DAY);
  const known = days[number];
  if (known !== undefined) return known;
  const first = Date.UTC(Number(report.period.slice(0, 4)), Number(report.period.slice(5)) - 1, 1);
  const day = formatInstant(first + number * DAY).slice(0, 10);
  days[number] = day;
  return day;
}
