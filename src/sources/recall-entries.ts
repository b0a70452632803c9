// Brings lines back out of a stream of all lines, for sources that cannot ask for single ones. Holds only what is asked
// for.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Batch, Recall, RecalledEntry } from '../domain/snapshot.ts';
import { sameEntry } from '../rows/entry-fields.ts';

/**
 * `batches` must ascend in sequence from the first line. The line before a line is the last one of a lower sequence: of
 * two contents under one sequence, neither comes before the other. Re-deliveries are dropped.
 */
export async function recallEntries(
  batches: AsyncIterable<Batch<LedgerEntry>>,
  request: Pick<Recall, 'references' | 'entryIds'>,
): Promise<readonly RecalledEntry[]> {
  const found: RecalledEntry[] = [];
  let before: LedgerEntry | null = null;
  let last: LedgerEntry | null = null;
  for await (const { rows } of batches) {
    for (const entry of rows) {
      if (last !== null && last.sequence < entry.sequence) before = last;
      last = entry;
      const isByReference = entry.operationReference !== null && request.references.has(entry.operationReference);
      if (!isByReference && !request.entryIds.has(entry.id)) continue;
      if (!isRepeated(found, entry)) found.push({ entry, before: before === null ? null : figuresAfter(before) });
    }
  }
  return found;
}

/** True when `found`, ascending in sequence, ends in this line already. Equal sequences are adjacent. */
export function isRepeated(found: readonly RecalledEntry[], entry: LedgerEntry): boolean {
  for (let i = found.length - 1; i >= 0 && found[i]!.entry.sequence === entry.sequence; i -= 1) {
    if (sameEntry(found[i]!.entry, entry)) return true;
  }
  return false;
}

/** The recorded figures after a line, as they stood before the next one. */
export function figuresAfter(entry: LedgerEntry): NonNullable<RecalledEntry['before']> {
  return { sequence: entry.sequence, balance: entry.balanceAfter, reserved: entry.reservedAfter };
}
