// Sorts a line's effect into the columns of a statement. An effect that does not fit its kind's
// column goes to `other`, so that the columns always sum to the net effect.

import type { Amount } from '../../domain/amount.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { plus, sumOf } from '../exact.ts';
import type { MoneyColumns } from '../section-movements.ts';
import type { Collections } from '../summary.ts';

export type MutableColumns = { -readonly [K in keyof MoneyColumns]: MoneyColumns[K] };

export function emptyColumns(): MutableColumns {
  return {
    countIn: 0,
    grossIn: 0,
    feesIn: 0,
    countOut: 0,
    grossOut: 0,
    feesOut: 0,
    reversals: 0,
    adjustments: 0,
    other: 0,
    net: 0,
  };
}

/**
 * Adds a line to the columns. `effect` is the effect that the replay took; for a kind that the
 * document does not name, it is what the recorded figures show. `commission` is the commission that
 * a collection was credited net of, because collections are stated gross.
 */
export function addToColumns(
  columns: MutableColumns,
  { kind, amount }: LedgerEntry,
  { effect, commission }: { readonly effect: Amount; readonly commission: Amount },
): void {
  columns.net = plus(columns.net, effect);
  if (kind === 'CASHIN_CREDIT' && effect === amount) {
    columns.countIn += 1;
    columns.grossIn = plus(columns.grossIn, plus(amount, commission));
    columns.feesIn = plus(columns.feesIn, commission);
  } else if (kind === 'CASHIN_FEE' && effect === -amount) {
    columns.feesIn = plus(columns.feesIn, amount);
  } else if (kind === 'CASHOUT_DEBIT' && effect === -amount) {
    columns.countOut += 1;
    columns.grossOut = plus(columns.grossOut, amount);
  } else if (kind === 'CASHOUT_FEE' && effect === -amount) {
    columns.feesOut = plus(columns.feesOut, amount);
  } else if (kind === 'REVERSAL_CREDIT' || kind === 'REVERSAL_DEBIT') {
    columns.reversals = plus(columns.reversals, effect);
  } else if (kind === 'ADJUSTMENT_CREDIT' || kind === 'ADJUSTMENT_DEBIT') {
    columns.adjustments = plus(columns.adjustments, effect);
  } else {
    columns.other = plus(columns.other, effect);
  }
}

export function addColumns(total: MutableColumns, part: MoneyColumns): void {
  for (const key of Object.keys(emptyColumns()) as (keyof MoneyColumns)[])
    total[key] = plus(total[key], part[key]);
}

/** Sums collections. Throws `StatementRefused` when a sum cannot be stated exactly. */
export function sumCollections(rows: readonly Collections[]): Collections {
  const sum = (key: keyof Collections): Amount => sumOf(rows, (row) => row[key]);
  return { count: sum('count'), amount: sum('amount'), fees: sum('fees') };
}
