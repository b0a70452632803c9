// The columns of money that operators, days and months share, and the two that count what was collected.

import type { MoneyColumns } from '../section-movements.ts';
import type { Column, Table } from './table.ts';

export const COUNT_IN = {
  key: 'countIn',
  form: 'count',
  width: 8,
  pick: ({ countIn }) => countIn,
  sum: 'sum',
} as const satisfies Column<Partial<MoneyColumns>>;

export const COUNT_OUT = {
  key: 'countOut',
  form: 'count',
  width: 8,
  pick: ({ countOut }) => countOut,
  sum: 'sum',
} as const satisfies Column<Partial<MoneyColumns>>;

export const MONEY_IN = [
  { key: 'grossIn', form: 'amount', width: 14, pick: ({ grossIn }) => grossIn, sum: 'sum' },
  { key: 'feesIn', form: 'amount', width: 12, pick: ({ feesIn }) => feesIn, sum: 'sum' },
] as const satisfies readonly Column<Partial<MoneyColumns>>[];

export const MONEY_OUT = [
  { key: 'grossOut', form: 'amount', width: 14, pick: ({ grossOut }) => grossOut, sum: 'sum' },
  { key: 'feesOut', form: 'amount', width: 12, pick: ({ feesOut }) => feesOut, sum: 'sum' },
  { key: 'reversals', form: 'amount', width: 14, pick: ({ reversals }) => reversals, sum: 'sum' },
  { key: 'adjustments', form: 'amount', width: 12, pick: ({ adjustments }) => adjustments, sum: 'sum' },
  { key: 'other', form: 'amount', width: 11, pick: ({ other }) => other, sum: 'sum', offPage: 'zero' },
  {
    key: 'net',
    form: 'amount',
    width: 14,
    pick: ({ net }) => net,
    formula: 'grossIn - feesIn - grossOut - feesOut + reversals + adjustments + other',
    sum: 'sum',
  },
] as const satisfies readonly Column<Partial<MoneyColumns>>[];

interface Paid {
  readonly count: number;
  readonly amount: number;
}

const COUNT = {
  key: 'count',
  form: 'count',
  width: 12,
  pick: ({ count }) => count,
  sum: 'sum',
} as const satisfies Column<Paid>;
const AMOUNT = {
  key: 'amount',
  form: 'amount',
  width: 16,
  pick: ({ amount }) => amount,
  sum: 'sum',
} as const satisfies Column<Paid>;
const FEES = {
  key: 'fees',
  form: 'amount',
  width: 13,
  pick: ({ fees }) => fees,
  sum: 'sum',
} as const satisfies Column<{ readonly fees: number }>;

const OPERATOR = {
  key: 'operator',
  form: 'text',
  width: 26,
  pick: ({ operator }) => operator,
} as const satisfies Column<{
  readonly operator: string;
}>;
const COUNTRY = { key: 'country', form: 'text', width: 26, pick: ({ country }) => country } as const satisfies Column<{
  readonly country: string;
}>;
const DAY = { key: 'day', form: 'day', width: 26, pick: ({ day }) => day } as const satisfies Column<{
  readonly day: string;
}>;
const MONTH = { key: 'month', form: 'month', width: 26, pick: ({ month }) => month } as const satisfies Column<{
  readonly month: string;
}>;

/** What was collected under each name. */
export const COLLECTED = {
  byOperator: { columns: [OPERATOR, COUNT, AMOUNT, FEES] },
  byCountry: { columns: [COUNTRY, COUNT, AMOUNT, FEES] },
  byDay: { columns: [DAY, COUNT, AMOUNT, FEES] },
  byMonth: { columns: [MONTH, COUNT, AMOUNT, FEES] },
} as const;

/** What was paid by link: its commissions are not known. */
export const PAID = {
  byOperator: { columns: [OPERATOR, COUNT, AMOUNT] },
  byCountry: { columns: [COUNTRY, COUNT, AMOUNT] },
  byDay: { columns: [DAY, COUNT, AMOUNT] },
} as const;

/** Figures in words: a currency is beside its amount, and what was not read is named. */
export type Population = Readonly<Record<'name' | 'count' | 'amount', string>>;

export const POPULATIONS = {
  columns: [
    { key: 'populations', form: 'text', width: 60, pick: ({ name }) => name },
    { key: 'count', form: 'figure', width: 16, pick: ({ count }) => count },
    { key: 'amount', form: 'figure', width: 26, pick: ({ amount }) => amount },
  ],
} as const satisfies Table<Population>;
