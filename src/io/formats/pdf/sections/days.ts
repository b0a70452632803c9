// Section 3, Par jour: every day of the month from opening to closing, and the collections of the days that had any. Of a year,
// Par mois: the same of its months.

import type { MonthRow } from '../../../../core/statements/section-movements.ts';
import { DAYS, dayLines, MONTHS, periodLine } from '../../../../core/statements/tables/days.ts';
import { COLLECTED } from '../../../../core/statements/tables/money.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../page/flow.ts';
import { drawDeclared } from '../page/tables.ts';

export function drawDays(flow: Flow): void {
  const { statement, labels, layout } = flow;
  const titles = { ...labels.operators, ...labels.days };
  const total = periodLine(statement);
  drawHeading(flow, labels.days.heading);
  drawParagraph(flow, labels.days.note, { tone: 'muted', size: layout.sizes.note });
  const rows = dayLines(statement).slice(0, statement.days.length);
  drawDeclared(flow, DAYS, titles, { rows, total });
  drawSubheading(flow, labels.days.collections);
  drawDeclared(flow, COLLECTED.byDay, titles, {
    rows: statement.summary.byDay,
    total: total.collections,
    widthShare: 0.66,
  });
}

/** Of a year. */
export function drawMonths(flow: Flow, months: readonly MonthRow[]): void {
  const { statement, labels, layout } = flow;
  const titles = { ...labels.operators, ...labels.days, ...labels.months };
  const total = periodLine(statement);
  drawHeading(flow, labels.months.heading);
  drawParagraph(flow, labels.months.note, { tone: 'muted', size: layout.sizes.note });
  drawDeclared(flow, MONTHS, titles, { rows: months, total });
  drawSubheading(flow, labels.months.collections);
  const rows = months.map(({ month, collections }) => ({ month, ...collections }));
  drawDeclared(flow, COLLECTED.byMonth, titles, { rows, total: total.collections, widthShare: 0.66 });
}
