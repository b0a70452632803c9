// Less knowledge never gives a better word. What an earlier run found of an operation stays as it was said while that operation cannot
// be judged, as when a line of an unknown kind names it; and what was confirmed and is found again alike stays confirmed, though the
// operation was touched since the reading began. A finding ends by evidence alone, and what people decided about it goes on.

import type { AuditReport, Finding } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { applyDecisions, groundsOf } from '../../../core/reconcile/corrections/settle-roots.ts';
import { withFindings } from '../../../core/reconcile/report.ts';
import { loadOpenContents } from '../../../io/storage/conclusions/findings.ts';
import { loadStandingDecisions } from '../../../io/storage/conclusions/standing-decisions.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/** `asOf`: decisions that have ended by then hold no more. */
export async function keepUnjudged(
  store: Store,
  { merchant, merchantId }: Lease,
  task: { readonly report: AuditReport; readonly unjudged: readonly string[]; readonly asOf: Instant },
): Promise<AuditReport> {
  const { report, unjudged, asOf } = task;
  const isWaiting = report.findings.some(({ status }) => status === 'provisional');
  if (unjudged.length === 0 && !isWaiting) return report;
  const known = await loadOpenContents(store, merchantId);
  const byPrint = new Map(known.map((finding) => [finding.fingerprint, finding]));
  const found = report.findings.map((finding) => stillConfirmed(finding, byPrint.get(finding.fingerprint)));
  const left = leftOf(known, { found, unjudged });
  if (left.length === 0 && found.every((finding, i) => finding === report.findings[i])) return report;
  const kept = applyDecisions(left.map(undecided), await loadStandingDecisions(store, merchant), asOf);
  const changed = withFindings(report, [...found, ...kept]);
  const raised = found.filter((finding, i) => finding !== report.findings[i]);
  return { ...changed, due: dueWith(report.due, [...raised, ...kept]) };
}

/** Found again with the same amounts and evidence. */
function stillConfirmed(finding: Finding, known: Finding | undefined): Finding {
  const isAlike = known !== undefined && JSON.stringify(groundsOf(known)) === JSON.stringify(groundsOf(finding));
  return isAlike && finding.status === 'provisional' && known.status === 'confirmed'
    ? { ...finding, status: 'confirmed' }
    : finding;
}

/** Known findings of operations that were not judged, with what follows from them, that were not found now. */
function leftOf(
  known: readonly Finding[],
  { found, unjudged }: { readonly found: readonly Finding[]; readonly unjudged: readonly string[] },
): readonly Finding[] {
  const prints = new Set(found.map(({ fingerprint }) => fingerprint));
  const references = new Set(unjudged);
  const roots = new Set(
    known.flatMap(({ operationReference, fingerprint, causedBy }) =>
      operationReference !== null && references.has(operationReference) ? [causedBy ?? fingerprint] : [],
    ),
  );
  return known.filter(({ fingerprint, causedBy }) => roots.has(causedBy ?? fingerprint) && !prints.has(fingerprint));
}

/** The finding without a person's word, which `applyDecisions` gives it again as far as it holds. */
function undecided(finding: Finding): Finding {
  const { settledBy } = finding;
  return { ...finding, accepted: null, settledBy: settledBy?.by === 'person' ? null : settledBy };
}

/** What an unjudged operation asks for is not known: its open items weigh as they did. */
function dueWith(due: AuditReport['due'], findings: readonly Finding[]): AuditReport['due'] {
  if (due === null) return null;
  const open = findings.filter(({ status, settledBy }) => status === 'confirmed' && settledBy === null);
  const off = (side: 'balance' | 'reserved'): bigint =>
    open.reduce((sum, { item }) => sum + BigInt(item?.[side] ?? 0), 0n);
  const [balance, reserved] = [BigInt(due.balance) - off('balance'), BigInt(due.reserved) - off('reserved')];
  return { ...due, balance: `${balance}`, reserved: `${reserved}`, available: `${balance - reserved}` };
}
