// Monthly reports: the list, the file of one, and asking for a month again.

import { reportPdf } from '../../../dashboard/report-pdf.ts';
import { endedMonths, reportsOf } from '../../../dashboard/reports.ts';
import type { ServedReport } from '../../../dashboard/served-dashboard.ts';
import { writeInstant } from '../../../simulation/instant-text.ts';
import { REPORT_NOT_FOUND } from '../choices.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { DashboardCall, DashboardRoute, FileAnswer } from '../route.ts';

/** "Newest first." */
export const reportList: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/reports',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => reportsOf(life),
};

export const reportDownload: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/reports/:id/download',
  auth: 'Token',
  merchantIn: 'nowhere',
  answer: ({ life, params }): FileAnswer => {
    const report = reportsOf(life).find(({ id, status }) => id === params.id && status === 'READY');
    if (report?.filename == null) throw new Refusal(404, REPORT_NOT_FOUND);
    return { type: 'application/pdf', name: report.filename, bytes: reportPdf(report) };
  },
};

export const reportGeneration: DashboardRoute = {
  method: 'POST',
  path: '/web-merchant/reports/generate',
  auth: 'Token',
  merchantIn: 'body',
  answer: generate,
};

/** "Generates or regenerates a past month; the current month is refused with 400." */
function generate({ life, body }: DashboardCall): ServedReport {
  const { period } = body as { readonly period?: unknown };
  if (typeof period !== 'string' || !/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) {
    throw badRequest('period must be a month like 2026-10');
  }
  if (!endedMonths(life.plan, life.now).includes(period)) {
    const isPast = period < writeInstant(life.now).slice(0, 7);
    throw badRequest(isPast ? `The account collected nothing yet in ${period}` : `The month ${period} has not ended`);
  }
  life.reports.askedAgain.set(period, life.now);
  return reportsOf(life).find((report) => report.period === period)!;
}
