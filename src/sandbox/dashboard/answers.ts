// The answers of the dashboard: payments in their present state, answers about payouts and counts,
// and the monthly reports with their files. Each answer about payouts and counts has the last words
// of its path as its name. It follows from the state, unless a planted fault changes it.

import {
  formatInstant,
  formatKnown,
  HOUR,
  type Instant,
  MINUTE,
} from '../../core/domain/instant.ts';
import type { PaymentStatus } from '../../core/domain/payment.ts';
import { monthInUtc } from '../../core/domain/service-report.ts';
import { type MerchantPlan, walletCurrencyOf } from '../model/plan.ts';
import { drawUuid, seedRandom } from '../model/random.ts';
import {
  COMPLIANCE_DOCUMENTS,
  type ComplianceFile,
  type ServedPayment,
  type ServedReport,
  type ServedSummary,
} from '../model/served-dashboard.ts';
import {
  BANK_FIXED,
  balanceOf,
  type DashboardLife,
  linkCountriesOf,
  MOBILE_MONEY_RATE,
  payoutLimits,
  primaryOf,
  servedAt,
  shownAccount,
} from './state.ts';

const SOUND = {
  compliance: (life) => ({
    compliance: life.compliance as ComplianceFile | null,
    requiredDocuments: COMPLIANCE_DOCUMENTS,
    limits: payoutLimits(life),
  }),
  'refunds-stats': disbursementCounters,
  /** "A balance is returned as a decimal string." */
  'get-balance': (life) => ({ balance: (balanceOf(life) / 100).toFixed(2) }),
  /** All payouts, newest first. */
  'list-disbursements': ({ payouts }) => payouts.toReversed(),
  /** The payout accounts in the order in which they were added. */
  'payout-accounts': ({ payoutAccounts }) => payoutAccounts.map(shownAccount),
  'settlement-settings': settlementOf,
  'merchants-transactions-count': (life) => countsOf(paymentsNow(life)),
  'merchants-monthly-transactions-count': (life) => monthlyCountsOf(paymentsNow(life)),
  'merchants-transactions-flow': (life) => dailyFlowOf(paymentsNow(life)),
} satisfies { readonly [name: string]: (life: DashboardLife) => unknown };

export type AnswerName = keyof typeof SOUND;
type Answer<Of extends AnswerName> = ReturnType<(typeof SOUND)[Of]>;

/**
 * Makes the answer of that name wrong: from now on `change` is applied to it. Returns `about`, or
 * `null` when the answer is wrong already.
 */
export function makeWrong<Of extends AnswerName>(
  life: DashboardLife,
  name: Of,
  about: string,
  change: (right: Answer<Of>) => Answer<Of>,
): string | null {
  if (life.wrong.has(name)) return null;
  life.wrong.set(name, change as (right: unknown) => unknown);
  return about;
}

export function answerOf<Of extends AnswerName>(life: DashboardLife, name: Of): Answer<Of> {
  const right = SOUND[name](life);
  const change = life.wrong.get(name);
  return (change === undefined ? right : change(right)) as Answer<Of>;
}

export function answersOf(life: DashboardLife): Readonly<Record<AnswerName, unknown>> {
  const names = Object.keys(SOUND) as readonly AnswerName[];
  return Object.fromEntries(names.map((name) => [name, answerOf(life, name)])) as Record<
    AnswerName,
    unknown
  >;
}

/** The counters cover all time. */
function disbursementCounters({ payouts }: DashboardLife) {
  const { SUCCESS, PENDING, FAILED } = countStates(payouts);
  return { requestSuccess: SUCCESS, requestPending: PENDING, requestFailed: FAILED };
}

/** Payments and payouts have the same states. */
function countStates(
  rows: readonly { readonly status: PaymentStatus }[],
): Readonly<Record<PaymentStatus, number>> {
  const counts = { PENDING: 0, SUCCESS: 0, FAILED: 0 };
  for (const { status } of rows) counts[status] += 1;
  return counts;
}

/** Returns the fields of the document's table, in its order. */
export function settlementOf(life: DashboardLife) {
  const { mode, time, timezone, lastSettlementAt } = life.settlement;
  const primary = primaryOf(life);
  return {
    mode,
    time,
    timezone,
    lastSettlementAt: formatKnown(lastSettlementAt),
    hasPrimaryAccount: primary !== null,
    primaryAccountType: primary?.type ?? null,
    fees: { mobileMoneyRate: MOBILE_MONEY_RATE, bankFixed: BANK_FIXED },
  };
}

