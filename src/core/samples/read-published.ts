// The rows of a sample that stand beside its ledger: payments by link, and monthly reports with their figures.
//
//   payment 1 SUCCESS 1000 [operator=wave country=CI at=+2d]     PAY000001, dated +1m unless given
//     order=42: its order; seen=+2d: as an earlier look saw it
//   told 1 SUCCESS 1000 [at=+1h]                           what a notification said of payment 1, come at +1h unless given
//   report 2026-10 totalAmount=1000 byOperator.wave.count=1 …    READY, made two days after the month
//
// A figure is written key=value, parts of a key with dots between; instants as in `read-sample.ts`.

import { DAY, HOUR, type Instant, MINUTE } from '../domain/instant.ts';
import type { Payment, PaymentStatus, ReceivedClaim } from '../domain/payment.ts';
import type { KeptPayments } from '../domain/published/kept-payments.ts';
import { monthInUtc, type ServiceReport, type SummaryValue } from '../domain/service-report.ts';
import { readPayouts, type SamplePayouts } from './read-payouts.ts';

export interface Published {
  readonly reports: readonly ServiceReport[];
  readonly payments: readonly Payment[];
  readonly kept: KeptPayments;
  readonly payouts: SamplePayouts | null;
}

interface Time {
  readonly start: Instant;
  readonly asOf: Instant;
  readonly readInstant: (text: string) => Instant;
}

export function readPublished(rows: readonly string[], time: Time): Published | null {
  const of = (word: string): string[] => rows.filter((row) => row.split(' ')[0] === word);
  const payouts = readPayouts(rows, time);
  const payments = of('payment').map((row) => ({ seen: seenIn(row, time), payment: readPayment(row, time) }));
  if (payouts === null && of('report').length + payments.length === 0) return null;
  const earlier = payments.flatMap(({ seen, payment }) => (seen === null ? [] : [{ at: seen, value: payment }]));
  const claims = of('told').map((row) => readClaim(row, time));
  return {
    payouts,
    payments: payments.flatMap(({ seen, payment }) => (seen === null ? [payment] : [])),
    kept: {
      versions: Map.groupBy(earlier, ({ value }) => value.reference),
      claims: claims.length === 0 ? null : claims,
    },
    reports: of('report').map(readReport),
  };
}

function wordsOf(row: string): {
  readonly words: readonly string[];
  readonly extras: Readonly<Record<string, string>>;
} {
  const all = row.split(/\s+/).slice(1);
  const extras = all.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string]);
  return { words: all.filter((word) => !word.includes('=')), extras: Object.fromEntries(extras) };
}

function readPayment(row: string, { start, readInstant }: Time): Payment {
  const { words, extras } = wordsOf(row);
  const [number, status, amount] = words;
  if (amount === undefined) throw new Error(`a sample payment needs a number, a status and an amount: '${row}'`);
  return {
    reference: `PAY${number!.padStart(6, '0')}`,
    amount: Number(amount),
    country: extras.country ?? 'CI',
    operator: extras.operator ?? 'wave',
    orderId: extras.order ?? null,
    status: status as PaymentStatus,
    createdAt: extras.at === undefined ? start + Number(number) * MINUTE : readInstant(extras.at),
  };
}

function seenIn(row: string, { readInstant }: Time): Instant | null {
  const { seen } = wordsOf(row).extras;
  return seen === undefined ? null : readInstant(seen);
}

function readClaim(row: string, { start, readInstant }: Time): ReceivedClaim {
  const { words, extras } = wordsOf(row);
  const [number, status, amount] = words;
  const createdAt = start + Number(number) * MINUTE;
  return {
    reference: `PAY${number!.padStart(6, '0')}`,
    status: status as ReceivedClaim['status'],
    amount: amount === undefined ? null : Number(amount),
    fees: null,
    createdAt,
    receivedAt: extras.at === undefined ? start + HOUR : readInstant(extras.at),
  };
}

function readReport(row: string): ServiceReport {
  const { words, extras } = wordsOf(row);
  const period = words[0];
  if (period === undefined) throw new Error(`a sample report needs a month like 2026-10: '${row}'`);
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

/** `byOperator.wave.count=1` → { byOperator: { wave: { count: '1' } } }. */
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
