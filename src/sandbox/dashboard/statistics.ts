// Counts of payments by link as they stand now: in all, by month and by day of their creation, UTC.

import { PAYMENT_STATUSES } from '../../core/domain/payment.ts';
import { servedAt } from './payments.ts';
import type { ServedPayment } from './served-dashboard.ts';
import type { DashboardLife } from './state.ts';

export function paymentsNow({ payments, now }: DashboardLife): readonly ServedPayment[] {
  return payments.map((payment) => servedAt(payment, now));
}

export function countsOf(payments: readonly ServedPayment[]) {
  const [pending, success, failed] = PAYMENT_STATUSES.map(
    (wanted) => payments.filter(({ status }) => status === wanted).length,
  ) as [number, number, number];
  return { total: payments.length, success, pending, failed };
}

/** Ascending; `amount` is that of the payments that succeeded. */
export function monthlyCountsOf(payments: readonly ServedPayment[]) {
  return [...Map.groupBy(payments, ({ createdAt }) => createdAt.slice(0, 7))].map(([month, some]) => {
    return { month, ...countsOf(some), amount: amountOf(some.filter(isPaid)) };
  });
}

/** Ascending; the payments that succeeded. */
export function dailyFlowOf(payments: readonly ServedPayment[]) {
  return [...Map.groupBy(payments.filter(isPaid), ({ createdAt }) => createdAt.slice(0, 10))].map(([date, some]) => {
    return { date, count: some.length, amount: amountOf(some) };
  });
}

function isPaid({ status }: ServedPayment): boolean {
  return status === 'SUCCESS';
}

function amountOf(payments: readonly ServedPayment[]): number {
  return payments.reduce((sum, { amount }) => sum + amount, 0);
}
