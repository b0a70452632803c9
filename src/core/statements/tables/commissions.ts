// Commissions by price, as an invoice has their taxes, and the operations that were charged otherwise than any price asks.

import type { TaxRow } from '../journal.ts';
import type { CommissionDifference, CommissionRow } from '../section-commissions.ts';
import type { Table } from './table.ts';

export const COMMISSIONS = {
  columns: [
    { key: 'type', form: 'type', width: 16, pick: ({ type }) => type },
    { key: 'rate', form: 'rate', width: 12, pick: ({ price }) => price?.bps, missing: 'noPrice' },
    { key: 'flat', form: 'amount', width: 10, pick: ({ price }) => price?.flat },
    { key: 'count', form: 'count', width: 10, pick: ({ count }) => count, sum: 'sum' },
    { key: 'base', form: 'amount', width: 16, pick: ({ base }) => base, sum: 'sum' },
    { key: 'charged', form: 'amount', width: 14, pick: ({ charged }) => charged, sum: 'sum' },
    { key: 'recomputed', form: 'amount', width: 14, pick: ({ recomputed }) => recomputed, sum: 'sum' },
    {
      key: 'difference',
      form: 'amount',
      width: 12,
      pick: ({ difference }) => difference,
      formula: 'charged - recomputed',
      sum: 'sum',
    },
    { key: 'differenceCount', form: 'count', width: 12, pick: ({ differenceCount }) => differenceCount, sum: 'sum' },
  ],
  toneOf: ({ difference, differenceCount }) => (difference !== 0 || differenceCount > 0 ? 'alert' : 'plain'),
} as const satisfies Table<CommissionRow>;

/** Rounded once by operator and tax. */
export const FEE_TAXES = {
  columns: [
    { key: 'operator', form: 'text', width: 16, pick: ({ operator }) => operator, missing: 'noOperator' },
    { key: 'tax', form: 'text', width: 12, pick: ({ name }) => name },
    { key: 'rate', form: 'rate', width: 10, pick: ({ bps }) => bps },
    { key: 'net', form: 'amount', width: 14, pick: ({ net }) => net },
    { key: 'taxAmount', form: 'amount', width: 14, pick: ({ tax }) => tax },
    { key: 'whole', form: 'amount', width: 14, pick: ({ whole }) => whole, formula: 'net + taxAmount' },
  ],
} as const satisfies Table<TaxRow>;

export const COMMISSION_DIFFERENCES = {
  columns: [
    { key: 'operation', form: 'text', width: 26, pick: ({ operationReference }) => operationReference },
    { key: 'type', form: 'type', width: 14, pick: ({ type }) => type },
    { key: 'amount', form: 'amount', width: 14, pick: ({ amount }) => amount },
    { key: 'charged', form: 'amount', width: 12, pick: ({ charged }) => charged },
    { key: 'recomputed', form: 'amount', width: 12, pick: ({ recomputed }) => recomputed },
    {
      key: 'difference',
      form: 'amount',
      width: 12,
      pick: ({ difference }) => difference,
      formula: 'charged - recomputed',
    },
  ],
} as const satisfies Table<CommissionDifference>;
