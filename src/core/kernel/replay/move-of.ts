// Computes what a line moved: the balance, and the hold of its operation. The replay computes it
// for every line, and a recall computes it again for the lines that it brings back. It judges
// nothing: it only says which recorded figures do not follow.

import type { Amount } from '../../domain/amount.ts';
import { type Standing, setOf } from '../../domain/assumptions.ts';
import { assertNever } from '../../domain/invariant.ts';
import {
  type Direction,
  directionOf,
  type EntryKind,
  isDirection,
  isEntryKind,
  signedAmount,
} from '../../domain/ledger-entry.ts';
import type { Recorded } from './replay-state.ts';
import type { HeldSoFar, PostedLine } from './tally.ts';

export interface LineContext {
  /** Recorded figures after the line before; null at the first known line. */
  readonly before: Recorded | null;
  /**
   * Declared figures before the first known line. `null`: none were declared, so both start at 0.
   */
  readonly opening: { readonly balance: Amount; readonly reserved: Amount } | null;
  /** What the line's operation holds before the line; `null` where the line names no operation. */
  readonly tally: HeldSoFar | null;
  readonly standing: Standing;
}

export interface LineMove {
  /** The figures before the line: `before`, or the opening. */
  readonly from: Recorded;
  /**
   * The recorded direction, unless it is not the kind's own: then the one that the figures support.
   */
  readonly direction: Direction;
  /** Signed effect on the balance. */
  readonly effect: Amount;
  /** Move of the operation's hold (≥ 0 on a hold, ≤ 0 otherwise). */
  readonly heldMove: Amount;
  /**
   * Recorded move of the reserved amount. `null` where the figures before the line are not known,
   * or where they do not lead to it and lines are missing between.
   */
  readonly reservedMove: Amount | null;
  /** At least one number is missing between this sequence and the one before. */
  readonly afterJump: boolean;
  /** The recorded balance does not follow from `from` and `effect`. */
  readonly balanceOff: boolean;
  /** The recorded reserved amount does not follow from `from` and `heldMove`. */
  readonly reservedOff: boolean;
}

/**
 * Returns the move of `entry`, however wrong the line is: its figures need not follow, and its kind
 * and direction need not be known. A line of unknown kind or direction moves what its recorded
 * figures moved.
 */
export function moveOf(
  entry: PostedLine,
  { before, opening, tally, standing }: LineContext,
): LineMove {
  const { balance, reserved } = opening ?? { balance: 0, reserved: 0 };
  const from = before ?? { sequence: entry.sequence - 1, balance, reserved };
  const isPlain = directionOf(entry.kind as EntryKind) === entry.direction;
  const isUnknown = !isPlain && !(isEntryKind(entry.kind) && isDirection(entry.direction));
  const direction = isPlain ? (entry.direction as Direction) : supportedDirection(entry, from);
  const effect = isUnknown
    ? entry.balanceAfter - from.balance
    : signedAmount({ direction, amount: entry.amount });
  const observed = entry.reservedAfter - from.reserved;
  const afterJump = before !== null && entry.sequence > before.sequence + 1;
  const isKnown = before !== null || opening !== null;
  const around = { observed: isKnown ? observed : null, afterJump, tally, standing };
  const heldMove = isUnknown ? observed : reservedMoveOf(entry, direction, around);
  // Plain comparison is exact: recorded figures are safe integers, and a sum beyond the safe range
  // cannot equal a safe integer.
  const balanceOff = from.balance + effect !== entry.balanceAfter;
  const reservedOff = from.reserved + heldMove !== entry.reservedAfter;
  const isTrusted = isKnown && !(afterJump && (balanceOff || reservedOff));
  const reservedMove = isTrusted ? observed : null;
  return { from, direction, effect, heldMove, reservedMove, afterJump, balanceOff, reservedOff };
}

/**
 * The direction that the figures support. The kind's own direction wins where it fits the recorded
 * balance, then the recorded direction. Where neither fits, the kind's own is taken, then the
 * recorded one, then whatever direction the figures moved in.
 */
