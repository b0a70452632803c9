// Payments by link: on the first page beside the wallet's collections, as the other population that they are, and with tables of
// their own after those of operators. Draws nothing where there are none.

import { hasOperations } from '../../../statements/reconciliation/operations-read.ts';
import type { ServiceDifference } from '../../../statements/service/comparison.ts';
import type { Paid } from '../../../statements/service/link-section.ts';
import { nameFigure } from '../../../words/names.ts';
import { documentSentences, linkNote, linkOutcome } from '../../link-sentences.ts';
import { drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { drawTable, figureColumn, textColumn } from '../tables.ts';

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
  drawOutcome(flow);
  flow.pen.close();
}

function drawOutcome(flow: Flow): void {
  const { statement, labels, words } = flow;
  for (const { text, isAlert } of linkOutcome(statement.paymentsByLink!, labels.links, words.speech))
    drawParagraph(flow, text, { tone: isAlert ? 'alert' : 'text' });
}

export function drawLinks(flow: Flow): void {
  const { statement, labels, words, layout } = flow;
  const { paymentsByLink: section, circumstances } = statement;
  if (section === null) return;
  const said = labels.links;
  const { byOperator, byCountry, byDay } = section.summary;
  drawSubheading(flow, said.heading, 80);
  drawParagraph(flow, linkNote(section, said, words.speech), { tone: 'muted', size: layout.sizes.note });
  drawPaid(
    flow,
    said.operator,
    byOperator.map((row) => ({ ...row, name: row.operator })),
  );
  flow.y += 6;
  drawPaid(
    flow,
    said.country,
    byCountry.map((row) => ({ ...row, name: row.country })),
  );
  flow.y += 6;
  drawPaid(
    flow,
    said.day,
    byDay.map((row) => ({ ...row, name: words.day(row.day) })),
  );
  drawOutcome(flow);
  drawDifferences(flow, section.comparison?.differences ?? []);
  for (const { text, isAlert } of documentSentences(circumstances.serviceDocument, said, words.speech))
    drawParagraph(flow, text, { tone: isAlert ? 'alert' : 'text' });
}

function drawPaid(flow: Flow, title: string, rows: readonly (Paid & { readonly name: string })[]): void {
  const { statement, labels, words } = flow;
  const { paymentCount, totalAmount } = statement.paymentsByLink!.summary;
  drawTable<Paid & { readonly name: string }>(flow, {
    columns: [
      textColumn(title, 40, ({ name }) => name),
      figureColumn(labels.links.count, 18, ({ count }) => words.amount(count)),
      figureColumn(labels.links.amount, 24, ({ amount }) => words.amount(amount)),
    ],
    rows,
    total: { name: labels.document.total, count: paymentCount, amount: totalAmount },
    widthShare: 0.66,
  });
}

/** Key by key, the service's figure beside ours. */
function drawDifferences(flow: Flow, differences: readonly ServiceDifference[]): void {
  if (differences.length === 0) return;
  const { labels, words } = flow;
  const said = labels.annex;
  drawTable<ServiceDifference>(flow, {
    columns: [
      textColumn(said.serviceFigure, 50, ({ key }) => nameFigure(words.speech, `paymentsByLink.${key}`), 2),
      textColumn(said.serviceStates, 25, ({ service }) => words.figure(service), 2),
      textColumn(said.statementStates, 25, ({ ours }) => words.figure(ours), 2),
    ],
    rows: differences,
  });
}
