// Chooses which of several lines with the same sequence belong to the chain: those that follow from
// the line before and lead to the line after. The other lines are left out of the replay, and a
// finding names them as evidence.

import type { Instant } from '../../domain/instant.ts';
import { type LedgerEntry, signedAmount } from '../../domain/ledger-entry.ts';
import { sameEntry } from '../../domain/rows/entry-fields.ts';
import type { Recorded } from './replay-state.ts';

export interface ChosenLines {
  /** The chosen lines, in the order in which they follow each other; one or two. */
  readonly apply: readonly LedgerEntry[];
  /** Every line whose content differs from the first applied line. */
  readonly others: readonly LedgerEntry[];
  /** Those of `others` that the replay does not apply. */
  readonly leftOut: readonly LedgerEntry[];
  /**
   * How many of the lines are equal to another one: a second delivery of the same line is lawful.
   */
  readonly redeliveries: number;
}

/**
 * Chooses among `lines`, which must share one sequence. `before` is `null` at the start of the
 * ledger, `after` is `null` at its end. Of all single lines and ordered pairs (of the first eight
 * lines), the choice with the fewest misfits wins.
 */
export function chooseLines(
  before: Recorded | null,
  lines: readonly LedgerEntry[],
  after: LedgerEntry | null,
): ChosenLines {
  const distinct = lines.filter(
    (line, i) => !lines.slice(0, i).some((earlier) => sameEntry(earlier, line)),
  );
  const redeliveries = lines.length - distinct.length;
  if (distinct.length === 1) return { apply: distinct, others: [], leftOut: [], redeliveries };
  // Pairs stand first, so that a pair wins over a single line that fits as well. Otherwise one line
  // would often seem enough: a debit may consume any part of the hold, so that it seems to follow
  // even without the release before it.
  const options = [...pairsOf(distinct), ...distinct.map((line) => [line])];
  const misfits = options.map((option) => countMisfits(before, option, after));
  const apply = options[misfits.indexOf(Math.min(...misfits))]!;
  const others = distinct.filter((line) => line !== apply[0]);
  return { apply, others, leftOut: distinct.filter((line) => !apply.includes(line)), redeliveries };
}

function pairsOf(lines: readonly LedgerEntry[]): LedgerEntry[][] {
  return lines.slice(0, 8).flatMap((a) =>
    lines
      .slice(0, 8)
      .filter((b) => b !== a)
      .map((b) => [a, b]),
  );
}

/**
 * Counts the lines of `option`, and the line after them, that do not follow from the line before.
 * `before` is `null` where nothing was recorded yet: then both figures start at 0.
 */
export function countMisfits(
  before: Recorded | null,
  option: readonly LedgerEntry[],
  after: LedgerEntry | null,
): number {
  const chain = after === null ? option : [...option, after];
  let from = before === null ? { balance: 0, reserved: 0 } : before;
  let misfits = 0;
  for (const line of chain) {
    if (!follows(from, line)) misfits += 1;
    from = { balance: line.balanceAfter, reserved: line.reservedAfter };
  }
  return misfits;
}

/** The fields of a line that show whether it follows from the figures before it. */
export type PostedFigures = Pick<
  LedgerEntry,
  'direction' | 'amount' | 'balanceAfter' | 'reservedAfter'
>;

/**
 * True when both recorded figures of `line` follow from `from`, moved as the line's direction may
 * move them. A debit may lower the reserved amount by anything, because interpretations differ.
 */
export function follows(
  from: Pick<Recorded, 'balance' | 'reserved'>,
  line: PostedFigures,
): boolean {
  if (from.balance + signedAmount(line) !== line.balanceAfter) return false;
  const move = line.reservedAfter - from.reserved;
  if (line.direction === 'HOLD') return move === line.amount;
  if (line.direction === 'RELEASE') return move === -line.amount;
  return line.direction === 'CREDIT' ? move === 0 : move <= 0;
}

// A break of the chain: a line whose recorded figures do not follow from the line before it. Plain
// data that a checkpoint can carry. The cause is sought by `reconcile/roots`.

/**
 * Where the recorded figures leave the chain. `balance` and `reserved` are the recorded figure less
 * the one that follows, in whole units, as decimal text, because a checkpoint is JSON.
 */
export interface Drift {
  /** Sequence of the line before; `null` at the first known line. */
  readonly after: number | null;
  readonly sequence: number;
  /** `createdAt` of the line before; `null` at the first known line. */
  readonly from: Instant | null;
  /** `createdAt` of this line. */
  readonly to: Instant;
  readonly balance: string;
  readonly reserved: string;
  /**
   * Recorded figures before the line, or the opening at the first known line. They are kept with
   * the line itself, because the line may belong to another place in the ledger.
   */
  readonly before: { readonly balance: number; readonly reserved: number };
  readonly line: PostedFigures & Pick<LedgerEntry, 'operationReference'>;
}
