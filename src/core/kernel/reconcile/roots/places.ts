// Indexes findings by place, so that the cost of the search for roots grows with their number and
// not with its square. The values of all maps are indexes of drafts.

import type { FindingDraft } from '../../../domain/finding.ts';
import type { FindingKind } from '../../../domain/finding-kind.ts';
import { valueIn } from '../../../domain/value-in.ts';
import { lineEvidence } from '../../checks/port/check.ts';
import { declared, standsAlone } from '../../checks/port/kinds.ts';
import type { Drift } from '../../replay/choose-lines.ts';

export interface Places {
  /** The first finding of each operation that may be linked to other findings. */
  readonly byOperation: ReadonlyMap<string, number>;
  /** The first finding at each line that may be linked to other findings. */
  readonly bySequence: ReadonlyMap<number, number>;
  /** The drift that is reported at a line. */
  readonly driftAt: ReadonlyMap<number, number>;
  /** The drift that a later line undoes, by that line. */
  readonly endAt: ReadonlyMap<number, number>;
  /** The finding of each row that could not be read, by the place of the row. */
  readonly unreadAt: ReadonlyMap<string, number>;
  /**
   * Operations that may have a line of another operation: one line too many, of another amount, or
   * wrong in itself.
   */
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
    for (const end of draft.undoneAt ?? []) first(endAt, end, i);
    const mayHoldAnothers = effect === 'surplus' || effect === 'amount' || effect === 'faulty-line';
    if (operationReference !== null && mayHoldAnothers) overfull.add(operationReference);
    // A finding of a notification moves no money, and explains no figure.
    if (subject === 'notification' || standsAlone(draft)) return;
    first(byOperation, operationReference, i);
    first(bySequence, sequence, i);
  });
  const byKind = Map.groupBy(drafts.keys(), (i) => drafts[i]!.kind);
  return { byOperation, bySequence, driftAt, endAt, unreadAt, overfull, byKind };
}

/** Returns the drift that is reported at a line, or that ends there. */
export function driftThrough(sequence: number, { driftAt, endAt }: Places): number | undefined {
  return driftAt.get(sequence) ?? endAt.get(sequence);
}

export function firstOf(kind: FindingKind, { byKind }: Places): number | null {
  return byKind.get(kind)?.[0] ?? null;
}

// Merges drafts: one for each place, and one for a drift together with the later lines that undo
// it.

export interface MergedDraft extends FindingDraft {
  /** The later lines that undo the drift. They count as places of the finding too. */
  readonly undoneAt?: readonly number[];
}

/**
 * Up to this many lines in a row whose drifts cancel out are one disorder. For example, two lines
 * that changed places make three drifts.
 */
const LONGEST_RUN = 5;

/**
 * Drops drafts at a repeated place, and merges each drift with the drifts that undo it. The order
 * is kept. `breaks` are all drifts of the books.
 */
export function mergeDrafts(
  drafts: readonly FindingDraft[],
  breaks: readonly Drift[],
): readonly MergedDraft[] {
  const places = new Set<string>();
  const single = drafts.filter((draft) => {
    const place = JSON.stringify([
      draft.kind,
      draft.sequence,
      draft.operationReference,
      draft.inputPlace,
    ]);
    if (places.has(place)) return false;
    places.add(place);
    return true;
  });
  const undone = findUndone(
    single,
    breaks,
    new Set(single.filter(isOfItsLine).map(({ sequence }) => sequence)),
  );
  const ends = new Set([...undone.values()].flat());
  const isLeftOver = single.some((draft) => declared(draft).effect === 'leftover');
  const opening = isLeftOver ? breaks.find(({ after }) => after === null)?.sequence : undefined;
  // An amount that is reserved from the first line to the last is reported where the open holds are
  // summed.
  const isSeenLater = (draft: FindingDraft): boolean =>
    draft.sequence === opening &&
    isDrift(draft) &&
    declared(draft).figure === '+reserved' &&
    !undone.has(draft);
  return single
    .filter((draft) => !ends.has(draft) && !isSeenLater(draft))
    .map((draft) => withEnds(draft, undone));
}

/** Whether the finding explains the drift of its own line. */
function isOfItsLine(draft: FindingDraft): boolean {
  const { effect } = declared(draft);
  return effect === 'faulty-line' || effect === 'surplus';
}

function isDrift(draft: FindingDraft): boolean {
  return declared(draft).effect === 'drift';
}

type Undone = Map<FindingDraft, readonly FindingDraft[]>;

/**
 * For each drift that is undone, returns the later drifts that undo it. The balance and the
 * reserved amount are two separate chains.
 */
function findUndone(
  drafts: readonly FindingDraft[],
  breaks: readonly Drift[],
  explained: ReadonlySet<number | null>,
): Undone {
  const undone: Undone = new Map();
  const drifting = drafts.filter((draft) => isDrift(draft) && draft.difference !== null);
  const still = new Set(
    breaks.filter(({ balance }) => balance === '0').map(({ sequence }) => sequence),
  );
  const isOfReserved = (draft: FindingDraft): boolean =>
    declared(draft).figure === '+reserved' || still.has(draft.sequence!);
  for (const side of [false, true]) {
    const drifts = drifting.filter((draft) => isOfReserved(draft) === side);
    drifts.sort((a, b) => a.sequence! - b.sequence!);
    pairDrifts(drifts, undone, explained);
    const merged = new Set([...undone.keys(), ...[...undone.values()].flat()]);
    cancelRuns(
      drifts.filter((draft) => !merged.has(draft)),
      undone,
    );
  }
  return undone;
}

/**
 * Pairs drifts with those that undo them: the drift of the very next line, else the next drift of
 * the opposite amount that undoes no earlier one.
 */
function pairDrifts(
  drifts: readonly FindingDraft[],
  undone: Undone,
  explained: ReadonlySet<number | null>,
): void {
  const paired = new Set<FindingDraft>();
  drifts.slice(1).forEach((next, i) => {
    const drift = drifts[i]!;
    if (
      paired.has(drift) ||
      next.sequence !== drift.sequence! + 1 ||
      next.difference !== -drift.difference!
    )
      return;
    undone.set(drift, [next]);
    paired.add(drift).add(next);
  });
  const open = new Map<bigint, { readonly drifts: FindingDraft[]; next: number }>();
  for (const drift of drifts.filter((one) => !paired.has(one) && !explained.has(one.sequence))) {
    const opposite = open.get(-drift.difference!);
    const start = opposite?.drifts[opposite.next];
    if (start !== undefined) {
      opposite!.next += 1;
      undone.set(start, [drift]);
      continue;
    }
    valueIn(open, drift.difference!, () => ({ drifts: [], next: 0 })).drifts.push(drift);
  }
}

function cancelRuns(drifts: readonly FindingDraft[], undone: Undone): void {
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

function withEnds(draft: FindingDraft, undone: Undone): MergedDraft {
  const ends = undone.get(draft);
  if (ends === undefined) return draft;
  const undoneBy = ends.map((end) => ({ sequence: end.sequence!, difference: end.difference! }));
  return {
    ...draft,
    figures: { ...draft.figures, undoneBy },
    evidence: [
      ...draft.evidence,
      ...ends.map((end) => lineEvidence(end.sequence!, 'undoes the drift')),
    ],
    newestEvidence: Math.max(
      draft.newestEvidence ?? 0,
      ...ends.map((end) => end.newestEvidence ?? 0),
    ),
    undoneAt: ends.map((end) => end.sequence!),
  };
}