function supportedDirection(entry: PostedLine, from: Recorded): Direction {
  const recorded = isDirection(entry.direction) ? entry.direction : null;
  const ofKind = isEntryKind(entry.kind) ? directionOf(entry.kind) : null;
  const fits = (direction: Direction | null): boolean =>
    direction !== null &&
    from.balance + signedAmount({ direction, amount: entry.amount }) === entry.balanceAfter &&
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

// How a line may move the reserved amount. Only for the debit and the fee of a cash-out does it
// depend on how holds are settled. Every other kind has one lawful move (direct API, "Cash-out
// wallet effect").

const BY_AMOUNT = setOf('holdSettlement', 'DEBIT_AND_FEE', 'FEE_OUTSIDE');
const BY_FEE = setOf('holdSettlement', 'DEBIT_AND_FEE');
const WHOLE = setOf('holdSettlement', 'DEBIT_ALL');
const RELEASED = setOf('holdSettlement', 'RELEASE_FIRST', 'RELEASE_LAST');
const FEE_FREE = setOf(
  'holdSettlement',
  'RELEASE_FIRST',
  'RELEASE_LAST',
  'DEBIT_ALL',
  'FEE_OUTSIDE',
);

/**
 * Returns the move of the reserved amount that the replay takes for `entry`: `observed`, where some
 * standing interpretation allows it, else the move that the first standing interpretation asks for.
 * `observed` is `null` where the figures before the line are not known.
 */
export function reservedMoveOf(entry: PostedLine, direction: Direction, around: Observed): Amount {
  switch (direction) {
    case 'HOLD':
      return entry.amount;
    case 'RELEASE':
      return -entry.amount;
    case 'CREDIT':
      return 0;
    case 'DEBIT':
      if (entry.kind === 'CASHOUT_DEBIT') return debitMove(entry, around);
      if (entry.kind === 'CASHOUT_FEE') return feeMove(entry, around);
      return 0;
    default:
      return assertNever(direction);
  }
}

interface Observed {
  readonly observed: Amount | null;
  readonly afterJump: boolean;
  readonly tally: HeldSoFar | null;
  readonly standing: Standing;
}

/**
 * How much of the hold a debit can consume. Where nothing was ever held, that is 0: a debit that
 * consumes nothing is lawful then, and the missing hold is a finding of its own. Right after a jump
 * of the sequence it is the whole amount, because the hold may be among the missing lines.
 */
function heldFor(entry: PostedLine, { afterJump, tally }: Observed): Amount {
  const held = tally === null ? 0 : Math.max(0, tally.held);
  return held === 0 && afterJump && (tally?.hold ?? null) === null ? entry.amount : held;
}

function debitMove(entry: PostedLine, around: Observed): Amount {
  const { observed, tally, standing } = around;
  const { amount } = entry;
  const set = standing.holdSettlement;
  const held = heldFor(entry, around);
  const byAmount = (set & BY_AMOUNT) !== 0;
  const whole = (set & WHOLE) !== 0;
  if (observed !== null) {
    if (byAmount && (observed === -amount || observed === -Math.min(amount, held))) return observed;
    if (whole && (observed === -held || consumesWhole(observed, tally))) return observed;
    if ((set & RELEASED) !== 0 && observed === 0) return observed;
  }
  if (byAmount) return -Math.min(amount, held);
  return whole ? -held : 0;
}

/**
 * Whether `observed` is lawful under DEBIT_ALL: the debit consumes the first hold, even where
 * another debit has consumed it before. Where no hold is known, any fall is accepted, and so is 0,
 * because the missing hold may have been of any amount.
 */
function consumesWhole(observed: Amount, tally: HeldSoFar | null): boolean {
  const hold = tally?.hold ?? null;
  return hold === null ? observed <= 0 : observed === -hold;
}

function feeMove({ amount }: PostedLine, { observed, tally, standing }: Observed): Amount {
  const set = standing.holdSettlement;
  const held = tally === null ? 0 : Math.max(0, tally.held);
  if (observed !== null) {
    if ((set & BY_FEE) !== 0 && (observed === -amount || observed === -Math.min(amount, held)))
      return observed;
    if ((set & FEE_FREE) !== 0 && observed === 0) return observed;
  }
  return (set & BY_FEE) !== 0 ? -Math.min(amount, held) : 0;
}
