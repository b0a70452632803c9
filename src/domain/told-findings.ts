// Which findings of a run are told to people: confirmed roots that are new or back, worst first. Refuses to alarm with
// what is provisional, or follows from another finding.

import type { ToldFinding } from './delivery.ts';
import { type Finding, type MerchantReport, SEVERITIES, type Severity } from './finding.ts';

/** More are not told one by one: whoever is told of twenty will look. */
const MOST_TOLD = 20;

export interface ToldFindings {
  readonly findings: readonly ToldFinding[];
  /** How many more there are than `findings` holds. */
  readonly more: number;
}

/** `news`: fingerprints that are new or back. `least`: the least severity that is told. Null: nothing is to be told. */
export function chooseTold(
  report: MerchantReport,
  { news, least }: { readonly news: readonly string[]; readonly least: Severity },
): ToldFindings | null {
  const fresh = new Set(news);
  const isTold = ({ fingerprint, status, causedBy, severity }: Finding): boolean =>
    status === 'confirmed' && causedBy === null && fresh.has(fingerprint) && rankOf(severity) <= rankOf(least);
  const chosen = report.findings.filter(isTold).toSorted((a, b) => rankOf(a.severity) - rankOf(b.severity));
  if (chosen.length === 0) return null;
  const findings = chosen
    .slice(0, MOST_TOLD)
    .map(({ fingerprint, kind, severity, message }) => ({ fingerprint, kind, severity, message }));
  return { findings, more: chosen.length - findings.length };
}

/** 0: the worst. */
function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}
