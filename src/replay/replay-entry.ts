// The fold: (state, line) → state. Takes lines in ascending sequence, follows the recorded figures, recomputes its own,
// and reports a line only when something about it is odd. On a drift it takes the recorded figures as its new base.

import { addTo, differenceOf } from '../domain/amount.ts';
import type { Standing } from '../domain/assumptions.ts';
import { invariant } from '../domain/invariant.ts';
import {
  directionOf,
  type EntryKind,
  isAdjustment,
  isDirection,
  isEntryKind,
  type LedgerEntry,
} from '../domain/ledger-entry.ts';
import type { RowView } from '../domain/snapshot.ts';
import { type ChosenLines, chooseLines } from './choose-lines.ts';
import { closeGroup, noteBelowZero } from './close-group.ts';
import { type LineMove, moveOf } from './move-of.ts';
import type { ReplaySettings, ReplayState } from './replay-state.ts';
import { ANOMALY, type ReplayedLine } from './replayed-line.ts';
import { addLine, beginTally, type PostedLine, postedLine, type Tally } from './tally.ts';

export interface ReplayContext {
  readonly settings: ReplaySettings;
  readonly standing: Standing;
  /** Called for lines with anomalies only; what it is given may be kept. */
  readonly onAnomaly: (line: ReplayedLine) => void;
  /**
   * Called once for each line that the replay applied, with what it took as its move. The line may be that of a view, and
   * is good for the call alone.
   */
  readonly applied: (entry: LedgerEntry, move: LineMove, tally: Tally | null) => void;
}

const ALONE: ChosenLines = { apply: [], others: [], leftOut: [], redeliveries: 0 };

/** Takes the next line. Its sequence must be at least that of the line before; equal ones wait for their successor. */
export function replayEntry(state: ReplayState, entry: LedgerEntry, context: ReplayContext): void {
  const waiting = state.waiting[0];
  if (waiting !== undefined && waiting.sequence === entry.sequence) {
    state.waiting.push(entry);
    return;
  }
  if (waiting !== undefined) {
    invariant(entry.sequence > waiting.sequence, 'a reading gives its lines in ascending sequence');
    applyWaiting(state, entry, context);
  }
  if (state.waiting.length !== 1) state.waiting.length = 1;
  state.waiting[0] = entry;
}

/** As `replayEntry` for each row of the view, of which none is kept: only those that have to wait are copied. */
export function replayView(state: ReplayState, view: RowView<LedgerEntry>, context: ReplayContext): void {
  const last = view.count - 1;
  let next = view.count > 0 ? view.at(0).sequence : Number.NaN;
  for (let i = 0; i <= last; i += 1) {
    const sequence = next;
    next = i < last ? view.at(i + 1).sequence : Number.NaN;
    const waiting = state.waiting[0];
    if (!(next > sequence) || waiting?.sequence === sequence) {
      replayEntry(state, view.copy(i), context);
      continue;
    }
    if (waiting !== undefined) {
      invariant(sequence > waiting.sequence, 'a reading gives its lines in ascending sequence');
      applyWaiting(state, view.at(i), context);
      state.waiting.length = 0;
    }
    const copyOf = (): LedgerEntry => view.copy(i);
    applyEntry(state, view.at(i), ALONE, context, copyOf);
  }
}

/** Applies the lines that wait for a successor: call at the end of the ledger, before anything is concluded. */
export function finishReplay(state: ReplayState, context: ReplayContext): void {
  if (state.waiting.length > 0) applyWaiting(state, null, context);
  state.waiting = [];
  closeGroup(state, null, context);
}

function applyWaiting(state: ReplayState, next: LedgerEntry | null, context: ReplayContext): void {
  if (state.waiting.length === 1) {
    applyEntry(state, state.waiting[0]!, ALONE, context, null);
    return;
  }
  const chosen = chooseLines(state.last, state.waiting, next);
  state.redeliveries += chosen.redeliveries;
  chosen.apply.forEach((entry, i) => {
    applyEntry(state, entry, i === 0 ? chosen : ALONE, context, null);
  });
}

/** `copyOf`: gives the line as one that may be kept; null: it is one. */
function applyEntry(
  state: ReplayState,
  entry: LedgerEntry,
  chosen: ChosenLines,
  context: ReplayContext,
  copyOf: (() => LedgerEntry) | null,
): void {
  const reference = entry.operationReference;
  if (reference !== state.group.reference || reference === null) closeGroup(state, reference, context);
  const before = state.last;
  const tally = tallyFor(state, reference);
  const { opening } = context.settings;
  // Read once: the fields of a view cost a call each.
  const posted = postedLine(entry);
  const move = moveOf(posted, { before, opening, tally, standing: context.standing });
  const anomalies =
    anomaliesAt(state, posted, move) |
    anomaliesOfEntry(entry, posted, context.settings) |
    (chosen.others.length > 0 ? ANOMALY.duplicate : 0);
  if (anomalies !== 0)
    context.onAnomaly(toldLine(state, copyOf === null ? entry : copyOf(), { move, anomalies, chosen }));
  if (tally !== null && posted.kind === 'CASHOUT_HOLD') {
    tally.availableBefore ??= move.from.balance - move.from.reserved + state.settling;
  }
  advance(state, posted, move, tally);
  noteBelowZero(state, posted, { tally, lineOf: copyOf ?? (() => entry) });
  context.applied(entry, move, tally);
}

