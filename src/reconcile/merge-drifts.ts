// One finding a place, and one finding for a drift that a later line undoes exactly.

import { lineEvidence, money } from '../checks/check.ts';
import type { FindingDraft } from '../domain/finding.ts';

/** Drops repeated places, and folds the undoing end of a drift into its beginning. Order is kept. */
export function mergeDrafts(drafts: readonly FindingDraft[]): FindingDraft[] {
  const places = new Set<string>();
  const single = drafts.filter((draft) => {
    const place = JSON.stringify([draft.kind, draft.sequence, draft.operationReference, draft.inputPlace]);
    if (places.has(place)) return false;
    places.add(place);
    return true;
  });
  const undone = new Map<number, number>();
  for (const kind of ['BALANCE_DRIFT', 'RESERVED_DRIFT']) pairDrifts(single, kind, undone);
  const ends = new Set(undone.values());
  return single.flatMap((draft, i) => {
    if (ends.has(i)) return [];
    const end = undone.get(i);
    return [end === undefined ? draft : withBothEnds(draft, single[end]!)];
  });
}

function pairDrifts(drafts: readonly FindingDraft[], kind: string, undone: Map<number, number>): void {
  const open = new Map<string, number[]>();
  drafts.forEach((draft, i) => {
    if (draft.kind !== kind) return;
    const opposite = open.get(String(-draft.difference!));
    const start = opposite?.shift();
    if (start !== undefined) {
      undone.set(start, i);
      return;
    }
    const key = String(draft.difference);
    open.set(key, [...(open.get(key) ?? []), i]);
  });
}

function withBothEnds(start: FindingDraft, end: FindingDraft): FindingDraft {
  return {
    ...start,
    message: `${start.message} Line ${end.sequence} undoes it (${money(end.difference!)}).`,
    evidence: [...start.evidence, lineEvidence(end.sequence!, 'undoes the drift')],
    newestEvidence: Math.max(start.newestEvidence ?? 0, end.newestEvidence ?? 0),
  };
}
