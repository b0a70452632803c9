// The register of endpoints of the dashboard API that answer a token: the read side, and asking for a report again.

import { disbursementCountersAt } from '../../dashboard/payouts.ts';
import { reportPdf } from '../../dashboard/report-pdf.ts';
import { endedMonths, reportsAt } from '../../dashboard/reports.ts';
import type { ServedReport } from '../../dashboard/served-dashboard.ts';
import { publishedBy } from '../../simulation/state.ts';
import type { Account } from '../account.ts';
import type { Query } from '../read-query.ts';
import type { Settings } from '../settings.ts';
import { BAD_REQUEST, REPORT_NOT_FOUND } from './choices.ts';
import { complianceOf } from './compliance.ts';
import { Refusal } from './refusal.ts';
import { searchPayments } from './search-payments.ts';

export interface DashboardCall {
  readonly account: Account;
  readonly settings: Settings;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface DashboardRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Where the merchant's reference stands; a report's id is the merchant's own. */
  readonly merchantIn: 'query' | 'body' | 'nowhere';
  /** A Buffer is answered as a PDF, anything else as JSON; throws `Refusal` to refuse. */
  readonly answer: (call: DashboardCall) => unknown;
}

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  { method: 'GET', path: '/web-merchant/reports', merchantIn: 'query', answer: ({ account }) => reportsOf(account) },
  { method: 'GET', path: '/web-merchant/reports/:id/download', merchantIn: 'nowhere', answer: download },
  { method: 'POST', path: '/web-merchant/reports/generate', merchantIn: 'body', answer: generate },
  {
    method: 'GET',
    path: '/web-merchant/payments/search',
    merchantIn: 'query',
    answer: ({ account, settings, query }) =>
      searchPayments(publishedBy(account.simulation).payments, { query, cap: settings.dashboard.paymentCap }),
  },
  {
    method: 'GET',
    path: '/web-merchant/compliance',
    merchantIn: 'query',
    answer: ({ account }) => complianceOf(account),
  },
  {
    method: 'GET',
    path: '/web-merchant/refunds-stats',
    merchantIn: 'query',
    answer: ({ account: { plan, seed, simulation } }) => disbursementCountersAt(plan, { seed, now: simulation.now }),
  },
];

function reportsOf({ simulation }: Account): readonly ServedReport[] {
  return reportsAt(simulation.plan, simulation.reports, simulation.now);
}

function download({ account, params }: DashboardCall): Buffer {
  const report = reportsOf(account).find(({ id, status }) => id === params.id && status === 'READY');
  if (report === undefined) throw new Refusal(404, REPORT_NOT_FOUND);
  return reportPdf(report);
}

/** "Generates or regenerates a past month; the current month is refused with 400." */
function generate({ account, body }: DashboardCall): ServedReport {
  const { plan, reports, now } = account.simulation;
  const { period } = body as { readonly period?: unknown };
  if (typeof period !== 'string' || !/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) {
    throw new Refusal(BAD_REQUEST, 'period must be a month like 2026-10');
  }
  if (!endedMonths(plan, now).includes(period)) throw new Refusal(BAD_REQUEST, `The month ${period} has not ended`);
  reports.askedAgain.set(period, now);
  return reportsOf(account).find((report) => report.period === period)!;
}
