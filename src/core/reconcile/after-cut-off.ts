// Finds out which lines and operations lie at or after an instant: lines were watched as they passed, and the operations that
// only the conclusion names are at hand, or are asked for.

import type { Instant } from '../domain/instant.ts';
import { tallyNamed } from '../replay/tallies-seen.ts';
import type { Conclusion } from './conclude.ts';
import { ask, type Session } from './drive.ts';
import type { AfterCutOff, LineWatch } from './leave-out.ts';
import type { Memory } from './memory.ts';

/** Call when the lines have passed. Asks for the operations that only the conclusion names. */
export function* afterCutOff(watch: LineWatch, memory: Memory, conclusion: Conclusion): Session<AfterCutOff> {
  const { from, first, olderAfter } = watch;
  const created = yield* createdAtOf(memory, conclusion);
  return {
    from,
    isLaterLine: (sequence) => sequence >= first && !olderAfter.has(sequence),
    isLaterOperation: (reference) => (created.get(reference) ?? Number.NEGATIVE_INFINITY) >= from,
  };
}

/** Of the operations that are named without a line. Most are still at hand; the others were settled. */
function* createdAtOf({ books, identities }: Memory, { drafts }: Conclusion): Session<ReadonlyMap<string, Instant>> {
  const created = new Map<string, Instant>();
  for (const [reference, { operation }] of books.late) created.set(reference, operation!.createdAt);
  const references = new Set<string>();
  for (const { sequence, operationReference } of drafts) {
    if (sequence !== null || operationReference === null) continue;
    const operation = tallyNamed(books.replay.tallies, operationReference, identities.hashOf)?.operation ?? null;
    if (operation === null) references.add(operationReference);
    else created.set(operationReference, operation.createdAt);
  }
  if (references.size === 0) return created;
  const request = { references, entryIds: new Set<string>(), externalReferences: new Set<string>() };
  const { operations } = yield* ask<'recall'>({ what: 'recall', request });
  for (const { operation } of operations) created.set(operation.reference, operation.createdAt);
  return created;
}
