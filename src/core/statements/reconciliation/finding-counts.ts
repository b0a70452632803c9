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
  const roots = rows.filter((row) => row.causedBy === null);
  const inState = (state: StatementFinding['state']) => roots.filter((row) => row.state === state);
  const open = inState('open');
  const ofSeverity = SEVERITIES.map((severity) => [severity, open.filter((row) => row.severity === severity).length]);
  const atRest = (['settled', 'accepted'] as const).map((state) => [state, inState(state).length] as const);
  return {
    total: rows.length,
    roots: roots.length,
    ...(Object.fromEntries(ofSeverity) as Record<(typeof SEVERITIES)[number], number>),
    // A month without any has the same content whatever version states it.
    ...Object.fromEntries(atRest.filter(([, count]) => count > 0)),
  };
}

/** Where there are any, in the order in which they are shown: first those that are the reason, then the month's, then the others. */
export function explainCounts({
  findings,
  summary,
}: {
  readonly findings: Pick<Statement['findings'], 'earlier' | 'standing'>;
  readonly summary: Pick<Statement['summary'], 'findings' | 'verdict'>;
}): readonly ExplainedCounts[] {
  const isFromOutside = summary.verdict.state === 'broken' && !canBreak(summary.findings);
  const outside = (['earlier', 'standing'] as const).map((when) => ({
    when,
    counts: findings[when],
    isReason: isFromOutside && when === 'earlier' && canBreak(findings[when]),
  }));
  const month = { when: 'month', counts: summary.findings, isReason: false } as const;
  const [reason, rest] = [outside.filter(({ isReason }) => isReason), outside.filter(({ isReason }) => !isReason)];
  return [...reason, month, ...rest].filter(({ counts }) => counts.total > 0);
}

/** No number of warnings breaks books. */
function canBreak({ critical, error }: FindingCounts): boolean {
  return critical + error > 0;
}
