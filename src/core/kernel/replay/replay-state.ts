// The state of the replay after some lines of a ledger: the last recorded figures, the recomputed
// figures, and the tallies of operations at work. Make one only with `beginReplay` or `replayOf`.

import { type Amount, type ExactSum, emptySum } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Direction, LedgerEntry } from '../../domain/ledger-entry.ts';
import type { HashOf } from '../../domain/rows/name.ts';
import { referenceAt, rowNamed, tableOf, talliesIn } from './tallies-seen.ts';
import type { Tally } from './tally.ts';
import { createTallyTable, keepTallies, type TallyTable } from './tally-table.ts';

/** The figures that the service recorded on a line: balance and reserved amount after the line. */
export interface Recorded {
  readonly sequence: number;
  readonly balance: Amount;
  readonly reserved: Amount;
}

/**
 * Lines of one operation that directly follow each other. Whether `balance` and `available` are
 * below zero is judged only where the group ends, because a debit may stand before the release or
 * the credit that covers it.
 */
export interface LineGroup {
  /**
   * Row of the tally of the group's operation, or −1 where the group's line names no operation.
   * `sweepTallies` never drops this row.
   */
  tally: number;
  /**
   * The first line of the group after which the balance stayed below zero to the end of the group;
   * `null` where it did not.
   */
  balanceBelowFrom: LedgerEntry | null;
  /** Like `balanceBelowFrom`, for what is available. */
  availableBelowFrom: LedgerEntry | null;
  /** What is available after the line `availableBelowFrom`: balance − reserved + `settling`. */
  availableThere: Amount;
  /** The group has a correction (reversal or adjustment) that excuses a figure below zero. */
  excuses: boolean;
}

export interface ReplayState {
  /** `null` before the first line. The object is changed in place at every line. */
  last: { -readonly [Figure in keyof Recorded]: Recorded[Figure] } | null;
  lastCreatedAt: Instant | null;
  firstSequence: number | null;
  entries: number;
  redeliveries: number;
  /**
   * The recomputed balance: the sum of the effects of all lines. It is never set to a recorded
   * figure.
   */
  recomputed: ExactSum;
  /**
   * The recomputed reserved amount: the sum of the moves of holds that the replay took for all
   * lines.
   */
  held: ExactSum;
  /**
   * The part of `held` that counts as paid: what is left of a hold once its debit is posted, until
   * the release (RELEASE_LAST) or the fee (DEBIT_AND_FEE) takes it. What is available counts it as
   * free, because otherwise a debited amount would be missing twice until its release.
   */
  settling: Amount;
  group: LineGroup;
  /**
   * True while the recorded balance is below zero, as of the end of the last group. Only the first
   * line of such an episode is reported.
   */
  balanceBelow: boolean;
  /** True while what is available is below zero, as of the end of the last group. */
  availableBelow: boolean;
  /** True while what is available is below zero and a correction excuses it. */
  belowExcused: boolean;
  /**
   * Sequence of the last line that corrected by a debit, or that stood below zero because of a
   * correction. An operation whose first line is not later was accepted while the money was still
   * there: where that operation goes below zero, the correction excuses it.
   */
  correctedUntil: number | null;
  /**
   * Lines that share one sequence. They are applied only when the next line is known, because it
   * shows which of them belong to the chain.
   */
  waiting: LedgerEntry[];
  /**
   * Tallies of the operations that are not settled: their lines and their state do not agree yet,
   * or only one of the two has been seen.
   */
  tallies: TallyTable;
}

export interface ReplaySettings {
  readonly currency: string | null;
  /**
   * Declared figures before the first line. `null`: none are declared, so the ledger must start at
   * 0.
   */
  readonly opening: { readonly balance: Amount; readonly reserved: Amount } | null;
}

export function beginReplay(): ReplayState {
  return {
    last: null,
    lastCreatedAt: null,
    firstSequence: null,
    entries: 0,
    redeliveries: 0,
    recomputed: emptySum(),
    held: emptySum(),
    settling: 0,
    group: {
      tally: -1,
      balanceBelowFrom: null,
      availableBelowFrom: null,
      availableThere: 0,
      excuses: false,
    },
    balanceBelow: false,
    availableBelow: false,
    belowExcused: false,
    correctedUntil: null,
    waiting: [],
    tallies: createTallyTable(),
  };
}

