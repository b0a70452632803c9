// A period's payments by link as the service lists them now, counted, and held against its report of the month. Payments that
// cannot be read are said, and hold up no statement.

import { countsWalletOperations, newestReady } from '../../../core/checks/reports/choose-reports.ts';
import { beginPaymentTally, takePayment } from '../../../core/checks/reports/payment-tally.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type { DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import type { NotChecked } from '../../../core/domain/snapshot.ts';
import { type SummaryKeys, summaryKeysOf } from '../../../core/domain/summary-keys.ts';
import type { Zone } from '../../../core/domain/zone.ts';
import type { LinksRead } from '../../../core/statements/comparison.ts';
import { beginLinks, compareLinks, linkSummary, takeLink } from '../../../core/statements/service/compare-links.ts';

export interface LinksWanted {
  readonly bounds: Bounds;
  readonly zone: Zone;
  /** Of the statement. */
  readonly currency: string;
  /** The service's report of the month is of another period than this, and is not held against it. */
  readonly withoutReport: boolean;
}

/** Nobody was asked. */
export const NO_LINKS: LinksRead = { section: null, isKnown: false, unread: null };

/** `ofMonth`: what the service published of the month. Throws `SourceFailed`. */
export async function readLinks(
  snapshot: DashboardSnapshot,
  { bounds, zone, currency, withoutReport }: LinksWanted,
  published: { readonly ofMonth: readonly ServiceReport[]; readonly summaryKeys: SummaryKeys },
): Promise<LinksRead> {
  if (snapshot.absent.some(({ what }) => what === 'payments')) return NO_LINKS;
  const report = withoutReport ? null : reportOfLinks(published.ofMonth);
  const tally = report === null ? null : beginPaymentTally(report);
  const counts = beginLinks(bounds, zone);
  const from = Math.min(bounds.start, tally?.span.from ?? bounds.start);
  const until = Math.max(bounds.end, tally?.span.until ?? bounds.end);
  let unread = 0;
  for await (const { rows, rejected } of snapshot.payments({ from, until })) {
    unread += rejected.length;
    for (const payment of rows) {
      takeLink(counts, payment);
      if (tally !== null) takePayment(tally, payment);
    }
  }
  const summary = linkSummary(counts, currency);
  const isEmpty = Object.values(summary.byStatus).every((count) => count === 0) && unread === 0 && tally === null;
  if (isEmpty) return { section: null, isKnown: true, unread: null };
  const keys = summaryKeysOf(published.summaryKeys);
  const comparison = tally === null ? null : compareLinks(tally, { keys, unread, ours: summary });
  return { section: { summary, unread, comparison }, isKnown: true, unread: null };
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
  return { section: null, isKnown: false, unread };
}
