// The list of operations: a month's lines folded so that an operation is one row, with what moved
// on its behalf. Each line that moves the balance is in exactly one row, so that the rows lead from
// the opening to the closing. Lines that are neither a collection, a payout nor a commission are
// rows by themselves.

import type { Amount } from '../domain/amount.ts';
import { valueIn } from '../domain/value-in.ts';
import { plus } from './exact.ts';
import { effectOf, type StatementLine } from './statement-line.ts';

/**
 * Amounts are signed as they move the balance. net = gross + commission; in the row of any other
 * line, net is that line's effect.
 */
export interface OperationRow {
  /** The last of the row's lines that moves the balance. The row has the place of this line. */
  readonly line: StatementLine;
  /**
   * What was collected, or minus what was paid out; `null` where no line of the row collects or
   * pays out.
   */
  readonly gross: Amount | null;
  readonly commission: Amount | null;
  readonly net: Amount;
  /**
   * True when the operation has an earlier row, because it was credited, debited or charged once
   * more.
   */
  readonly isAgain: boolean;
  /**
   * Opening balance + net of the rows up to this one. Where lines of several operations alternate,
   * the ledger's balance differs from this one in between.
   */
  readonly balance: Amount;
}

type Parts = Pick<OperationRow, 'gross' | 'commission'>;

/**
 * The rows of each operation, in the order in which they begin, one digit each: 1 for a gross
 * amount, 2 for a commission, 3 for both in one line, 7 for both in two lines. `71` is a complete
 * row and a second gross amount. Empty when all lines of the operation are of other kinds.
 */
export type RowPlan = ReadonlyMap<string, string>;

/**
 * The first pass. Every line must go through `planRow`; then `plan` and `rows` are complete. It
 * keeps a text for each operation.
 */
export interface RowPlanner {
  readonly plan: Map<string, string>;
  rows: number;
}

export function beginRowPlan(): RowPlanner {
  return { plan: new Map(), rows: 0 };
}

export function planRow(planner: RowPlanner, line: StatementLine): void {
  const { operationReference: reference } = line;
  if (line.isMemo) return;
  const parts = partsOf(line);
  const before = reference === null ? '' : (planner.plan.get(reference) ?? '');
  const { rows } = parts === null ? { rows: before } : joinRow(before, parts);
  if (reference !== null) planner.plan.set(reference, rows);
  planner.rows += parts === null ? 1 : rows.length - before.length;
}

/** Rows of an operation that are not complete. */
interface OpenRows {
  rows: string;
  readonly figures: Parts[];
}

/**
 * The second pass. The same lines must go through `foldLine`. It keeps only the operations whose
 * rows are not complete.
 */
export interface RowFold {
  readonly plan: RowPlan;
  readonly open: Map<string, OpenRows>;
  balance: Amount;
}

export function beginRowFold(plan: RowPlan, openingBalance: Amount): RowFold {
  return { plan, open: new Map(), balance: openingBalance };
}

/** Returns the row that ends with the line; `null` when no row does. */
export function foldLine(fold: RowFold, line: StatementLine): OperationRow | null {
  const { operationReference: reference } = line;
  if (line.isMemo) return null;
  const parts = partsOf(line);
  if (parts === null || reference === null)
    return endRow(fold, line, { ...(parts ?? NO_PARTS), net: effectOf(line), isAgain: false });
  const own = valueIn(fold.open, reference, (): OpenRows => ({ rows: '', figures: [] }));
  const { rows, index } = joinRow(own.rows, parts);
  const known = own.figures[index] ?? NO_PARTS;
  const row = {
    gross: known.gross ?? parts.gross,
    commission: known.commission ?? parts.commission,
  };
  own.rows = rows;
  own.figures[index] = row;
  const planned = fold.plan.get(reference)!;
  if (rows === planned) fold.open.delete(reference);
  if (rows[index] !== planned[index]) return null;
  return endRow(fold, line, {
    ...row,
    net: plus(row.gross ?? 0, row.commission ?? 0),
    isAgain: index > 0,
  });
}

const NO_PARTS: Parts = { gross: null, commission: null };

function endRow(
  fold: RowFold,
  line: StatementLine,
  figures: Omit<OperationRow, 'line' | 'balance'>,
): OperationRow {
  fold.balance = plus(fold.balance, figures.net);
  return { line, ...figures, balance: fold.balance };
}

/**
 * Adds the line's parts to the first row that lacks them, or begins a new row: a second credit
 * does. Returns the plan with it, and the index of its row.
 */
function joinRow(
  rows: string,
  { gross, commission }: Parts,
): { readonly rows: string; readonly index: number } {
  const parts = (gross === null ? 0 : 1) + (commission === null ? 0 : 2);
  for (let index = 0; index < rows.length; index += 1) {
    const row = Number(rows[index]);
    if ((row & parts) === 0)
      return { rows: `${rows.slice(0, index)}${row + parts + 4}${rows.slice(index + 1)}`, index };
  }
  return { rows: `${rows}${parts}`, index: rows.length };
}

/**
 * Returns what a line is of its operation, as the columns of operators and days sort it
 * (`month/money-columns.ts`); `null` when it is neither a gross amount nor a commission.
 */
function partsOf(line: StatementLine): Parts | null {
  const { kind, amount, commission } = line;
  const effect = effectOf(line);
  if (kind === 'CASHIN_CREDIT' && effect === amount)
    return { gross: plus(effect, commission), commission: commission === 0 ? null : -commission };
  if (kind === 'CASHOUT_DEBIT' && effect === -amount) return { gross: effect, commission: null };
  const isFee = (kind === 'CASHIN_FEE' || kind === 'CASHOUT_FEE') && effect === -amount;
  return isFee ? { gross: null, commission: effect } : null;
}
