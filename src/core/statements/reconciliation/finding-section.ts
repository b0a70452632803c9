// The findings that a month's statement shows: the confirmed findings of the books at its cut. Each
// lies in the month, before it, or has no date. A finding that an earlier month put right is left
// out, and a provisional finding is in no month yet.

import {
  type AuditReport,
  type Finding,
  isGrave,
  rootOf,
  SEVERITIES,
  unreadRows,
  verdictOf,
} from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Bounds } from '../../domain/period.ts';
import { isOfPostings } from '../journal.ts';
import { maskFigures, maskPhoneNumbers } from '../mask-phone-numbers.ts';
import type { WantedOperation } from '../month/month-operations.ts';
import type { FindingSection, StatementFinding } from '../section-reconciliation.ts';
import type { Statement } from '../statement.ts';
import type { FindingCounts, StatementSummary } from '../summary.ts';
import { type ItemAtCutOff, stateAt } from './items-at-cut-off.ts';

export interface FindingPlaces {
  readonly sequences: ReadonlyMap<number, Instant | null>;
  readonly operations: ReadonlyMap<string, Instant | null>;
}

const ROWS_KEPT = 500;
const ORDER = ['month', 'earlier', 'standing'] as const;

export function confirmedOf({ findings }: AuditReport): readonly Finding[] {
  return findings.filter((finding) => finding.status === 'confirmed');
}

/**
 * Returns the places that must be looked up to sort findings by month, and to date the parts of
 * their items.
 */
export function placesWanted(findings: readonly Finding[]): {
  readonly sequences: readonly number[];
  readonly operations: readonly WantedOperation[];
} {
  const parts = [...findings, ...findings.flatMap(({ itemParts }) => itemParts)];
  const byOperation = Map.groupBy(
    findings.filter(isOfPostings),
    ({ operationReference }) => operationReference,
  );
  const references = new Set(parts.flatMap(({ operationReference }) => operationReference ?? []));
  return {
    sequences: parts.flatMap(({ sequence }) => (sequence === null ? [] : [Number(sequence)])),
    operations: [...references].map((reference) => ({
      reference,
      isReversal:
        byOperation.get(reference)?.every(({ kind }) => kind.startsWith('REVERSAL_')) === true,
    })),
  };
}

/**
 * What findings are shown with: the dates of places, the bounds of the month, and the items by the
 * fingerprint of their root.
 */
export interface FindingTerms {
  readonly places: FindingPlaces;
  readonly bounds: Bounds;
  readonly items: ReadonlyMap<string, ItemAtCutOff>;
}

export function findingSection(
  report: AuditReport,
  { places, bounds, items }: FindingTerms,
): {
  readonly section: FindingSection;
  readonly counts: FindingCounts;
  readonly verdict: StatementSummary['verdict'];
} {
  const confirmed = confirmedOf(report);
  const isOver = (finding: Finding): boolean => items.get(rootOf(finding)) === 'over';
  const byPrint = new Map(confirmed.map((finding) => [finding.fingerprint, finding]));
  const rows = confirmed
    .filter((finding) => !isOver(finding))
    .map((finding) => {
      const at = instantOf(finding, places);
      return rowOf(finding, byPrint.get(finding.causedBy ?? '') ?? finding, { at, bounds, items });
    });
  const ordered = ORDER.flatMap((when) => rows.filter((row) => row.when === when));
  const countOf = (when: StatementFinding['when']) =>
    countFindings(rows.filter((row) => row.when === when));
  return {
    section: {
      rows: ordered.slice(0, ROWS_KEPT),
      count: ordered.length,
      earlier: countOf('earlier'),
      standing: countOf('standing'),
    },
    counts: countOf('month'),
    verdict: judge(rows, report, items),
  };
}

