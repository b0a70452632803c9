// The two populations of payments on the first page: the wallet's collections, and what was paid by link. Draws nothing where
// nothing is by link.

import { hasOperations } from '../../../../core/statements/statement.ts';
import { linkOutcome } from '../../sentences/link-sentences.ts';
import { drawParagraph, type Flow } from '../page/flow.ts';
import { drawTable, figureColumn, textColumn } from '../page/tables.ts';

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
export function drawLinkOutcome(flow: Flow): void {
  const { statement, labels, words } = flow;
  for (const { text, isAlert } of linkOutcome(statement.paymentsByLink!, labels.links, words.speech))
    drawParagraph(flow, text, { tone: isAlert ? 'alert' : 'text' });
}
