// Tells which lines and operations of a reading lie at or after an instant, without keeping them: lines come in their order,
// so that one sequence and the few that stand out of the order of time are enough.

import type { Instant } from '../domain/instant.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Conclusion } from '../reconcile/conclude.ts';
import type { Desk } from '../reconcile/desk.ts';
import type { LaterPlaces } from '../reconcile/leave-out.ts';

export interface WatchedSnapshot {
  readonly snapshot: Snapshot;
  /** Call when the lines have passed. Asks the reading for the operations that only the conclusion names. */
  laterPlaces(desk: Desk, conclusion: Conclusion): Promise<LaterPlaces>;
}

/** The same reading, its lines watched as they pass. */
export function watchLater(snapshot: Snapshot, from: Instant): WatchedSnapshot {
  let first = Number.POSITIVE_INFINITY;
  let olderAfter = new Set<number>();
  const watched: Snapshot = {
    ...snapshot,
    async *entries() {
      first = Number.POSITIVE_INFINITY;
      olderAfter = new Set();
      for await (const batch of snapshot.entries()) {
        for (const { sequence, createdAt } of batch.rows) {
          if (createdAt >= from) first = Math.min(first, sequence);
          else if (sequence > first) olderAfter.add(sequence);
        }
        yield batch;
      }
    },
  };
  return {
    snapshot: watched,
    async laterPlaces(desk, conclusion) {
      const created = await createdAtOf(snapshot, desk, conclusion);
      return {
        from,
        isLaterLine: (sequence) => sequence >= first && !olderAfter.has(sequence),
        isLaterOperation: (reference) => (created.get(reference) ?? Number.NEGATIVE_INFINITY) >= from,
      };
    },
  };
}

/** Of the operations that are named without a line. Most are still at hand; the others were put away. */
async function createdAtOf(
  snapshot: Snapshot,
  { books }: Desk,
  { drafts }: Conclusion,
): Promise<ReadonlyMap<string, Instant>> {
  const created = new Map<string, Instant>();
  const missing = new Set<string>();
  for (const { sequence, operationReference } of drafts) {
    if (sequence !== null || operationReference === null) continue;
    const operation = books.replay.tallies.get(operationReference)?.operation ?? null;
    if (operation === null) missing.add(operationReference);
    else created.set(operationReference, operation.createdAt);
  }
  if (missing.size === 0) return created;
  const recalled = await snapshot.recall({ references: missing, entryIds: new Set(), externalReferences: new Set() });
  for (const { operation } of recalled.operations) created.set(operation.reference, operation.createdAt);
  return created;
}
