// Which of the published reports can be compared with payments: of each month that has ended, the newest one that is READY,
// has a summary and was made by the instant judged. Every month that is left out is said, with the reason.

import { formatInstant, type Instant } from '../../domain/instant.ts';
import { boundsOfReport, type ServiceReport, type Summary } from '../../domain/service-report.ts';
import type { NotChecked, Reason } from '../../domain/snapshot.ts';
import { compareSummaries } from './compare-summaries.ts';
import { placeOfReport } from './report-summary.ts';

export interface ChosenReports {
  /** One a month, newest month first. */
  readonly reports: readonly ServiceReport[];
  readonly notes: readonly NotChecked[];
}

/** `most`: at most so many months, the newest; null: all. */
export function chooseReports(
  published: readonly ServiceReport[],
  { asOf, most }: { readonly asOf: Instant; readonly most: number | null },
): ChosenReports {
  const periods = [...new Set(published.map(({ period }) => period))].sort().reverse();
  if (periods.length === 0)
    return { reports: [], notes: [note('reports', { why: 'none is published', code: 'REPORTS_NONE' })] };
  const within = periods.slice(0, most ?? periods.length);
  const reports: ServiceReport[] = [];
  const notes: NotChecked[] = [];
  for (const period of within) {
    const what = placeOfReport(period);
    const ofPeriod = published.filter((report) => report.period === period);
    const newest = newestReady(ofPeriod.filter((report) => isMadeBy(asOf, report)));
    const why = newest === null ? reasonIn(ofPeriod) : reasonAgainst(newest, asOf);
    if (why !== null) {
      notes.push(note(what, why));
      continue;
    }
    reports.push(newest!);
    if (isContradicted(newest!, ofPeriod)) notes.push({ what, ...contradiction(newest!), incomplete: true });
  }
  const older = periods.length - within.length;
  if (older > 0) {
    const why = `${older} older months are not compared again`;
    notes.push(note(`reports before ${within.at(-1)}`, { why, code: 'REPORTS_OLDER', figures: { count: older } }));
  }
  return { reports, notes };
}

/** A report generated again takes the place of the one before. */
export function newestReady(reports: readonly ServiceReport[]): ServiceReport | null {
  const ready = reports.filter(({ status }) => status === 'READY');
  const at = (report: ServiceReport): number => report.generatedAt ?? Number.NEGATIVE_INFINITY;
  return ready.reduce<ServiceReport | null>((best, one) => (best === null || at(one) > at(best) ? one : best), null);
}

/** One without an instant may have been made at any time. */
function isMadeBy(asOf: Instant, { generatedAt }: ServiceReport): boolean {
  return generatedAt === null || generatedAt <= asOf;
}

/** Another one claims to be the newest as well, and states something else. */
function isContradicted(chosen: ServiceReport, ofPeriod: readonly ServiceReport[]): boolean {
  const rivals = ofPeriod.filter(
    (report) =>
      report.status === 'READY' && report.generatedAt === chosen.generatedAt && !countsWalletOperations(report),
  );
  return chosen.generatedAt !== null && rivals.some(({ summary }) => !isAlike(summary ?? {}, chosen.summary!));
}

function isAlike(one: Summary, other: Summary): boolean {
  const { differences, onlyInService, onlyInOurs } = compareSummaries(one, other);
  return differences.length + onlyInService.length + onlyInOurs.length === 0;
}

function contradiction({ generatedAt }: ServiceReport): Reason {
  const at = formatInstant(generatedAt!);
  const why = `several READY reports made at ${at} state different figures; the one served first was compared`;
  return { why, code: 'REPORT_CONTRADICTED', figures: { at } };
}

/** Why none of a month's reports counts: none is READY, or those that are were made after the instant judged. */
export function reasonIn(reports: readonly ServiceReport[]): Reason {
  const made = newestReady(reports)?.generatedAt;
  if (made !== undefined && made !== null) {
    const at = formatInstant(made);
    return { why: `it was made only at ${at}`, code: 'REPORT_LATER', figures: { at } };
  }
  const failed = reports.find(({ status }) => status === 'FAILED');
  if (failed === undefined) return { why: 'it is not generated yet (PENDING)', code: 'REPORT_PENDING' };
  const reason = failed.error?.slice(0, 200) ?? null;
  const why = `its generation FAILED${reason === null ? '' : `: ${reason}`}`;
  return { why, code: 'REPORT_FAILED', figures: { reason } };
}

export const NO_SUMMARY: Reason = { why: 'it has no summary', code: 'REPORT_EMPTY' };

function reasonAgainst(report: ServiceReport, asOf: Instant): Reason | null {
  const { until } = boundsOfReport(report);
  if (report.summary === null) return NO_SUMMARY;
  if (until > asOf) {
    const at = formatInstant(until);
    return { why: `its month ends only at ${at}`, code: 'REPORT_MONTH_OPEN', figures: { at } };
  }
  if (!countsWalletOperations(report)) return null;
  return { why: 'it counts wallet operations, not payments by link', code: 'REPORT_OF_OPERATIONS' };
}

/** Said by the summary itself (`population`); one that does not say so counts payments by link. */
export function countsWalletOperations({ summary }: Pick<ServiceReport, 'summary'>): boolean {
  return summary?.population === 'WALLET_OPERATIONS';
}

function note(what: string, reason: Reason): NotChecked {
  return { what, ...reason, incomplete: false };
}
