// The findings that a month's statement shows: confirmed ones that lie in the month, before it, or nowhere. What lies after
// the cut-off is another month's, unless a difference of this one is named by it (a line that stands among this month's
// and is dated later); what is provisional is nobody's yet.

import type { AuditReport, Finding, Verdict } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { Bounds } from '../domain/period.ts';
import { countFindings } from './finding-counts.ts';
import { maskPhoneNumbers } from './mask-phone-numbers.ts';
import type { FindingSection, StatementFinding } from './section-reconciliation.ts';
import type { FindingCounts } from './summary.ts';

export interface FindingPlaces {
  readonly sequences: ReadonlyMap<number, Instant | null>;
  readonly operations: ReadonlyMap<string, Instant | null>;
}

const ROWS_KEPT = 500;
const ORDER = ['month', 'earlier', 'standing'] as const;

export function confirmedOf({ findings }: AuditReport): readonly Finding[] {
  return findings.filter((finding) => finding.status === 'confirmed');
}

/** What must be looked up before findings can be told apart by month. */
export function placesWanted(findings: readonly Finding[]): {
  readonly sequences: readonly number[];
  readonly operations: readonly string[];
} {
  return {
    sequences: findings.flatMap(({ sequence }) => (sequence === null ? [] : [Number(sequence)])),
    operations: findings.flatMap(({ operationReference }) => operationReference ?? []),
  };
}

/** `named`: fingerprints of the findings that the état de rapprochement names. */
export function findingSection(
  report: AuditReport,
  places: FindingPlaces,
  bounds: Bounds,
  named: ReadonlySet<string>,
): { readonly section: FindingSection; readonly counts: FindingCounts } {
  const confirmed = confirmedOf(report);
  const liesLater = (finding: Finding): boolean =>
    isLater(instantOf(finding, places), bounds) && !named.has(finding.fingerprint);
  const rootsLater = new Set(confirmed.filter(liesLater).map(({ fingerprint }) => fingerprint));
  const rows = confirmed.flatMap((finding) => {
    const at = instantOf(finding, places);
    // The wallet of today that is off by what a later month did wrong says nothing of this one.
    const followsLater = at === null && finding.causedBy !== null && rootsLater.has(finding.causedBy);
    return followsLater || liesLater(finding) ? [] : [rowOf(finding, at, bounds)];
  });
  const ordered = ORDER.flatMap((when) => rows.filter((row) => row.when === when));
  const countOf = (when: StatementFinding['when']) => countFindings(rows.filter((row) => row.when === when));
  return {
    section: {
      verdict: provesBroken(rows, confirmed) ? 'broken' : verdictWithout(report),
      rows: ordered.slice(0, ROWS_KEPT),
      count: ordered.length,
      earlier: countOf('earlier'),
      standing: countOf('standing'),
    },
    counts: countOf('month'),
  };
}

function isLater(at: Instant | null, bounds: Bounds): boolean {
  return at !== null && at >= bounds.end;
}

function instantOf({ sequence, operationReference }: Finding, places: FindingPlaces): Instant | null {
  const ofLine = sequence === null ? null : (places.sequences.get(Number(sequence)) ?? null);
  return ofLine ?? (operationReference === null ? null : (places.operations.get(operationReference) ?? null));
}

function rowOf(finding: Finding, at: Instant | null, bounds: Bounds): StatementFinding {
  const { fingerprint, kind, severity, sequence, operationReference, expected, actual, difference, causedBy } = finding;
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
    causedBy,
  };
}

/** Of books that only a later month breaks: whether this one is complete is known only if everything was checked. */
function verdictWithout({ verdict, notChecked }: AuditReport): Verdict {
  if (verdict !== 'broken') return verdict;
  return notChecked.length === 0 ? 'clean' : 'incomplete';
}

/** As the audit judges: what follows from a row that could not be read does not prove the ledger wrong. */
function provesBroken(rows: readonly StatementFinding[], confirmed: readonly Finding[]): boolean {
  const unread = new Set(confirmed.filter((one) => one.kind === 'INPUT_REJECTED').map((one) => one.fingerprint));
  return rows.some(
    ({ severity, causedBy }) =>
      (severity === 'critical' || severity === 'error') && (causedBy === null || !unread.has(causedBy)),
  );
}
