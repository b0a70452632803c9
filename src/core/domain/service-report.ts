// A monthly report as the service publishes it (dashboard API, "Report"). It counts payments by
// link, not the wallet's operations; its summary is whatever key figures the service chose, kept as
// they were given.

import type { Instant } from './instant.ts';
import { endOfReport } from './period.ts';

export const REPORT_STATUSES = ['PENDING', 'READY', 'FAILED'] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

/** A value of a summary. A number that no double holds exactly is kept as its decimal text. */
export type SummaryValue =
  | string
  | number
  | boolean
  | null
  | readonly SummaryValue[]
  | { readonly [key: string]: SummaryValue };

export type Summary = Readonly<Record<string, SummaryValue>>;

/**
 * A monthly report of the service. Fields that a report has only when it is READY, or only when it
 * is FAILED, are `null` in the other states.
 */
export interface ServiceReport {
  readonly id: string;
  /** `YYYY-MM`. */
  readonly period: string;
  readonly periodLabel: string | null;
  /** First instant of the month, as stated. */
  readonly periodStart: Instant | null;
  /**
   * End of the month, as stated: its last instant, or the first one after it (see `endOfReport`).
   */
  readonly periodEnd: Instant | null;
  readonly status: ReportStatus;
  readonly filename: string | null;
  readonly fileUrl: string | null;
  readonly fileSize: number | null;
  readonly summary: Summary | null;
  readonly error: string | null;
  readonly generatedAt: Instant | null;
}

/** An interval of time: `from` belongs to it, `until` does not. */
export interface Span {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Returns the month that the report covers: its own bounds (see `endOfReport`), or the calendar
 * month in UTC where it states none.
 */
export function boundsOfReport(
  report: Pick<ServiceReport, 'period' | 'periodStart' | 'periodEnd'>,
): Span {
  const month = monthInUtc(report.period);
  const { periodStart, periodEnd } = report;
  return {
    from: periodStart ?? month.from,
    until: periodEnd === null ? month.until : endOfReport(periodEnd),
  };
}

export function monthInUtc(period: string): Span {
  const [year, month] = period.split('-').map(Number);
  return { from: Date.UTC(year!, month! - 1, 1), until: Date.UTC(year!, month!, 1) };
}
