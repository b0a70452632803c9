// Section 2, Par opérateur: the month's lines by operator and country, and beside them, in tables of their own, the collections
// that operations state. The two populations are never mixed in one table.

import { hasOperations } from '../../../../core/statements/statement.ts';
import { COLLECTED } from '../../../../core/statements/tables/money.ts';
import { COUNTRIES, OPERATORS, rowsBy } from '../../../../core/statements/tables/operators.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { drawDeclared, drawNote } from '../tables.ts';

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
