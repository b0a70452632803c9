// The rows of a sample beside its ledger: payments by link, and monthly reports with their figures.
//
//   payment 1 SUCCESS 1000 [operator=wave country=CI order=42 at=+2d seen=+2d]
//     PAY000001, created one minute after the start unless `at` is given; with `seen`, the payment
//     as an earlier look saw it
//   notice 1 SUCCESS 1000 [at=+1h]
//     what a notification claimed about payment 1, received after an hour unless `at` is given
//   report 2026-10 totalAmount=1000 byOperator.wave.count=1 …
//     a READY report, generated two days after the month
//
// A figure is written key=value, with dots between the parts of a nested key.

import { DAY, HOUR, type Instant, MINUTE } from '../domain/instant.ts';
import type { Payment, PaymentStatus, ReceivedClaim } from '../domain/payment.ts';
import type {
  DisbursementCounters,
  LinkBalance,
  PaymentStatistics,
  Payout,
  PayoutLimits,
  PayoutStatus,
  SettlementSettings,
} from '../domain/published/payout.ts';
import type { Kept } from '../domain/published/payout-place.ts';
import { monthInUtc, type ServiceReport, type SummaryValue } from '../domain/service-report.ts';
import type { Published, PublishedPayouts } from '../kernel/reconcile-in-memory.ts';
import { instantIn, type Row, START } from './sample-row.ts';

export function readPublished(rows: readonly Row[], asOf: Instant): Published | null {
  const of = (wanted: string): readonly Row[] => rows.filter(({ word }) => word === wanted);
  const payouts = readPayouts(rows, asOf);
  const payments = versionsOf(of('payment'), readPayment);
  const reports = of('report').map(readReport);
  if (payouts === null && reports.length + payments.now.length + payments.earlier.length === 0)
    return null;
  const claims = of('notice').map(readClaim);
  return {
    payouts,
    payments: payments.now,
    kept: {
      versions: Map.groupBy(payments.earlier, ({ value }) => value.reference),
      claims: claims.length === 0 ? null : claims,
    },
    reports,
  };
}

/** Splits the values into those served now, and those that earlier looks saw. */
function versionsOf<Value>(rows: readonly Row[], read: (row: Row) => Value) {
  const all = rows.map((row) => ({ at: instantIn(row, 'seen', null), value: read(row) }));
  return {
    now: all.flatMap(({ at, value }) => (at === null ? [value] : [])),
    earlier: all.flatMap(({ at, value }): readonly Kept<Value>[] =>
      at === null ? [] : [{ at, value }],
    ),
  };
}

function paymentNamed(number: string): string {
  return `PAY${number.padStart(6, '0')}`;
}

function readPayment(row: Row): Payment {
  const { words, extras } = row;
  const [number, status, amount] = words;
  if (amount === undefined)
    throw new Error('a sample payment needs a number, a status and an amount');
  return {
    reference: paymentNamed(number!),
    amount: Number(amount),
    country: extras.country ?? 'CI',
    operator: extras.operator ?? 'wave',
    orderId: extras.order ?? null,
    status: status as PaymentStatus,
    createdAt: instantIn(row, 'at', START + Number(number) * MINUTE)!,
  };
}

function readClaim(row: Row): ReceivedClaim {
  const [number, status, amount] = row.words;
  return {
    reference: paymentNamed(number!),
    status: status as ReceivedClaim['status'],
    amount: amount === undefined ? null : Number(amount),
    fees: null,
    createdAt: START + Number(number) * MINUTE,
    receivedAt: instantIn(row, 'at', START + HOUR)!,
  };
}

function readReport({ words, extras }: Row): ServiceReport {
  const period = words[0];
  if (period === undefined) throw new Error('a sample report needs a month like 2026-10');
  const { from, until } = monthInUtc(period);
  return {
    id: `report-${period}`,
    period,
    periodLabel: null,
    periodStart: from,
    periodEnd: until - 1,
    status: 'READY',
    filename: null,
    fileUrl: null,
    fileSize: null,
    summary: nestedFigures(extras),
    error: null,
    generatedAt: until + 2 * DAY,
  };
}

/** Reads `byOperator.wave.count=1` as { byOperator: { wave: { count: '1' } } }. */
function nestedFigures(extras: Readonly<Record<string, string>>): Record<string, SummaryValue> {
  const root: Record<string, SummaryValue> = {};
  for (const [key, value] of Object.entries(extras)) {
    const parts = key.split('.');
    const last = parts.pop()!;
    let at = root;
    for (const part of parts) {
      at[part] ??= {};
      at = at[part] as Record<string, SummaryValue>;
    }
    at[last] = value;
  }
  return root;
}

