// Columns of money that the tables of operators, days and months share, and tables of what was
// collected and of what was paid by link.

import type { MoneyColumns } from '../section-movements.ts';
import { type Column, field } from './table.ts';

export const COUNT_IN = field('countIn', 'count', { width: 8, sum: 'sum' });
export const COUNT_OUT = field('countOut', 'count', { width: 8, sum: 'sum' });

export const MONEY_IN = [
  field('grossIn', 'amount', { width: 14, sum: 'sum', bar: 'in' }),
  field('feesIn', 'amount', { width: 12, sum: 'sum' }),
] as const satisfies readonly Column<Partial<MoneyColumns>>[];

export const MONEY_OUT = [
  field('grossOut', 'amount', { width: 14, sum: 'sum', bar: 'out' }),
  field('feesOut', 'amount', { width: 12, sum: 'sum' }),
  field('reversals', 'amount', { width: 15, sum: 'sum', offPage: 'zero' }),
  field('adjustments', 'amount', { width: 12, sum: 'sum', offPage: 'zero' }),
  field('other', 'amount', { width: 11, sum: 'sum', offPage: 'zero' }),
  field('net', 'amount', {
    width: 14,
    formula: 'grossIn - feesIn - grossOut - feesOut + reversals + adjustments + other',
    sum: 'sum',
  }),
] as const satisfies readonly Column<Partial<MoneyColumns>>[];

const COUNT = field('count', 'count', { width: 12, sum: 'sum' });
const AMOUNT = field('amount', 'amount', { width: 16, sum: 'sum' });
const FEES = field('fees', 'amount', { width: 13, sum: 'sum' });

const OPERATOR = field('operator', 'text', { width: 26 });
const COUNTRY = field('country', 'text', { width: 26 });
const DAY = field('day', 'day', { width: 26 });

/** Collections under each name. */
export const COLLECTED = {
  byOperator: { columns: [OPERATOR, COUNT, AMOUNT, FEES] },
  byCountry: { columns: [COUNTRY, COUNT, AMOUNT, FEES] },
} as const;

/**
 * Payments by link under each name. They have no column of commissions, because these are not
 * known.
 */
export const PAID = {
  byOperator: { columns: [OPERATOR, COUNT, AMOUNT] },
  byCountry: { columns: [COUNTRY, COUNT, AMOUNT] },
  byDay: { columns: [DAY, COUNT, AMOUNT] },
} as const;
