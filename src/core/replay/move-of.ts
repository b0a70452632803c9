// The one answer to the question what a line moved: the balance, and the hold of its operation. The replay asks it at
// every line, a recall asks it again for the lines that it finds. It judges nothing: what does not follow is only said.

import type { Amount } from '../domain/amount.ts';
import type { Standing } from '../domain/assumptions.ts';
import { type Direction, directionOf, type EntryKind, isDirection, isEntryKind } from '../domain/ledger-entry.ts';
import type { Recorded } from './replay-state.ts';
import { reservedMoveOf } from './reserved-moves.ts';
import type { HeldSoFar, PostedLine } from './tally.ts';

export interface Surroundings {
  /** Recorded figures after the line before; null at the first known line. */
  readonly before: Recorded | null;
  /** Declared figures before the first known line; null: none were declared, and it starts at 0. */
  readonly opening: { readonly balance: Amount; readonly reserved: Amount } | null;
  /** The lines of its operation that stand before it; null: it names none. */
  readonly tally: HeldSoFar | null;
  readonly standing: Standing;
}

export interface LineMove {
  /** The figures that the line stands on: `before`, or the opening. */
  readonly from: Recorded;
  /** The recorded direction, unless it is not the kind's own: then the one that the figures support. */
  readonly direction: Direction;
  /** Signed effect on the balance. */
  readonly effect: Amount;
  /** Move of the operation's hold (≥ 0 on a hold, ≤ 0 otherwise). */
  readonly heldMove: Amount;
  /** Recorded move of the reserved amount; null where the line before is not known, or money is missing before it. */
  readonly reservedMove: Amount | null;
  /** The sequence leaves out at least one number before the line. */
  readonly afterJump: boolean;
  /** The recorded figure does not follow from `from` and the move. */
  readonly balanceOff: boolean;
  readonly reservedOff: boolean;
}

/** `entry` need not follow from the figures before it, nor be of a known kind or direction. */
export function moveOf(entry: PostedLine, { before, opening, tally, standing }: Surroundings): LineMove {
  const from = before ?? openingOf(entry, opening);
  const isPlain = directionOf(entry.kind as EntryKind) === entry.direction;
  const isUnknown = !isPlain && !(isEntryKind(entry.kind) && isDirection(entry.direction));
  const direction = isPlain ? (entry.direction as Direction) : supportedDirection(entry, from);
  const effect = isUnknown ? entry.balanceAfter - from.balance : signedAmount(entry, direction);
  const observed = entry.reservedAfter - from.reserved;
  const afterJump = before !== null && entry.sequence > before.sequence + 1;
  const around = { observed: before === null ? null : observed, afterJump, tally, standing };
  const heldMove = isUnknown ? observed : reservedMoveOf(entry, direction, around);
  // Recorded figures are safe integers, and a sum that leaves the safe range equals none: plain comparison is exact.
  const balanceOff = from.balance + effect !== entry.balanceAfter;
  const reservedOff = from.reserved + heldMove !== entry.reservedAfter;
  const isTrusted = before !== null && !(afterJump && (balanceOff || reservedOff));
  const reservedMove = isTrusted ? observed : null;
  return { from, direction, effect, heldMove, reservedMove, afterJump, balanceOff, reservedOff };
}

function openingOf(entry: PostedLine, opening: Surroundings['opening']): Recorded {
  const { balance, reserved } = opening ?? { balance: 0, reserved: 0 };
  return { sequence: entry.sequence - 1, balance, reserved };
}

/** The direction that the figures support: the recorded one, unless only the kind's own direction fits B. */
function supportedDirection(entry: PostedLine, from: Recorded): Direction {
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

function signedAmount(entry: PostedLine, direction: Direction): Amount {
  return direction === 'CREDIT' ? entry.amount : direction === 'DEBIT' ? -entry.amount : 0;
}
