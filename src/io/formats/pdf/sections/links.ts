// Payments by link, with tables of their own after those of operators. Draws nothing where there are none.

import { PAID } from '../../../../core/statements/tables/money.ts';
import { linkNote } from '../../link-sentences.ts';
import { drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { drawDeclared } from '../tables.ts';
import { drawLinkOutcome } from './populations.ts';
import { drawDifferences } from './service-differences.ts';

export function drawLinks(flow: Flow): void {
  const { statement, labels, words, layout } = flow;
  const { paymentsByLink: section } = statement;
  if (section === null) return;
  const said = labels.links;
  const { byOperator, byCountry, byDay, paymentCount: count, totalAmount: amount } = section.summary;
  const sums = { total: { count, amount }, widthShare: 0.66 };
  drawSubheading(flow, said.heading, 80);
  drawParagraph(flow, linkNote(section, said, words.speech), { tone: 'muted', size: layout.sizes.note });
  drawDeclared(flow, PAID.byOperator, said, { rows: byOperator, ...sums });
  flow.y += 6;
  drawDeclared(flow, PAID.byCountry, said, { rows: byCountry, ...sums });
  flow.y += 6;
  // The days of a year are for the workbook.
  if (statement.months === null) {
    drawDeclared(flow, PAID.byDay, said, { rows: byDay, ...sums });
    flow.y += 6;
  }
  drawLinkOutcome(flow);
  const { differences = [], allowed = [] } = section.comparison ?? {};
  drawDifferences(flow, [...differences, ...allowed], 'paymentsByLink.');
}
