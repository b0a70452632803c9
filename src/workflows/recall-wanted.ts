// Looks up what the reconciliation wants back before it concludes: operations put away, and identities seen twice. The
// rows are looked through once more only when some identity was seen twice.

import type { Reading, Recalled } from '../domain/reading.ts';
import { bringBack, isEmptyRecall, wantedBack } from '../reconcile/bring-back.ts';
import { type Desk, suspectRepeated } from '../reconcile/desk.ts';

export const NOTHING_RECALLED: Recalled = { entries: [], operations: [] };

/** What was recalled has been brought back to `desk`. */
export async function recallWanted(desk: Desk, reading: Reading): Promise<Recalled> {
  const suspicion = suspectRepeated(desk);
  if (suspicion !== null) {
    for await (const { rows } of reading.entries()) rows.forEach(suspicion.entry);
    for await (const { rows } of reading.operations()) for (const { operation } of rows) suspicion.operation(operation);
  }
  const wanted = wantedBack(desk);
  const recalled = isEmptyRecall(wanted) ? NOTHING_RECALLED : await reading.recall(wanted);
  bringBack(desk, recalled);
  return recalled;
}