// The rows of a sample for a dashboard's figures of payouts, and of all payments.
//
//   limits 200000 50000 150000 [compliance=APPROVED]          plafond, consomme, restant
//   counters 1 0 0                   requestSuccess, requestPending, requestFailed
//   payout 1 SUCCESS 50000 [fees=500 at=+2h completed=+3h account=a1]
//     payout n is created n hours after the start unless `at` is given
//   balance 5700.00
//   settlement T0 06:00 UTC [last=+1d primary=false bankFixed=500]
//   fees 1 200                       the fees of payment 1, as its notification states them
//   count all|2026-10 total success pending failed [amount]
//   flow 2026-10-01 count amount
//
// A row with seen=+2d is what an earlier look saw. If the last look has no row of a figure, it saw
// what was seen last.

const PAYOUT_WORDS = [
  'limits',
  'counters',
  'payout',
  'balance',
  'settlement',
  'fees',
  'count',
  'flow',
];
export const PUBLISHED_WORDS = ['payment', 'notice', 'report', ...PAYOUT_WORDS];

/** Returns `null` when the sample has no row about payouts. */
function readPayouts(rows: readonly Row[], asOf: Instant): PublishedPayouts | null {
  const of = (wanted: string): readonly Row[] => rows.filter(({ word }) => word === wanted);
  if (PAYOUT_WORDS.every((word) => of(word).length === 0)) return null;
  const figures = <Value>(word: string, read: (row: Row) => Value) => {
    const looks = of(word).map(
      (row): Kept<Value> => ({ at: instantIn(row, 'seen', asOf)!, value: read(row) }),
    );
    const all = looks.sort((a, b) => a.at - b.at);
    return { kept: all.filter(({ at }) => at < asOf), now: all.at(-1)?.value ?? null };
  };
  const limits = figures('limits', readLimits);
  const counters = figures('counters', readCounters);
  const balance = figures('balance', ({ words }): LinkBalance => ({ balance: decimal(words[0]!) }));
  const settlement = figures('settlement', readSettlement);
  const payouts = versionsOf(of('payout'), readPayout);
  const stated = { limits: limits.now, counters: counters.now, balance: balance.now };
  return {
    read: {
      from: asOf,
      until: asOf,
      before: stated,
      after: stated,
      payouts: payouts.now.length + payouts.earlier.length > 0 ? payouts.now : null,
      accounts: null,
      settlement: settlement.now,
      statistics: readStatistics(of('count'), of('flow')),
    },
    kept: {
      limits: limits.kept,
      counters: counters.kept,
      balance: balance.kept,
      settlement: settlement.kept,
      payouts: Map.groupBy(payouts.earlier, ({ value }) => value.id),
      totals: [],
    },
    fees: new Map(of('fees').map(({ words: [number, fees] }) => [paymentNamed(number!), fees!])),
  };
}

function readLimits({ words, extras }: Row): PayoutLimits {
  const [ceiling, used, remaining] = words.map(Number) as [number, number, number];
  const compliance = (extras.compliance ?? null) as PayoutLimits['compliance'];
  return { ceiling, used, remaining, compliance };
}

function readCounters({ words }: Row): DisbursementCounters {
  const [succeeded, pending, failed] = words.map(Number) as [number, number, number];
  return { succeeded, pending, failed };
}

function readPayout(row: Row): Payout {
  const { words, extras } = row;
  const [number, status, amount] = words;
  const createdAt = instantIn(row, 'at', START + Number(number) * HOUR)!;
  const ended = status === 'PENDING' ? null : createdAt + HOUR;
  return {
    id: `payout-${number}`,
    reference: null,
    amount: Number(amount),
    fees: extras.fees ?? null,
    status: status as PayoutStatus,
    mode: extras.mode ?? 'MANUAL',
    payoutAccountId: extras.account ?? 'account-1',
    accountType: 'MOBILE_MONEY',
    createdAt,
    completedAt: instantIn(row, 'completed', ended),
    failureReason: null,
  };
}

function readSettlement(row: Row): SettlementSettings {
  const { words, extras } = row;
  const [mode, time, timezone] = words;
  return {
    mode: mode as SettlementSettings['mode'],
    time: time ?? null,
    timezone: timezone ?? null,
    lastSettlementAt: instantIn(row, 'last', null),
    hasPrimaryAccount: extras.primary !== 'false',
    primaryAccountType: null,
    mobileMoneyRate: null,
    bankFixed: extras.bankFixed ?? null,
  };
}

function readStatistics(counts: readonly Row[], flow: readonly Row[]): PaymentStatistics | null {
  if (counts.length + flow.length === 0) return null;
  const read = counts.map(({ words: [month, ...figures] }) => {
    const [total, succeeded, pending, failed, amount = null] = figures.map(Number);
    return {
      month: month!,
      total: total!,
      succeeded: succeeded!,
      pending: pending!,
      failed: failed!,
      amount,
    };
  });
  return {
    counts: read.find(({ month }) => month === 'all') ?? null,
    months: read.filter(({ month }) => month !== 'all'),
    days: flow.map(({ words: [date, count, amount] }) => ({
      date: date!,
      count: Number(count),
      amount: Number(amount),
    })),
  };
}

/** Returns the text as the decoder would: without trailing zeros. */
const decimal = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
