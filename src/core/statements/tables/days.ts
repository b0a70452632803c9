// Tables of every day of a month from opening to closing, with what was collected on it, and of
// every month of a year.

import type { DayRow, MonthRow } from '../section-movements.ts';
import type { Statement } from '../statement.ts';
import type { Collections } from '../summary.ts';
import { COUNT_IN, COUNT_OUT, MONEY_IN, MONEY_OUT } from './money.ts';
import { type Column, field, type Table, type Tone } from './table.ts';

type Figures = Partial<Omit<DayRow, 'day'>> & { readonly collections: Collections };

/**
 * A row for a day. Only a day that is no day of the month in its zone, and on which a collection
 * succeeded all the same, has no figures but its collections.
 */
export type DayLine = Figures & { readonly day: string };

/** Picks a figure of the row's collections. */
const ofCollections = (figure: keyof Collections) => (row: Pick<Figures, 'collections'>) =>
  row.collections[figure];

const FIGURES = [
  field('entryCount', 'count', { width: 8, sum: 'sum', offPage: 'always' }),
  field('opening', 'amount', { width: 15, formula: '^closing', sum: 'first', offPage: 'always' }),
  { ...COUNT_IN, offPage: 'always' },
  ...MONEY_IN,
  { ...COUNT_OUT, offPage: 'always' },
  ...MONEY_OUT,
  field('closing', 'amount', { width: 15, formula: 'opening + net', sum: 'last', bar: 'rest' }),
  field('closingReserved', 'amount', { width: 15, sum: 'last', offPage: 'always' }),
  {
    key: 'collectedCount',
    form: 'count',
    width: 11,
    sum: 'sum',
    repeats: 'countIn',
    pick: ofCollections('count'),
  },
  {
    key: 'collectedAmount',
    form: 'amount',
    width: 15,
    sum: 'sum',
    repeats: 'grossIn',
    pick: ofCollections('amount'),
  },
  {
    key: 'collectedFees',
    form: 'amount',
    width: 13,
    sum: 'sum',
    repeats: 'feesIn',
    pick: ofCollections('fees'),
  },
] as const satisfies readonly Column<Figures>[];

const toneOf = ({ entryCount }: Figures): Tone => (entryCount === 0 ? 'muted' : 'plain');

export const DAYS = {
  columns: [field('day', 'day', { width: 12 }), ...FIGURES],
  toneOf,
} as const satisfies Table<DayLine>;

/** Days for a page, where days without movement share one row, whose `name` covers them all. */
export const PAGE_DAYS = {
  columns: [{ key: 'day', form: 'text', width: 14, pick: ({ name }) => name }, ...FIGURES],
  toneOf,
} as const satisfies Table<DayLine & { readonly name: string }>;

export const MONTHS = {
  columns: [field('month', 'month', { width: 16 }), ...FIGURES],
  toneOf,
} as const satisfies Table<MonthRow>;

const NOTHING: Collections = { count: 0, amount: 0, fees: 0 };

/** Returns the days of the month, then the days with collections that are not among them. */
export function dayLines({
  days,
  summary,
}: Pick<Statement, 'days' | 'summary'>): readonly DayLine[] {
  const collected = new Map(summary.byDay.map(({ day, ...collections }) => [day, collections]));
  const own = new Set(days.map(({ day }) => day));
  const others = summary.byDay.filter(({ day }) => !own.has(day));
  return [
    ...days.map((row) => ({ ...row, collections: collected.get(row.day) ?? NOTHING })),
    ...others.map(({ day, ...collections }) => ({ day, collections })),
  ];
}

/**
 * Returns the period as one row. Its sums are those of the operators' total, because that counts
 * the same lines.
 */
export function periodLine({
  summary,
  operators,
}: Pick<Statement, 'summary' | 'operators'>): Figures {
  const { paymentCount: count, totalAmount: amount, totalFees: fees } = summary;
  return {
    ...operators.total,
    entryCount: summary.entryCount,
    opening: summary.openingBalance,
    closing: summary.closingBalance,
    closingReserved: summary.closingReserved,
    collections: { count, amount, fees },
  };
}