function toldLine(
  { last, settling }: ReplayState,
  entry: LedgerEntry,
  { move, anomalies, chosen }: { readonly move: LineMove; readonly anomalies: number; readonly chosen: ChosenLines },
): ReplayedLine {
  const { from, direction, effect, heldMove } = move;
  return {
    entry,
    before: last === null ? null : { ...last },
    direction,
    effect,
    balanceDrift: differenceOf(entry.balanceAfter, BigInt(from.balance) + BigInt(effect)),
    reservedDrift: differenceOf(entry.reservedAfter, BigInt(from.reserved) + BigInt(heldMove)),
    availableBefore: BigInt(from.balance) - BigInt(from.reserved) + BigInt(settling),
    availableAfter: null,
    anomalies,
    excused: false,
    others: chosen.others,
    leftOut: chosen.leftOut,
  };
}

function anomaliesAt(state: ReplayState, posted: PostedLine, move: LineMove): number {
  const { from, direction, balanceOff, reservedOff } = move;
  let anomalies = 0;
  if (move.afterJump) anomalies |= ANOMALY.jump;
  if (balanceOff || reservedOff) {
    anomalies |=
      state.last === null ? ANOMALY.opening : (balanceOff ? ANOMALY.balance : 0) | (reservedOff ? ANOMALY.reserved : 0);
  }
  if (direction === 'HOLD' && posted.amount > from.balance - from.reserved + state.settling)
    anomalies |= ANOMALY.holdTooLarge;
  if (posted.reservedAfter < 0 && from.reserved >= 0) anomalies |= ANOMALY.reservedBelow;
  return anomalies;
}

/** The anomalies of the line itself, whatever stands before it. */
function anomaliesOfEntry(entry: LedgerEntry, posted: PostedLine, settings: ReplaySettings): number {
  const { kind, direction, createdAt } = posted;
  let anomalies = 0;
  if (!(posted.amount > 0)) anomalies |= ANOMALY.amount;
  if (directionOf(kind as EntryKind) !== direction) {
    anomalies |= isEntryKind(kind) && isDirection(direction) ? ANOMALY.direction : ANOMALY.unknown;
  }
  if (settings.currency !== null && entry.currency !== settings.currency) anomalies |= ANOMALY.currency;
  if (createdAt > settings.latest || createdAt < settings.earliest) anomalies |= ANOMALY.time;
  if (entry.operationReference === null && isEntryKind(kind) && !isAdjustment(kind)) anomalies |= ANOMALY.reference;
  return anomalies;
}

function tallyFor(state: ReplayState, reference: string | null): Tally | null {
  if (reference === null) return null;
  const known = state.tallies.get(reference);
  if (known !== undefined) return known;
  const tally = beginTally(reference);
  state.tallies.set(reference, tally);
  return tally;
}

function advance(state: ReplayState, posted: PostedLine, move: LineMove, tally: Tally | null): void {
  const { effect, heldMove, reservedMove } = move;
  state.firstSequence ??= posted.sequence;
  follow(state, posted);
  state.lastCreatedAt = posted.createdAt;
  state.entries += 1;
  addTo(state.recomputed, effect);
  addTo(state.held, heldMove);
  if (tally !== null) {
    const wasSettling = tally.debited ? tally.held : 0;
    tally.held += heldMove;
    // The episode ends with its hold, so that a tally that is recalled later starts as one that was never settled.
    tally.debited =
      tally.held > 0 && (tally.debited || posted.kind === 'CASHOUT_DEBIT' || posted.kind === 'CASHOUT_FEE');
    state.settling += (tally.debited ? tally.held : 0) - wasSettling;
    addLine(tally, { entry: posted, reservedMove, heldMove });
  }
}

/** In place: a new object a line would be a twentieth of all that a replay allocates. */
function follow(state: ReplayState, { sequence, balanceAfter, reservedAfter }: PostedLine): void {
  const { last } = state;
  if (last === null) {
    state.last = { sequence, balance: balanceAfter, reserved: reservedAfter };
    return;
  }
  last.sequence = sequence;
  last.balance = balanceAfter;
  last.reserved = reservedAfter;
}
