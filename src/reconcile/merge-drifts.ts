// One finding a place, and one finding for a drift that later lines undo exactly.

import { lineEvidence } from '../checks/check.ts';
import type { FindingDraft } from '../domain/finding.ts';
import { UNDONE } from './draft-index.ts';
import type { Drift as Gap } from './drift.ts';

const DRIFTS = ['OPENING_BALANCE_UNEXPLAINED', 'LINES_MISSING', 'BALANCE_DRIFT', 'RESERVED_DRIFT'];
/** A few lines in a row whose drifts cancel out are one disorder: two lines that changed places make three drifts. */
const LONGEST_RUN = 5;

/** Drops repeated places, and folds the undoing end of a drift into its beginning. Order is kept. `gaps`: of these books. */
export function mergeDrafts(drafts: readonly FindingDraft[], gaps: readonly Gap[]): FindingDraft[] {
  const places = new Set<string>();
  const single = drafts.filter((draft) => {
    const place = JSON.stringify([draft.kind, draft.sequence, draft.operationReference, draft.inputPlace]);
    if (places.has(place)) return false;
    places.add(place);
    return true;
  });
  const undone = new Map<FindingDraft, readonly FindingDraft[]>();
  const drifting = single.filter((draft) => DRIFTS.includes(draft.kind) && draft.difference !== null);
  const still = new Set(gaps.filter(({ balance }) => balance === '0').map(({ sequence }) => sequence));
  const isOfReserved = ({ kind, sequence }: FindingDraft) =>
    kind === 'RESERVED_DRIFT' || (kind === 'LINES_MISSING' && still.has(sequence!));
  for (const side of [false, true]) {
    const drifts = drifting.filter((draft) => isOfReserved(draft) === side);
    drifts.sort((a, b) => a.sequence! - b.sequence!);
    pairDrifts(drifts, undone);
    const merged = new Set([...undone.keys(), ...[...undone.values()].flat()]);
    cancelRuns(
      drifts.filter((draft) => !merged.has(draft)),
      undone,
    );
  }
  const ends = new Set([...undone.values()].flat());
  const isOpen = single.some(({ kind }) => kind === 'OPEN_HOLDS_MISMATCH');
  const opening = isOpen ? gaps.find(({ after }) => after === null)?.sequence : undefined;
  return single.flatMap((draft) => {
    if (ends.has(draft)) return [];
    // What is reserved from the first line to the last is seen where the open holds are summed: OPEN_HOLDS_MISMATCH.
    if (draft.kind === 'RESERVED_DRIFT' && draft.sequence === opening && !undone.has(draft)) return [];
    const later = undone.get(draft);
    return [later === undefined ? draft : withEnds(draft, later)];
  });
}

/** A drift is undone by the next one of the opposite amount that undoes no earlier one. */
function pairDrifts(drifts: readonly FindingDraft[], undone: Map<FindingDraft, readonly FindingDraft[]>): void {
  const open = new Map<bigint, { readonly drifts: FindingDraft[]; next: number }>();
  for (const drift of drifts) {
    const opposite = open.get(-drift.difference!);
    const start = opposite?.drifts[opposite.next];
    if (start !== undefined) opposite!.next += 1;
    if (start !== undefined && drift.kind !== 'OPENING_BALANCE_UNEXPLAINED') undone.set(start, [drift]);
    else {
      const alike = open.get(drift.difference!);
      if (alike === undefined) open.set(drift.difference!, { drifts: [drift], next: 0 });
      else alike.drifts.push(drift);
    }
  }
}

function cancelRuns(drifts: readonly FindingDraft[], undone: Map<FindingDraft, readonly FindingDraft[]>): void {
  for (let i = 0; i < drifts.length; i++) {
    let sum = drifts[i]!.difference!;
    for (let j = i + 1; j < drifts.length && j < i + LONGEST_RUN; j++) {
      if (drifts[j]!.sequence! > drifts[j - 1]!.sequence! + 1) break;
      sum += drifts[j]!.difference!;
      if (sum !== 0n) continue;
      undone.set(drifts[i]!, drifts.slice(i + 1, j + 1));
      i = j;
      break;
    }
  }
}

function withEnds(start: FindingDraft, ends: readonly FindingDraft[]): FindingDraft {
  const undoneBy = ends.map((end) => ({ sequence: end.sequence!, difference: end.difference! }));
  return {
    ...start,
    figures: { ...start.figures, undoneBy },
    evidence: [...start.evidence, ...ends.map((end) => lineEvidence(end.sequence!, UNDONE))],
    newestEvidence: Math.max(start.newestEvidence ?? 0, ...ends.map((end) => end.newestEvidence ?? 0)),
  };
}
