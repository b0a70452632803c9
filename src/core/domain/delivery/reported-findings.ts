// Chooses which findings of a run are reported to people: confirmed roots that are new or back,
// worst first. Leaves out provisional findings and findings that follow from a root.

import { withoutSign } from '../amount.ts';
import { type AuditReport, type Finding, SEVERITIES, type Severity } from '../finding.ts';
import type { ReportedFinding } from './delivery.ts';

/** Only this many findings are reported one by one: a reader of twenty will open the report. */
const MOST_REPORTED = 20;

export interface ReportedFindings {
  readonly findings: readonly ReportedFinding[];
  /** How many more findings there are than `findings` holds. */
  readonly more: number;
}

interface Wanted {
  /** Fingerprints of the findings that are new in this run, or back. */
  readonly news: readonly string[];
  /** Findings less severe than this are not reported. */
  readonly least: Severity;
  /** Findings of at least so many whole units are reported, by currency; absent: of any amount. */
  readonly above?: Readonly<Record<string, number>>;
}

/** Returns the findings to report; `null` when there are none. */
export function chooseReported(
  report: AuditReport,
  { news, least, above }: Wanted,
): ReportedFindings | null {
  const fresh = new Set(news);
  const isReported = ({ fingerprint, status, causedBy, severity }: Finding): boolean =>
    status === 'confirmed' &&
    causedBy === null &&
    fresh.has(fingerprint) &&
    rankOf(severity) <= rankOf(least);
  const isWorth = (finding: Finding): boolean => above === undefined || reaches(finding, above);
  const reported = report.findings.filter((finding) => isReported(finding) && isWorth(finding));
  const chosen = reported.toSorted((a, b) => rankOf(a.severity) - rankOf(b.severity));
  if (chosen.length === 0) return null;
  const findings = chosen
    .slice(0, MOST_REPORTED)
    .map(({ fingerprint, kind, severity, message, figures }) => ({
      fingerprint,
      kind,
      severity,
      message,
      figures,
    }));
  return { findings, more: chosen.length - findings.length };
}

/**
 * True when the finding reaches the limit of its currency. True also when that cannot be judged:
 * the currency is unknown or has no limit, or the finding has no amount.
 */
function reaches(
  { currency, item, concerned }: Finding,
  limits: Readonly<Record<string, number>>,
): boolean {
  const limit = Object.entries(limits).find(([name]) => name === currency)?.[1];
  const weights = [item?.balance, item?.reserved, concerned].map((text) => BigInt(text ?? 0));
  if (limit === undefined || weights.every((weight) => weight === 0n)) return true;
  return weights.some((weight) => withoutSign(weight) >= BigInt(limit));
}

/** Ranks a severity: 0 is the worst. */
export function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
