// A snapshot of books in memory, in batches. Lines and operations meet as they do when files are
// read, so that an operation is settled as soon as its lines agree with it, and recalled when a
// later line names it.

import type { Merchant } from '../../src/core/domain/merchant.ts';
import type { Batch, OperationVersion, Snapshot } from '../../src/core/domain/snapshot.ts';
import type { SmallBooks } from '../../src/core/kernel/reconcile-in-memory.ts';
import { recallEntries } from '../../src/io/sources/port/recall-entries.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';
import type { AuditOptions } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { optionsAt } from './nightly.ts';

export interface ReadBooks {
  readonly books: Pick<SmallBooks, 'entries' | 'operations' | 'wallet'>;
  readonly profiles: readonly Merchant[];
  readonly asOf: number;
}

/** `keepsAll` keeps every operation open until the end, so that none is settled before. */
export interface Manner {
  readonly keepsAll: boolean;
  readonly batchRows: number;
}

/** Returns a snapshot in ascending sequence and creation, whatever the order of the books. */
export function memorySnapshot(
  { books, profiles, asOf }: ReadBooks,
  { keepsAll, batchRows }: Manner,
): Snapshot {
  const entries = books.entries.toSorted((a, b) => a.sequence - b.sequence);
  const versions: readonly OperationVersion[] = books.operations
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map((operation) => ({ operation, previous: null }));
  return {
    merchant: profiles[0]?.reference ?? 'SAMPLE',
    profiles,
    moving: keepsAll,
    currency: books.wallet?.currency ?? 'XOF',
    watermark: asOf,
    absent: [],
    rejected: [],
    adjustedAt: null,
    notifications: null,
    hashOf,
    expectedEntries: entries.length,
    entries: () => inBatches(entries, batchRows),
    operations: () => inBatches(versions, batchRows),
    closing: async () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    recall: async (request) => ({
      entries: await recallEntries(inBatches(entries, batchRows), request),
      operations: versions.filter(
        ({ operation }) =>
          request.references.has(operation.reference) ||
          (operation.externalReference !== null &&
            request.externalReferences.has(operation.externalReference)),
      ),
    }),
    close: async () => {},
  };
}

export function memoryOptions({ asOf }: ReadBooks): AuditOptions {
  return optionsAt(asOf);
}

async function* inBatches<Row>(
  rows: readonly Row[],
  batchRows: number,
): AsyncGenerator<Batch<Row>> {
  for (let from = 0; from < rows.length; from += batchRows) {
    yield { rows: rows.slice(from, from + batchRows), rejected: [] };
  }
}
