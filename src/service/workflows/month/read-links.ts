// Reads a period's payments by link for its statement: their figures beside those of the service's
// report, and what the service owes for them. Begins with the totals that the month before was
// issued with; without such totals, reads every payment since the first.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import {
  type Bounds,
  formatPeriod,
  periodBefore,
  type StatedPeriod,
} from '../../../core/domain/period.ts';
import type { DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import {
  type Answered,
  type KeptPayouts,
  NOTHING_KEPT,
} from '../../../core/domain/published/payout-place.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import { type SummaryKeys, summaryKeysOf } from '../../../core/domain/summary-keys.ts';
import { allKnown, mayBeCut } from '../../../core/kernel/checks/payouts/payout-case.ts';
import {
  countsWalletOperations,
  newestReady,
} from '../../../core/kernel/checks/reports/choose-reports.ts';
import {
  beginPaymentTally,
  takePayment,
} from '../../../core/kernel/checks/reports/payment-tally.ts';
import { feesToldIn } from '../../../core/kernel/reconcile/published/judge-payments.ts';
import {
  type LinkMoney,
  type LinkSection,
  type LinksRead,
  NO_MONEY,
  type PaidLink,
} from '../../../core/statements/comparison.ts';
import type { MonthSettings } from '../../../core/statements/month-settings.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { compareLinks, linkSummary } from '../../../core/statements/service/compare-links.ts';
import {
  beginLinks,
  closeAccount,
  isBookable,
  takeLink,
} from '../../../core/statements/service/link-account.ts';
import { paymentIn } from '../../../io/formats/bookkeeping/entry-changes.ts';
import { linesOf } from '../../../io/formats/read-back/read-back.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import { loadClosedMonths } from '../../../io/storage/issued/month-lock.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { loadIssuedReport } from '../../../io/storage/issued/reports.ts';
import { loadPayouts } from '../../../io/storage/published/published-versions.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { loadClaims } from '../audit/kept-payments.ts';

/** What to read. `currency` is that of the statement. */
export interface LinksWanted extends Pick<MonthSettings, 'bounds' | 'zone' | 'currency'> {
  /** True when the service's report must not be compared, because it covers another period. */
  readonly withoutReport: boolean;
  readonly now: Instant;
  readonly known: KnownLinks;
}

type KnownBefore = Parameters<typeof beginLinks>[1];

/** What is known about payments by link before they are read. */
export interface KnownLinks extends KnownBefore {
  /** Payments are read from this instant on. */
  readonly from: Instant;
  /** The payouts that earlier looks have seen. */
  readonly payouts: KeptPayouts['payouts'];
  /** Returns the fees of a payment as notifications gave them; `null` when they are unknown. */
  readonly feesOf: (payment: Payment) => string | null;
}

/** No payment by link is older than this. */
export const EARLIEST: Instant = Date.UTC(2000, 0, 1);

export const NOTHING_KNOWN: KnownLinks = {
  ...{ opening: null, from: EARLIEST, isClosed: false, isLate: () => false },
  ...{ payouts: NOTHING_KEPT.payouts, feesOf: () => null },
};

/** The result when there was no place to read payments from. */
export const NO_LINKS: LinksRead = { section: null, money: NO_MONEY, isKnown: false, notRead: [] };

/**
 * Reads the payments of a snapshot and sums them up. `ofMonth` holds the service's reports of the
 * month. Throws `SourceFailed`.
 */
export async function readLinks(
  snapshot: DashboardSnapshot,
  wanted: LinksWanted,
  published: { readonly ofMonth: readonly ServiceReport[]; readonly summaryKeys: SummaryKeys },
): Promise<LinksRead> {
  const isAbsent = (part: string): boolean => snapshot.absent.some(({ what }) => what === part);
  if (isAbsent('payments')) return NO_LINKS;
  const { bounds, zone, currency, now, known } = wanted;
  const report = wanted.withoutReport ? null : reportOfLinks(published.ofMonth);
  const tally = report === null ? null : beginPaymentTally(report);
  const reading = beginLinks(bounds, known);
  const isRecent = now < bounds.end + LOOKED_BACK;
  const place = isAbsent('payouts') ? null : snapshot.payouts;
  const balance = isRecent ? await answerOf(place?.balance) : null;
  const first = isBookable(currency) ? known.from : bounds.start;
  const from = Math.min(first, tally?.span.from ?? first);
  const until = Math.max(
    isRecent ? now + DAY : bounds.end,
    bounds.end,
    tally?.span.until ?? bounds.end,
  );
  let unread = 0;
  for await (const { rows, rejected } of snapshot.payments({ from, until })) {
    unread += rejected.length;
    for (const payment of rows) {
      takeLink(reading, payment, known.feesOf(payment));
      if (tally !== null) takePayment(tally, payment);
    }
  }
  const list = await answerOf(place?.list);
  const listed = list?.value ?? null;
  const payouts = allKnown(list?.readable ?? listed ?? [], known.payouts);
  const isWhole = listed !== null && !mayBeCut(listed);
  const look = { payouts, isWhole, balance: balance?.value?.balance ?? null, at: now };
  const notRead = [
    ...refusedRows('refused rows of reports and payments', unread),
    ...refusedRows('refused rows of payouts', list?.rejected.length ?? 0),
  ];
  const { account, money } = closeAccount(reading, look);
  const summary = linkSummary(reading, zone, currency);
  const isEmpty =
    Object.values(summary.byStatus).every((count) => count === 0) && unread === 0 && tally === null;
  const isBooked = isBookable(currency) && isBookable(summary.currency);
  const { perpetual, collected, paidOut } = account;
  const isFirst = perpetual.collected === collected && perpetual.paidOut === paidOut;
  const earlier =
    !isBooked || isFirst ? undefined : (of: Bounds) => readMoney(snapshot, of, { known, ...look });
  const read = { isKnown: true, notRead, earlier };
  if (isEmpty && account.closing === 0 && money.payments.length + money.payouts.length === 0)
    return { ...read, section: null, money: NO_MONEY };
  const keys = summaryKeysOf(published.summaryKeys);
  const comparison = tally === null ? null : compareLinks(tally, { keys, unread, ours: summary });
  const own = {
    summary,
    account: isBooked ? account : null,
    payouts: money.payouts,
    unread,
    comparison,
  };
  return { ...read, section: own, money: isBooked ? money : NO_MONEY };
}

/** Notes rows that were refused, in the words of the audit. */
function refusedRows(what: string, count: number): LinksRead['notRead'] {
  const why = `${count} rows could not be read exactly`;
  return count === 0
    ? []
    : [{ what, why, incomplete: true, code: 'PUBLISHED_ROWS_REFUSED', figures: { count } }];
}

async function readMoney(
  snapshot: DashboardSnapshot,
  bounds: Bounds,
  { known, ...look }: Pick<LinksWanted, 'known'> & Parameters<typeof closeAccount>[1],
): Promise<LinkMoney> {
  const reading = beginLinks(bounds, NOTHING_KNOWN);
  for await (const { rows } of snapshot.payments({ from: bounds.start, until: bounds.end }))
    for (const payment of rows) takeLink(reading, payment, known.feesOf(payment));
  return closeAccount(reading, look).money;
}

/**
 * How long after a period's end payments up to now are read as well, so that the service's balance
 * can be compared with all of them. For older periods the balance is not read.
 */
const LOOKED_BACK = 62 * DAY;

/**
 * Returns the answer; `null` when the place has none or the request fails: the payments are then
 * stated without it.
 */
async function answerOf<Value>(
  ask: (() => Promise<Answered<Value>>) | undefined,
): Promise<Answered<Value> | null> {
  try {
    return (await ask?.()) ?? null;
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    return null;
  }
}

/**
 * Loads what the mirror knows about a merchant's payments by link: payouts, fees from
 * notifications, and the totals that the month before was issued with.
 */
export async function knownLinks(
  store: Store,
  merchant: string,
  { period, bounds, now }: Pick<LinksWanted, 'bounds' | 'now'> & { readonly period: StatedPeriod },
): Promise<KnownLinks> {
  // A year has no totals to begin with: its statement carries every earlier payment one by one.
  const before = period.month === null ? null : formatPeriod(periodBefore(period));
  const report =
    before === null ? null : await loadIssuedReport(store, { merchant, period: before });
  const section =
    report?.periodEnd === bounds.start ? (report.issued as IssuedStatement).paymentsByLink : null;
  const opening = section?.account?.perpetual ?? null;
  const isClosed =
    opening !== null &&
    (await loadClosedMonths(store, merchant)).some((one) => one.period === before);
  const issued =
    opening === null
      ? NO_MONEY
      : await issuedMoney(section!, readReportFile(store, report!, 'json'));
  const names = new Set([
    ...issued.payments.map((one) => one.reference),
    ...issued.payouts.map((one) => one.id),
  ]);
  const from = opening === null ? EARLIEST : report!.periodStart;
  const claims = await loadClaims(store, { merchant, from, at: now });
  const { payouts } = await loadPayouts(store, { merchant, at: now });
  const isLate = (at: Instant, name: string): boolean => at >= from && !names.has(name);
  return { opening, from, isClosed, isLate, payouts, feesOf: feesToldIn(claims) };
}

/** Reads the payments and payouts that a month was issued with from its JSON form. */
export async function issuedMoney(
  section: LinkSection,
  file: AsyncIterable<Uint8Array>,
): Promise<LinkMoney> {
  const payments: PaidLink[] = [];
  for await (const text of linesOf(file)) {
    const {
      payment: reference,
      localTime: _,
      entries: __,
      ...paid
    } = paymentIn(text) ?? { payment: null };
    if (reference !== null) payments.push({ reference, ...(paid as Omit<PaidLink, 'reference'>) });
  }
  return { payments, payouts: section.payouts, before: section.account?.before };
}

/** Returns the newest READY report of the month if it counts payments by link, otherwise `null`. */
function reportOfLinks(ofMonth: readonly ServiceReport[]): ServiceReport | null {
  const report = newestReady(ofMonth);
  return report === null || report.summary === null || countsWalletOperations(report)
    ? null
    : report;
}

export function linksUnread(why: string): LinksRead {
  const reason = { why, code: 'REPORTS_UNREACHABLE', figures: { reason: why } } as const;
  return { ...NO_LINKS, notRead: [{ what: 'payments', incomplete: false, ...reason }] };
}
