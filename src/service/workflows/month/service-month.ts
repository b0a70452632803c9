// What the service itself published of a merchant's month, as far as a statement needs it: its bounds, a comparison of its key
// figures with ours, payments by link, and the file of its report. A dashboard that cannot be read is said, and holds up nothing.

import { newestReady } from '../../../core/checks/reports/choose-reports.ts';
import { type Bounds, endOfReport, formatPeriod, type Period } from '../../../core/domain/period.ts';
import type { DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import type { Batch, RejectedRow } from '../../../core/domain/snapshot.ts';
import { type LinksRead, notCompared, type ServiceComparison } from '../../../core/statements/comparison.ts';
import { compareWithService } from '../../../core/statements/service/service-comparison.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import { SourceFailed } from '../../../io/sources/source.ts';
import type { Published } from '../audit/compare-published.ts';
import { type FetchedDocument, fetchDocument } from './service-document.ts';
import { type LinksWanted, linksUnread, readLinks } from './service-links.ts';

export interface ServiceMonth {
  /** As the service states them; null when it states none, or when what it states is not known. */
  readonly bounds: Bounds | null;
  /** The service could not be asked, or its answer could not be read: a month that was issued keeps its bounds. */
  readonly isUnknown: boolean;
  /** Null: the service publishes nothing of such a period. */
  compare(summary: Omit<StatementSummary, 'revision'>): ServiceComparison | null;
  /** Payments by link of the period, asked for anew. */
  links(wanted: LinksWanted): Promise<LinksRead>;
  /** The file behind the service's report; null where there is none. */
  document(): Promise<FetchedDocument | null>;
  close(): Promise<void>;
}

/** Null: the place does not know the merchant, or none was asked. */
export type AskServiceMonth = (merchant: string, period: Period) => Promise<ServiceMonth | null>;

/** Where there is no dashboard to ask. */
export const nothingPublished: AskServiceMonth = async () => null;

/** Asks for the reports of the merchant; for its payments and the file of a report when they are wanted. */
export function askServiceMonthAt({ dashboard, summaryKeys }: Omit<Published, 'months'>): AskServiceMonth {
  return async (merchant, period) => {
    const ask = async <T>(question: () => Promise<T>, otherwise: (why: string) => T): Promise<T> => {
      try {
        return await question();
      } catch (failure) {
        if (!(failure instanceof SourceFailed)) throw failure;
        return otherwise(`${dashboard.name}: ${failure.code}: ${failure.message}`);
      }
    };
    return ask(async () => {
      if (!(await dashboard.merchants()).includes(merchant)) return null;
      const snapshot = await dashboard.open(merchant);
      const read = await ask<Batch<ServiceReport> | string>(
        () => readReports(snapshot),
        (why) => why,
      );
      if (typeof read === 'string') {
        await snapshot.close();
        return unreachable(read);
      }
      const { rows, rejected } = read;
      const ofMonth = rows.filter((report) => report.period === formatPeriod(period));
      return {
        ...saidOf(ofMonth, rejected),
        links: (wanted) => ask(() => readLinks(snapshot, wanted, { ofMonth, summaryKeys }), linksUnread),
        document: () => fetchDocument(snapshot, ofMonth),
        close: () => snapshot.close(),
      };
    }, unreachable);
  };
}

/** A place that does not answer is asked nothing more. */
function unreachable(why: string): ServiceMonth {
  return { ...unknown(why), links: async () => linksUnread(why), document: async () => null, close: async () => {} };
}

/** What the service's reports say of a month. */
type Said = Pick<ServiceMonth, 'bounds' | 'isUnknown' | 'compare'>;

async function readReports(snapshot: DashboardSnapshot): Promise<Batch<ServiceReport>> {
  const isAbsent = snapshot.absent.some(({ what }) => what === 'reports');
  return isAbsent ? { rows: [], rejected: [] } : snapshot.reports();
}

function saidOf(ofMonth: readonly ServiceReport[], [refused]: readonly RejectedRow[]): Said {
  if (ofMonth.length > 0) {
    return { bounds: boundsIn(ofMonth), isUnknown: false, compare: (summary) => compareWithService(ofMonth, summary) };
  }
  // It may be the one of this month.
  if (refused !== undefined) return unknown(`a report could not be read: ${refused.place}: ${refused.reason}`);
  return { bounds: null, isUnknown: false, compare: () => null };
}

function unknown(why: string): Said {
  return {
    bounds: null,
    isUnknown: true,
    compare: () => notCompared({ why, code: 'REPORTS_UNREACHABLE', figures: { reason: why } }),
  };
}

/** Of the report that counts where it states both; else of whichever does, since the month is the same in all of them. */
function boundsIn(ofMonth: readonly ServiceReport[]): Bounds | null {
  const counting = newestReady(ofMonth);
  const inOrder = counting === null ? ofMonth : [counting, ...ofMonth];
  for (const { periodStart, periodEnd } of inOrder) {
    if (periodStart !== null && periodEnd !== null) return { start: periodStart, end: endOfReport(periodEnd) };
  }
  return null;
}
