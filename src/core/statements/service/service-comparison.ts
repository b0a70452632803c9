// Compares the service's own report of a month with our statement of it, key by key. Only a report
// that says that it counts wallet operations is compared, because payments by link (PAY…) are
// another population and share no figure with ours.

import type { ServiceReport, Summary } from '../../domain/service-report.ts';
import {
  compareSummaries,
  countsWalletOperations,
  NO_SUMMARY,
  newestReady,
  reasonIn,
} from '../../kernel/checks/reports/choose-reports.ts';
import {
  cut,
  type LinkSection,
  notCompared,
  type ServiceComparison,
  type ServiceDocument,
} from '../comparison.ts';
import type { Statement } from '../statement.ts';
import type { StatementSummary } from '../summary.ts';

/**
 * `ofMonth` are the reports that the service published of the month, at least one. A result that
 * was not compared must never be shown as agreement.
 */
export function compareWithService(
  ofMonth: readonly ServiceReport[],
  ours: Omit<StatementSummary, 'revision'>,
): ServiceComparison {
  const report = newestReady(ofMonth);
  if (report === null) return notCompared(reasonIn(ofMonth));
  if (report.summary === null) return notCompared(NO_SUMMARY);
  if (!countsWalletOperations(report)) {
    return notCompared({
      why: 'it counts payments by link, not wallet operations',
      code: 'REPORT_OF_PAYMENTS',
    });
  }
  const figures = Object.fromEntries(
    Object.entries(ours).filter(([key]) => !NO_FIGURES.has(key)),
  ) as Summary;
  const [theirs, own] = [report.summary, figures].map(withoutBreakdownOfStates) as [
    Summary,
    Summary,
  ];
  const { differences, compared } = compareSummaries(theirs, own);
  if (compared === 0) {
    const why = 'none of the figures in its summary is in the statement';
    return notCompared({ why, code: 'REPORT_WITHOUT_COMMON' });
  }
  const shown = differences.map(({ key, service, ours }) => {
    return { key: cut(key), service: service && cut(service), ours: ours && cut(ours) };
  });
  return { notCompared: null, compared, differences: shown };
}

/**
 * Keys of the summary that are no figures of the month: they name the edition, or say which
 * population is counted.
 */
const NO_FIGURES: ReadonlySet<string> = new Set(['population', 'revision', 'chainHead']);

/**
 * Makes each state of operations a figure by itself. The service names states otherwise (our OPEN
 * is three of its states), so a state that only one side names says nothing. In a breakdown, a
 * member that one side lacks would count as 0.
 */
function withoutBreakdownOfStates(summary: Summary): Summary {
  const entries = Object.entries(summary).flatMap(([key, value]) => {
    const isStates =
      key.toLowerCase() === 'bystatus' && typeof value === 'object' && !Array.isArray(value);
    if (!isStates || value === null) return [[key, value] as const];
    return Object.entries(value).map(([state, count]) => [`${key}.${state}`, count] as const);
  });
  return Object.fromEntries(entries) as Summary;
}

// What the service itself says of a month, beside our statement of it.

export interface PublishedByService {
  /** Comparison with a report that counts wallet operations; `null` when there is none. */
  readonly report: ServiceComparison | null;
  readonly paymentsByLink: LinkSection | null;
  readonly document: ServiceDocument | null;
}

export function publishedByService({
  paymentsByLink,
  circumstances,
}: Statement): PublishedByService {
  const { serviceReport: report, serviceDocument: document } = circumstances;
  return { report, paymentsByLink, document };
}
