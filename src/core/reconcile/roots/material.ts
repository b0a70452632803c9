// What the search for roots works on: the findings, each place once, and what the books know around them.

import type { Standing } from '../../domain/assumptions.ts';
import type { FindingDraft, FindingStatus } from '../../domain/finding.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import type { Drift } from '../../replay/drift.ts';
import { compareTallies, type Tally } from '../../replay/tally.ts';
import type { Excess } from '../due/excess.ts';
import { type MergedDraft, mergeDrafts } from './merge-drafts.ts';
import { findMisplaced, type MisplacedLine } from './misplaced.ts';
import { firstOf, indexPlaces, type Places } from './places.ts';
import { type Need, type Shortfall, shortfallOf } from './shortfall.ts';
import { type StatusTerms, statusOf } from './status.ts';

/** What the books hand over, as the checks and the replay have left it. */
export interface Judged {
  /** A place may be named twice. */
  readonly drafts: readonly FindingDraft[];
  /** Operations still at work: every one that has a finding is among them. */
  readonly tallies: Iterable<Tally>;
  readonly standing: Standing;
  /** Lines whose recorded figures do not follow from the line before. */
  readonly drifts: readonly Drift[];
  /** What lines moved beyond what is required. */
  readonly excesses: readonly Excess[];
  /** Jumps across which the figures continue. */
  readonly harmlessJumps: readonly Drift[];
  /** Lines of a taken number, which the replay did not apply. */
  readonly leftOut: readonly LedgerEntry[];
  readonly rejected: readonly RejectedRow[];
  /** Lines without a reference, by sequence. */
  readonly orphans: ReadonlyMap<number, Need>;
  readonly lastSequence: number;
  /** The wallet was last written before the last line was. */
  readonly walletIsOlder: boolean;
}

export interface Material extends Omit<Judged, 'drafts' | 'tallies' | 'standing' | 'leftOut'> {
  readonly drafts: readonly MergedDraft[];
  readonly statuses: readonly FindingStatus[];
  readonly places: Places;
  /** The first drifts, among which links by money are sought. */
  readonly firstDrifts: readonly Drift[];
  /** What operations that have a finding lack: the first of them, among which links by money are sought. */
  readonly short: readonly Shortfall[];
  /** Lines that stand under another number than their own. */
  readonly misplaced: readonly MisplacedLine[];
}

/**
 * Links by money are sought among the first drifts and operations only: books with more faults than this need no account of
 * which explains which, and the search must not cost their product.
 */
const MOST_DRIFTS = 500;
const MOST_SHORT = 5_000;

export function materialOf({ tallies, standing, leftOut, ...judged }: Judged, terms: StatusTerms): Material {
  const drafts = mergeDrafts(judged.drafts, judged.drifts);
  const places = indexPlaces(drafts);
  const short = [...tallies]
    .filter(({ reference }) => places.byOperation.has(reference))
    .sort(compareTallies)
    .slice(0, MOST_SHORT)
    .map((tally) => shortfallOf(tally, standing));
  const firstDrifts = judged.drifts.slice(0, MOST_DRIFTS);
  const misplaced = findMisplaced(firstDrifts, leftOut.slice(0, MOST_DRIFTS));
  const statuses = drafts.map((draft) => statusOf(draft, terms));
  return { ...judged, drafts, statuses, places, firstDrifts, short, misplaced };
}

/** The first finding of the operation that `shortfall` is of. */
export function findingOf({ places }: Material, { reference }: Shortfall): number {
  return places.byOperation.get(reference)!;
}

/** What is found where the figures leave the chain. */
export function causeAtDrift(sequence: number, material: Material): number | null {
  const { places } = material;
  return isReservedAtOpening(sequence, material)
    ? firstOf('OPEN_HOLDS_MISMATCH', places)
    : (places.bySequence.get(sequence) ?? null);
}

/** Reserved before the first line, and nothing else: `mergeDrafts` leaves it to the open holds, unless it was undone. */
function isReservedAtOpening(sequence: number, { drifts, places }: Material): boolean {
  const drift = drifts.find((one) => one.sequence === sequence)!;
  return drift.after === null && drift.balance === '0' && !places.driftAt.has(sequence);
}
