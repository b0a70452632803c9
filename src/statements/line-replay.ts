// Replays a ledger for a statement: the audit's own fold, which gives each line's effects, without the audit's checks.
// Memory stays flat: a tally is kept only while it can still decide how a line moves the reserved amount.

import type { Amount } from '../domain/amount.ts';
import type { Standing } from '../domain/assumptions.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { type ClosedMonth, statedAt } from '../domain/period.ts';
import { finishReplay, plainHash, type ReplayContext, replayEntry } from '../replay/replay-entry.ts';
import { beginReplay, type ReplayState, sweepTallies } from '../replay/replay-state.ts';
import type { ReplayedLine } from '../replay/replayed-line.ts';
import { LINE, TALLY, type TallyTable } from '../replay/tally-table.ts';

/** A line as the replay took it. */
export interface VisitedLine {
  readonly entry: LedgerEntry;
  /** Signed, on the balance. */
  readonly effect: Amount;
  /** Signed, on the reserved amount. */
  readonly move: Amount;
  /** What was odd about it; null: nothing. */
  readonly odd: ReplayedLine | null;
  /** Dated in a month that was closed before it came: `entry` has the instant at which it is stated. */
  readonly isLate: boolean;
}

export interface LineReplay {
  readonly state: ReplayState;
  readonly context: ReplayContext;
  /** Number of operations at hand at which those that decide nothing any more are forgotten. */
  forgetAt: number;
}

/** Settled cash-outs that are still remembered: a second debit may come some time after the first. */
const REMEMBERED = 20_000;
const FORGET_FLOOR = 1_000;

export function beginLineReplay(
  settings: {
    readonly opening: { readonly balance: number; readonly reserved: number } | null;
    readonly standing: Standing;
    readonly closed: readonly ClosedMonth[];
  },
  visit: (line: VisitedLine) => void,
): LineReplay {
  let odd: ReplayedLine | null = null;
  const state = beginReplay();
  const context: ReplayContext = {
    standing: settings.standing,
    settings: {
      currency: null,
      opening: settings.opening,
      earliest: Number.NEGATIVE_INFINITY,
      latest: Number.POSITIVE_INFINITY,
    },
    onAnomaly(line) {
      odd = line;
    },
    hashOf: plainHash,
    applied(entry, { effect, heldMove: move }) {
      // It is called for a line just before the line is applied; what is said of earlier ones (episodes below zero) is not needed.
      const at = settings.closed.length === 0 ? entry.createdAt : statedAt(entry, settings.closed);
      const isLate = at !== entry.createdAt;
      const dated = isLate ? { ...entry, createdAt: at } : entry;
      visit({ entry: dated, effect, move, odd: odd?.entry === entry ? odd : null, isLate });
      odd = null;
    },
  };
  return { state, context, forgetAt: FORGET_FLOOR };
}

/** Takes lines in ascending sequence. */
export function replayLines(replay: LineReplay, entries: readonly LedgerEntry[]): void {
  const { state, context } = replay;
  for (const entry of entries) {
    replayEntry(state, entry, context);
    if (state.tallies.count >= replay.forgetAt) forgetTallies(replay);
  }
}

/** Visits the lines that were waiting for their successor: call at the end of the ledger. */
export function finishLines({ state, context }: LineReplay): void {
  finishReplay(state, context);
}

/** Of cash-outs that hold nothing any more, those with the newest lines are kept. */
function forgetTallies(replay: LineReplay): void {
  const { state } = replay;
  const { tallies } = state;
  const settled: number[] = [];
  for (let row = 0; row < tallies.count; row += 1)
    if (isRemembered(tallies, row)) settled.push(lastSequence(tallies, row));
  settled.sort((a, b) => b - a);
  const from = settled[REMEMBERED - 1] ?? Number.NEGATIVE_INFINITY;
  sweepTallies(state, (row) => {
    if (tallies.figures[row * TALLY.width + TALLY.held] !== 0) return true;
    return isRemembered(tallies, row) && lastSequence(tallies, row) >= from;
  });
  replay.forgetAt = FORGET_FLOOR + 2 * state.tallies.count;
}

/** Without a hold among its lines a tally that holds nothing decides nothing: a fresh one would say the same. */
function isRemembered({ figures }: TallyTable, row: number): boolean {
  const at = row * TALLY.width;
  return figures[at + TALLY.held] === 0 && !Number.isNaN(figures[at + TALLY.hold]!);
}

function lastSequence({ figures, lines }: TallyTable, row: number): number {
  return lines.figures[figures[row * TALLY.width + TALLY.lastLine]! * LINE.width + LINE.sequence]!;
}
