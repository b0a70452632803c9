// Keeps earlier findings when an audit knows less than the run that found them. A finding about an
// operation stays while that operation cannot be judged, for example because a line of an unknown
// kind names it, or because the clock is behind. A confirmed finding that is found again unchanged
// stays confirmed even if its operation was changed during the reading. A row that cannot be read
// does not become the root of an earlier finding. Only evidence ends a finding; people's decisions
// about it go on.

import { type AuditReport, type Finding, rootOf } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { groundsOf } from '../../../core/domain/operators/grounds.ts';
import { applyDecisions } from '../../../core/kernel/reconcile/corrections/settle-roots.ts';
import { withFindings } from '../../../core/kernel/reconcile/report.ts';
import { ENGLISH_WORDING } from '../../../core/words/names.ts';
import { loadOpenContents } from '../../../io/storage/conclusions/findings.ts';
import { loadStandingDecisions } from '../../../io/storage/conclusions/standing-decisions.ts';
import type { Store } from '../../../io/storage/server/store.ts';

interface Unjudged {
  readonly report: AuditReport;
  /** References of operations that could not be judged. */
  readonly unjudged: readonly string[];
  /** Decisions that have expired by this instant no longer hold. */
  readonly asOf: Instant;
  /** True when the books were judged at a cut: findings about later lines are then not kept. */
  readonly isCut?: boolean;
}

export async function keepUnjudged(
  store: Store,
  merchant: string,
  task: Unjudged,
): Promise<AuditReport> {
  const { report, unjudged, asOf, isCut = false } = task;
  const unread = new Set(
    report.findings.flatMap(({ kind, fingerprint }) =>
      kind === 'INPUT_REJECTED' ? [fingerprint] : [],
    ),
  );
  const isLess = ({ status, causedBy }: Finding): boolean =>
    status === 'provisional' || unread.has(causedBy ?? '');
  const isBehind = !isCut && report.notChecked.some(({ code }) => code === 'CLOCK_BEHIND');
  if (unjudged.length === 0 && !isBehind && !report.findings.some(isLess)) return report;
  const isBefore = ({ sequence }: Finding): boolean =>
    Number(sequence ?? 0) <= (report.lastSequence ?? 0);
  const known = (await loadOpenContents(store, merchant)).filter(
    (finding) => !isCut || isBefore(finding),
  );
  const byPrint = new Map(known.map((finding) => [finding.fingerprint, finding]));
  const waiting = new Set(unjudged);
  const found = report.findings.flatMap((finding) => {
    const before = byPrint.get(finding.fingerprint);
    if (before === undefined || before.status !== 'confirmed' || !isLess(finding)) return [finding];
    if (waiting.has(finding.operationReference ?? '')) return [];
    return [
      unread.has(finding.causedBy ?? '')
        ? asRootedBefore(finding, before)
        : stillConfirmed(finding, before),
    ];
  });
  const prints = new Set(found.map(({ fingerprint }) => fingerprint));
  // When the clock is behind, nothing is judged for certain, so every earlier finding is kept.
  const left = (isBehind ? known : ofOperations(known, waiting)).filter(
    ({ fingerprint }) => !prints.has(fingerprint),
  );
  const asFound = new Set(report.findings);
  const raised = found.filter((finding) => !asFound.has(finding));
  if (left.length + raised.length === 0) return report;
  const kept = applyDecisions(
    left.map(undecided),
    await loadStandingDecisions(store, merchant),
    asOf,
  );
  const changed = withFindings(report, [...found, ...kept], ENGLISH_WORDING);
  return { ...changed, due: dueWith(report.due, [...raised, ...kept]) };
}

/** Returns the finding as confirmed if its amounts and evidence are still the same. */
function stillConfirmed(finding: Finding, known: Finding): Finding {
  const isAlike = JSON.stringify(groundsOf(known)) === JSON.stringify(groundsOf(finding));
  return isAlike ? { ...finding, status: 'confirmed' } : finding;
}

/**
 * Returns the finding with its earlier root, because a row that cannot be read explains nothing
 * that was found without it.
 */
function asRootedBefore(finding: Finding, { causedBy, item, itemParts }: Finding): Finding {
  return { ...finding, causedBy, item, itemParts };
}

/** Returns the findings about these operations, and those that follow from them. */
function ofOperations(
  known: readonly Finding[],
  references: ReadonlySet<string>,
): readonly Finding[] {
  const roots = new Set(
    known.flatMap((finding) =>
      finding.operationReference !== null && references.has(finding.operationReference)
        ? [rootOf(finding)]
        : [],
    ),
  );
  return known.filter((finding) => roots.has(rootOf(finding)));
}

/** Returns the finding without people's decisions; `applyDecisions` adds those that still hold. */
function undecided(finding: Finding): Finding {
  const { settledBy } = finding;
  return { ...finding, accepted: null, settledBy: settledBy?.by === 'person' ? null : settledBy };
}

/**
 * Subtracts the items of the findings from the amounts due. What an operation requires is unknown
 * while it cannot be judged, so its open items count as before.
 */
function dueWith(due: AuditReport['due'], findings: readonly Finding[]): AuditReport['due'] {
  if (due === null) return null;
  const open = findings.filter(
    ({ status, settledBy }) => status === 'confirmed' && settledBy === null,
  );
  const off = (side: 'balance' | 'reserved'): bigint =>
    open.reduce((sum, { item }) => sum + BigInt(item?.[side] ?? 0), 0n);
  const [balance, reserved] = [
    BigInt(due.balance) - off('balance'),
    BigInt(due.reserved) - off('reserved'),
  ];
  return {
    ...due,
    balance: `${balance}`,
    reserved: `${reserved}`,
    available: `${balance - reserved}`,
  };
}
