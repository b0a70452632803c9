// Section 3, Par jour: every day of the month from opening to closing, and the collections of the days that had any. Of a year,
// Par mois: the same of its months.

import { labelOf, parsePeriod } from '../../../../core/domain/period.ts';
import type { DayRow, MonthRow } from '../../../../core/statements/section-movements.ts';
import type { Tone } from '../../../../core/statements/tables/table.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { amountsIn, type Column, dateColumn, drawTable } from '../tables.ts';
import { drawCollectionTable } from './operators.ts';

export function drawDays(flow: Flow): void {
  const { statement, labels, layout } = flow;
  drawHeading(flow, labels.days.heading);
  drawParagraph(flow, labels.days.note, { tone: 'muted', size: layout.sizes.note });
  const toneOf = ({ entryCount }: DayRow): Tone => (entryCount === 0 ? 'muted' : 'plain');
  const total = totalOf(flow);
  const name = dateColumn<DayRow>(labels.days.day, 42, ({ day }) =>
    day === '' ? labels.document.total : flow.words.day(day),
  );
  const columns = columnsOf<DayRow>(flow, { name, hasOthers: total.other !== 0 });
  drawTable(flow, { columns, rows: statement.days, total: { ...total, day: '' }, toneOf });
  drawCollections(flow);
}

/** Of a year. */
export function drawMonths(flow: Flow, months: readonly MonthRow[]): void {
  const { labels, layout } = flow;
  const said = labels.months;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const collections = { count: 0, amount: 0, fees: 0 };
  const total = { ...totalOf(flow), month: '', collections };
  const nameOf = (month: string): string =>
    month === '' ? labels.document.total : labelOf(parsePeriod(month)!, flow.language);
  const name = dateColumn<MonthRow>(said.month, 56, ({ month }) => nameOf(month));
  const columns = columnsOf<MonthRow>(flow, { name, hasOthers: total.other !== 0 });
  const toneOf = ({ entryCount }: MonthRow): Tone => (entryCount === 0 ? 'muted' : 'plain');
  drawTable(flow, { columns, rows: months, total, toneOf });
  drawSubheading(flow, said.collections);
  const rows = months.map((row) => ({ ...row.collections, name: nameOf(row.month) }));
  drawCollectionTable(flow, said.month, rows);
}

/** The period as one row: the sums are those of the operators' total, which counts the same lines. */
function totalOf({ statement }: Flow): Omit<DayRow, 'day'> {
  const { summary, operators } = statement;
  return {
    ...operators.total,
    entryCount: summary.entryCount,
    opening: summary.openingBalance,
    closing: summary.closingBalance,
    closingReserved: summary.closingReserved,
  };
}

function columnsOf<Row extends Omit<DayRow, 'day'>>(
  { labels, words }: Flow,
  { name, hasOthers }: { readonly name: Column<Row>; readonly hasOthers: boolean },
): readonly Column<Row>[] {
  const said = labels.days;
  const figure = amountsIn<Row>(words);
  return [
    name,
    figure(said.opening, 52, ({ opening }) => opening),
    figure(said.in, 48, ({ grossIn }) => grossIn),
    figure(said.feesIn, 42, ({ feesIn }) => feesIn),
    figure(said.out, 48, ({ grossOut }) => grossOut),
    figure(said.feesOut, 42, ({ feesOut }) => feesOut),
    figure(said.reversals, 44, ({ reversals }) => reversals),
    figure(said.adjustments, 44, ({ adjustments }) => adjustments),
    ...(hasOthers ? [figure(said.other, 40, ({ other }) => other)] : []),
    figure(said.net, 48, ({ net }) => net),
    figure(said.closing, 52, ({ closing }) => closing),
  ];
}

function drawCollections(flow: Flow): void {
  const { statement, labels, words } = flow;
  drawSubheading(flow, labels.days.collections);
  const rows = statement.summary.byDay.map((row) => ({ ...row, name: words.day(row.day) }));
  drawCollectionTable(flow, labels.days.day, rows);
}
