// Which of several lines that carry one sequence belong to the chain: those that follow from the
// line before and lead to the line after. The others are left out of the replay and named as
// evidence, never dropped in silence.

import type { Instant } from '../../domain/instant.ts';
import { type LedgerEntry, signedAmount } from '../../domain/ledger-entry.ts';
import { sameEntry } from '../../domain/rows/entry-fields.ts';
import type { Recorded } from './replay-state.ts';

export interface ChosenLines {
  /** In chain order; at least one. */
  readonly apply: readonly LedgerEntry[];
  /** Every line of other content than the first applied one. */
  readonly others: readonly LedgerEntry[];
  /** Those of them that the replay does not apply. */
  readonly leftOut: readonly LedgerEntry[];
  /** Deliveries equal to one already there: lawful. */
  readonly redeliveries: number;
}

/**
 * `lines` share one sequence. `before` null: first lines of the ledger. `after` null: nothing
 * follows.
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
  // Where one line fits as well as two, both are of the chain: a debit may seem to follow from the
  // first alone, since it may take from the hold whatever the second has released.
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
 * Lines of `option`, and the line after them, that do not follow from the line before. `before`
 * null: nothing was recorded yet.
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

/** What of a line shows whether it follows from recorded figures. */
export type PostedFigures = Pick<
  LedgerEntry,
  'direction' | 'amount' | 'balanceAfter' | 'reservedAfter'
>;

/**
 * True when both figures after `line` are those before it, moved as the line's direction may move
 * them.
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
// data that a checkpoint can carry; what caused it is sought elsewhere.

/**
 * Where the recorded figures leave the chain: recorded less due, whole units, as decimal text (a
 * checkpoint keeps it).
 */
export interface Drift {
  /** Last sequence before it; null at the first known line. */
  readonly after: number | null;
  readonly sequence: number;
  /** createdAt of the line before and of this one. */
  readonly from: Instant | null;
  readonly to: Instant;
  readonly balance: string;
  readonly reserved: string;
  /**
   * Recorded figures before the line (the opening, where there is none), and the line: it may
   * belong elsewhere.
   */
  readonly before: { readonly balance: number; readonly reserved: number };
  readonly line: PostedFigures & Pick<LedgerEntry, 'operationReference'>;
}
