// Brings back lines and operations by asking the database for them, a few thousand names at a time.

import type { OperationVersion, Recall, RecalledEntry } from '../../../core/domain/snapshot.ts';
import { figuresAfter, isRepeated } from '../port/recall-entries.ts';
import type { Detail } from '../port/source.ts';
import { recallEntriesSelect, recallOperationsTail } from './book-queries.ts';
import type { BooksTables } from './books-tables.ts';
import type { Session } from './session.ts';
import { keepNewest, streamRows, streamTable } from './stream-rows.ts';

const NAMES_AT_ONCE = 5_000;

export interface Recalling {
  readonly session: Session;
  readonly tables: BooksTables;
  readonly merchant: string;
}

/**
 * Lines by sequence, re-deliveries dropped. Null when the line before one of them cannot be read: the caller then has
 * to walk the ledger to the last line before it that can.
 */
export async function recallEntryRows(recalling: Recalling, request: Recall): Promise<readonly RecalledEntry[] | null> {
  const { table, decode } = recalling.tables.entries;
  const width = table.columns.length;
  const found: RecalledEntry[] = [];
  let isReadable = true;
  for (const { first, second } of inTurns({ first: request.references, second: request.entryIds })) {
    const rows = streamRows<RecalledEntry>({
      session: recalling.session,
      select: recallEntriesSelect(table, { merchant: recalling.merchant, references: first, entryIds: second }),
      fieldCount: 2 * width,
      doing: 'recalling lines',
      take: (slots, batch) => {
        const entry = decode(slots, 0);
        if (!entry.ok) return;
        const hasBefore = slots.lengths.subarray(width).some((length) => length >= 0);
        const before = hasBefore ? decode(slots, width) : null;
        if (before?.ok === false) isReadable = false;
        batch.rows.push({ entry: entry.value, before: before?.ok ? figuresAfter(before.value) : null });
      },
    });
    for await (const batch of rows) found.push(...batch.rows);
  }
  return isReadable ? withoutRepetition(found) : null;
}

/** Newest versions, in no particular order. */
export async function recallOperationRows(
  recalling: Recalling & { readonly detail: Detail },
  request: Recall,
): Promise<readonly OperationVersion[]> {
  const { table, decode } = recalling.tables.operations[recalling.detail];
  const found = new Map<string, OperationVersion>();
  for (const { first, second } of inTurns({ first: request.references, second: request.externalReferences })) {
    const { session, merchant } = recalling;
    const tail = recallOperationsTail(table, { merchant, references: first, externalReferences: second });
    for await (const { rows } of keepNewest(streamTable({ session, table, decode, tail }))) {
      for (const version of rows) found.set(version.operation.reference, version);
    }
  }
  return [...found.values()];
}

function withoutRepetition(found: readonly RecalledEntry[]): readonly RecalledEntry[] {
  const kept: RecalledEntry[] = [];
  for (const recalled of found.toSorted((a, b) => a.entry.sequence - b.entry.sequence)) {
    if (!isRepeated(kept, recalled.entry)) kept.push(recalled);
  }
  return kept;
}

/** Both sets in pieces, so that no question grows without bound. */
function* inTurns(sets: {
  readonly first: ReadonlySet<string>;
  readonly second: ReadonlySet<string>;
}): Generator<{ readonly first: readonly string[]; readonly second: readonly string[] }> {
  const first = [...sets.first];
  const second = [...sets.second];
  for (let at = 0; at < first.length; at += NAMES_AT_ONCE) {
    yield { first: first.slice(at, at + NAMES_AT_ONCE), second: [] };
  }
  for (let at = 0; at < second.length; at += NAMES_AT_ONCE) {
    yield { first: [], second: second.slice(at, at + NAMES_AT_ONCE) };
  }
}
