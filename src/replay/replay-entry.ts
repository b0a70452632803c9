// The fold: (state, line) → state. Takes lines in ascending sequence, follows the recorded figures, recomputes its own,
// and tells of a line only when something about it is odd. On a drift it takes the recorded figures as its new base.

import { type Amount, addTo, differenceOf } from '../domain/amount.ts';
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
import { type ChosenLines, chooseLines } from './choose-lines.ts';
import { closeGroup, noteBelowZero } from './close-group.ts';
import { type LineMove, moveOf } from './move-of.ts';
import type { ReplaySettings, ReplayState } from './replay-state.ts';
import { type ReplayedLine, SIGN } from './replayed-line.ts';
import { addLine, beginTally, type TalliedLine, type Tally } from './tally.ts';

export interface ReplayContext {
  readonly settings: ReplaySettings;
  readonly standing: Standing;
  /** Called for lines with signs only. */
  readonly tell: (line: ReplayedLine) => void;
  /** Called once for each line that the replay applied, with the signed effect on the balance that it took. */
  readonly applied: (line: TalliedLine, effect: Amount, tally: Tally | null) => void;
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

/** Applies the lines that wait for a successor: call at the end of the ledger, before anything is concluded. */
export function finishReplay(state: ReplayState, context: ReplayContext): void {
  if (state.waiting.length > 0) applyWaiting(state, null, context);
  state.waiting = [];
  closeGroup(state, null, context);
}

function applyWaiting(state: ReplayState, next: LedgerEntry | null, context: ReplayContext): void {
  if (state.waiting.length === 1) {
    applyEntry(state, state.waiting[0]!, ALONE, context);
    return;
  }
  const chosen = chooseLines(state.last, state.waiting, next);
  state.redeliveries += chosen.redeliveries;
  chosen.apply.forEach((entry, i) => {
    applyEntry(state, entry, i === 0 ? chosen : ALONE, context);
  });
}

function applyEntry(state: ReplayState, entry: LedgerEntry, chosen: ChosenLines, context: ReplayContext): void {
  if (entry.operationReference !== state.group.reference || entry.operationReference === null) {
    closeGroup(state, entry.operationReference, context);
  }
  const before = state.last;
  const tally = tallyFor(state, entry.operationReference);
  const { opening } = context.settings;
  const move = moveOf(entry, { before, opening, tally, standing: context.standing });
  const { from, effect, heldMove } = move;
  const signs = signsAt(state, entry, move, context.settings) | (chosen.others.length > 0 ? SIGN.duplicate : 0);
  if (signs !== 0) {
    context.tell({
      entry,
      before: before === null ? null : { ...before },
      direction: move.direction,
      effect,
      balanceGap: differenceOf(entry.balanceAfter, BigInt(from.balance) + BigInt(effect)),
      reservedGap: differenceOf(entry.reservedAfter, BigInt(from.reserved) + BigInt(heldMove)),
      availableBefore: BigInt(from.balance) - BigInt(from.reserved) + BigInt(state.settling),
      availableAfter: null,
      signs,
      excused: false,
      others: chosen.others,
      leftOut: chosen.leftOut,
    });
  }
  const line = { entry, reservedMove: move.reservedMove, heldMove };
  advance(state, line, effect, tally);
  noteBelowZero(state, entry, tally);
  context.applied(line, effect, tally);
}

function signsAt(state: ReplayState, entry: LedgerEntry, move: LineMove, settings: ReplaySettings): number {
  const { from, direction, balanceOff, reservedOff } = move;
  let signs = signsOfEntry(entry, settings);
  if (move.afterJump) signs |= SIGN.jump;
  if (balanceOff || reservedOff) {
    signs |= state.last === null ? SIGN.opening : (balanceOff ? SIGN.balance : 0) | (reservedOff ? SIGN.reserved : 0);
  }
  if (direction === 'HOLD' && entry.amount > from.balance - from.reserved + state.settling) signs |= SIGN.holdTooLarge;
  if (entry.reservedAfter < 0 && from.reserved >= 0) signs |= SIGN.reservedBelow;
  return signs;
}

/** The signs that the line itself carries, whatever stands before it. */
function signsOfEntry(entry: LedgerEntry, settings: ReplaySettings): number {
  let signs = 0;
  if (!(entry.amount > 0)) signs |= SIGN.amount;
  if (directionOf(entry.kind as EntryKind) !== entry.direction) {
    signs |= isEntryKind(entry.kind) && isDirection(entry.direction) ? SIGN.direction : SIGN.unknown;
  }
  if (settings.currency !== null && entry.currency !== settings.currency) signs |= SIGN.currency;
  if (entry.createdAt > settings.latest || entry.createdAt < settings.earliest) signs |= SIGN.time;
  if (entry.operationReference === null && isEntryKind(entry.kind) && !isAdjustment(entry.kind))
    signs |= SIGN.reference;
  return signs;
}

function tallyFor(state: ReplayState, reference: string | null): Tally | null {
  if (reference === null) return null;
  const known = state.tallies.get(reference);
  if (known !== undefined) return known;
  const tally = beginTally(reference);
  state.tallies.set(reference, tally);
  return tally;
}

function advance(state: ReplayState, line: TalliedLine, effect: Amount, tally: Tally | null): void {
  const { entry, heldMove } = line;
  state.firstSequence ??= entry.sequence;
  follow(state, entry);
  state.lastCreatedAt = entry.createdAt;
  state.entries += 1;
  addTo(state.recomputed, effect);
  addTo(state.held, heldMove);
  if (tally !== null) {
    const wasSettling = tally.debited ? tally.held : 0;
    tally.held += heldMove;
    // The episode ends with its hold, so that a tally that is recalled later starts as one that was never settled.
    tally.debited = tally.held > 0 && (tally.debited || entry.kind === 'CASHOUT_DEBIT' || entry.kind === 'CASHOUT_FEE');
    state.settling += (tally.debited ? tally.held : 0) - wasSettling;
    addLine(tally, line);
  }
}

/** In place: a new object a line would be a twentieth of all that a replay allocates. */
function follow(state: ReplayState, { sequence, balanceAfter, reservedAfter }: LedgerEntry): void {
  const { last } = state;
  if (last === null) {
    state.last = { sequence, balance: balanceAfter, reserved: reservedAfter };
    return;
  }
  last.sequence = sequence;
  last.balance = balanceAfter;
  last.reserved = reservedAfter;
}
