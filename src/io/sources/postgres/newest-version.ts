// Of several rows for one operation that follow each other, keeps the newest: a table of versions may hold them all.

import type { Operation } from '../../../core/domain/operation.ts';
import type { Batch, OperationVersion } from '../../../core/domain/snapshot.ts';

/** Rows must come with the versions of one operation together; of two with the same updatedAt the later row stands. */
export async function* keepNewest(batches: AsyncIterable<Batch<Operation>>): AsyncGenerator<Batch<OperationVersion>> {
  let last: Operation | null = null;
  for await (const { rows, rejected } of batches) {
    const kept: OperationVersion[] = [];
    for (const operation of rows) {
      if (last !== null && last.reference === operation.reference) {
        if (operation.updatedAt >= last.updatedAt) last = operation;
        continue;
      }
      if (last !== null) kept.push({ operation: last, previous: null });
      last = operation;
    }
    if (kept.length > 0 || rejected.length > 0) yield { rows: kept, rejected };
  }
  if (last !== null) yield { rows: [{ operation: last, previous: null }], rejected: [] };
}
