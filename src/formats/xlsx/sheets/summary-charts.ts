// The two charts beside the figures of the Synthèse: the balance day by day, the collections by operator.

import { fill } from '../../../words/message.ts';
import { day } from '../cell.ts';
import { groupDigits } from '../labels.ts';
import type { Drawing, PlacedChart } from '../placed-chart.ts';
import type { SheetContext } from '../sheet-context.ts';
import type { Days } from './days.ts';
import type { Operators } from './operators.ts';

/** Rows of the sheet that the charts cover, and the columns on which one ends and the other begins. */
export const CHART_ROWS = 16;
const MIDDLE = 3;
const RIGHT = 6;

/** `top`: rows above the charts. */
export function summaryDrawing(
  context: SheetContext,
  { days, operators }: { readonly days: Days; readonly operators: Operators },
  top: number,
): Drawing | null {
  const charts = [balanceChart(context, days, top), operatorChart(context, operators, top)].filter(
    (chart) => chart !== null,
  );
  return charts.length === 0 ? null : { charts };
}

function balanceChart({ statement, labels, language }: SheetContext, days: Days, top: number): PlacedChart | null {
  const rows = statement.days;
  if (rows.length === 0) return null;
  const words = labels.charts;
  const { openingBalance, closingBalance } = statement.summary;
  return {
    chart: {
      form: 'line',
      title: `${words.balance} (${statement.currency})`,
      seriesName: words.balanceSeries,
      categories: { range: days.dates, values: rows.map((row) => day(row.day).value!) },
      values: { range: days.closings, values: rows.map((row) => row.closing) },
      dayFormat: language === 'fr' ? 'dd/mm' : 'd mmm',
    },
    description: fill(words.balanceText, {
      period: statement.period.label[language],
      opening: groupDigits(openingBalance),
      closing: groupDigits(closingBalance),
      lowest: groupDigits(Math.min(...rows.map((row) => row.closing))),
      highest: groupDigits(Math.max(...rows.map((row) => row.closing))),
    }),
    from: { column: 0, row: top },
    to: { column: MIDDLE, row: top + CHART_ROWS },
  };
}

function operatorChart(
  { statement, labels, language }: SheetContext,
  operators: Operators,
  top: number,
): PlacedChart | null {
  const rows = statement.summary.byOperator;
  if (rows.length === 0) return null;
  const words = labels.charts;
  const list = rows.map((row) => `${row.operator} ${groupDigits(row.amount)}`).join(', ');
  return {
    chart: {
      form: 'bars',
      title: `${words.operators} (${statement.currency})`,
      seriesName: words.operatorSeries,
      categories: { range: operators.names, values: rows.map((row) => row.operator) },
      values: { range: operators.amounts, values: rows.map((row) => row.amount) },
      dayFormat: 'General',
    },
    description: fill(words.operatorText, { period: statement.period.label[language], list }),
    from: { column: MIDDLE, row: top },
    to: { column: RIGHT, row: top + CHART_ROWS },
  };
}
