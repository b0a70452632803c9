// Where findings stand, by place: so that the search for roots costs as much as there are findings, not their square.

import { declared, standsAlone } from '../../checks/kinds/catalogue.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import type { MergedDraft } from './merge-drafts.ts';

export interface Places {
  /** The first finding of each operation, and of each line, that may be linked to others. */
  readonly byOperation: ReadonlyMap<string, number>;
  readonly bySequence: ReadonlyMap<number, number>;
  readonly driftAt: ReadonlyMap<number, number>;
  /** The drift that ends at a later line, by that line. */
  readonly endAt: ReadonlyMap<number, number>;
  /** By the place of the row that could not be read. */
  readonly unreadAt: ReadonlyMap<string, number>;
  /** Operations of which a line may be another's: one too many, of another amount, or wrong in itself. */
  readonly overfull: ReadonlySet<string>;
  readonly byKind: ReadonlyMap<FindingKind, readonly number[]>;
}

export function indexPlaces(drafts: readonly MergedDraft[]): Places {
  const byOperation = new Map<string, number>();
  const bySequence = new Map<number, number>();
  const driftAt = new Map<number, number>();
  const endAt = new Map<number, number>();
  const unreadAt = new Map<string, number>();
  const overfull = new Set<string>();
  const first = <Key>(map: Map<Key, number>, key: Key | null, i: number): void => {
    if (key !== null && !map.has(key)) map.set(key, i);
  };
  drafts.forEach((draft, i) => {
    const { sequence, operationReference } = draft;
    const { subject, effect } = declared(draft);
    if (effect === 'unread') first(unreadAt, draft.evidence[0]?.reference ?? null, i);
    if (effect === 'drift') first(driftAt, sequence, i);
    for (const end of draft.undoneAt) first(endAt, end, i);
    const mayHoldAnothers = effect === 'surplus' || effect === 'amount' || effect === 'faulty-line';
    if (operationReference !== null && mayHoldAnothers) overfull.add(operationReference);
    // What a notification says moves no money, and explains no figure.
    if (subject === 'notification' || standsAlone(draft)) return;
    first(byOperation, operationReference, i);
    first(bySequence, sequence, i);
  });
  const byKind = Map.groupBy(drafts.keys(), (i) => drafts[i]!.kind);
  return { byOperation, bySequence, driftAt, endAt, unreadAt, overfull, byKind };
}

/** The drift that is reported at a line, or that ends there. */
export function driftThrough(sequence: number, { driftAt, endAt }: Places): number | undefined {
  return driftAt.get(sequence) ?? endAt.get(sequence);
}

export function firstOf(kind: FindingKind, { byKind }: Places): number | null {
  return byKind.get(kind)?.[0] ?? null;
}
