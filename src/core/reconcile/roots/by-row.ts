// A row that could not be read explains the jump that it stands in, and the operations that lack it; a line under no, an
// unknown or another operation's name is recognized by kind and amount where it is missing.

import type { RejectedRow } from '../../domain/snapshot.ts';
import type { Drift } from '../../replay/drift.ts';
import type { Links } from './links.ts';
import { findingOf, type Material } from './material.ts';
import type { Need } from './shortfall.ts';

export function linkUnread(links: Links, material: Material): void {
  const { rejected, firstDrifts, places, lastSequence } = material;
  const lacking = material.short.filter((one) => one.needs.length > 0);
  const claimed = new Set<Drift>();
  for (const row of rejected) {
    const self = places.unreadAt.get(row.place);
    if (self === undefined) continue;
    if (row.part === 'operations' && row.reference === null) {
      for (const kind of ['OPERATION_UNKNOWN', 'EVENT_UNKNOWN_OPERATION'] as const) {
        for (const unknown of places.byKind.get(kind) ?? []) links.join(unknown, self);
      }
    }
    if (row.part !== 'ledger') continue;
    const drift = firstDrifts.find((one) => !claimed.has(one) && mayStandIn(row, one));
    if (drift !== undefined) claimed.add(drift);
    const found = drift === undefined ? undefined : places.driftAt.get(drift.sequence);
    if (found !== undefined) links.join(found, self);
    else if (drift === undefined && (row.sequence === null || row.sequence > lastSequence)) {
      for (const one of lacking) links.join(findingOf(material, one), self);
    }
  }
}

function mayStandIn({ sequence }: RejectedRow, drift: Drift): boolean {
  if (sequence === null) return drift.after === null || drift.sequence > drift.after + 1;
  return sequence < drift.sequence && (drift.after === null || sequence > drift.after);
}

/** Each stray line is given to one operation only, the first offered first. */
export function linkStrays(links: Links, material: Material): void {
  const { places, orphans, short } = material;
  const strays = new Map<string, Set<number>>();
  const offer = (line: Need, draft: number | undefined): void => {
    if (draft === undefined) return;
    const known = strays.get(keyOf(line));
    if (known === undefined) strays.set(keyOf(line), new Set([draft]));
    else known.add(draft);
  };
  for (const [sequence, line] of orphans) offer(line, places.bySequence.get(sequence));
  for (const one of short) {
    if (places.overfull.has(one.reference)) for (const line of one.posted) offer(line, findingOf(material, one));
  }
  const claimed = new Set<number>();
  for (const one of short) {
    const self = findingOf(material, one);
    const found = claim(one.needs, { strays, claimed, self });
    if (found !== null) links.join(found, self);
  }
}

function keyOf({ kind, amount }: Need): string {
  return `${kind} ${amount}`;
}

function claim(
  needs: readonly Need[],
  from: { readonly strays: ReadonlyMap<string, Set<number>>; readonly claimed: Set<number>; readonly self: number },
): number | null {
  for (const need of needs) {
    const offered = from.strays.get(keyOf(need));
    for (const draft of offered ?? []) {
      if (draft === from.self) continue;
      // What is claimed is offered no more: the search must not pass over it each time.
      offered!.delete(draft);
      if (from.claimed.has(draft)) continue;
      from.claimed.add(draft);
      return draft;
    }
  }
  return null;
}
