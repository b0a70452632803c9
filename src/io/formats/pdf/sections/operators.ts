// Section 2, Par opérateur: the month's lines by operator and country, and beside them, in tables of their own, the collections
// that operations state. The two populations are never mixed in one table.

import { hasOperations } from '../../../../core/statements/statement.ts';
import { COLLECTED, PAID } from '../../../../core/statements/tables/money.ts';
import { COUNTRIES, OPERATORS, rowsBy } from '../../../../core/statements/tables/operators.ts';
import { linkNote } from '../../sentences/link-sentences.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../page/flow.ts';
import { drawDifferences } from '../page/step-tables.ts';
import { drawDeclared, drawNote } from '../page/tables.ts';
import { drawLinkOutcome } from './populations.ts';

export function drawOperators(flow: Flow): void {
  const { statement, labels, layout } = flow;
  const said = labels.operators;
  const { rows, byCountry, total } = statement.operators;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  drawDeclared(flow, OPERATORS, said, { rows, total });
  if (byCountry.length > 1) {
    drawSubheading(flow, said.byCountry);
    drawDeclared(flow, COUNTRIES, said, { rows: rowsBy(statement.operators, 'country'), total });
  }
  drawSubheading(flow, said.collections, 80);
  if (!hasOperations(statement)) {
    drawNote(flow, labels.document.operationsUnread);
    return;
  }
  drawParagraph(flow, said.collectionsNote, { tone: 'muted', size: layout.sizes.note });
  const { paymentCount: count, totalAmount: amount, totalFees: fees } = statement.summary;
  const sums = { total: { count, amount, fees }, widthShare: 0.66 };
  drawDeclared(flow, COLLECTED.byOperator, said, { rows: statement.summary.byOperator, ...sums });
  flow.y += 6;
  drawDeclared(flow, COLLECTED.byCountry, said, { rows: statement.summary.byCountry, ...sums });
}

/** Payments by link, with tables of their own after those of operators. Draws nothing where there are none. */
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
