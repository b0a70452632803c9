// The two charts beside the figures of the Synthèse: the balance day by day, the collections by operator.

import { fill } from '../../../../core/words/message.ts';
import { day } from '../cell.ts';
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

function balanceChart(
  { statement, labels, language, words }: SheetContext,
  days: Days,
  top: number,
): PlacedChart | null {
  const rows = statement.days;
  if (rows.length === 0) return null;
  const said = labels.workbook.charts;
  const { openingBalance, closingBalance } = statement.summary;
  return {
    chart: {
      form: 'line',
      title: `${said.balance} (${statement.currency})`,
      seriesName: said.balanceSeries,
      categories: { range: days.places.column('day'), values: rows.map((row) => day(row.day).value!) },
      values: { range: days.places.column('closing'), values: rows.map((row) => row.closing) },
      dayFormat: language === 'fr' ? 'dd/mm' : 'd mmm',
    },
    description: fill(said.balanceText, {
      period: statement.period.label[language],
      opening: words.amount(openingBalance),
      closing: words.amount(closingBalance),
      lowest: words.amount(Math.min(...rows.map((row) => row.closing))),
      highest: words.amount(Math.max(...rows.map((row) => row.closing))),
    }),
    from: { column: 0, row: top },
    to: { column: MIDDLE, row: top + CHART_ROWS },
  };
}

function operatorChart(
  { statement, labels, language, words }: SheetContext,
  operators: Operators,
  top: number,
): PlacedChart | null {
  const rows = statement.summary.byOperator;
  if (rows.length === 0) return null;
  const said = labels.workbook.charts;
  const list = rows.map((row) => `${row.operator} ${words.amount(row.amount)}`).join(', ');
  return {
    chart: {
      form: 'bars',
      title: `${said.operators} (${statement.currency})`,
      seriesName: said.operatorSeries,
      categories: { range: operators.byOperator.column('operator'), values: rows.map((row) => row.operator) },
      values: { range: operators.byOperator.column('amount'), values: rows.map((row) => row.amount) },
      dayFormat: 'General',
    },
    description: fill(said.operatorText, { period: statement.period.label[language], list }),
    from: { column: MIDDLE, row: top },
    to: { column: RIGHT, row: top + CHART_ROWS },
  };
}
