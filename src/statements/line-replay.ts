// Replays a ledger for a statement: the audit's own fold, which gives each line's effects, without the audit's checks.
// Memory stays flat: a tally is kept only while it can still decide how a line moves the reserved amount.

import type { Amount } from '../domain/amount.ts';
import type { Standing } from '../domain/assumptions.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { type ClosedMonth, statedAt } from '../domain/period.ts';
import { finishReplay, type ReplayContext, replayEntry } from '../replay/replay-entry.ts';
import { beginReplay, type ReplayState } from '../replay/replay-state.ts';
import type { ReplayedLine } from '../replay/replayed-line.ts';
import type { Tally } from '../replay/tally.ts';

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
  /** Cash-outs that hold nothing any more, the longest settled first. */
  readonly settled: Map<string, Tally>;
}

/** Settled cash-outs that are still remembered: a second debit may come some time after the first. */
const REMEMBERED = 20_000;

export function beginLineReplay(
  settings: {
    readonly opening: { readonly balance: number; readonly reserved: number } | null;
    readonly standing: Standing;
    readonly closed: readonly ClosedMonth[];
  },
  visit: (line: VisitedLine) => void,
): LineReplay {
  let odd: ReplayedLine | null = null;
  const settled = new Map<string, Tally>();
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
    applied(entry, { effect, heldMove: move }, tally) {
      // It is called for a line just before the line is applied; what is said of earlier ones (episodes below zero) is not needed.
      const at = settings.closed.length === 0 ? entry.createdAt : statedAt(entry, settings.closed);
      const isLate = at !== entry.createdAt;
      const dated = isLate ? { ...entry, createdAt: at } : entry;
      visit({ entry: dated, effect, move, odd: odd?.entry === entry ? odd : null, isLate });
      odd = null;
      if (tally !== null) forgetTally(state, settled, tally);
    },
  };
  return { state, context, settled };
}

/** Takes lines in ascending sequence. */
export function replayLines({ state, context }: LineReplay, entries: readonly LedgerEntry[]): void {
  for (const entry of entries) replayEntry(state, entry, context);
}

/** Visits the lines that were waiting for their successor: call at the end of the ledger. */
export function finishLines({ state, context }: LineReplay): void {
  finishReplay(state, context);
}

function forgetTally(state: ReplayState, settled: Map<string, Tally>, tally: Tally): void {
  const { reference, held, lines } = tally;
  if (held !== 0) {
    settled.delete(reference);
    return;
  }
  // Without a hold among its lines a tally decides nothing: a fresh one would say the same.
  if (!lines.some(({ entry }) => entry.kind === 'CASHOUT_HOLD')) {
    state.tallies.delete(reference);
    return;
  }
  settled.delete(reference);
  settled.set(reference, tally);
  if (settled.size <= REMEMBERED) return;
  const [oldest] = settled.keys();
  settled.delete(oldest!);
  state.tallies.delete(oldest!);
}
