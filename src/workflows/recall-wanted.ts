// Looks up what the reconciliation wants back before it concludes: operations put away, and identities seen twice. The
// rows are looked through once more only when some identity was seen twice.

import type { Recalled, Snapshot } from '../domain/snapshot.ts';
import { bringBack, isEmptyRecall, wantedBack } from '../reconcile/bring-back.ts';
import { type Desk, suspectRepeated } from '../reconcile/desk.ts';

export const NOTHING_RECALLED: Recalled = { entries: [], operations: [] };

/** What was recalled has been brought back to `desk`. */
export async function recallWanted(desk: Desk, snapshot: Snapshot): Promise<Recalled> {
  const suspicion = suspectRepeated(desk);
  if (suspicion !== null) {
    for await (const { rows } of snapshot.entries()) rows.forEach(suspicion.entry);
    for await (const { rows } of snapshot.operations())
      for (const { operation } of rows) suspicion.operation(operation);
  }
  const wanted = wantedBack(desk);
  const recalled = isEmptyRecall(wanted) ? NOTHING_RECALLED : await snapshot.recall(wanted);
  bringBack(desk, recalled);
  return recalled;
}
