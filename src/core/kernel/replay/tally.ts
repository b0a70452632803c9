// The tally of one operation: its lines so far, and the money that it still holds. Plain data, so
// that a checkpoint can carry it; it judges nothing.

import type { Amount } from '../../domain/amount.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Operation } from '../../domain/operation.ts';

/** What is kept of a line: what its operation is judged by. */
export type PostedLine = Omit<
  LedgerEntry,
  'id' | 'currency' | 'operationReference' | 'description'
>;

export interface TalliedLine {
  readonly entry: PostedLine;
  /**
   * reservedAfter less the recorded figure before it; null where the line before is not known or
   * money is missing.
   */
  readonly reservedMove: Amount | null;
  /**
   * What the replay took as this line's move of the operation's hold (≥ 0 on a hold, ≤ 0
   * otherwise).
   */
  readonly heldMove: Amount;
}

export interface Tally {
  readonly reference: string;
  operation: Operation | null;
  /** The version that an earlier replay had settled; null when this is the first. */
  previous: Operation | null;
  lines: TalliedLine[];
  /** Still held for this operation. */
  held: Amount;
  /**
   * The part of `held` that was taken from the balance already, and is about to be released: all of
   * it once debited.
   */
  settling: Amount;
  /**
   * What was available before its first hold; null: it has none, or was recalled, and was judged by
   * it when it was settled.
   */
  availableBefore: Amount | null;
  /**
   * How many lines it had when it was last judged and found wanting; −1: not judged since it
   * changed.
   */
  judgedAt: number;
  /**
   * Some of its lines were replayed while those before them were not at hand: they were judged
   * without these.
   */
  lacksEarlierLines: boolean;
}

/** What of a tally decides how the next line of its operation moves the hold. */
export interface HeldSoFar {
  readonly held: Amount;
  /** Amount of its first hold; null: it has none. */
  readonly hold: Amount | null;
}

export function heldSoFar({ held, lines }: Tally): HeldSoFar {
  return {
    held,
    hold: lines.find(({ entry }) => entry.kind === 'CASHOUT_HOLD')?.entry.amount ?? null,
  };
}

export function beginTally(reference: string): Tally {
  return {
    reference,
    operation: null,
    previous: null,
    lines: [],
    held: 0,
    settling: 0,
    availableBefore: null,
    judgedAt: -1,
    lacksEarlierLines: false,
  };
}

export function postedLine(entry: PostedLine): PostedLine {
  const { sequence, direction, kind, amount, balanceAfter, reservedAfter, createdAt } = entry;
  return { sequence, direction, kind, amount, balanceAfter, reservedAfter, createdAt };
}

/**
 * In the order of their first lines; those without lines after them, by creation. The order of
 * arrival does not show.
 */
export function compareTallies(a: Tally, b: Tally): number {
  const [first, other] = [a.lines[0]?.entry.sequence, b.lines[0]?.entry.sequence];
  if (first !== other)
    return (first ?? Number.MAX_SAFE_INTEGER) - (other ?? Number.MAX_SAFE_INTEGER);
  const created = (a.operation?.createdAt ?? 0) - (b.operation?.createdAt ?? 0);
  return created || (a.reference < b.reference ? -1 : 1);
}
