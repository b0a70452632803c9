// Counts the payments by link of a period as they stream. Keeps counts and not payments: memory does not grow with the month.

import type { Amount } from '../../domain/amount.ts';
import { addTo, type ExactSum, emptySum, totalOf } from '../../domain/amount.ts';
import { currencyOf } from '../../domain/currency.ts';
import type { Payment, PaymentStatus } from '../../domain/payment.ts';
import type { Bounds } from '../../domain/period.ts';
import type { Zone } from '../../domain/zone.ts';
import { beginDays, type DayFinder } from '../day-finder.ts';
import { safe } from '../exact.ts';
import type { LinkSummary, Paid } from './link-section.ts';

interface Sum {
  count: number;
  readonly amount: ExactSum;
}

export interface LinkCounts {
  readonly bounds: Bounds;
  readonly days: DayFinder;
  readonly byStatus: Record<PaymentStatus, number>;
  readonly total: Sum;
  readonly byOperator: Map<string, Sum>;
  readonly byCountry: Map<string, Sum>;
  readonly byDay: Map<string, Sum>;
}

/** Stands for an operator that the service does not name. */
export const UNNAMED_OPERATOR = '—';

export function beginLinks(bounds: Bounds, zone: Zone): LinkCounts {
  return {
    bounds,
    days: beginDays(bounds, zone),
    byStatus: { PENDING: 0, SUCCESS: 0, FAILED: 0 },
    total: nothing(),
    byOperator: new Map(),
    byCountry: new Map(),
    byDay: new Map(),
  };
}

/** Passes over a payment of another period. Each payment is taken once. */
export function takeLink(counts: LinkCounts, { createdAt, status, amount, operator, country }: Payment): void {
  if (createdAt < counts.bounds.start || createdAt >= counts.bounds.end) return;
  counts.byStatus[status] += 1;
  if (status !== 'SUCCESS') return;
  add(counts.total, amount);
  add(sumIn(counts.byOperator, operator ?? UNNAMED_OPERATOR), amount);
  add(sumIn(counts.byCountry, country), amount);
  add(sumIn(counts.byDay, counts.days.dayAt(createdAt).day), amount);
}

/** `currency`: where no payment says another. Throws `StatementRefused` where exactness ends. */
export function linkSummary(counts: LinkCounts, currency: string): LinkSummary {
  const { total, byOperator, byCountry, byDay, byStatus } = counts;
  return {
    population: 'PAYMENTS_BY_LINK',
    currency: currencyIn([...byCountry.keys()], currency),
    totalAmount: paidOf(total).amount,
    paymentCount: total.count,
    byOperator: rowsOf(byOperator).map(([operator, paid]) => ({ operator, ...paid })),
    byCountry: rowsOf(byCountry).map(([country, paid]) => ({ country, ...paid })),
    byDay: rowsOf(byDay).map(([day, paid]) => ({ day, ...paid })),
    byStatus,
  };
}

function currencyIn(countries: readonly string[], otherwise: string): string {
  const currencies = [...new Set(countries.map((country) => currencyOf(country) ?? otherwise))].sort();
  if (currencies.join() === 'XAF,XOF') return 'FCFA';
  return currencies.length === 0 ? otherwise : currencies.join(' + ');
}

function rowsOf(sums: ReadonlyMap<string, Sum>): readonly (readonly [string, Paid])[] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => [name, paidOf(sum)]);
}

function paidOf({ count, amount }: Sum): Paid {
  return { count, amount: safe(totalOf(amount)) };
}

function sumIn(sums: Map<string, Sum>, name: string): Sum {
  const known = sums.get(name) ?? nothing();
  sums.set(name, known);
  return known;
}

function nothing(): Sum {
  return { count: 0, amount: emptySum() };
}

function add(sum: Sum, amount: Amount): void {
  sum.count += 1;
  addTo(sum.amount, amount);
}
