// The two populations of payments on the first page: the wallet's collections, and what was paid by link. Draws nothing where
// nothing is by link.

import { hasOperations } from '../../../../core/statements/statement.ts';
import { PAID } from '../../../../core/statements/tables/money.ts';
import { linkNote, linkOutcome } from '../../link-sentences.ts';
import { drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { drawDeclared, drawTable, figureColumn, textColumn } from '../tables.ts';
import { drawDifferences } from './service-differences.ts';

interface Population {
  readonly name: string;
  readonly count: string;
  readonly amount: string;
}

/** Two rows and no total. */
export function drawPopulations(flow: Flow): void {
  const { statement, labels, words, layout } = flow;
  const { paymentsByLink: section, summary } = statement;
  if (section === null) return;
  const said = labels.links;
  const { paymentCount, totalAmount, currency } = section.summary;
  const isRead = hasOperations(statement);
  const unread = labels.due.unknownRow;
  flow.y += 6;
  flow.pen.open('Sect');
  drawTable<Population>(flow, {
    columns: [
      textColumn(said.populations, 60, ({ name }) => name),
      figureColumn(said.count, 16, ({ count }) => count),
      figureColumn(said.amount, 26, ({ amount }) => amount),
    ],
    rows: [
      {
        name: said.wallet,
        count: isRead ? words.amount(summary.paymentCount) : unread,
        amount: isRead ? `${words.amount(summary.totalAmount)} ${summary.currency}` : unread,
      },
      { name: said.paid, count: words.amount(paymentCount), amount: `${words.amount(totalAmount)} ${currency}` },
    ],
  });
  drawParagraph(flow, said.apart, { tone: 'muted', size: layout.sizes.note });
  drawLinkOutcome(flow);
  flow.pen.close();
}

/** What was held against the service, and what it found. */
function drawLinkOutcome(flow: Flow): void {
  const { statement, labels, words } = flow;
  for (const { text, isAlert } of linkOutcome(statement.paymentsByLink!, labels.links, words.speech))
    drawParagraph(flow, text, { tone: isAlert ? 'alert' : 'text' });
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
