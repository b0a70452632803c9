// Which findings of a run are reported to people: confirmed roots that are new or back, worst
// first. Leaves out provisional findings and followers.

import { withoutSign } from '../amount.ts';
import { type AuditReport, type Finding, SEVERITIES, type Severity } from '../finding.ts';
import type { ReportedFinding } from './delivery.ts';

/** More are not reported one by one: a reader of twenty will open the report. */
const MOST_REPORTED = 20;

export interface ReportedFindings {
  readonly findings: readonly ReportedFinding[];
  /** How many more there are than `findings` holds. */
  readonly more: number;
}

interface Wanted {
  /** Fingerprints that are new or back. */
  readonly news: readonly string[];
  /** The least severity that is reported. */
  readonly least: Severity;
  /** From how many whole units of a currency on; absent: of any worth. */
  readonly above?: Readonly<Record<string, number>>;
}

/** Null: nothing is to be reported. */
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
 * True also where that is not known: of an unknown currency, of one without a limit, of no amount.
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

/** 0: the worst. */
export function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
