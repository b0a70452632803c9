// Monthly reports of a simulated merchant, as they stand at an instant: PENDING from the end of the month until they have
// been generated, then READY or FAILED. The summary counts payments by link as they stood when it was made.

import { HOUR, type Instant, MINUTE } from '../../core/domain/instant.ts';
import { PAYMENT_STATUSES } from '../../core/domain/payment.ts';
import { monthInUtc } from '../../core/domain/service-report.ts';
import { type MerchantPlan, walletCurrencyOf } from '../plan.ts';
import { drawUuid, seedRandom } from '../random.ts';
import { writeInstant } from '../simulation/instant-text.ts';
import { linkCountriesOf, servedAt } from './payments.ts';
import { reportPdf } from './report-pdf.ts';
import type { ServedPayment, ServedReport, ServedSummary } from './served-dashboard.ts';
import type { DashboardLife } from './state.ts';

/** Reports are generated so long after the end of their month, or after they were asked for again. */
const GENERATED_AFTER = 2 * HOUR;
const GENERATED_AGAIN_AFTER = MINUTE;

const MONTHS = 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

/** As they stand now, newest first; the running month has none. */
export function reportsOf(life: DashboardLife): readonly ServedReport[] {
  if (linkCountriesOf(life.plan).length === 0) return [];
  return endedMonths(life.plan, life.now).map((period) => reportOn(period, life));
}

/** Months since the account opened that have ended at `now`, newest first. */
export function endedMonths(plan: MerchantPlan, now: Instant): readonly string[] {
  const months: string[] = [];
  let period = writeInstant(plan.opensAt).slice(0, 7);
  for (let { until } = monthInUtc(period); until <= now; { until } = monthInUtc(period)) {
    months.unshift(period);
    period = writeInstant(until).slice(0, 7);
  }
  return months;
}

function reportOn(period: string, life: DashboardLife): ServedReport {
  const { plan, now, reports } = life;
  const { from, until } = monthInUtc(period);
  const again = reports.askedAgain.get(period);
  const generatedAt = again === undefined ? until + GENERATED_AFTER : again + GENERATED_AGAIN_AFTER;
  const failed = again === undefined && plan.failedReports.includes(period);
  const status = generatedAt > now ? 'PENDING' : failed ? 'FAILED' : 'READY';
  const report: ServedReport = {
    id: drawUuid(seedRandom(`${life.seed}/${plan.reference}/report/${period}`)),
    period,
    periodLabel: `${MONTHS[Number(period.slice(5)) - 1]} ${period.slice(0, 4)}`,
    periodStart: writeInstant(from),
    periodEnd: writeInstant(until - 1),
    status,
    filename: null,
    fileUrl: null,
    fileSize: null,
    summary: null,
    error: status === 'FAILED' ? 'La génération du rapport a échoué.' : null,
    generatedAt: null,
  };
  if (status !== 'READY') return report;
  const summary = reports.wrong.get(period) ?? summaryOf(life, { from, until, generatedAt });
  const ready = { ...report, summary, generatedAt: writeInstant(generatedAt) };
  return {
    ...ready,
    filename: `rapport-${plan.reference}-${period}.pdf`,
    fileUrl: `/web-merchant/reports/${report.id}/download`,
    fileSize: reportPdf(ready).length,
  };
}

function summaryOf(
  { plan, payments }: DashboardLife,
  month: { readonly from: Instant; readonly until: Instant; readonly generatedAt: Instant },
): ServedSummary {
  const ofMonth = payments.filter(({ createdAt }) => createdAt >= month.from && createdAt < month.until);
  const counted = ofMonth.map((payment) => servedAt(payment, month.generatedAt));
  const paid = counted.filter(({ status }) => status === 'SUCCESS');
  const parts = <Name extends string>(name: Name, pick: (payment: ServedPayment) => string) =>
    [...new Set(paid.map(pick))].sort().map((value) => {
      const some = paid.filter((payment) => pick(payment) === value);
      return { [name]: value, count: some.length, amount: sumOf(some) } as Record<Name, string> & {
        readonly count: number;
        readonly amount: number;
      };
    });
  const byStatus = PAYMENT_STATUSES.map((status) => [status, counted.filter((one) => one.status === status).length]);
  return {
    currency: walletCurrencyOf(plan),
    totalAmount: sumOf(paid),
    paymentCount: paid.length,
    byOperator: parts('operator', ({ senderOperateur }) => senderOperateur.toLowerCase()),
    byCountry: parts('country', ({ country }) => country),
    byStatus: Object.fromEntries(byStatus) as ServedSummary['byStatus'],
  };
}

function sumOf(payments: readonly ServedPayment[]): number {
  return payments.reduce((sum, { amount }) => sum + amount, 0);
}
