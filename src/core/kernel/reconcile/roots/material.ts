// What the search for roots works on: the findings, one for each place, and what the books know
// around them.

import type { Alteration } from '../../../domain/alteration.ts';
import type { Standing } from '../../../domain/assumptions.ts';
import type { FindingDraft, FindingStatus } from '../../../domain/finding.ts';
import { type LedgerEntry, signedAmount } from '../../../domain/ledger-entry.ts';
import type { RejectedRow } from '../../../domain/snapshot.ts';
import type { CheckContext } from '../../checks/port/check.ts';
import { fingerprintOf } from '../../checks/port/fingerprint.ts';
import { type Drift, follows, type PostedFigures } from '../../replay/choose-lines.ts';
import { compareTallies, type Tally } from '../../replay/tally.ts';
import type { Excess } from './excess.ts';
import { firstOf, indexPlaces, type MergedDraft, mergeDrafts, type Places } from './places.ts';
import { type Need, type Shortfall, shortfallOf } from './shortfall.ts';

/** What the checks and the replay have found, as the input of the search. */
export interface Judged {
  /** The drafts of all checks. Two of them may have one place. */
  readonly drafts: readonly FindingDraft[];
  /** Operations still at work: every one that has a finding is among them. */
  readonly tallies: Iterable<Tally>;
  readonly standing: Standing;
  /** Lines whose recorded figures do not follow from the line before. */
  readonly drifts: readonly Drift[];
  /** What lines moved beyond what is required of them. */
  readonly excesses: readonly Excess[];
  /** Lines that are served otherwise than they were read first. */
  readonly alterations: readonly Alteration[];
  /** Jumps across which the figures continue. */
  readonly harmlessJumps: readonly Drift[];
  /** Lines whose number another line had, so that the replay did not apply them. */
  readonly leftOut: readonly LedgerEntry[];
  readonly rejected: readonly RejectedRow[];
  /** Lines without a reference, by sequence. */
  readonly orphans: ReadonlyMap<number, Need>;
  /** `null` where there is no line. */
  readonly firstSequence: number | null;
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
  /**
   * What operations with a finding lack. Only the first of them are kept, among which links by
   * money are sought.
   */
  readonly short: readonly Shortfall[];
  /** Lines under another number than their own. */
  readonly misplaced: readonly MisplacedLine[];
  /**
   * The sequences of the misplaced lines, and of all lines at which the chain is broken because of
   * them.
   */
  readonly misplacedAt: ReadonlySet<number>;
}

/**
 * Links by money are sought among this many first drifts and operations only. In books with more
 * faults it does not help to know which explains which, and the search must not cost the product of
 * the two.
 */
const MOST_DRIFTS = 500;
const MOST_SHORT = 5_000;

export function materialOf(
  { tallies, standing, leftOut, ...judged }: Judged,
  terms: StatusTerms,
): Material {
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
  const misplacedAt = new Set(misplaced.flatMap(({ breaks }) => breaks));
  return { ...judged, drafts, statuses, places, firstDrifts, short, misplaced, misplacedAt };
}

/** Returns the first finding of the operation that the shortfall is about. */
export function findingOf({ places }: Material, { reference }: Shortfall): number {
  return places.byOperation.get(reference)!;
}

/** Returns the finding about the drift at that line; `null` where there is none. */
export function causeAtDrift(sequence: number, material: Material): number | null {
  const { places } = material;
  return isReservedAtOpening(sequence, material)
    ? firstOf('OPEN_HOLDS_MISMATCH', places)
    : (places.bySequence.get(sequence) ?? null);
}

/**
 * Whether the drift is an amount that was reserved before the first line, with a balance that
 * follows. `mergeDrafts` leaves it to the open holds, unless later lines undid it.
 */
function isReservedAtOpening(sequence: number, { drifts, places }: Material): boolean {
  const drift = drifts.find((one) => one.sequence === sequence)!;
  return drift.after === null && drift.balance === '0' && !places.driftAt.has(sequence);
}

// Lines under another number than their own. Such a line breaks the chain at its recorded place,
// and at the place where it is missing. Its recorded figures show where it belongs: there they
// follow from the line before, and the next line follows from them.

