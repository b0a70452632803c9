// Audits a mirrored merchant at a month's end when nothing is found about the books as of now: only
// operations on both sides of the end are read and judged again. Returns `null` when that is not
// enough; the caller must then judge the books at the cut from their first line.

import {
  hasLapsed,
  LAWFUL_DELAY,
  type Operation,
  unlessBlank,
} from '../../../core/domain/operation.ts';
import { possibleAt, statedAt } from '../../../core/domain/period.ts';
import { isQuietAt, mayStraddle } from '../../../core/kernel/reconcile/quiet-cut.ts';
import type { CutWish } from '../../../core/kernel/reconcile/session.ts';
import { beginScan, cutOf, scanLine, scanOperation } from '../../../core/kernel/replay/cut.ts';
import type { MirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import type { Audited, CutAudited } from './month-rows.ts';

/**
 * Most operations with lines after the end that are looked up; with more, the whole books are read.
 */
const MOST_LATER = 50_000;

export async function auditQuietMonth(
  mirror: MirrorSnapshot,
  { report, quiet, openReferences }: Audited,
  { end, ended, closed }: CutWish,
): Promise<CutAudited | null> {
  if (quiet === null || report.notChecked.some(({ incomplete }) => incomplete)) return null;
  const dating = { closed, moved: new Map() };
  const straddling = new Map<string, Operation>();
  const take = (operations: readonly Operation[]): void => {
    for (const one of operations) if (mayStraddle(one, end)) straddling.set(one.reference, one);
  };
  for await (const some of mirror.month.operations(
    { start: end - LAWFUL_DELAY, end },
    openReferences,
  ))
    take(some);
  const later = new Set<string>();
  const [opening] = await mirror.month.openings.list(end);
  for await (const lines of mirror.month.lines({ from: opening?.position ?? null, until: null })) {
    for (const line of lines) {
      if (statedAt(line, dating) < end) continue;
      if (possibleAt(line, dating) < end) return null;
      if (line.operationReference !== null) later.add(line.operationReference);
    }
    if (later.size > MOST_LATER) return null;
  }
  const named = new Set([...later].filter((reference) => !straddling.has(reference)));
  for (const one of await mirror.month.operationsNamed(named))
    if (one.createdAt < end) straddling.set(one.reference, one);
  const references = new Set(straddling.keys());
  // Another operation may share the partner's reference of an operation that has lapsed since.
  const lapsed = [...straddling.values()].filter(({ status }) => hasLapsed(status));
  const externalReferences = new Set(
    lapsed.flatMap(({ externalReference }) => unlessBlank(externalReference) ?? []),
  );
  const recalled = await mirror.recall({ references, entryIds: new Set(), externalReferences });
  const scan = beginScan({ end, ended, dating }, quiet.context.clockTolerance);
  for (const { operation } of recalled.operations) scanOperation(scan, operation, () => operation);
  for (const { entry } of recalled.entries) scanLine(scan, entry);
  const cut = cutOf(scan);
  if (!isQuietAt(cut, quiet, { straddling: references, recalled })) return null;
  // Operations that are too new for the reading were created after the cut.
  const notChecked = report.notChecked.filter(({ code }) => code !== 'OPERATIONS_TOO_NEW');
  return { report: { ...report, notChecked }, unjudged: [], cut };
}
