// One merchant's payments of October 2026 and a report of them, to be judged with changes.

import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import type { Payment } from '../../src/core/domain/payment.ts';
import type { ServiceReport, Summary } from '../../src/core/domain/service-report.ts';
import { type SummaryKeys, summaryKeysOf } from '../../src/core/domain/summary-keys.ts';
import {
  beginPaymentTally,
  takePayment,
} from '../../src/core/kernel/checks/reports/payment-tally.ts';
import { judgeReport } from '../../src/core/kernel/checks/reports/report-summary.ts';
import { wordNote } from '../../src/core/words/names.ts';

export const START = Date.UTC(2026, 9, 1);
export const END = Date.UTC(2026, 10, 1);

/** Returns a payment made at that hour of the month. */
export function pay(number: number, change: Partial<Payment> = {}): Payment {
  return {
    reference: `PAY${number}`,
    amount: 1_000,
    country: 'CI',
    operator: 'wave',
    orderId: null,
    status: 'SUCCESS',
    createdAt: START + number * HOUR,
    ...change,
  };
}

/**
 * Three payments that succeeded, 1 300 in all, one that failed, and two of the neighbouring months.
 */
export const payments = [
  pay(1),
  pay(2, { operator: 'orange', amount: 250, country: 'BF' }),
  pay(30, { amount: 50 }),
  pay(31, { status: 'FAILED', amount: 70, operator: 'orange' }),
  pay(-1, { amount: 9_999 }),
  pay(31 * 24, { amount: 9_999 }),
];

/** Returns a report that is READY and was made two days after the month. */
export function report(
  summary: Summary | null,
  change: Partial<ServiceReport> = {},
): ServiceReport {
  return {
    id: 'r',
    period: '2026-10',
    periodLabel: null,
    periodStart: START,
    periodEnd: END - 1,
    status: 'READY',
    filename: null,
    fileUrl: null,
    fileSize: null,
    summary,
    error: null,
    generatedAt: END + 2 * DAY,
    ...change,
  };
}

export function judge(
  summary: Summary,
  given: {
    readonly change?: Partial<ServiceReport>;
    readonly paid?: readonly Payment[];
    readonly unread?: number;
    readonly keys?: SummaryKeys;
  } = {},
) {
  const tally = beginPaymentTally(report(summary, given.change));
  for (const payment of given.paid ?? payments) takePayment(tally, payment);
  const { draft, note } = judgeReport(tally, {
    keys: summaryKeysOf(given.keys ?? {}),
    unread: given.unread ?? 0,
  });
  return { draft, note: note === null ? null : wordNote(note) };
}
