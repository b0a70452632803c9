// Reads a period's payments by link for its statement: their figures, beside the service's report of them, and what the service owes of
// them. Begins with the totals that the month before was issued with; where there are none, reads every payment since the first.

import { countsWalletOperations, newestReady } from '../../../core/checks/reports/choose-reports.ts';
import { beginPaymentTally, takePayment } from '../../../core/checks/reports/payment-tally.ts';
import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import { type Bounds, formatPeriod, periodBefore, type StatedPeriod } from '../../../core/domain/period.ts';
import type { DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { Payout } from '../../../core/domain/published/payout.ts';
import { type Kept, NOTHING_KEPT } from '../../../core/domain/published/payout-place.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import type { NotChecked } from '../../../core/domain/snapshot.ts';
import { type SummaryKeys, summaryKeysOf } from '../../../core/domain/summary-keys.ts';
import { feesToldIn } from '../../../core/reconcile/published/judge-payments.ts';
import {
  type LinkMoney,
  type LinkSection,
  type LinksRead,
  type LinkTotals,
  NO_MONEY,
  type PaidLink,
  type PaidOut,
} from '../../../core/statements/comparison.ts';
import type { MonthSettings } from '../../../core/statements/month-settings.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { beginLinks, compareLinks, linkSummary, takeLink } from '../../../core/statements/service/compare-links.ts';
import {
  type AccountReading,
  beginAccount,
  closeAccount,
  comparesBalance,
  isBookable,
  type PayoutsSeen,
  takeForAccount,
} from '../../../core/statements/service/link-account.ts';
import { paymentIn } from '../../../io/formats/bookkeeping/entry-changes.ts';
import { linesOf } from '../../../io/formats/read-back/read-back.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import { loadIssuedReport } from '../../../io/storage/issued/reports.ts';
import { loadPayouts } from '../../../io/storage/published/published-versions.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { loadClaims } from '../audit/kept-payments.ts';

/** `currency`: of the statement. */
export interface LinksWanted extends Pick<MonthSettings, 'bounds' | 'zone' | 'currency'> {
  /** The service's report of the month is of another period than this, and is not held against it. */
  readonly withoutReport: boolean;
  readonly payoutFees: MonthSettings['journal']['links']['payoutFees'];
  readonly now: Instant;
  readonly known: KnownLinks;
  /** Of the revision before: a list may lack older ones. */
  readonly issued: readonly PaidOut[];
}

/** What is known of payments by link before they are read. */
export interface KnownLinks {
  /** Up to the start of the period; null: they are to be read. */
  readonly opening: LinkTotals | null;
  readonly payouts: ReadonlyMap<string, readonly Kept<Payout>[]>;
  /** By notifications; null: unknown. */
  readonly feesOf: (payment: Payment) => string | null;
}

export const NOTHING_KNOWN: KnownLinks = { opening: null, payouts: NOTHING_KEPT.payouts, feesOf: () => null };

/** No place was read. */
export const NO_LINKS: LinksRead = { section: null, money: NO_MONEY, isKnown: false, unread: null };

/** `ofMonth`: what the service published of the month. Throws `SourceFailed`. */
export async function readLinks(
  snapshot: DashboardSnapshot,
  wanted: LinksWanted,
  published: { readonly ofMonth: readonly ServiceReport[]; readonly summaryKeys: SummaryKeys },
): Promise<LinksRead> {
  if (snapshot.absent.some(({ what }) => what === 'payments')) return NO_LINKS;
  const { bounds, zone, currency, now, known } = wanted;
  const report = wanted.withoutReport ? null : reportOfLinks(published.ofMonth);
  const tally = report === null ? null : beginPaymentTally(report);
  const counts = beginLinks(bounds, zone);
  const reading = beginAccount(bounds, known.opening, now);
  const isWhole = !isBookable(currency) || (await readOlder(snapshot, reading, wanted));
  const before = await figuresOf(snapshot);
  const from = Math.min(bounds.start, tally?.span.from ?? bounds.start);
  const last = comparesBalance(bounds, now) ? Math.max(bounds.end, now + DAY) : bounds.end;
  const until = Math.max(last, tally?.span.until ?? last);
  let unread = 0;
  for await (const { rows, rejected } of snapshot.payments({ from, until })) {
    unread += rejected.length;
    for (const payment of rows) {
      takeLink(counts, payment);
      if (payment.createdAt >= bounds.start) takeForAccount(reading, payment, known.feesOf(payment));
      if (tally !== null) takePayment(tally, payment);
    }
  }
  const seen = await endLook(snapshot, wanted, before);
  const summary = linkSummary(counts, currency);
  const isOther = !isBookable(currency) || !isBookable(summary.currency);
  const withoutAccount: LinkSection['withoutAccount'] = isOther ? 'currency' : isWhole ? null : 'older';
  const { account, money } = closeAccount(reading, { seen, payoutFees: wanted.payoutFees });
  const isEmpty = Object.values(summary.byStatus).every((count) => count === 0) && unread === 0 && tally === null;
  if (isEmpty && money.payouts.length === 0 && account.closing === 0)
    return { section: null, money: NO_MONEY, isKnown: true, unread: null };
  const keys = summaryKeysOf(published.summaryKeys);
  const comparison = tally === null ? null : compareLinks(tally, { keys, unread, ours: summary });
  const section = {
    summary,
    withoutAccount,
    account: withoutAccount === null ? account : null,
    payouts: money.payouts,
  };
  return {
    section: { ...section, unread, comparison },
    money: isOther ? NO_MONEY : money,
    isKnown: true,
    unread: null,
  };
}

/** No payment by link is older. */
const EARLIEST: Instant = Date.UTC(2000, 0, 1);

/** A service that does not give them all leaves the account unstated, and nothing else. */
async function readOlder(
  snapshot: DashboardSnapshot,
  reading: AccountReading,
  { bounds, known }: LinksWanted,
): Promise<boolean> {
  if (known.opening !== null) return true;
  try {
    for await (const { rows, rejected } of snapshot.payments({ from: EARLIEST, until: bounds.start })) {
      for (const payment of rows) takeForAccount(reading, payment, known.feesOf(payment));
      if (rejected.length > 0) return false;
    }
    return true;
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    return false;
  }
}

type Look = PayoutsSeen['read'];

async function figuresOf({ absent, payouts }: DashboardSnapshot): Promise<Look['before']> {
  const isAbsent = absent.some(({ what }) => what === 'payouts');
  const value = async <Value>(question: () => Promise<{ readonly value: Value | null }>): Promise<Value | null> =>
    isAbsent ? null : answerOf(question);
  return {
    limits: null,
    counters: await value(() => payouts.counters()),
    balance: await value(() => payouts.balance()),
  };
}

/** Null where it cannot be read: payments are stated without it. */
async function answerOf<Value>(question: () => Promise<{ readonly value: Value | null }>): Promise<Value | null> {
  try {
    return (await question()).value;
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    return null;
  }
}

async function endLook(
  snapshot: DashboardSnapshot,
  { now, known, issued }: LinksWanted,
  before: Look['before'],
): Promise<PayoutsSeen> {
  const isAbsent = snapshot.absent.some(({ what }) => what === 'payouts');
  const payouts = isAbsent ? null : await answerOf(() => snapshot.payouts.list());
  const after = await figuresOf(snapshot);
  return { read: { from: now, until: now, before, after, payouts }, kept: { payouts: known.payouts }, issued };
}

/** What the mirror knows of a merchant's payments by link at `now`: payouts, notified fees, and the totals that the month before was issued with. */
export async function knownLinks(
  store: Store,
  merchant: string,
  { period, bounds, now }: { readonly period: StatedPeriod; readonly bounds: Bounds; readonly now: Instant },
): Promise<KnownLinks> {
  const before = formatPeriod(periodBefore({ year: period.year, month: period.month ?? 1 }));
  const issued = await loadIssuedReport(store, { merchant, period: before });
  const section = (issued?.issued as IssuedStatement | null | undefined)?.paymentsByLink;
  const opening = issued?.periodEnd === bounds.start ? (section?.account?.perpetual ?? null) : null;
  const from = opening === null ? EARLIEST : bounds.start;
  const [{ payouts }, claims] = await Promise.all([
    loadPayouts(store, { merchant, at: now }),
    loadClaims(store, { merchant, from, at: now }),
  ]);
  return { opening, payouts, feesOf: feesToldIn(claims) };
}

/** What a month was issued with, out of the JSON form: its figures stand where payments cannot be read. */
export async function issuedMoney(section: LinkSection | null, file: AsyncIterable<Uint8Array>): Promise<LinkMoney> {
  const payments: PaidLink[] = [];
  for await (const text of linesOf(file)) {
    const row = paymentIn(text);
    if (row === null) continue;
    const { payment: reference, localTime: _, entries: __, ...paid } = row;
    payments.push({ reference, ...paid });
  }
  return { payments, payouts: section?.payouts ?? [] };
}

/** The report that counts, where it counts payments by link. */
function reportOfLinks(ofMonth: readonly ServiceReport[]): ServiceReport | null {
  const report = newestReady(ofMonth);
  return report === null || report.summary === null || countsWalletOperations(report) ? null : report;
}

export function linksUnread(why: string): LinksRead {
  const unread: NotChecked = {
    what: 'payments',
    why,
    incomplete: false,
    code: 'REPORTS_UNREACHABLE',
    figures: { reason: why },
  };
  return { section: null, money: NO_MONEY, isKnown: false, unread };
}
