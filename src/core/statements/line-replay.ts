// Replays a ledger for a statement: the audit's own fold, which gives each line's effects, without
// the audit's checks. Memory stays flat: a tally is kept only while it can still decide how a line
// moves the reserved amount.

import type { Standing } from '../domain/assumptions.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { type Dating, possibleAt } from '../domain/period.ts';
import { valueIn } from '../domain/value-in.ts';
import {
  finishReplay,
  plainHash,
  type ReplayContext,
  replayEntry,
} from '../kernel/replay/replay-entry.ts';
import {
  beginReplay,
  type ReplayedLine,
  type ReplayState,
  sweepTallies,
} from '../kernel/replay/replay-state.ts';
import { referenceAt, tableOf } from '../kernel/replay/tallies-seen.ts';
import { beginTally, type Tally } from '../kernel/replay/tally.ts';
import { copyTallies, LINE, TALLY, type TallyTable } from '../kernel/replay/tally-table.ts';
import { type EarlierLine, type Opening, type OpenTally, stateLine } from './opening.ts';

/** A line as the replay applied it. */
export interface VisitedLine extends EarlierLine {
  /** What was odd about the line; `null` when nothing was. */
  readonly odd: ReplayedLine | null;
  /**
   * True when the line's own date is impossible. `entry` then has the date of the line that it is
   * counted with.
   */
  readonly isMoved: boolean;
}

export interface LineReplay {
  readonly state: ReplayState;
  readonly context: ReplayContext;
  /** Number of operations in memory at which those that decide nothing any more are forgotten. */
  forgetAt: number;
}

/**
 * How many settled cash-outs are remembered, because a second debit may come some time after the
 * first.
 */
const REMEMBERED = 20_000;
const FORGET_FLOOR = 1_000;

export function beginLineReplay(
  settings: {
    readonly opening: { readonly balance: number; readonly reserved: number } | null;
    readonly standing: Standing;
  } & Dating,
  from: Pick<Opening, 'last' | 'tallies'>,
  visit: (line: VisitedLine) => void,
): LineReplay {
  let odd: ReplayedLine | null = null;
  const state = reopen(from);
  const context: ReplayContext = {
    standing: settings.standing,
    settings: { currency: null, opening: settings.opening },
    onAnomaly(line) {
      odd = line;
    },
    hashOf: plainHash,
    applied(entry, { effect, heldMove: move }) {
      // `onAnomaly` is called for a line just before the line is applied. Its later calls for
      // earlier lines (episodes below zero) are not needed.
      const isMoved = possibleAt(entry, settings) !== entry.createdAt;
      visit({
        ...stateLine(entry, settings),
        effect,
        move,
        odd: odd?.entry === entry ? odd : null,
        isMoved,
      });
      odd = null;
    },
  };
  return { state, context, forgetAt: FORGET_FLOOR + 2 * state.tallies.count };
}

function reopen({ last, tallies }: Pick<Opening, 'last' | 'tallies'>): ReplayState {
  const state = beginReplay();
  state.last = last === null ? null : { ...last };
  state.tallies = copyTallies(
    valueIn(entered, tallies, () => tableOf(talliesOf(tallies), plainHash)),
  );
  return state;
}

/**
 * Tables of tallies by the opening that they come from, so that all documents that begin with the
 * same opening enter them once.
 */
const entered = new WeakMap<Opening['tallies'], TallyTable>();

/**
 * Makes tallies of what an opening keeps. The amount that an operation holds and the first hold
 * among its lines are all that is still needed of it.
 */
function* talliesOf(tallies: Opening['tallies']): Generator<Tally> {
  for (const { reference, held, settling, hold, lastSequence: sequence } of tallies) {
    const figures = { balanceAfter: 0, reservedAfter: 0, createdAt: 0 };
    const entry = {
      sequence,
      direction: 'HOLD',
      kind: 'CASHOUT_HOLD',
      amount: hold ?? 0,
      ...figures,
    };
    const lines = hold === null ? [] : [{ entry, reservedMove: null, heldMove: 0 }];
    yield { ...beginTally(reference), held, settling, lines };
  }
}

export function openTallies(replay: LineReplay): readonly OpenTally[] {
  forgetTallies(replay);
  const { tallies } = replay.state;
  return Array.from({ length: tallies.count }, (_, row) => row)
    .filter(
      (row) => tallies.figures[row * TALLY.width + TALLY.held] !== 0 || isRemembered(tallies, row),
    )
    .map((row) => {
      const at = row * TALLY.width;
      const [held, hold, settling] = [TALLY.held, TALLY.hold, TALLY.settling].map(
        (one) => tallies.figures[at + one]!,
      );
      return {
        reference: referenceAt(tallies, row),
        held: held!,
        settling: settling!,
        hold: Number.isNaN(hold!) ? null : hold!,
        lastSequence: Number.isNaN(hold!) ? 0 : lastSequence(tallies, row),
      };
    });
}

/** Replays lines, which must come in ascending sequence. */
export function replayLines(replay: LineReplay, entries: readonly LedgerEntry[]): void {
  for (const entry of entries) replayLine(replay, entry);
}

/** Replays a line. Its sequence must be at least that of the line before. */
export function replayLine(replay: LineReplay, entry: LedgerEntry): void {
  const { state, context } = replay;
  replayEntry(state, entry, context);
  if (state.tallies.count >= replay.forgetAt) forgetTallies(replay);
}

/**
 * Visits the lines that were waiting for their successor. Must be called at the end of the ledger.
 */
export function finishLines({ state, context }: LineReplay): void {
  finishReplay(state, context);
}

/**
 * Forgets tallies that decide nothing any more. Of cash-outs that hold nothing, those with the
 * newest lines are kept (`REMEMBERED`).
 */
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

/**
 * Returns whether a tally that holds nothing is still needed, because a hold is among its lines.
 * Without a hold a fresh tally would decide the same.
 */
function isRemembered({ figures }: TallyTable, row: number): boolean {
  const at = row * TALLY.width;
  return figures[at + TALLY.held] === 0 && !Number.isNaN(figures[at + TALLY.hold]!);
}

function lastSequence({ figures, lines }: TallyTable, row: number): number {
  return lines.figures[figures[row * TALLY.width + TALLY.lastLine]! * LINE.width + LINE.sequence]!;
}