interface MisplacedLine {
  /** The number under which the line was served. */
  readonly sequence: number;
  readonly operationReference: string | null;
  /** The line that is in its place, or comes after the hole that it left. */
  readonly home: number;
  /** Where the line belongs by its figures, in words. */
  readonly belongs: string;
  /** Every line at which the chain is broken because of it. */
  readonly breaks: readonly number[];
}

type Candidate = PostedFigures & Pick<LedgerEntry, 'sequence' | 'operationReference'>;

/**
 * Finds misplaced lines among the drifting lines and those left out. `broken` must be in the order
 * of lines. `leftOut` are lines whose number another line had.
 */
function findMisplaced(
  broken: readonly Drift[],
  leftOut: readonly LedgerEntry[],
): readonly MisplacedLine[] {
  const behind = new Map(broken.map((drift) => [drift.after, drift]));
  const drifting = broken.map((drift): Candidate => ({ ...drift.line, sequence: drift.sequence }));
  const candidates = Map.groupBy(
    [...drifting, ...leftOut],
    (line) => line.balanceAfter - signedAmount(line),
  );
  return broken.flatMap((drift) => {
    const next = behind.get(drift.sequence);
    return (candidates.get(drift.before.balance) ?? [])
      .filter((line) => line.sequence !== drift.sequence && follows(drift.before, line))
      .flatMap((line) => {
        const from = { balance: line.balanceAfter, reserved: line.reservedAfter };
        // The line belongs between the lines around the drift, or in the place of the line with the
        // drift.
        const ends = [drift, next].filter(
          (one) => one !== undefined && one.sequence !== line.sequence,
        );
        const end = ends.find((one) => follows(from, one!.line));
        if (end === undefined) return [];
        const breaks = [drift, end, behind.get(line.sequence)].flatMap((one) =>
          one === undefined ? [] : [one.sequence],
        );
        const { sequence, operationReference } = line;
        const belongs = `by its figures it belongs ${end === drift ? 'before' : 'at'} line ${drift.sequence}`;
        return [
          {
            sequence,
            operationReference,
            home: drift.sequence,
            belongs,
            breaks: [...breaks, sequence],
          },
        ];
      });
  });
}

// Keeps for each finding the one that it follows from; a root follows from none. It decides
// neither.

/**
 * A rule by which a finding follows from another, one way: it never makes two faults one. The
 * returned function is called for each finding that is still a root, in the order of the drafts. It
 * returns the index of the cause, or `null`.
 */
export type FollowRule = (material: Material, causes: Causes) => (self: number) => number | null;

export interface Causes {
  isRoot(member: number): boolean;
  rootOf(member: number): number;
  /**
   * Lets `member` follow from the root of `cause`. Does nothing where that root is `member` itself.
   */
  follow(member: number, cause: number): void;
}

export function beginCauses(size: number): Causes {
  const causes = Array.from({ length: size }, (_, i) => i);
  const rootOf = (member: number): number => {
    let root = member;
    while (causes[root] !== root) root = causes[root]!;
    return root;
  };
  return {
    isRoot: (member) => causes[member] === member,
    rootOf,
    follow(member, cause) {
      const root = rootOf(cause);
      if (root !== member) causes[member] = root;
    },
  };
}

// Whether a finding is certain yet, or rests on evidence that may still change.

export interface StatusTerms extends Pick<CheckContext, 'watermark' | 'grace' | 'latest'> {
  /** Fingerprints of findings whose evidence should have been read a second time, and was not. */
  readonly unread?: ReadonlySet<string> | undefined;
  readonly merchant: string;
  readonly currency: string | null;
}

/**
 * Returns the status of a draft. It is provisional where its evidence should have been read again,
 * where newer books may explain it, and where its newest evidence is younger than the watermark
 * less grace. Evidence of an impossible date does not keep it provisional.
 */
export function statusOf(draft: FindingDraft, terms: StatusTerms): FindingStatus {
  if (terms.unread?.has(fingerprintOf(terms.merchant, draft)) || draft.againstOlder)
    return 'provisional';
  const { newestEvidence: newest } = draft;
  if (newest === null || newest > terms.latest) return 'confirmed';
  return newest <= terms.watermark - terms.grace ? 'confirmed' : 'provisional';
}
