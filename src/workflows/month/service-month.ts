// What the service itself published of a merchant's month, as far as a statement needs it: its bounds, and a comparison
// of its key figures with ours. A dashboard that cannot be read is said, and holds up no statement.

import { newestReady } from '../../checks/reports/choose-reports.ts';
import type { Dashboard } from '../../domain/dashboard-snapshot.ts';
import { type Bounds, endOfReport, formatPeriod, type Period } from '../../domain/period.ts';
import type { ServiceReport } from '../../domain/service-report.ts';
import type { Batch } from '../../domain/snapshot.ts';
import { SourceFailed } from '../../sources/source.ts';
import { compareWithService, notCompared, type ServiceComparison } from '../../statements/service-comparison.ts';
import type { StatementSummary } from '../../statements/summary.ts';

export interface ServiceMonth {
  /** As the service states them; null when it states none, or when what it states is not known. */
  readonly bounds: Bounds | null;
  /** The service could not be asked, or its answer could not be read: a month that was issued keeps its bounds. */
  readonly isUnknown: boolean;
  /** Null: the service publishes nothing of such a period. */
  compare(summary: Omit<StatementSummary, 'revision'>): ServiceComparison | null;
}

/** Null: the service published nothing of that month, or it was not asked. */
export type AskServiceMonth = (merchant: string, period: Period) => Promise<ServiceMonth | null>;

/** Where there is no dashboard to ask. */
export const nothingPublished: AskServiceMonth = async () => null;

/** Asks for the reports of the merchant, and nothing else. */
export function askServiceMonthAt(dashboard: Dashboard): AskServiceMonth {
  return async (merchant, period) => {
    try {
      const published = await readReports(dashboard, merchant);
      return published === null ? null : serviceMonthOf(published, formatPeriod(period));
    } catch (failure) {
      if (!(failure instanceof SourceFailed)) throw failure;
      return unknown(`${dashboard.name}: ${failure.code}: ${failure.message}`);
    }
  };
}

async function readReports(dashboard: Dashboard, merchant: string): Promise<Batch<ServiceReport> | null> {
  if (!(await dashboard.merchants()).includes(merchant)) return null;
  const snapshot = await dashboard.open(merchant);
  try {
    if (snapshot.absent.some(({ what }) => what === 'reports')) return null;
    return await snapshot.reports();
  } finally {
    await snapshot.close();
  }
}

function serviceMonthOf({ rows, rejected }: Batch<ServiceReport>, period: string): ServiceMonth | null {
  const ofMonth = rows.filter((report) => report.period === period);
  const [refused] = rejected;
  if (ofMonth.length > 0) {
    return { bounds: boundsIn(ofMonth), isUnknown: false, compare: (summary) => compareWithService(ofMonth, summary) };
  }
  // It may be the one of this month.
  return refused === undefined ? null : unknown(`a report could not be read: ${refused.place}: ${refused.reason}`);
}

function unknown(why: string): ServiceMonth {
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
