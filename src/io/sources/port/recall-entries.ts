// Finds single lines in a stream of all lines, for sources that cannot return single lines. Holds
// only the wanted lines.

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import { sameEntry } from '../../../core/domain/rows/entry-fields.ts';
import {
  type Batch,
  countOf,
  type Recall,
  type RecalledEntry,
} from '../../../core/domain/snapshot.ts';

/**
 * Returns the wanted lines, each with the figures after the line before it. `batches` must ascend
 * in sequence from the first line. The line before a line is the last one of a lower sequence: of
 * two contents under one sequence, neither comes before the other. Repeated deliveries are dropped.
 */
export async function recallEntries(
  batches: AsyncIterable<Batch<LedgerEntry>>,
  request: Pick<Recall, 'references' | 'entryIds'>,
): Promise<readonly RecalledEntry[]> {
  const found: RecalledEntry[] = [];
  let before: RecalledEntry['before'] = null;
  let last: RecalledEntry['before'] = null;
  for await (const batch of batches) {
    const { view } = batch;
    for (let i = 0; i < countOf(batch); i += 1) {
      const entry = view == null ? batch.rows[i]! : view.at(i);
      const { sequence, operationReference: reference } = entry;
      if (last !== null && last.sequence < sequence) before = last;
      last = figuresAfter(entry);
      const isByReference = reference !== null && request.references.has(reference);
      if (!isByReference && !(request.entryIds.size > 0 && request.entryIds.has(entry.id)))
        continue;
      const kept = view == null ? entry : view.copy(i);
      if (!isRepeated(found, kept)) found.push({ entry: kept, before });
    }
    view?.release();
  }
  return found;
}

/**
 * True when `found`, which must ascend in sequence, already ends in this line, or has it among the
 * last lines of the same sequence.
 */
export function isRepeated(found: readonly RecalledEntry[], entry: LedgerEntry): boolean {
  for (let i = found.length - 1; i >= 0 && found[i]!.entry.sequence === entry.sequence; i -= 1) {
    if (sameEntry(found[i]!.entry, entry)) return true;
  }
  return false;
}

/** Returns the recorded figures after a line. */
export function figuresAfter(entry: LedgerEntry): NonNullable<RecalledEntry['before']> {
  return { sequence: entry.sequence, balance: entry.balanceAfter, reserved: entry.reservedAfter };
}
