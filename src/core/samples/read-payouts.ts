// The rows of a sample that say what a dashboard states of payouts, and of payments in all.
//
//   limits 200000 50000 150000 [compliance=APPROVED]      plafond consomme restant
//   counters 1 0 0                                        requestSuccess requestPending requestFailed
//   payout 1 SUCCESS 50000 [fees=500 at=+2h completed=+3h account=a1]   dated +1h for 1, unless given
//   balance 5700.00        settlement T0 06:00 UTC [last=+1d primary=false bankFixed=500]
//   fees 1 200                                            the fees of payment 1, as its notification told them
//   count all|2026-10 total success pending failed [amount]        flow 2026-10-01 count amount
//
// A row with seen=+2d is what an earlier look saw; of figures that the last look does not have, it sees what was seen last.

import { HOUR, type Instant } from '../domain/instant.ts';
import type {
  DisbursementCounters,
  LinkBalance,
  Payout,
  PayoutLimits,
  PayoutStatus,
  SettlementSettings,
} from '../domain/published/payout.ts';
import type { Kept, KeptPayouts, PayoutsRead } from '../domain/published/payout-place.ts';
import type { PaymentStatistics } from '../domain/published/statistics.ts';

export const PAYOUT_WORDS = ['limits', 'counters', 'payout', 'balance', 'settlement', 'fees', 'count', 'flow'];

export interface SamplePayouts {
  readonly read: PayoutsRead;
  readonly kept: KeptPayouts;
  /** By the reference of a payment. */
  readonly fees: ReadonlyMap<string, string>;
}

interface Time {
  readonly start: Instant;
  readonly asOf: Instant;
  readonly readInstant: (text: string) => Instant;
}

interface Row {
  readonly words: readonly string[];
  readonly extras: Readonly<Record<string, string>>;
  readonly seen: Instant | null;
}

/** Null where the sample says nothing of payouts. */
export function readPayouts(texts: readonly string[], time: Time): SamplePayouts | null {
  const rows = Map.groupBy(texts, (text) => text.split(' ')[0]!);
  if (!PAYOUT_WORDS.some((word) => rows.has(word))) return null;
  const of = (word: string): readonly Row[] => (rows.get(word) ?? []).map((text) => readRow(text, time));
  const figures = <Value>(word: string, read: (row: Row) => Value) => looksOf(of(word), read, time.asOf);
  const limits = figures('limits', readLimits);
  const counters = figures('counters', readCounters);
  const balance = figures('balance', ({ words }): LinkBalance => ({ balance: decimal(words[0]!) }));
  const settlement = figures('settlement', (row) => readSettlement(row, time));
  const payouts = of('payout').map((row) => ({ seen: row.seen, payout: readPayout(row, time) }));
  const now = payouts.filter(({ seen }) => seen === null).map(({ payout }) => payout);
  const earlier = payouts.flatMap(({ seen, payout }) => (seen === null ? [] : [{ at: seen, value: payout }]));
  const stated = { limits: limits.now, counters: counters.now, balance: balance.now };
  return {
    read: {
      from: time.asOf,
      until: time.asOf,
      before: stated,
      after: stated,
      payouts: rows.has('payout') ? now : null,
      accounts: null,
      settlement: settlement.now,
      statistics: readStatistics(of('count'), of('flow')),
    },
    kept: {
      limits: limits.kept,
      counters: counters.kept,
      balance: balance.kept,
      settlement: settlement.kept,
      payouts: Map.groupBy(earlier, ({ value }) => value.id),
      totals: [],
    },
    fees: new Map(of('fees').map(({ words: [number, fees] }) => [`PAY${number!.padStart(6, '0')}`, fees!])),
  };
}

function readRow(text: string, { readInstant }: Time): Row {
  const all = text.split(/\s+/).slice(1);
  const pairs = all.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string]);
  const extras = Object.fromEntries(pairs);
  const { seen } = extras;
  return {
    words: all.filter((word) => !word.includes('=')),
    extras,
    seen: seen === undefined ? null : readInstant(seen),
  };
}

function looksOf<Value>(
  rows: readonly Row[],
  read: (row: Row) => Value,
  asOf: Instant,
): { readonly kept: readonly Kept<Value>[]; readonly now: Value | null } {
  const all = rows.map((row) => ({ at: row.seen ?? asOf, value: read(row) })).sort((a, b) => a.at - b.at);
  return { kept: all.filter(({ at }) => at < asOf), now: all.at(-1)?.value ?? null };
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

function readPayout({ words, extras }: Row, { start, readInstant }: Time): Payout {
  const [number, status, amount] = words;
  const createdAt = extras.at === undefined ? start + Number(number) * HOUR : readInstant(extras.at);
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
    completedAt: extras.completed === undefined ? ended : readInstant(extras.completed),
    failureReason: null,
  };
}

function readSettlement({ words, extras }: Row, { readInstant }: Time): SettlementSettings {
  const [mode, time, timezone] = words;
  return {
    mode: mode as SettlementSettings['mode'],
    time: time ?? null,
    timezone: timezone ?? null,
    lastSettlementAt: extras.last === undefined ? null : readInstant(extras.last),
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
    return { month: month!, total: total!, succeeded: succeeded!, pending: pending!, failed: failed!, amount };
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

/** As the decoder gives it: without trailing zeros. */
function decimal(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