/**
 * Drops every tally for which `stays` is false, except that of the current group. The rows of those
 * that stay change.
 */
export function sweepTallies(state: ReplayState, stays: (row: number) => boolean): void {
  const { group } = state;
  const { tally } = group;
  state.tallies = keepTallies(
    state.tallies,
    (row) => row === tally || stays(row),
    (row, copy) => {
      if (row === tally) group.tally = copy;
    },
  );
}

/** A `ReplayState` as plain data for a checkpoint: tallies are objects, by reference. */
export interface CarriedReplay extends Omit<ReplayState, 'tallies' | 'group'> {
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly group: Omit<LineGroup, 'tally'> & { readonly reference: string | null };
}

export function carriedReplay(state: ReplayState): CarriedReplay {
  const { tally, ...group } = state.group;
  const reference = tally < 0 ? null : referenceAt(state.tallies, tally);
  return { ...state, group: { reference, ...group }, tallies: talliesIn(state.tallies) };
}

export function replayOf(
  { group: { reference, ...group }, tallies, ...state }: CarriedReplay,
  hashOf: HashOf,
): ReplayState {
  const table = tableOf(tallies.values(), hashOf);
  return {
    ...state,
    tallies: table,
    group: { tally: reference === null ? -1 : rowNamed(table, reference, hashOf), ...group },
  };
}

// What the replay saw at one line: the figures before it, the effect that was taken, and its
// anomalies. A check runs only for a line that has an anomaly of its kind, so other lines cost no
// check anything.

/** One bit for each way in which a line may be odd. */
export const ANOMALY = {
  /** The sequence jumps over at least one number. */
  jump: 1 << 0,
  /** The recorded balance does not follow from the one before. */
  balance: 1 << 1,
  /** The recorded reserved amount does not follow from the one before. */
  reserved: 1 << 2,
  /** The line is the first known one, and its figures do not follow from the opening. */
  opening: 1 << 3,
  /** The amount is not positive. */
  amount: 1 << 4,
  /** Kind and direction are both in the document, and do not go together. */
  direction: 1 << 5,
  /** The kind or the direction is not in the document. */
  unknown: 1 << 6,
  /** The currency is not that of the books. */
  currency: 1 << 7,
  /** A hold of more than was available. */
  holdTooLarge: 1 << 8,
  /** The recorded reserved amount goes below zero at this line. */
  reservedBelow: 1 << 9,
  /** The balance goes below zero at this line, and stays there to the end of its group. */
  balanceBelow: 1 << 10,
  /** What is available goes below zero at this line, and stays there to the end of its group. */
  availableBelow: 1 << 11,
  /** The line names no operation, and its kind needs one. */
  reference: 1 << 13,
  /** Other lines, of other content, have the same sequence. */
  duplicate: 1 << 14,
} as const;

export interface ReplayedLine {
  readonly entry: LedgerEntry;
  /** Recorded figures after the line before; `null` at the first known line. */
  readonly before: Recorded | null;
  /**
   * The direction whose effect the replay took: the recorded one, unless it is not the kind's own
   * or not in the document. Then it is the one that the recorded figures support.
   */
  readonly direction: Direction;
  /** Signed effect on the balance that the replay took. */
  readonly effect: Amount;
  /** Recorded balance less the balance that follows from `before` and `effect`; exact. */
  readonly balanceDrift: bigint;
  /**
   * Recorded reserved amount less the one that follows from `before` and the move of the hold;
   * exact.
   */
  readonly reservedDrift: bigint;
  /** Available before this line: balance − reserved + `settling`. */
  readonly availableBefore: bigint;
  /** Available after this line, counted as in `availableBefore`. Set only for `availableBelow`. */
  readonly availableAfter: bigint | null;
  readonly anomalies: number;
  /**
   * Set only for `balanceBelow` and `availableBelow`: a correction explains the figure below zero.
   */
  readonly excused: boolean;
  /** Set only for `duplicate`: the other lines of the same sequence. */
  readonly others: readonly LedgerEntry[];
  /** Those of `others` that the replay did not apply. */
  readonly leftOut: readonly LedgerEntry[];
}
