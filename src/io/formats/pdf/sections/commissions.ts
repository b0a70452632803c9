// Section 4, Commissions: what was charged, compared with what the price in the merchant's profile asks for.

import type { TaxRow } from '../../../../core/statements/journal.ts';
import { hasOperations } from '../../../../core/statements/reconciliation/operations-read.ts';
import type { CommissionRow } from '../../../../core/statements/section-commissions.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameAnswer } from '../../../../core/words/names.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow, pair } from '../flow.ts';
import { amountsIn, type Column, drawNote, drawTable, type Tone } from '../tables.ts';

type Line = Pick<CommissionRow, 'count' | 'base' | 'charged' | 'recomputed' | 'difference'> & {
  readonly name: string;
  readonly price: string;
  readonly odd: number;
};

export function drawCommissions(flow: Flow): void {
  const { statement, labels, words, layout } = flow;
  const said = labels.commissions;
  const { rows, total, posted, roundings, differences, differenceCount } = statement.commissions;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const amounts = `${said.cashin} ${words.amount(posted.cashin)} · ${said.cashout} ${words.amount(posted.cashout)}`;
  if (!hasOperations(statement)) {
    drawNote(flow, labels.document.operationsUnread);
    drawNote(flow, pair(flow, said.posted, amounts));
    return;
  }
  const lines = rows.map(
    (row): Line => ({
      ...row,
      name: nameOfType(flow, row.type),
      price: priceOf(flow, row),
      odd: row.differenceCount,
    }),
  );
  const toneOf = ({ difference, odd }: Line): Tone => (difference !== 0 || odd > 0 ? 'alert' : 'plain');
  const sum: Line = { ...total, name: labels.document.total, price: '', odd: differenceCount };
  drawTable(flow, { columns: columnsOf(flow), rows: lines, total: sum, toneOf });
  drawNote(flow, pair(flow, said.posted, amounts));
  if (statement.journal.taxes.length > 0) drawTaxes(flow);
  if (roundings.length > 0)
    drawNote(flow, fill(said.roundings, { list: nameAnswer(words.speech, 'feeRounding', roundings)[1] }));
  if (differenceCount > 0) drawDifferences(flow, { differences, differenceCount });
}

/** As an invoice has them: by operator and tax, rounded once. */
function drawTaxes(flow: Flow): void {
  const { labels, words, statement } = flow;
  const said = labels.commissions;
  drawSubheading(flow, said.taxes);
  drawTable<TaxRow>(flow, {
    columns: [
      { title: said.operator, share: 60, holds: 'text', cell: ({ operator }) => operator ?? said.noOperator },
      { title: said.tax, share: 60, holds: 'text', cell: ({ name, bps }) => `${name} ${percentOf(flow, bps)}` },
      { title: said.net, share: 48, holds: 'figure', cell: ({ net }) => words.amount(net) },
      { title: said.taxAmount, share: 48, holds: 'figure', cell: ({ tax }) => words.amount(tax) },
      { title: said.whole, share: 48, holds: 'figure', cell: ({ whole }) => words.amount(whole) },
    ],
    rows: statement.journal.taxes,
  });
}

function columnsOf({ labels, words }: Flow): readonly Column<Line>[] {
  const said = labels.commissions;
  const figure = amountsIn<Line>(words);
  return [
    { title: said.type, share: 52, holds: 'text', cell: ({ name }) => name },
    { title: said.priceTitle, share: 64, holds: 'text', cell: ({ price }) => price },
    figure(said.count, 32, ({ count }) => count),
    figure(said.base, 56, ({ base }) => base),
    figure(said.charged, 48, ({ charged }) => charged),
    figure(said.recomputed, 48, ({ recomputed }) => recomputed),
    figure(said.difference, 40, ({ difference }) => difference),
    figure(said.differenceCount, 44, ({ odd }) => odd),
  ];
}

function nameOfType({ labels }: Flow, type: CommissionRow['type']): string {
  return type === 'CASHIN' ? labels.commissions.cashin : labels.commissions.cashout;
}

/** 175 basis points and 50 as `1,75 % + 50`: whole basis points, so two decimals are exact. */
function priceOf(flow: Flow, { price }: CommissionRow): string {
  const { labels, words } = flow;
  if (price === null) return labels.commissions.noPrice;
  return fill(labels.commissions.price, { percent: percentOf(flow, price.bps), flat: words.amount(price.flat) });
}

function percentOf({ words }: Flow, bps: number): string {
  const hundredths = String(bps).padStart(3, '0');
  return words.percent(`${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`);
}

function drawDifferences(
  flow: Flow,
  { differences, differenceCount }: Pick<Flow['statement']['commissions'], 'differences' | 'differenceCount'>,
): void {
  const { labels, words } = flow;
  const said = labels.commissions;
  drawSubheading(flow, said.differences);
  drawTable(flow, {
    columns: [
      { title: said.operation, share: 90, holds: 'text', cell: ({ operationReference }) => operationReference },
      { title: said.type, share: 60, holds: 'text', cell: ({ type }) => nameOfType(flow, type) },
      { title: said.amount, share: 52, holds: 'figure', cell: ({ amount }) => words.amount(amount) },
      { title: said.charged, share: 48, holds: 'figure', cell: ({ charged }) => words.amount(charged) },
      { title: said.recomputed, share: 48, holds: 'figure', cell: ({ recomputed }) => words.amount(recomputed) },
      { title: said.difference, share: 48, holds: 'figure', cell: ({ difference }) => words.amount(difference) },
    ],
    rows: differences,
    count: differenceCount,
  });
}
