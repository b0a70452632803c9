// Tables of commissions by price, of the taxes in them as an invoice has them, and of the
// operations that were charged otherwise than any price asks.

import type { TaxRow } from '../journal.ts';
import type { CommissionDifference, CommissionRow } from '../section-commissions.ts';
import { field, type Table } from './table.ts';

export const COMMISSIONS = {
  columns: [
    field('type', 'type', { width: 16 }),
    { key: 'rate', form: 'rate', width: 12, pick: ({ price }) => price?.bps, missing: 'noPrice' },
    { key: 'flat', form: 'amount', width: 10, pick: ({ price }) => price?.flat },
    field('count', 'count', { width: 10, sum: 'sum' }),
    field('base', 'amount', { width: 16, sum: 'sum' }),
    field('charged', 'amount', { width: 14, sum: 'sum' }),
    field('recomputed', 'amount', { width: 14, sum: 'sum' }),
    field('difference', 'amount', {
      width: 12,
      formula: 'charged - recomputed',
      sum: 'sum',
      offPage: 'zero',
    }),
    field('differenceCount', 'count', { width: 12, sum: 'sum', offPage: 'zero' }),
  ],
  toneOf: ({ difference, differenceCount }) =>
    difference !== 0 || differenceCount > 0 ? 'alert' : 'plain',
} as const satisfies Table<CommissionRow>;

/** Taxes that commissions contain, rounded once for each operator, tax and month. */
export const FEE_TAXES = {
  columns: [
    field('operator', 'text', { width: 16, missing: 'noOperator' }),
    { key: 'tax', form: 'text', width: 12, pick: ({ name }) => name },
    { key: 'rate', form: 'rate', width: 10, pick: ({ bps }) => bps },
    field('net', 'amount', { width: 14 }),
    { key: 'taxAmount', form: 'amount', width: 14, pick: ({ tax }) => tax },
    field('whole', 'amount', { width: 14, formula: 'net + taxAmount' }),
  ],
} as const satisfies Table<TaxRow>;

export const COMMISSION_DIFFERENCES = {
  columns: [
    {
      key: 'operation',
      form: 'text',
      width: 26,
      pick: ({ operationReference }) => operationReference,
    },
    field('type', 'type', { width: 14 }),
    field('amount', 'amount', { width: 14 }),
    field('charged', 'amount', { width: 12 }),
    field('recomputed', 'amount', { width: 12 }),
    field('difference', 'amount', { width: 12, formula: 'charged - recomputed' }),
  ],
} as const satisfies Table<CommissionDifference>;
