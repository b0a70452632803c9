// The tally of one operation: its lines so far, and the money that is still held for it. Plain
// data, so that a checkpoint can carry it. It judges nothing.

import type { Amount } from '../../domain/amount.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Operation } from '../../domain/operation.ts';

/** The fields of a line that are kept in the tally, because the operation is judged by them. */
export type PostedLine = Omit<
  LedgerEntry,
  'id' | 'currency' | 'operationReference' | 'description'
>;

export interface TalliedLine {
  readonly entry: PostedLine;
  /**
   * `reservedAfter` less the recorded reserved amount before the line. `null` where the line before
   * is not known, or where lines are missing before it and its figures do not follow.
   */
  readonly reservedMove: Amount | null;
  /**
   * The move of the operation's hold that the replay took for this line (≥ 0 on a hold, ≤ 0
   * otherwise).
   */
  readonly heldMove: Amount;
}

export interface Tally {
  readonly reference: string;
  operation: Operation | null;
  /**
   * The version of the operation that an earlier session had settled. `null` where there was none.
   */
  previous: Operation | null;
  lines: TalliedLine[];
  /** The amount that is still held for this operation. */
  held: Amount;
  /**
   * The part of `held` that counts as paid from the balance, and waits for its release or its fee.
   * Once the debit is posted that is all of `held`.
   */
  settling: Amount;
  /**
   * What was available before the operation's first hold. `null` where it has no hold, or where the
   * hold was recalled: it was compared with what was available when the operation was settled.
   */
  availableBefore: Amount | null;
  /**
   * How many lines the tally had when it was last judged and could not be settled. −1: it was never
   * judged, or its operation has changed since.
   */
  judgedAt: number;
  /**
   * True where lines of the operation were replayed after its earlier lines had been let go of: the
   * later lines were judged without the earlier ones.
   */
  lacksEarlierLines: boolean;
}

/** The part of a tally that decides how the operation's next line moves the hold. */
export interface HeldSoFar {
  readonly held: Amount;
  /** Amount of the operation's first hold; `null` where it has none. */
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
 * Compares by the sequence of the first line. Tallies without lines come last, by the creation of
 * their operations. So the order in which rows arrived does not show in the report.
 */
export function compareTallies(a: Tally, b: Tally): number {
  const [first, other] = [a.lines[0]?.entry.sequence, b.lines[0]?.entry.sequence];
  if (first !== other)
    return (first ?? Number.MAX_SAFE_INTEGER) - (other ?? Number.MAX_SAFE_INTEGER);
  const created = (a.operation?.createdAt ?? 0) - (b.operation?.createdAt ?? 0);
  return created || (a.reference < b.reference ? -1 : 1);
}
