// Section 3, Par jour: every day of the month from opening to closing, and the collections of the days that had any.

import type { DayRow } from '../../../statements/section-movements.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { amountsIn, type Column, dateColumn, drawTable, type Tone } from '../tables.ts';
import { drawCollectionTable } from './operators.ts';

export function drawDays(flow: Flow): void {
  const { statement, labels, layout } = flow;
  drawHeading(flow, labels.days.heading);
  drawParagraph(flow, labels.days.note, { tone: 'muted', size: layout.sizes.note });
  const toneOf = ({ entryCount }: DayRow): Tone => (entryCount === 0 ? 'muted' : 'plain');
  const total = totalOf(flow);
  drawTable(flow, { columns: columnsOf(flow, total), rows: statement.days, total, toneOf });
  drawCollections(flow);
}

/** The month as one row: the sums are those of the operators' total, which counts the same lines. */
function totalOf({ statement }: Flow): DayRow {
  const { summary, operators } = statement;
  return {
    ...operators.total,
    day: '',
    entryCount: summary.entryCount,
    opening: summary.openingBalance,
    closing: summary.closingBalance,
    closingReserved: summary.closingReserved,
  };
}

function columnsOf({ labels, words }: Flow, total: DayRow): readonly Column<DayRow>[] {
  const said = labels.days;
  const figure = amountsIn<DayRow>(words);
  return [
    dateColumn(said.day, 42, ({ day }) => (day === '' ? labels.document.total : words.day(day))),
    figure(said.opening, 52, ({ opening }) => opening),
    figure(said.in, 48, ({ grossIn }) => grossIn),
    figure(said.feesIn, 42, ({ feesIn }) => feesIn),
    figure(said.out, 48, ({ grossOut }) => grossOut),
    figure(said.feesOut, 42, ({ feesOut }) => feesOut),
    figure(said.reversals, 44, ({ reversals }) => reversals),
    figure(said.adjustments, 44, ({ adjustments }) => adjustments),
    ...(total.other === 0 ? [] : [figure(said.other, 40, ({ other }) => other)]),
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
