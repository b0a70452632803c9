// Less knowledge never gives a better word: what was found of an operation stays as it was said while that operation cannot be judged,
// as when it was touched since the reading began, or a line of an unknown kind names it. It is resolved by evidence alone.

import type { AuditReport, Finding } from '../../../core/domain/finding.ts';
import { verdictOf } from '../../../core/reconcile/report.ts';
import { loadOpenContents } from '../../../io/storage/conclusions/findings.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/** The report with the findings that an earlier run left of operations that this one could not judge, and of what follows from them. */
export async function keepUnjudged(
  store: Store,
  { merchantId }: Lease,
  { report, unjudged }: { readonly report: AuditReport; readonly unjudged: readonly string[] },
): Promise<AuditReport> {
  if (unjudged.length === 0) return report;
  const known = await loadOpenContents(store, merchantId);
  const found = new Set(report.findings.map(({ fingerprint }) => fingerprint));
  const references = new Set(unjudged);
  const roots = new Set(
    known.flatMap(({ operationReference, fingerprint, causedBy }) =>
      operationReference !== null && references.has(operationReference) ? [causedBy ?? fingerprint] : [],
    ),
  );
  const kept = known.filter(
    ({ fingerprint, causedBy }) => roots.has(causedBy ?? fingerprint) && !found.has(fingerprint),
  );
  if (kept.length === 0) return report;
  const findings = [...report.findings, ...kept];
  return { ...report, findings, verdict: verdictOf(findings, report.notChecked), due: dueWith(report, kept) };
}

/** What an unjudged operation asks for is not known: its items weigh as they did. */
function dueWith({ due }: AuditReport, kept: readonly Finding[]): AuditReport['due'] {
  if (due === null) return null;
  const off = (side: 'balance' | 'reserved'): bigint =>
    kept.reduce(
      (sum, { item, status, settledBy }) =>
        item === null || status !== 'confirmed' || settledBy !== null ? sum : sum + BigInt(item[side]),
      0n,
    );
  const [balance, reserved] = [BigInt(due.balance) - off('balance'), BigInt(due.reserved) - off('reserved')];
  const available = balance - reserved;
  return { ...due, balance: `${balance}`, reserved: `${reserved}`, available: `${available}` };
}
