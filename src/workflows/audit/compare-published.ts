// Reads what a service published of a merchant beside the ledger and compares reports with payments. A
// dashboard that cannot be read makes the verdict incomplete and holds up nothing else.

import { type ChosenReports, chooseReports } from '../../checks/reports/choose-reports.ts';
import type { Dashboard, DashboardSnapshot } from '../../domain/dashboard-snapshot.ts';
import type { Instant } from '../../domain/instant.ts';
import type { NotChecked, RejectedRow } from '../../domain/snapshot.ts';
import type { SummaryKeys } from '../../domain/summary-keys.ts';
import {
  beginComparison,
  type ComparedReports,
  concludeComparison,
  spanWanted,
  takePayments,
} from '../../reconcile/compare-reports.ts';
import { SourceFailed } from '../../sources/source.ts';

export interface Published {
  readonly dashboard: Dashboard;
  /** At most so many months, the newest; null: all. */
  readonly months: number | null;
  /** Of the summaries of its reports, over the defaults. */
  readonly summaryKeys: SummaryKeys;
}

/** Null when the place holds no reports of this merchant: then the reading itself says what is absent. */
export async function comparePublished(
  { dashboard, months, summaryKeys }: Published,
  judged: { readonly merchant: string; readonly asOf: Instant },
): Promise<ComparedReports | null> {
  const { merchant, asOf } = judged;
  try {
    if (!(await dashboard.merchants()).includes(merchant)) return null;
    const snapshot = await dashboard.open(merchant);
    try {
      if (snapshot.absent.some(({ what }) => what === 'reports')) return null;
      const { rows, rejected } = await snapshot.reports();
      return await compareChosen(snapshot, chooseReports(rows, { asOf, most: months }), { rejected, summaryKeys });
    } finally {
      await snapshot.close();
    }
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const why = `${dashboard.name}: ${failure.code}: ${failure.message}`;
    const note: NotChecked = {
      what: 'reports',
      why,
      incomplete: true,
      code: 'REPORTS_UNREACHABLE',
      figures: { reason: why },
    };
    return { drafts: [], rejected: [], judgedPeriods: [], notChecked: [note] };
  }
}

async function compareChosen(
  snapshot: DashboardSnapshot,
  chosen: ChosenReports,
  { rejected, summaryKeys }: Pick<Published, 'summaryKeys'> & { readonly rejected: readonly RejectedRow[] },
): Promise<ComparedReports> {
  const without = snapshot.absent.find(({ what }) => what === 'payments');
  const comparison = beginComparison(without === undefined ? chosen : unpaid(chosen, without), rejected, summaryKeys);
  const span = spanWanted(comparison);
  if (span !== null) {
    for await (const batch of snapshot.payments(span)) takePayments(comparison, batch);
  }
  return concludeComparison(comparison);
}

/** No report can be compared without payments: each is named. */
function unpaid({ reports, notes }: ChosenReports, without: NotChecked): ChosenReports {
  const why = `there are no payments to compare it with (${without.why})`;
  return {
    reports: [],
    notes: [
      ...notes,
      ...reports.map(
        ({ period }): NotChecked => ({
          what: `report ${period}`,
          why,
          incomplete: false,
          code: 'REPORT_WITHOUT_PAYMENTS',
        }),
      ),
      without,
    ],
  };
}
