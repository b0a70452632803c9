// Payments by link, with tables of their own after those of operators. Draws nothing where there are none.

import { linkNote } from '../../link-sentences.ts';
import { drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { drawPaidTable, type PaidLine } from './operators.ts';
import { drawLinkOutcome } from './populations.ts';
import { drawDifferences } from './service-differences.ts';

export function drawLinks(flow: Flow): void {
  const { statement, labels, words, layout } = flow;
  const { paymentsByLink: section } = statement;
  if (section === null) return;
  const said = labels.links;
  const { byOperator, byCountry, byDay, paymentCount, totalAmount } = section.summary;
  const total = { name: labels.document.total, count: paymentCount, amount: totalAmount };
  const days = byDay.map((row) => ({ ...row, name: words.day(row.day) }));
  const tables: readonly (readonly [string, readonly PaidLine[]])[] = [
    [said.operator, byOperator.map((row) => ({ ...row, name: row.operator }))],
    [said.country, byCountry.map((row) => ({ ...row, name: row.country }))],
    // The days of a year are for the workbook.
    ...(statement.months === null ? [[said.day, days] as const] : []),
  ];
  drawSubheading(flow, said.heading, 80);
  drawParagraph(flow, linkNote(section, said, words.speech), { tone: 'muted', size: layout.sizes.note });
  for (const [title, rows] of tables) {
    drawPaidTable(flow, title, { rows, total });
    flow.y += 6;
  }
  drawLinkOutcome(flow);
  const { differences = [], allowed = [] } = section.comparison ?? {};
  drawDifferences(flow, [...differences, ...allowed], 'paymentsByLink.');
}
