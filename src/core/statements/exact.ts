// Sums that stay exact. A statement whose figures leave the safe integers is refused: no format could print them exactly.

import { type Amount, addTo, emptySum, totalOf } from '../domain/amount.ts';
import { StatementRefused } from './statement-refused.ts';

/** a + b, both safe integers. Throws `StatementRefused` when the sum is not one. */
export function plus(a: Amount, b: Amount): Amount {
  return safe(a + b);
}

/** The figure as a safe integer. Throws `StatementRefused` when it is not one. */
export function safe(figure: number | bigint): Amount {
  const amount = Number(figure);
  if (Number.isSafeInteger(amount)) return amount;
  const message = `A figure of this month (${figure}) passes 2^53 whole units and cannot be stated exactly.`;
  throw new StatementRefused('AMOUNTS_TOO_LARGE', message);
}

/** Σ of what `pick` takes of each row; exact on the way, also where only the end is safe. */
export function sumOf<Row>(rows: Iterable<Row>, pick: (row: Row) => Amount): Amount {
  const sum = emptySum();
  for (const row of rows) addTo(sum, pick(row));
  return safe(totalOf(sum));
}
