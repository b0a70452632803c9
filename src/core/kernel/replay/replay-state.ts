// What the replay knows of a ledger after some of its lines: the last recorded figures, the
// recomputed ones, and the operations at work. `beginReplay` and `replayOf` are the only ways to
// make one.

import { type Amount, type ExactSum, emptySum } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Direction, LedgerEntry } from '../../domain/ledger-entry.ts';
import type { HashOf } from '../../domain/rows/name.ts';
import { referenceAt, rowNamed, tableOf, talliesIn } from './tallies-seen.ts';
import type { Tally } from './tally.ts';
import { createTallyTable, keepTallies, type TallyTable } from './tally-table.ts';

/** Recorded figures after a line. */
export interface Recorded {
  readonly sequence: number;
  readonly balance: Amount;
  readonly reserved: Amount;
}

/** Lines of one operation in a row: only at its end are `balance` and `available` judged. */
export interface LineGroup {
  /**
   * Row of its operation's tally, which stays in the table until the group ends; −1: it names none.
   */
  tally: number;
  /** First line of the group from which the figure stayed below zero to the group's end. */
  balanceBelowFrom: LedgerEntry | null;
  availableBelowFrom: LedgerEntry | null;
  /** Available after that line, with holds of debited operations counted as spent. */
  availableThere: Amount;
  /** The group has a reversal or an adjustment. */
  excuses: boolean;
}

export interface ReplayState {
  /** Null before the first line; moved on in place. */
  last: { -readonly [Figure in keyof Recorded]: Recorded[Figure] } | null;
  lastCreatedAt: Instant | null;
  firstSequence: number | null;
  entries: number;
  redeliveries: number;
  /** Opening balance and the sum of the lines' effects, never rebased: the recomputed balance. */
  recomputed: ExactSum;
  /** Sum of what every operation still holds: the recomputed reserved amount. */
  held: ExactSum;
  /**
   * The part of `held` that debits and fees have taken already (RELEASE_LAST, between debit and
   * release).
   */
  settling: Amount;
  group: LineGroup;
  /**
   * The episode in which the recorded balance or available is below zero, and whether something
   * explains it.
   */
  balanceBelow: boolean;
  availableBelow: boolean;
  belowExcused: boolean;
  /**
   * Sequence of the last line that took money by way of correction, or stood below zero for one. An
   * operation that had begun by then found less than was there when it began: where it goes below
   * zero, the correction explains it.
   */
  correctedUntil: number | null;
  /** Lines of one sequence, waiting for the line after them. */
  waiting: LedgerEntry[];
  /** Operations whose lines and state do not yet agree, or have not both been seen. */
  tallies: TallyTable;
}

export interface ReplaySettings {
  readonly currency: string | null;
  /** Declared figures before the first line; null: none declared, the ledger must start at 0. */
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

/** Drops the tallies that need not stay; that of the group at hand does. */
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

/** The state as a checkpoint carries it. */
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

// What the replay saw at one line: the figures it stood on, the effect it took, and its anomalies.
// Checks are woken by anomalies; a line without any costs them nothing.

/** One bit for each way in which a line may be odd. */
export const ANOMALY = {
  /** The sequence jumps over at least one number. */
  jump: 1 << 0,
  /** The recorded balance does not follow from the one before. */
  balance: 1 << 1,
  /** The recorded reserved amount does not follow from the one before. */
  reserved: 1 << 2,
  /** First known line, and its figures do not follow from the opening. */
  opening: 1 << 3,
  amount: 1 << 4,
  direction: 1 << 5,
  unknown: 1 << 6,
  currency: 1 << 7,
  holdTooLarge: 1 << 8,
  reservedBelow: 1 << 9,
  balanceBelow: 1 << 10,
  availableBelow: 1 << 11,
  reference: 1 << 13,
  duplicate: 1 << 14,
} as const;

export interface ReplayedLine {
  readonly entry: LedgerEntry;
  /** Null at the first known line. */
  readonly before: Recorded | null;
  /**
   * The direction whose effect the replay took (that of B and R where the recorded one is wrong or
   * unknown).
   */
  readonly direction: Direction;
  /** Signed effect on the balance that the replay took. */
  readonly effect: Amount;
  /** Recorded balance less the one that follows from `before` and `effect`; exact. */
  readonly balanceDrift: bigint;
  readonly reservedDrift: bigint;
  /** Available before this line, with holds of debited operations counted as spent. */
  readonly availableBefore: bigint;
  /** For `availableBelow`: available after this line, counted likewise. */
  readonly availableAfter: bigint | null;
  readonly anomalies: number;
  /** For `balanceBelow`/`availableBelow`: something lawful explains it. */
  readonly excused: boolean;
  /**
   * For `duplicate`: the other lines of the same sequence, and which of them the replay left out.
   */
  readonly others: readonly LedgerEntry[];
  readonly leftOut: readonly LedgerEntry[];
}
