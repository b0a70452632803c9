// How many findings a month's statement has, and which of those numbers explains its verdict: that of the month itself, of
// earlier months, or of what has no date. Chooses no words.

import { SEVERITIES } from '../../domain/finding.ts';
import type { Statement } from '../statement.ts';
import type { FindingCounts } from '../summary.ts';
import type { StatementFinding } from './section-reconciliation.ts';

export interface ExplainedCounts {
  readonly when: StatementFinding['when'];
  readonly counts: FindingCounts;
  /** Nothing of the month breaks the books, and these do: a reader of the verdict must see them first. */
  readonly isReason: boolean;
}

export function countFindings(rows: readonly StatementFinding[]): FindingCounts {
  const ofSeverity = SEVERITIES.map((severity) => [severity, rows.filter((row) => row.severity === severity).length]);
  return {
    total: rows.length,
    roots: rows.filter((row) => row.causedBy === null).length,
    ...(Object.fromEntries(ofSeverity) as Record<(typeof SEVERITIES)[number], number>),
  };
}

/**
 * In the order in which they are shown: first those that are the reason, then the month's, which are shown also when there is
 * none, then the others where there are any.
 */
export function explainCounts({
  findings,
  summary,
}: {
  readonly findings: Pick<Statement['findings'], 'earlier' | 'standing'>;
  readonly summary: Pick<Statement['summary'], 'findings' | 'verdict'>;
}): readonly ExplainedCounts[] {
  const isFromOutside = summary.verdict.state === 'broken' && !canBreak(summary.findings);
  const outside = (['earlier', 'standing'] as const)
    .map((when) => ({
      when,
      counts: findings[when],
      isReason: isFromOutside && when === 'earlier' && canBreak(findings[when]),
    }))
    .filter(({ counts }) => counts.total > 0);
  return [
    ...outside.filter(({ isReason }) => isReason),
    { when: 'month', counts: summary.findings, isReason: false },
    ...outside.filter(({ isReason }) => !isReason),
  ];
}

/** No number of warnings breaks books. */
function canBreak({ critical, error }: FindingCounts): boolean {
  return critical + error > 0;
}
