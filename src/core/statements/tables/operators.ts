// Tables of the month's lines by operator and by country: what came in, what went out, and how many
// operations succeeded.

import type { OperatorRow, OperatorSection } from '../section-movements.ts';
import { COUNT_IN, COUNT_OUT, MONEY_IN, MONEY_OUT } from './money.ts';
import { type Column, field, type Table } from './table.ts';

const NAMES = [
  field('operator', 'text', { width: 18, lines: 2, missing: 'noOperation' }),
  field('country', 'text', { width: 8 }),
] as const satisfies readonly Column<OperatorRow>[];

const COUNTED = { form: 'count', width: 11, sum: 'sum', offPage: 'always' } as const;

const FIGURES = [
  COUNT_IN,
  ...MONEY_IN,
  COUNT_OUT,
  ...MONEY_OUT,
  { ...COUNTED, key: 'succeeded', pick: ({ success }) => success.succeeded },
  { ...COUNTED, key: 'final', pick: ({ success }) => success.final },
  {
    key: 'success',
    form: 'percent',
    width: 11,
    pick: ({ success }) => success.percent,
    formula: 'ROUND(succeeded / final, 3)',
    sum: 'formula',
  },
] as const satisfies readonly Column<OperatorRow>[];

export const OPERATORS = {
  columns: [...NAMES, ...FIGURES],
  toneOf: ({ operator }) => (operator === null ? 'muted' : 'plain'),
} as const satisfies Table<OperatorRow>;

export const COUNTRIES = {
  columns: [{ ...NAMES[1], width: 18, missing: 'noOperation' }, ...FIGURES],
  toneOf: ({ country }) => (country === null ? 'muted' : 'plain'),
} as const satisfies Table<OperatorRow>;

/**
 * Returns the rows of one table. Each table includes the lines whose operation is not known, so
 * that each sums to the total.
 */
export function rowsBy(
  { rows, ...section }: OperatorSection,
  side: 'operator' | 'country',
): readonly OperatorRow[] {
  const own = side === 'operator' ? section.byOperator : section.byCountry;
  const unknown = rows.find((row) => row.operator === null && row.country === null);
  return unknown === undefined || own.some((row) => row[side] === null) ? own : [...own, unknown];
}
