// Which findings of a run are reported to people: confirmed roots that are new or back, worst first. Leaves out
// provisional findings and followers.

import { type AuditReport, type Finding, SEVERITIES, type Severity } from '../finding.ts';
import type { ReportedFinding } from './delivery.ts';

/** More are not reported one by one: a reader of twenty will open the report. */
const MOST_REPORTED = 20;

export interface ReportedFindings {
  readonly findings: readonly ReportedFinding[];
  /** How many more there are than `findings` holds. */
  readonly more: number;
}

/** `news`: fingerprints that are new or back. `least`: the least severity that is reported. Null: nothing is to be reported. */
export function chooseReported(
  report: AuditReport,
  { news, least }: { readonly news: readonly string[]; readonly least: Severity },
): ReportedFindings | null {
  const fresh = new Set(news);
  const isReported = ({ fingerprint, status, causedBy, severity }: Finding): boolean =>
    status === 'confirmed' && causedBy === null && fresh.has(fingerprint) && rankOf(severity) <= rankOf(least);
  const chosen = report.findings.filter(isReported).toSorted((a, b) => rankOf(a.severity) - rankOf(b.severity));
  if (chosen.length === 0) return null;
  const findings = chosen
    .slice(0, MOST_REPORTED)
    .map(({ fingerprint, kind, severity, message, figures }) => ({ fingerprint, kind, severity, message, figures }));
  return { findings, more: chosen.length - findings.length };
}

/** 0: the worst. */
function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