function instantOf(
  { sequence, operationReference }: Finding,
  places: FindingPlaces,
): Instant | null {
  const ofLine = sequence === null ? null : (places.sequences.get(Number(sequence)) ?? null);
  return (
    ofLine ??
    (operationReference === null ? null : (places.operations.get(operationReference) ?? null))
  );
}

function rowOf(
  finding: Finding,
  root: Finding,
  { at, bounds, items }: Pick<FindingTerms, 'bounds' | 'items'> & { readonly at: Instant | null },
): StatementFinding {
  const {
    fingerprint,
    kind,
    severity,
    sequence,
    operationReference,
    expected,
    actual,
    difference,
    causedBy,
  } = finding;
  const item = items.get(root.fingerprint);
  return {
    fingerprint,
    kind,
    severity,
    when: at === null ? 'standing' : at < bounds.start ? 'earlier' : 'month',
    sequence: sequence === null ? null : Number(sequence),
    operationReference,
    at,
    expected,
    actual,
    difference,
    message: maskPhoneNumbers(finding.message),
    figures: maskFigures(finding.figures),
    causedBy,
    state: typeof item === 'object' ? item.state : stateAt(root, bounds.end),
  };
}

/**
 * Returns the verdict on the wallet. The service's report is judged elsewhere, because it is not
 * about the wallet.
 */
function judge(
  rows: readonly StatementFinding[],
  report: AuditReport,
  items: FindingTerms['items'],
): StatementSummary['verdict'] {
  const open = rows.filter(
    ({ state, when, fingerprint }) =>
      state === 'open' && (when !== 'standing' || typeof items.get(fingerprint) === 'object'),
  );
  const state = verdictOf(open, unreadRows(confirmedOf(report)), report.notChecked);
  const missing = report.notChecked.filter(({ incomplete }) => incomplete).map(({ what }) => what);
  return { state, missing: state === 'incomplete' ? [...new Set(missing)] : [] };
}

/** Returns the fingerprints of the roots that are open and break the month, each once. */
export function openRootsOf({ rows }: Pick<FindingSection, 'rows'>): readonly string[] {
  return [...new Set(rows.filter((row) => isGrave(row) && row.state === 'open').map(rootOf))];
}

// Counts the findings of a month's statement, and tells which counts explain its verdict: those of
// the month, of earlier months, or without a date. Chooses no words.

export interface ExplainedCounts {
  readonly when: StatementFinding['when'];
  readonly counts: FindingCounts;
  /**
   * True when these findings break the books and nothing of the month does, so that a reader of the
   * verdict must see them first.
   */
  readonly isReason: boolean;
}

function countFindings(rows: readonly StatementFinding[]): FindingCounts {
  const roots = rows.filter((row) => row.causedBy === null);
  const inState = (state: StatementFinding['state']) => roots.filter((row) => row.state === state);
  const open = inState('open');
  const ofSeverity = SEVERITIES.map((severity) => [
    severity,
    open.filter((row) => row.severity === severity).length,
  ]);
  const atRest = (['settled', 'accepted'] as const).map(
    (state) => [state, inState(state).length] as const,
  );
  return {
    total: rows.length,
    roots: roots.length,
    ...(Object.fromEntries(ofSeverity) as Record<(typeof SEVERITIES)[number], number>),
    // A count of 0 has no key, so that a month without any has the same content in every version of
    // the program.
    ...Object.fromEntries(atRest.filter(([, count]) => count > 0)),
  };
}

/**
 * Returns the counts that are not 0, in the order in which they are shown: first those that are the
 * reason of the verdict, then the month's, then the others.
 */
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
  const [reason, rest] = [
    outside.filter(({ isReason }) => isReason),
    outside.filter(({ isReason }) => !isReason),
  ];
  return [...reason, month, ...rest].filter(({ counts }) => counts.total > 0);
}

/** Returns whether these findings break books, which warnings never do, however many there are. */
function canBreak({ critical, error }: FindingCounts): boolean {
  return critical + error > 0;
}
