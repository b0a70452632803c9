// Which of the published reports can be compared with payments: of each month that has ended, the newest one that is READY,
// has a summary and was made by the instant judged. Every month that is left out is said, with the reason.

import { formatInstant, type Instant } from '../../domain/instant.ts';
import { boundsOfReport, type ServiceReport, type Summary } from '../../domain/service-report.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
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
  if (periods.length === 0) return { reports: [], notes: [note('reports', 'none is published')] };
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
    if (isContradicted(newest!, ofPeriod)) notes.push({ what, why: contradiction(newest!), incomplete: true });
  }
  const older = periods.length - within.length;
  if (older > 0) notes.push(note(`reports before ${within.at(-1)}`, `${older} older months are not compared again`));
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

function contradiction({ generatedAt }: ServiceReport): string {
  const at = formatInstant(generatedAt!);
  return `several READY reports made at ${at} state different figures; the one served first was compared`;
}

/** Why none of a month's reports counts: none is READY, or those that are were made after the instant judged. */
export function reasonIn(reports: readonly ServiceReport[]): string {
  const made = newestReady(reports)?.generatedAt;
  if (made !== undefined && made !== null) return `it was made only at ${formatInstant(made)}`;
  const failed = reports.find(({ status }) => status === 'FAILED');
  if (failed === undefined) return 'it is not generated yet (PENDING)';
  return `its generation FAILED${failed.error === null ? '' : `: ${failed.error.slice(0, 200)}`}`;
}

function reasonAgainst(report: ServiceReport, asOf: Instant): string | null {
  const { until } = boundsOfReport(report);
  if (report.summary === null) return 'it has no summary';
  if (until > asOf) return `its month ends only at ${formatInstant(until)}`;
  return countsWalletOperations(report) ? 'it counts wallet operations, not payments by link' : null;
}

/** Said by the summary itself (`population`); one that does not say so counts payments by link. */
export function countsWalletOperations({ summary }: Pick<ServiceReport, 'summary'>): boolean {
  return summary?.population === 'WALLET_OPERATIONS';
}

function note(what: string, why: string): NotChecked {
  return { what, why, incomplete: false };
}
