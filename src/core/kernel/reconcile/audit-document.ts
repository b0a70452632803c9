// The document that `pointage audit --format json` prints, and the exit status that goes with it.
// Its form is fixed.

import type { AuditReport } from '../../domain/finding.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';

export type AuditDocument = ReturnType<typeof auditDocument>;

export function auditDocument(run: {
  readonly engine: string;
  readonly asOf: Instant;
  readonly source: string;
  readonly merchants: readonly AuditReport[];
}) {
  const { merchants } = run;
  const findings = merchants.flatMap((merchant) => merchant.findings);
  const count = (verdict: AuditReport['verdict']): number =>
    merchants.filter((one) => one.verdict === verdict).length;
  return {
    engine: run.engine,
    asOf: formatInstant(run.asOf),
    source: run.source,
    merchants,
    totals: {
      merchants: merchants.length,
      clean: count('clean'),
      broken: count('broken'),
      incomplete: count('incomplete'),
      entries: merchants.reduce((sum, merchant) => sum + merchant.entries, 0),
      findings: findings.length,
      roots: findings.filter((finding) => finding.causedBy === null).length,
      // Settled and accepted findings are among the roots, too.
      settled: findings.filter((finding) => finding.settledBy !== null).length,
      accepted: findings.filter((finding) => finding.accepted !== null).length,
    },
  };
}

/**
 * Returns the exit status: 0 all clean; 1 some broken; 2 none broken, some incomplete (so is a run
 * without merchants). 3 is for failures.
 */
export function exitStatusOf({ totals }: AuditDocument): 0 | 1 | 2 {
  if (totals.broken > 0) return 1;
  return totals.incomplete > 0 || totals.merchants === 0 ? 2 : 0;
}
