// The fold: (state, line) → state. Takes lines in ascending sequence, follows the recorded figures, recomputes its own,
// and tells of a line only when something about it is odd. On a drift it takes the recorded figures as its new base.

import { type Amount, addTo, differenceOf } from '../domain/amount.ts';
import type { Standing } from '../domain/assumptions.ts';
import { invariant } from '../domain/invariant.ts';
import {
  type Direction,
  directionOf,
  type EntryKind,
  isDirection,
  isEntryKind,
  type LedgerEntry,
} from '../domain/ledger-entry.ts';
import { type ChosenLines, chooseLines } from './choose-lines.ts';
import { closeGroup, noteBelowZero } from './close-group.ts';
import type { Recorded, ReplaySettings, ReplayState } from './replay-state.ts';
import { type ReplayedLine, SIGN } from './replayed-line.ts';
import { reservedMoveOf } from './reserved-moves.ts';
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
  const from: Recorded = before ?? openingOf(entry, context.settings);
  let signs = signsOfEntry(entry, context.settings) | (chosen.others.length > 0 ? SIGN.duplicate : 0);
  if (before !== null && entry.sequence > before.sequence + 1) signs |= SIGN.jump;

  const unknown = (signs & SIGN.unknown) !== 0;
  const direction =
    (signs & (SIGN.direction | SIGN.unknown)) === 0 ? (entry.direction as Direction) : supportedDirection(entry, from);
  const effect = unknown ? entry.balanceAfter - from.balance : signedAmount(entry, direction);
  const observed = entry.reservedAfter - from.reserved;
  const afterJump = (signs & SIGN.jump) !== 0;
  const around = { observed: before === null ? null : observed, afterJump, tally, standing: context.standing };
  const move = unknown ? observed : reservedMoveOf(entry, direction, around);
  // Recorded figures are safe integers, and a sum that leaves the safe range equals none: plain comparison is exact.
  const balanceOff = from.balance + effect !== entry.balanceAfter;
  const reservedOff = from.reserved + move !== entry.reservedAfter;
  if (balanceOff || reservedOff) {
    signs |= before === null ? SIGN.opening : (balanceOff ? SIGN.balance : 0) | (reservedOff ? SIGN.reserved : 0);
  }
  if (direction === 'HOLD' && entry.amount > from.balance - from.reserved + state.settling) signs |= SIGN.holdTooLarge;
  if (entry.reservedAfter < 0 && from.reserved >= 0) signs |= SIGN.reservedBelow;
  if (signs !== 0) {
    context.tell({
      entry,
      before: before === null ? null : { ...before },
      direction,
      effect,
      balanceGap: differenceOf(entry.balanceAfter, BigInt(from.balance) + BigInt(effect)),
      reservedGap: differenceOf(entry.reservedAfter, BigInt(from.reserved) + BigInt(move)),
      availableBefore: BigInt(from.balance) - BigInt(from.reserved) + BigInt(state.settling),
      availableAfter: null,
      signs,
      excused: false,
      others: chosen.others,
      leftOut: chosen.leftOut,
    });
  }
  const trusted = before !== null && (!afterJump || !(balanceOff || reservedOff));
  const line = { entry, reservedMove: trusted ? observed : null, heldMove: move };
  advance(state, line, effect, tally);
  noteBelowZero(state, entry, tally);
  context.applied(line, effect, tally);
}

function openingOf(entry: LedgerEntry, settings: ReplaySettings): Recorded {
  const { balance, reserved } = settings.opening ?? { balance: 0, reserved: 0 };
  return { sequence: entry.sequence - 1, balance, reserved };
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
  if (entry.operationReference === null && isEntryKind(entry.kind) && needsReference(entry.kind))
    signs |= SIGN.reference;
  return signs;
}

/** The direction that the figures support: the recorded one, unless only the kind's own direction fits B. */
function supportedDirection(entry: LedgerEntry, from: Recorded): Direction {
  const recorded = isDirection(entry.direction) ? entry.direction : null;
  const ofKind = isEntryKind(entry.kind) ? directionOf(entry.kind) : null;
  const fits = (direction: Direction | null): boolean =>
    direction !== null &&
    from.balance + signedAmount(entry, direction) === entry.balanceAfter &&
    (direction === 'HOLD' ? entry.reservedAfter > from.reserved : true) &&
    (direction === 'RELEASE' ? entry.reservedAfter < from.reserved : true);
  if (fits(ofKind)) return ofKind!;
  if (fits(recorded)) return recorded!;
  if (ofKind !== null) return ofKind;
  if (recorded !== null) return recorded;
  const rise = entry.balanceAfter - from.balance;
  if (rise !== 0) return rise > 0 ? 'CREDIT' : 'DEBIT';
  return entry.reservedAfter < from.reserved ? 'RELEASE' : 'HOLD';
}

function signedAmount(entry: LedgerEntry, direction: Direction): Amount {
  return direction === 'CREDIT' ? entry.amount : direction === 'DEBIT' ? -entry.amount : 0;
}

function needsReference(kind: string): boolean {
  return kind !== 'ADJUSTMENT_CREDIT' && kind !== 'ADJUSTMENT_DEBIT';
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
    // The episode ends with its hold, so that a tally brought back later starts as one that was never put away.
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