export function paymentsNow({ payments, now }: DashboardLife): readonly ServedPayment[] {
  return payments.map((payment) => servedAt(payment, now));
}

function countsOf(payments: readonly ServedPayment[]) {
  const { SUCCESS, PENDING, FAILED } = countStates(payments);
  return { total: payments.length, success: SUCCESS, pending: PENDING, failed: FAILED };
}

/**
 * Returns months ascending. `amount` sums the payments that succeeded; the counts cover all
 * payments.
 */
function monthlyCountsOf(payments: readonly ServedPayment[]) {
  return [...Map.groupBy(payments, ({ createdAt }) => createdAt.slice(0, 7))].map(
    ([month, some]) => {
      return { month, ...countsOf(some), amount: amountOf(some.filter(isPaid)) };
    },
  );
}

/** Returns days ascending, with the payments that succeeded. */
function dailyFlowOf(payments: readonly ServedPayment[]) {
  return sumsBy(payments.filter(isPaid), ({ createdAt }) => createdAt.slice(0, 10)).map(
    ([date, sums]) => {
      return { date, ...sums };
    },
  );
}

/** Counts and sums payments by the value that `partOf` gives, ascending by that value. */
function sumsBy(payments: readonly ServedPayment[], partOf: (payment: ServedPayment) => string) {
  return [...Map.groupBy(payments, partOf)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([value, some]) => [value, { count: some.length, amount: amountOf(some) }] as const);
}

function isPaid({ status }: ServedPayment): boolean {
  return status === 'SUCCESS';
}

function amountOf(payments: readonly ServedPayment[]): number {
  return payments.reduce((sum, { amount }) => sum + amount, 0);
}

/** How long after the end of its month a report is generated. */
const GENERATED_AFTER = 2 * HOUR;
/** How long after a request a report is generated again. */
const GENERATED_AGAIN_AFTER = MINUTE;

const MONTHS =
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' ');

/** Returns the reports as they stand now, newest first. The running month has none. */
export function reportsOf(life: DashboardLife): readonly ServedReport[] {
  if (linkCountriesOf(life.plan).length === 0) return [];
  return endedMonths(life.plan, life.now).map((period) => reportOn(period, life));
}

/** Months since the account opened that have ended at `now`, newest first. */
export function endedMonths(plan: MerchantPlan, now: Instant): readonly string[] {
  const months: string[] = [];
  let period = formatInstant(plan.opensAt).slice(0, 7);
  for (let { until } = monthInUtc(period); until <= now; { until } = monthInUtc(period)) {
    months.unshift(period);
    period = formatInstant(until).slice(0, 7);
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
    periodStart: formatInstant(from),
    periodEnd: formatInstant(until - 1),
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
  const ready = { ...report, summary, generatedAt: formatInstant(generatedAt) };
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
  const ofMonth = payments.filter(
    ({ createdAt }) => createdAt >= month.from && createdAt < month.until,
  );
  const counted = ofMonth.map((payment) => servedAt(payment, month.generatedAt));
  const paid = counted.filter(isPaid);
  const operators = sumsBy(paid, ({ senderOperateur }) => senderOperateur.toLowerCase());
  const countries = sumsBy(paid, ({ country }) => country);
  return {
    currency: walletCurrencyOf(plan),
    totalAmount: amountOf(paid),
    paymentCount: paid.length,
    byOperator: operators.map(([operator, sums]) => ({ operator, ...sums })),
    byCountry: countries.map(([country, sums]) => ({ country, ...sums })),
    byStatus: countStates(counted),
  };
}

/** Returns a whole PDF document, in ASCII only. */
export function reportPdf({ period, summary }: Pick<ServedReport, 'period' | 'summary'>): Buffer {
  const lines = [
    `Rapport mensuel ${period}`,
    `Paiements : ${summary?.paymentCount ?? 0}`,
    `Montant : ${summary?.totalAmount ?? 0} ${summary?.currency ?? ''}`,
  ];
  const text = lines.map((line, i) => `1 0 0 1 72 ${760 - 24 * i} Tm (${line}) Tj`).join('\n');
  const content = `BT /F1 14 Tf\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}
