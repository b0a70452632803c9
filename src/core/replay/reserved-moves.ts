// How a line may move the reserved amount. Only the debit and the fee of a cash-out depend on how holds are settled;
// every other kind has one lawful move (direct API, "Cash-out wallet effect").

import type { Amount } from '../domain/amount.ts';
import { type Standing, setOf } from '../domain/assumptions.ts';
import { assertNever } from '../domain/invariant.ts';
import type { Direction } from '../domain/ledger-entry.ts';
import type { HeldSoFar, PostedLine } from './tally.ts';

const BY_AMOUNT = setOf('holdSettlement', 'DEBIT_AND_FEE', 'FEE_OUTSIDE');
const BY_FEE = setOf('holdSettlement', 'DEBIT_AND_FEE');
const WHOLE = setOf('holdSettlement', 'DEBIT_ALL');
const RELEASED = setOf('holdSettlement', 'RELEASE_FIRST', 'RELEASE_LAST');
const FEE_FREE = setOf('holdSettlement', 'RELEASE_FIRST', 'RELEASE_LAST', 'DEBIT_ALL', 'FEE_OUTSIDE');

/**
 * The move that the replay takes for `line`: `observed` when some standing interpretation allows it, else the move that the
 * first standing interpretation asks for. `observed` is null where the figure before the line is not known.
 */
export function reservedMoveOf(
  entry: PostedLine,
  direction: Direction,
  { observed, afterJump, tally, standing }: Surroundings,
): Amount {
  switch (direction) {
    case 'HOLD':
      return entry.amount;
    case 'RELEASE':
      return -entry.amount;
    case 'CREDIT':
      return 0;
    case 'DEBIT':
      if (entry.kind === 'CASHOUT_DEBIT') return debitMove({ entry, observed, afterJump }, tally, standing);
      if (entry.kind === 'CASHOUT_FEE') return feeMove({ entry, observed, afterJump }, tally, standing);
      return 0;
    default:
      return assertNever(direction);
  }
}

interface Surroundings {
  readonly observed: Amount | null;
  readonly afterJump: boolean;
  readonly tally: HeldSoFar | null;
  readonly standing: Standing;
}

interface Consuming {
  readonly entry: PostedLine;
  readonly observed: Amount | null;
  readonly afterJump: boolean;
}

/**
 * How much of the hold is there to consume. Where nothing was ever held, consuming nothing is lawful (the missing hold is
 * said by itself), but not right after a jump: there the hold may be among the missing lines.
 */
function heldFor({ entry, afterJump }: Consuming, tally: HeldSoFar | null): Amount {
  const held = tally === null ? 0 : Math.max(0, tally.held);
  return held === 0 && afterJump && (tally?.hold ?? null) === null ? entry.amount : held;
}

function debitMove(line: Consuming, tally: HeldSoFar | null, standing: Standing): Amount {
  const { observed } = line;
  const { amount } = line.entry;
  const set = standing.holdSettlement;
  const held = heldFor(line, tally);
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
 * DEBIT_ALL consumes one hold of the operation, also a second time. Without a known hold any fall is taken as one, and so is
 * none: a hold that is missing before it was taken whole.
 */
function consumesWhole(observed: Amount, tally: HeldSoFar | null): boolean {
  const hold = tally?.hold ?? null;
  return hold === null ? observed <= 0 : observed === -hold;
}

function feeMove(line: Consuming, tally: HeldSoFar | null, standing: Standing): Amount {
  const { observed } = line;
  const { amount } = line.entry;
  const set = standing.holdSettlement;
  const held = tally === null ? 0 : Math.max(0, tally.held);
  if (observed !== null) {
    if ((set & BY_FEE) !== 0 && (observed === -amount || observed === -Math.min(amount, held))) return observed;
    if ((set & FEE_FREE) !== 0 && observed === 0) return observed;
  }
  return (set & BY_FEE) !== 0 ? -Math.min(amount, held) : 0;
}
